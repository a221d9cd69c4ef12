"""Commands that start another one: `sudo`, `env`, `timeout`, `xargs` and `npx` start a command, `bash -c` a script,
and `find -exec` a command for each file.
"""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

from tenure.guards import shell
from tenure.guards.command_words import GLOBAL_VALUES, PROGRAM_OPTIONS, arguments
from tenure.guards.shell import UNKNOWN, Script, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that start what follows their own options -> those options that take a value.
_CARRIERS: dict[str, str] = {
    "sudo": "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir",
    "doas": "-u -C", "env": "-u -C -S --unset --chdir", "nice": "-n --adjustment", "ionice": "-c -n -p",
    "timeout": "-k -s --kill-after --signal", "nohup": "", "stdbuf": "-i -o -e", "setsid": "", "command": "",
    "exec": "-a", "builtin": "", "time": "-f -o", "watch": "-n --interval", "chronic": "", "caffeinate": "-t -w",
    "xargs": "-I -n -P -L -d -s -a -E --max-args --max-procs --replace --delimiter", "parallel": "-j --jobs",
    "flock": "-w -E --timeout", "strace": "-e -o -p -s", "npx": "-p --package -c --call", "bunx": "", "pnpx": "",
    "uvx": "--from --with -p --python", "unbuffer": "", "dotenv": "-e -f", "direnv": "", "catchsegv": "",
    "rtk": "", "corepack": "", "screen": "-S -t -c -h", "proxychains4": "-f", "gtime": "-f -o", "gtimeout": "-k -s",
}  # fmt: skip
_VALUED = {name: frozenset(options.split()) for name, options in _CARRIERS.items()}
# Programs of which one word of their own starts what follows -> those words.
_LAUNCHERS: dict[str, tuple[str, ...]] = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "hatch": ("run",), "rye": ("run",), "pdm": ("run",),
    "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "npm": ("exec", "x"), "bundle": ("exec",), "mise": ("exec", "x"),
    "direnv": ("exec",), "bun": ("x",), "doppler": ("run",), "dotenvx": ("run",),
    "volta": ("run",), "fnm": ("exec",), "asdf": ("exec",), "conda": ("run",), "rbenv": ("exec",), "pyenv": ("exec",),
}  # fmt: skip
# Package managers that start a program or script by its name alone, and what they do themselves.
_MANAGERS = frozenset(("pnpm", "yarn", "bun"))
_MANAGERS_OWN = frozenset(
    "a add approve-builds audit autoclean bin build c cache cat-file cat-index check ci config constraints create"
    " dedupe deploy dlx doctor env exec explain fetch find-hash generate-lock-entry get global help i import info init install"
    " la licenses link list ll ln login logout ls m node npm outdated owner pack patch patch-commit patch-remove plugin pm"
    " policies prune publish rb rebuild recursive remove repl restart rm root run run-script search self-update server"
    " set setup stage start stop store t tag team test tst un uninstall unlink unplug up update upgrade"
    " upgrade-interactive version versions view whoami why workspace workspaces x".split()
)
# Programs that are given a script as the value of an option.
_SCRIPT_OPTIONS: dict[str, frozenset[str]] = {
    "su": frozenset(("-c", "--command")), "script": frozenset(("-c", "-qc", "-qec", "--command")),
    "nix-shell": frozenset(("--run", "--command")), "cmd": frozenset(("/c", "/C")),
    "fish": frozenset(("-c", "--command")),
}  # fmt: skip
_POWERSHELLS = frozenset(("pwsh", "powershell"))
# What of git is given a script or a command to start.
_GIT_SCRIPTS = {"rebase": ("-x", "--exec"), "filter-branch": ("--index-filter", "--tree-filter", "--msg-filter")}
# Words of `rtk` that start what follows, as `rtk` alone does.
_RTK_WORDS = frozenset(("test", "err", "summary", "proxy", "run"))
_TMUX_VALUED = frozenset("-t -s -n -c -x -y -F -e -l".split())
# Carriers that add words of their own to what they start.
_ADDING = frozenset(("xargs", "parallel"))
# How the names of programs begin that may be given a program on the line, and what stands in one that starts others.
_INTERPRETERS = ("py", "node", "bun", "deno", "ts")
_STARTS = ("system(", "subprocess", "popen(", "exec", "spawn", "$`")
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
# Long options of theirs that take a value; of the short ones `o` and `O` do, wherever in a word they stand.
_SHELL_VALUES = frozenset(("--rcfile", "--init-file"))


def carried(simple: Simple) -> Simple | Script | None:
    """Return what a command only carries: another command, or a script as text."""
    program, words = simple.program, simple.words
    if program in _SHELLS:
        return _script_of(simple)
    if program == "trap" and len(words) > 2:
        return shell.parse(words[1], simple.folder, 1) if UNKNOWN not in words[1] else None
    if program == "busybox":
        return _rest(simple, 1)
    if program == "eval":
        return shell.parse(" ".join(words[1:]), simple.folder, 1) if UNKNOWN not in "".join(words) else None
    if program in ("python", "python3", "py") or program.startswith("python3."):
        if "-m" in words[1:3] and len(words) > words.index("-m") + 1:
            return _rest(simple, words.index("-m") + 1)
        return None
    if program in _SCRIPT_OPTIONS:
        at = next((n for n, word in enumerate(words) if word in _SCRIPT_OPTIONS[program]), len(words))
        text = " ".join(words[at + 1 :]) if program == "cmd" else "".join(words[at + 1 : at + 2])
        return shell.parse(text, simple.folder, 1) if text and UNKNOWN not in text else None
    if program in _POWERSHELLS:
        return _powershell_script(simple)
    if program == "git":
        return _script_of_git(simple)
    if program == "command" and any(word in words[1:2] for word in ("-v", "-V", "-q", "-s")):
        return None
    if program in ("concurrently", "tmux"):
        return _typed(simple)
    if program in _VALUED:
        inner = _behind(simple)
        return _with_listed(simple, inner) if program == "xargs" and isinstance(inner, Simple) else inner
    own = arguments(simple)
    if program == "node" and own and "node_modules/" in own[0]:
        name = own[0].rsplit("/", 1)[-1].removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        return Simple([name, *words[words.index(own[0]) + 1 :]], [], simple.folder, simple.stdin)
    if program == "yarn" and own[:1] == ["workspace"] and len(own) > 2:
        # `yarn workspace web CMD` is `yarn CMD` there.
        return Simple(["yarn", *words[words.index(own[1]) + 1 :]], [], simple.folder, simple.stdin)
    if program in _MANAGERS and own and own[0] not in _MANAGERS_OWN:
        return _rest(simple, words.index(own[0]))
    if program == "nix":
        # `nix develop .#shell -c CMD` and `nix shell nixpkgs#go -c CMD`.
        at = next((n for n, word in enumerate(words) if word in ("-c", "--command")), len(words))
        return _rest(simple, at + 1) if own[:1] in (["develop"], ["shell"]) else None
    for word in _LAUNCHERS.get(program, ()):
        if own and own[0] == word:
            return _rest(simple, _own_end(simple, words.index(word) + 1))
    return None


def _powershell_script(simple: Simple) -> Script | None:
    at = next((n for n, word in enumerate(simple.words) if word.lower() in ("-c", "-command")), len(simple.words))
    text = " ".join(simple.words[at + 1 :])
    if not text or UNKNOWN in text:
        return None
    from tenure.guards import powershell  # only for a line that starts it

    return shell.parse(powershell.as_shell(text), simple.folder, 1)


def _script_of_git(simple: Simple) -> Script | Simple | None:
    """Return what git starts: `git rebase --exec`, `git submodule foreach`, `git bisect run`."""
    own = arguments(simple)
    if own[:2] in (["submodule", "foreach"], ["bisect", "run"]):
        at = simple.words.index(own[1]) + 1
        return shell.parse(" ".join(word for word in simple.words[at:] if word != "--recursive"), simple.folder, 1)
    for n, word in enumerate(simple.words[:-1]):
        if own and word in _GIT_SCRIPTS.get(own[0], ()) and UNKNOWN not in simple.words[n + 1]:
            return shell.parse(simple.words[n + 1], simple.folder, 1)
    return None


def _typed(simple: Simple) -> Script | None:
    """Return what `concurrently` starts, or what is typed into a terminal of `tmux`."""
    lines, skip = list[str](), False
    for word in simple.words[1:] if simple.program == "concurrently" else simple.words[2:]:
        if skip or word.startswith("-"):
            skip = not skip and word in _TMUX_VALUED and simple.program == "tmux"
        elif word not in ("Enter", "C-m") and UNKNOWN not in word:
            lines.append(word)
    return shell.parse("\n".join(lines), simple.folder, 1) if lines else None


def _with_listed(simple: Simple, inner: Simple) -> Simple:
    """Return what `xargs` starts with the files that the program before the pipe lists, as far as its words tell."""
    from tenure.guards.listed_files import listed  # start-up: few lines hand names on

    paths = listed(simple.source)
    mark = next((simple.words[n + 1] for n, word in enumerate(simple.words[:-1]) if word == "-I"), "")
    mark = mark or next((word[2:] for word in simple.words if word.startswith("-I")), "")
    words = [each for word in inner.words for each in (paths if mark and word == mark else (word,))]
    if mark and paths and inner.program in _SHELLS:
        words = [word.replace(mark, " ".join(paths)) for word in words]
    words += [] if mark else paths
    return Simple(words or inner.words, [], inner.folder, inner.stdin, named_later=inner.named_later)


def _behind(simple: Simple) -> Simple | Script | None:
    """Return the command behind a carrier's options, values and assignments."""
    program, words, at = simple.program, simple.words, 1
    valued = _VALUED[program]
    text = next((words[n + 1] for n, w in enumerate(words[:-1]) if w in ("-c", "--call", "-S") and w in valued), None)
    if text is not None and program in ("npx", "env"):
        return shell.parse(text, simple.folder, 1)
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word.startswith("-") and len(word) > 1:
            at += 2 if word in valued else 1
        elif program in ("sudo", "env", "doas", "dotenv") and "=" in word.lstrip("="):
            at += 1
        else:
            break
    if program in ("timeout", "gtimeout", "flock") or (program == "rtk" and "".join(words[at : at + 1]) in _RTK_WORDS):
        at += 1
    return _rest(simple, at)


def _own_end(simple: Simple, at: int) -> int:
    """Return where a launcher's own options end."""
    words, valued = simple.words, GLOBAL_VALUES.get(simple.program, frozenset())
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in valued else 1
    return at


def _rest(simple: Simple, at: int) -> Simple | None:
    words = simple.words[at:]
    later = simple.named_later or simple.program in _ADDING
    if not words or words[0] == UNKNOWN:
        return None
    return Simple(words, [], simple.folder, simple.stdin, named_later=later)


def _script_of(simple: Simple) -> Script | None:
    """Return the script a shell is given as an argument or as its input."""
    first, is_given = _operand(simple.words)
    if is_given:
        text = "".join(simple.words[first : first + 1])
        return shell.parse(text, simple.folder, 1) if UNKNOWN not in text else Script([], valid=True, whole=False)
    if first < len(simple.words):
        return None
    piped = simple.stdin or ""
    if not piped and simple.source:
        from tenure.guards.listed_files import printed

        piped = printed(simple.source)
    return shell.parse(piped, simple.folder, 1) if piped else None


def _operand(words: Sequence[str]) -> tuple[int, bool]:
    """Return where a shell's options end, and whether they make what follows a script: `bash -euo pipefail -c`.

    With `-s` it reads its input, whatever follows.
    """
    at, is_given = 1, False
    while at < len(words) and (word := words[at]).startswith(("-", "+")):
        at += 1
        if word in ("-", "--"):
            break
        if word.startswith("--"):
            at += word in _SHELL_VALUES
            continue
        is_given = is_given or (word[0] == "-" and "c" in word)
        if word[0] == "-" and "s" in word and not is_given:
            return len(words), False
        at += word.count("o") + word.count("O")
    return at, is_given


def executed_by_find(simple: Simple) -> list[Simple]:
    """Return the commands that `find -exec` and its like start."""
    found: list[Simple] = []
    if simple.program not in ("find", "fd", "fdfind"):
        return found
    words = simple.words
    for n, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-x", "-X", "--exec"):
            from tenure.guards.listed_files import found_by_find

            end = next((m for m in range(n + 1, len(words)) if words[m] in (";", "+")), len(words))
            files = found_by_find(simple) or [UNKNOWN]
            inner = [each for word in words[n + 1 : end] for each in (files if word == "{}" else (word,))]
            if inner:
                found.append(Simple(inner, [], simple.folder, None))
    return found


def holds_program(simple: Simple) -> bool:
    """Tell whether a command is given a program in Python or JavaScript on its line or as its input."""
    return simple.program.startswith(_INTERPRETERS) and bool(
        simple.stdin or not PROGRAM_OPTIONS.isdisjoint(simple.words)
    )


def started_by_program(simple: Simple) -> list[Simple | Script]:
    """Return what a program on the line seems to start."""
    if not holds_program(simple):
        return []
    text = f"{simple.stdin or ''}{' '.join(simple.words[2:])}"
    if not any(mark in text for mark in _STARTS):
        return []
    from tenure.guards import inline_programs  # start-up: few lines hold such a program

    return [
        shell.parse(one, simple.folder, 1) if isinstance(one, str) else Simple(one, [], simple.folder, None)
        for one in inline_programs.started(simple)
    ]
