"""Programs that hold the other side of a terminal, and what each name says about who is looking at it.

A name is that of the executable, or of the script where an interpreter runs a terminal. The one rule: a program in
none of these tables is doubted, and a doubt is reported, not refused; so a new terminal is a line here.
"""

from __future__ import annotations

# Somebody logged in: behind these the person is on another machine, or outside this container.
LOGINS = frozenset({
    "sshd", "sshd-session", "sshd-auth", "dropbear", "tinyssh", "mosh-server", "etterminal", "etserver", "in.telnetd",
    "telnetd", "login", "ttyd", "gotty", "wetty", "tailscaled", "teleport", "amazon-ssm-agent", "ssm-session-worker",
    "containerd-shim", "containerd-shim-runc-v2", "conmon", "systemd-nspawn", "lxc-attach", "lxc-start", "incusd",
    "lxd", "vshd", "garcon", "init", "qemu-ga", "app_process64", "app_process32", "cockpit-bridge",
})  # fmt: skip
# Windows and editors that draw a terminal themselves.
WINDOWS = frozenset({
    "alacritty", "blackbox", "contour", "cool-retro-term", "cosmic-term", "ddterm", "deepin-terminal", "eterm", "foot",
    "ghostty", "gnome-terminal-server", "guake", "hyper", "kgx", "kitty", "konsole", "lilyterm", "lxterminal",
    "mate-terminal", "mlterm", "ptyxis", "ptyxis-agent", "qterminal", "rio", "roxterm", "rxvt", "rxvt-unicode",
    "sakura", "st", "stterm", "tabby", "terminal", "terminator", "terminology", "terminus", "tilda", "tilix", "urxvt",
    "urxvtd", "uxterm", "warp", "warp-terminal", "wave", "wezterm-gui", "xfce4-terminal", "xterm", "yakuake",
    "code", "code-insiders", "codium", "code-oss", "cursor", "windsurf", "zed", "zed-editor", "zeditor", "kate",
    "kdevelop", "dolphin", "builder", "gnome-builder", "lapce", "positron", "rstudio", "rsession", "qtcreator",
    "idea", "pycharm", "webstorm", "phpstorm", "clion", "goland", "rider", "rubymine", "rustrover", "datagrip",
    "studio", "neovide", "nvim-qt",
})  # fmt: skip
# Terminals that an interpreter runs: the name of the script.
SCRIPTS = frozenset({"terminator", "guake", "code-server", "jupyter-lab", "jupyter-notebook", "jupyter-server",
                     "jupyterhub-singleuser", "hyper", "tabby"})  # fmt: skip
# Folders of editors' servers, whose own copy of an interpreter holds the terminals of a remote window.
EDITOR_SERVERS = (
    "/.vscode-server", "/.vscode-remote", "/vscode-server", "/.vscodium-server", "/.cursor-server",
    "/.windsurf-server", "/code-server/", "/openvscode-server",
)  # fmt: skip
# They show what runs in them on the terminal that they were started on.
RELAYS = frozenset({
    "script", "scriptlive", "ttyrec", "asciinema", "termrec", "rlwrap", "sudo", "su", "doas", "run0", "pkexec", "luit",
    "dvtm", "mtm", "3mux", "mc", "sshpass", "socat", "reptyr", "ptyget", "bwrap", "docker", "podman", "nsenter",
    "flatpak-spawn", "emacs", "vim", "vi", "vim.basic", "vim.tiny", "vim.nox", "vim.gtk3", "gvim", "nvim", "kak", "hx",
})  # fmt: skip
# They keep terminals while nobody is there; whoever looks is attached by a client of one of these names.
KEEPERS = {
    "tmux": ("tmux",),
    "tmate": ("tmate",),
    "screen": ("screen",),
    "zellij": ("zellij",),
    "dtach": ("dtach",),
    "abduco": ("abduco",),
    "shpool": ("shpool",),
    "wezterm-mux-server": ("wezterm-gui", "wezterm"),
}
# Of these the keeper itself has the terminals of its clients open, so that no other client is taken for one of its own.
OPENS_CLIENTS = frozenset({"tmux", "tmate", "screen"})
INTERPRETERS = ("python", "pypy", "node", "bun", "deno", "perl", "ruby", "php", "lua", "luajit", "tclsh", "expect",
                "bash", "sh", "dash", "zsh", "fish", "ksh", "mksh", "busybox", "pwsh", "guile")  # fmt: skip
# What a program has loaded that draws windows.
DRAWING = (b"/libX11.so", b"/libxcb.so", b"/libwayland-client.so", b"/libvte-")
# Words by which an editor is started without a window.
UNSEEN = frozenset({"--batch", "-batch", "--script", "--headless", "-es", "-Es"})
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
# Where programs come from packages; one from elsewhere is told with its folder.
SYSTEM_FOLDERS = (
    "/usr/", "/bin/", "/sbin/", "/lib/", "/opt/", "/snap/", "/nix/", "/gnu/", "/app/", "/var/lib/", "/system/", "/init",
)  # fmt: skip
# The kernel keeps so much of a process's name.
NAME_LENGTH = 15


def known(name: str) -> str:
    """Return the tables' name for a program's, which may be cut short or carry a version."""
    plain = name.lower()
    for each in (plain, plain.partition("-")[0] if plain.startswith("emacs") else plain):
        if each in LOGINS or each in WINDOWS or each in RELAYS or each in KEEPERS:
            return each
    if len(plain) == NAME_LENGTH:
        return next((each for each in sorted(LOGINS | WINDOWS) if each.startswith(plain)), "")
    return ""


def is_interpreter(name: str) -> bool:
    """Tell whether a program runs what somebody else wrote: `python3.11`, `node`, a shell."""
    return name.lower().rstrip("0123456789.-") in INTERPRETERS
