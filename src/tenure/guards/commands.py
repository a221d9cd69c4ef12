# ruff: noqa: E501 - patterns and lists of words read better in one line
"""What a command line runs, writes and reads, seen through whatever only carries another command.

`sudo`, `env`, `timeout`, `xargs`, `bash -c`, `npx` and their like are looked through; a redirection, `tee`, `sed -i`,
`rm` and their like write the files they name. Tables of facts about programs, and nothing else: no rule of a guard
stands here.
"""

from __future__ import annotations

from tenure.guards import shell
from tenure.guards.shell import UNKNOWN, Script, Simple

MOST_COMMANDS = 400
_DEEPEST = 6

# Programs that start what follows their own options -> those options that take a value.
_CARRIERS: dict[str, str] = {
    "sudo": "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir",
    "doas": "-u -C", "env": "-u -C -S --unset --chdir", "nice": "-n --adjustment", "ionice": "-c -n -p",
    "timeout": "-k -s --kill-after --signal", "nohup": "", "stdbuf": "-i -o -e", "setsid": "", "command": "",
    "exec": "-a", "builtin": "", "time": "-f -o", "watch": "-n --interval", "chronic": "", "caffeinate": "-t -w",
    "xargs": "-I -n -P -L -d -s -a -E --max-args --max-procs --replace --delimiter", "parallel": "-j --jobs",
    "flock": "-w -E --timeout", "strace": "-e -o -p -s", "npx": "-p --package -c --call", "bunx": "", "pnpx": "",
    "uvx": "--from --with -p --python", "unbuffer": "", "dotenv": "-e -f", "direnv": "", "catchsegv": "",
    "rtk": "", "proxychains4": "-f", "gtime": "-f -o", "gtimeout": "-k -s",
}  # fmt: skip
_VALUED = {name: frozenset(options.split()) for name, options in _CARRIERS.items()}
# Programs of which one word of their own starts what follows -> those words.
_LAUNCHERS: dict[str, tuple[str, ...]] = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "hatch": ("run",), "rye": ("run",), "pdm": ("run",),
    "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "npm": ("exec", "x"), "bundle": ("exec",), "mise": ("exec", "x"),
    "direnv": ("exec",), "nix": ("run", "develop"), "bun": ("x",), "doppler": ("run",), "dotenvx": ("run",),
}  # fmt: skip
# Carriers that add words of their own to what they start.
_ADDING = frozenset(("xargs", "parallel"))
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
# Options before a program's own first word that take a value, so that `git -C there push` is a push.
GLOBAL_VALUES: dict[str, frozenset[str]] = {
    "git": frozenset("-C -c --git-dir --work-tree --namespace --exec-path".split()),
    "docker": frozenset("-H --host --context -c --config -l --log-level".split()),
    "docker-compose": frozenset("-f --file -p --project-name --env-file --profile".split()),
    "kubectl": frozenset("-n --namespace --context --kubeconfig --cluster --user -s --server".split()),
    "helm": frozenset("-n --namespace --kube-context --kubeconfig".split()),
    "npm": frozenset("--prefix -w --workspace -C --loglevel --registry".split()),
    "pnpm": frozenset("-C --dir --filter -F --prefix".split()),
    "yarn": frozenset("--cwd --modules-folder".split()),
    "bun": frozenset("--cwd --filter".split()),
    "make": frozenset("-C -f -I -o -W --directory --file".split()),
    "cargo": frozenset("--manifest-path --config -Z --color".split()),
    "go": frozenset(("-C",)),
    "uv": frozenset("--project --directory --config-file --python -p --with --extra --group --package --env-file".split()),
    "gh": frozenset("-R --repo".split()),
    "aws": frozenset("--profile --region --output --endpoint-url".split()),
    "gcloud": frozenset("--project --account --configuration".split()),
    "bundle": frozenset(("--gemfile",)),
    "poetry": frozenset("-C --directory -P --project".split()),
    "systemctl": frozenset("-H -M --host --machine".split()),
}  # fmt: skip
# Short options that take the rest of their cluster, or the next word, as a value.
_SHORT_VALUES: dict[tuple[str, str], str] = {
    ("git", "commit"): "mFCct", ("git", "tag"): "mFu", ("git", "log"): "nSGL", ("git", "push"): "o",
    ("git", "checkout"): "bB", ("git", "switch"): "cC", ("git", "merge"): "mFsX", ("git", "clean"): "e",
}  # fmt: skip
# Programs that change the files among their arguments, and those of which only the last one is changed.
_CHANGING = frozenset("rm unlink shred touch truncate tee rmdir chmod chown mkdir mkfifo srm trash rimraf del".split())
_INTO_LAST = frozenset("cp install ln rsync scp ditto".split())
_MOVING = frozenset(("mv", "rename"))
_CHANGES_VALUED: dict[str, frozenset[str]] = {
    "truncate": frozenset(("-s", "--size", "-r", "--reference")), "touch": frozenset("-d -t -r --date --reference".split()),
    "mkdir": frozenset(("-m", "--mode")), "install": frozenset("-m -o -g --mode --owner --group".split()),
    "rsync": frozenset("-e --exclude --include --filter --rsh".split()), "scp": frozenset("-i -P -F -o".split()),
}  # fmt: skip
# Programs that change the files they are given only with one of these options.
_CHANGING_WITH: dict[str, tuple[str, ...]] = {
    "sed": ("-i", "--in-place"), "gsed": ("-i", "--in-place"), "perl": ("-i",), "ruby": ("-i",), "gofmt": ("-w",),
    "goimports": ("-w",), "prettier": ("--write", "-w"), "eslint": ("--fix",), "sort": ("-o",), "yq": ("-i",),
    "biome": ("--write", "--apply"), "shfmt": ("-w",), "jq": (), "sponge": (),
}  # fmt: skip
# git's own words that change or drop the files they name.
_GIT_CHANGING = frozenset(("rm", "mv", "restore"))
_READING = frozenset(
    "cat head tail less more bat batcat nl tac xxd od hexdump strings base64 source . view open type".split()
)
# Programs whose first argument is a pattern or a program, and whose others are files.
_READING_AFTER_ONE = frozenset("grep egrep fgrep rg ag sed awk gawk jq yq".split())
# Options of readers that take a value: those that print a part of a file, and those that search in it.
_PART_VALUED = frozenset("-n -c --lines --bytes".split())
_SEARCH_VALUED = frozenset("-m -A -B -C -e -f -g -t --include --exclude --glob --max-count".split())
# Searchers that read what another program prints unless they are told of a file.
_FILTERING = frozenset(("grep", "egrep", "fgrep"))
# git's words that print what stands in the files they name.
_GIT_PRINTING = frozenset(("diff", "show", "blame"))


class Effects:
    """What a line does: the commands that run, the paths written, the paths read."""

    __slots__ = ("reads", "runs", "whole", "writes")

    def __init__(self) -> None:
        self.runs: list[Simple] = []
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.whole = True


def effects(line: str, folder: str = "") -> Effects:
    """Return what a line does; of one that cannot be parsed, what stands before the error."""
    found = Effects()
    _collect(shell.parse(line, folder), found, 0)
    return found


def _collect(script: Script, into: Effects, depth: int) -> None:
    into.whole = into.whole and script.whole
    for simple in script.commands:
        if len(into.runs) >= MOST_COMMANDS:
            into.whole = False
            return
        _one(simple, into, depth)


def _one(simple: Simple, into: Effects, depth: int) -> None:
    for operator, target in simple.redirects:
        (into.reads if operator == "<" else into.writes).append(shell.joined(simple.folder, target))
    if not simple.words:
        return
    if simple.program == "git" and "-C" in simple.words[:-1]:
        there = simple.words[simple.words.index("-C") + 1]
        simple = Simple(simple.words, simple.redirects, shell.joined(simple.folder, there), simple.stdin)
    into.runs.append(simple)
    into.writes += [shell.joined(simple.folder, path) for path in written(simple)]
    into.reads += [shell.joined(simple.folder, path) for path in read(simple)]
    if depth >= _DEEPEST:
        into.whole = False
        return
    inner = carried(simple)
    if isinstance(inner, Script):
        _collect(inner, into, depth + 1)
    elif inner is not None:
        _one(inner, into, depth + 1)
    for found in _executed_by_find(simple):
        _one(found, into, depth + 1)


def carried(simple: Simple) -> Simple | Script | None:
    """Return what a command only carries: another command, or a script as text."""
    program, words = simple.program, simple.words
    if program in _SHELLS:
        return _script_of(simple)
    if program == "eval":
        return shell.parse(" ".join(words[1:]), simple.folder, 1) if UNKNOWN not in "".join(words) else None
    if program in ("python", "python3", "py") or program.startswith("python3."):
        if "-m" in words[1:3] and len(words) > words.index("-m") + 1:
            return _rest(simple, words.index("-m") + 1)
        return None
    if program in _VALUED:
        return _behind(simple)
    for word in _LAUNCHERS.get(program, ()):
        own = arguments(simple)
        if own and own[0] == word:
            return _rest(simple, _own_end(simple, words.index(word) + 1))
    return None


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
    if program in ("timeout", "gtimeout", "flock"):
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
    words = simple.words
    for n, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word[1:]:
            text = words[n + 1] if n + 1 < len(words) else ""
            return shell.parse(text, simple.folder, 1) if UNKNOWN not in text else Script([], valid=True, whole=False)
        if not word.startswith("-"):
            return None
    return shell.parse(simple.stdin, simple.folder, 1) if simple.stdin else None


def _executed_by_find(simple: Simple) -> list[Simple]:
    found: list[Simple] = []
    if simple.program not in ("find", "fd", "fdfind"):
        return found
    words = simple.words
    for n, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok", "-x", "-X", "--exec"):
            end = next((m for m in range(n + 1, len(words)) if words[m] in (";", "+")), len(words))
            inner = [UNKNOWN if word == "{}" else word for word in words[n + 1 : end]]
            if inner:
                found.append(Simple(inner, [], simple.folder, None))
    return found


def arguments(simple: Simple) -> list[str]:
    """Return a command's arguments without options, as far as their values are known."""
    valued = GLOBAL_VALUES.get(simple.program, frozenset())
    kept: list[str] = []
    skip = False
    for n, word in enumerate(simple.words[1:], 1):
        if skip:
            skip = False
        elif word == "--":
            return kept + simple.words[n + 1 :]
        elif word.startswith("-") and len(word) > 1:
            skip = not kept and word in valued
        elif simple.program == "cargo" and not kept and word.startswith("+"):
            continue
        else:
            kept.append(word)
    return kept


def options(simple: Simple) -> set[str]:
    """Return the options of a command, `--name=value` as `--name` and `-rf` as `-r` and `-f` as well."""
    subcommand = next(iter(arguments(simple)), "")
    valued = _SHORT_VALUES.get((simple.program, subcommand), "")
    found: set[str] = set()
    skip = False
    for word in simple.words[1:]:
        if skip:
            skip = False
            continue
        if word == "--":
            break
        if word.startswith("--"):
            found.add(word.partition("=")[0])
            found.add(word)
        elif word.startswith("-") and len(word) > 1:
            found.add(word)
            for n, letter in enumerate(word[1:], 1):
                found.add(f"-{letter}")
                if letter in valued:
                    skip = n == len(word) - 1
                    break
    return found


def written(simple: Simple) -> list[str]:
    """Return the paths a command changes, as it names them."""
    program = simple.program
    files = _files(simple, _CHANGES_VALUED.get(program, frozenset()))
    if program in _CHANGING:
        files = files[1:] if program in ("chmod", "chown") else files
        return [*files, *_all_inside(files)] if _takes_folders(simple) else files
    if program in _MOVING:
        return [*files, *_all_inside(files[:-1]), *_inside_last(files)]
    if program in _INTO_LAST:
        return [*files[-1:], *_inside_last(files)] if len(files) > 1 else []
    if program == "dd":
        return [word[3:] for word in simple.words[1:] if word.startswith("of=")]
    if program == "git":
        return _by_git(simple)
    if program == "find" and "-delete" in simple.words:
        return [word for word in simple.words[1:2] if not word.startswith("-")]
    with_one = _CHANGING_WITH.get(program, ())
    if any(word == o or word.startswith((f"{o}=", f"{o}.")) for o in with_one for word in simple.words) or (
        program in ("sed", "gsed", "perl") and any(_in_place(word) for word in simple.words[1:])
    ):
        return _after_program(simple, files)
    return []


def _in_place(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and "i" in word[1:] and word[1:].rstrip(".bak").isalpha()


def _after_program(simple: Simple, files: list[str]) -> list[str]:
    """Return the files of `sed -i s/a/b/ FILE …`: without `-e` or `-f` the first argument is the program."""
    if simple.program not in ("sed", "gsed", "perl", "ruby", "yq"):
        return files
    given = any(word in ("-e", "-f", "--expression") or _holds_e(word, simple.program) for word in simple.words[1:])
    if not given:
        # BSD's sed takes the ending of its backup as a word of its own, which is empty most of the time.
        return [file for file in files if file][1:]
    return [file for n, file in enumerate(files) if file and not (n == 0 and simple.program in ("perl", "ruby"))]


def _holds_e(word: str, program: str) -> bool:
    return program in ("perl", "ruby") and word.startswith("-") and word.endswith("e")


def _by_git(simple: Simple) -> list[str]:
    own = arguments(simple)
    if own and own[0] in _GIT_CHANGING:
        files = [] if "--cached" in simple.words or "--staged" in simple.words else own[1:]
        return [*files, *_all_inside(files[:-1] if own[0] == "mv" else files)]
    if own and own[0] == "checkout" and "--" in simple.words:
        return simple.words[simple.words.index("--") + 1 :]
    return []


def _takes_folders(simple: Simple) -> bool:
    """Tell whether a command that changes files does so with whole folders."""
    if simple.program in ("rm", "srm", "chmod", "chown"):
        return bool(options(simple) & {"-r", "-R", "--recursive"})
    return simple.program in ("rmdir", "trash", "rimraf")


def _all_inside(files: list[str]) -> list[str]:
    """Return everything in folders that go as a whole; of a file it names nothing that is there."""
    return [f"{file.rstrip('/')}/*" for file in files if file.strip("/.") and UNKNOWN not in file]


def _inside_last(files: list[str]) -> list[str]:
    """Return what a copy into a folder makes there: the folder's name tells nothing of the files'."""
    if len(files) < 2:
        return []
    target = files[-1].rstrip("/")
    return [f"{target}/{file.rstrip('/').rsplit('/', 1)[-1]}" for file in files[:-1] if UNKNOWN not in file]


def read(simple: Simple) -> list[str]:
    """Return the paths a command reads, as far as its words tell."""
    program = simple.program
    if program in _READING:
        return _files(simple, _PART_VALUED if program in ("head", "tail") else frozenset())
    if program == "git":
        own = arguments(simple)
        return [word.rpartition(":")[2] for word in own[1:]] if own and own[0] in _GIT_PRINTING else []
    if program in _READING_AFTER_ONE:
        files = _files(simple, _SEARCH_VALUED)
        given = any(word in ("-e", "-f", "--regexp", "--expression") for word in simple.words[1:])
        return files if given else files[1:]
    if program in _INTO_LAST | _MOVING:
        return _files(simple, frozenset())[:-1]
    return []


def filters(simple: Simple) -> bool:
    """Tell whether a command only picks lines of what another program prints."""
    return (
        simple.program in _FILTERING
        and not simple.named_later
        and not read(simple)
        and not options(simple) & {"-r", "-R", "--recursive", "--dereference-recursive"}
        and not any(operator == "<" for operator, _ in simple.redirects)
    )


def _files(simple: Simple, valued: frozenset[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for n, word in enumerate(simple.words[1:], 1):
        if skip:
            skip = False
        elif word == "--":
            return kept + simple.words[n + 1 :]
        elif word.startswith("-") and len(word) > 1:
            skip = word in valued
        else:
            kept.append(word)
    return kept
