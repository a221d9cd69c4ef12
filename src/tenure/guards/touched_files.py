"""The files that a command writes and reads, as its words name them: tables of facts about programs."""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

from tenure.guards.command_words import arguments, operands, options
from tenure.guards.patches import patched_files
from tenure.guards.shell import UNKNOWN, Simple, joined
from tenure.guards.wrapped_commands import holds_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that change the files among their arguments, and those of which only the last one is changed.
_CHANGING = frozenset(
    "rm unlink shred touch truncate tee rmdir chmod chown mkdir mkfifo srm trash rimraf del sponge"
    " ed ex vi vim nvim nano dos2unix unix2dos".split()
)
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
    "biome": ("--write", "--apply"), "ruff": ("--fix",), "shfmt": ("-w",), "clang-format": ("-i",), "autopep8": ("-i", "--in-place"), "gawk": ("inplace",), "awk": ("inplace",),
}  # fmt: skip
# Formatters that change what they are given, unless they are told only to look.
_FORMATTING = frozenset("black isort rustfmt stylua".split())
_ONLY_LOOKING = frozenset("--check --diff --check-only --version --help".split())
# Options whose value is a file that is written, or a folder that is filled.
_OUTPUT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("go gcc g++ cc clang clang++ rustc pandoc dot".split(), ("-o", "--output")),
    "eslint": ("-o", "--output-file"), "curl": ("-o", "--output"), "wget": ("-O", "--output-document", "-P", "--directory-prefix"), "unzip": ("-d",),
    **dict.fromkeys(("tar", "bsdtar"), ("-C", "--directory")), "mktemp": ("-p", "--tmpdir"),
}  # fmt: skip
_FILLING = frozenset("tar bsdtar unzip wget mktemp".split())
_SPLIT_VALUED = frozenset("-l -b -n -a -C".split())
# Programs that put a packed or unpacked file in the place of the one they are given, unless they print it or look.
_PACKING = frozenset("gzip gunzip xz unxz bzip2 bunzip2 zstd".split())
_PRINTING = frozenset("-c --stdout --to-stdout -l --list -t --test".split())
MOST_ENDING = 6
# Programs whose script may write files itself, and what stands before sed's `w` in it.
_SCRIPTED = frozenset("awk gawk mawk nawk sed gsed".split())
_BEFORE_W = ("", *"/gpIi$}|#,0123456789")
# git's own words that change or drop the files they name.
_GIT_CHANGING = frozenset(("rm", "mv", "restore", "clean"))
_READING = frozenset(
    "cat head tail less more bat batcat nl tac xxd od hexdump strings base64 source . view open type cut sort uniq paste"
    " comm diff cmp column fold rev".split()
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
_GIT_COUNTING = frozenset("--stat --shortstat --numstat --name-only --name-status --check --quiet".split())


class TouchedFiles:
    """The paths that a line writes, those that it may, and those it reads."""

    __slots__ = ("may_write", "reads", "tracked", "writes")

    def __init__(self) -> None:
        self.writes: list[str] = []
        self.reads: list[str] = []
        # What a program in another language seems to write.
        self.may_write: list[str] = []
        # What git may change without naming it, of the files it tracks.
        self.tracked: list[str] = []


def touched(redirects: Sequence[tuple[str, str, bool]], runs: Sequence[Simple]) -> TouchedFiles:
    """Return the files that redirections and commands touch."""
    found = TouchedFiles()
    for operator, target, guessed in redirects:
        (found.reads if operator == "<" else found.may_write if guessed else found.writes).append(target)
    for simple in runs:
        folder = simple.folder
        (found.may_write if simple.guessed else found.writes).extend(joined(folder, path) for path in written(simple))
        found.reads += [joined(folder, path) for path in read(simple)]
        if simple.program == "git":
            tracked, ignored = whole_tree(simple)
            found.tracked += [joined(folder, path) for path in tracked]
            found.may_write += [joined(folder, path) for path in ignored]
        elif simple.program in _SCRIPTED:
            found.may_write += [joined(folder, path) for path in _by_script(simple)]
        elif holds_program(simple):
            from tenure.guards import inline_programs  # start-up: few lines hold a program

            found.may_write += [joined(folder, path) for path in inline_programs.changed(simple)]
    return found


def written(simple: Simple) -> list[str]:
    """Return the paths a command changes, as it names them."""
    program = simple.program
    files = operands(simple.words[1:], _CHANGES_VALUED.get(program, frozenset()))
    if program in _CHANGING:
        files = files[1:] if program in ("chmod", "chown") else files
        return [*files, *_all_inside(files)] if _takes_folders(simple) else files
    if program in _MOVING | _INTO_LAST and (folder := _value(simple, ("-t", "--target-directory"))):
        moved = [file for file in files if file != folder]
        return [*_inside_last([*moved, folder]), *(moved if program in _MOVING else ())]
    if program in _MOVING:
        return [*files, *_all_inside(files[:-1]), *_inside_last(files)]
    if program == "install" and "-d" in options(simple):
        return files
    if program in _INTO_LAST:
        return [*files[-1:], *_inside_last(files)] if len(files) > 1 else []
    if program in _PACKING:
        return [] if options(simple) & _PRINTING else files
    if program in ("7z", "7za", "7zz"):
        return _all_inside([word[2:] for word in simple.words[2:] if word.startswith("-o")])
    if program == "sd":
        return files[2:]
    if program == "split":
        return [f"{file}*" for file in operands(simple.words[1:], _SPLIT_VALUED)[1:2]]
    if program == "dd":
        return [word[3:] for word in simple.words[1:] if word.startswith("of=")]
    if program == "git":
        return _by_git(simple)
    if program == "find" and "-delete" in simple.words:
        from tenure.guards.listed_files import found_by_find

        return found_by_find(simple)
    if program in ("apply_patch", "patch"):
        return [
            *patched_files(simple.stdin or ""),
            *(files[:1] if program == "patch" else ()),
            *_all_inside([_value(simple, ("-d", "--directory"))]),
        ]
    if program in _OUTPUT and (found := _output(simple)):
        return found
    if program in _FORMATTING or (program == "ruff" and files[:1] == ["format"]):
        return [] if _ONLY_LOOKING.intersection(simple.words) else [*files, *_all_inside(files)]
    with_one = _CHANGING_WITH.get(program, ())
    if any(word == o or word.startswith((f"{o}=", f"{o}.")) for o in with_one for word in simple.words) or (
        program in ("sed", "gsed", "perl") and any(_in_place(word) for word in simple.words[1:])
    ):
        changed = _after_program(simple, files)
        return [*changed, *_all_inside(changed)]
    return []


def _value(simple: Simple, names: tuple[str, ...]) -> str:
    """Return the value of an option, behind it or in the same word."""
    for n, word in enumerate(simple.words[1:], 1):
        if word in names:
            return simple.words[n + 1] if n + 1 < len(simple.words) else ""
        for name in names:
            if name.startswith("--") and word.startswith(f"{name}="):
                return word.partition("=")[2]
    return ""


def _output(simple: Simple) -> list[str]:
    """Return what a program that fetches or unpacks writes, where an option says it."""
    names = _OUTPUT[simple.program]
    # Short options stand in a cluster: `curl -sSLo FILE`.
    clusters = [
        word for word in simple.words[1:] if word[:1] == "-" and word[1:2] != "-" and word.endswith(names[0][1:])
    ]
    found = _value(simple, (*names, *clusters))
    if not found:
        return []
    return [found, *_all_inside([found])] if simple.program in _FILLING else [found]


def _by_script(simple: Simple) -> list[str]:
    """Return the files that a script of awk (`print > "f"`) or sed (`w f`) names to write to."""
    found: list[str] = []
    for script in simple.words[1:]:
        for line in script.split("\n"):
            if simple.program in ("sed", "gsed"):
                before, sign, name = line.rpartition("w ")
                found += [name.strip()] if sign and before.strip()[-1:] in _BEFORE_W else []
                continue
            for statement in line.replace("{", ";").split(";"):
                printed, sign, target = statement.partition(">")
                name = target.lstrip("> ")
                if sign and printed.lstrip().startswith("print") and name[:1] == '"':
                    found.append(name[1:].partition('"')[0])
    return [name for name in found if name]


def _in_place(word: str) -> bool:
    letters = word[1:].partition(".")[0]
    return word[:1] == "-" and word[1:2] not in ("-", "M", "I") and "i" in letters and letters.isalnum()


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
    if own and own[0] == "checkout":
        files = _checked_out(simple, own)
        return [*files, *_all_inside(files)]
    if own[:1] == ["clone"]:
        return _all_inside(own[2:3])
    applies = own[:1] == ["apply"] and not {"--cached", "--check", "--stat"}.intersection(simple.words)
    return patched_files(simple.stdin or "") if applies else []


def whole_tree(simple: Simple) -> tuple[list[str], list[str]]:
    """Return the tree that git may change without naming a file: of what it tracks, and of what it ignores."""
    own, given = arguments(simple), options(simple)
    word, everything = next(iter(own), ""), ["*/*"]
    puts_back = word == "checkout" or (word == "restore" and not given & {"--staged", "-S"})
    if (puts_back and {".", ":/"}.intersection(own[1:])) or (word == "reset" and "--hard" in given):
        return everything, []
    removes = word == "clean" and given & {"-x", "-X"} and "-f" in given and not given & {"-n", "--dry-run"}
    return [], everything if removes and not own[1:] else []


def _checked_out(simple: Simple, own: list[str]) -> list[str]:
    """Return the files that `git checkout` puts back: behind `--`, or behind a commit; a name alone may be a branch."""
    if "--" in simple.words:
        return simple.words[simple.words.index("--") + 1 :]
    given = options(simple)
    if given & {"--theirs", "--ours"}:
        return own[1:]
    if given & {"-b", "-B", "--orphan", "-t", "--track", "--detach"}:
        return []
    # Of a name alone only its ending tells a file from a branch.
    return own[2:] or [name for name in own[1:2] if _has_ending(name)]


def _has_ending(name: str) -> bool:
    ending = name.rpartition("/")[2].rpartition(".")[2]
    lower = ending.isascii() and ending.isalnum() and ending.islower() and ending[0].isalpha()
    return lower and len(ending) <= MOST_ENDING and "/" in name and "." in name.rpartition("/")[2]


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
    names = (file.rstrip("/").rsplit("/", 1)[-1] for file in files[:-1] if UNKNOWN not in file)
    # Two stars stand for names that are not known, one for every name there is.
    return [f"{target}/{'**' if name in ('', '.', '*') else name}" for name in names]


def read(simple: Simple) -> list[str]:
    """Return the paths a command reads, as far as its words tell."""
    program = simple.program
    if program in _READING:
        return operands(simple.words[1:], _PART_VALUED if program in ("head", "tail") else frozenset())
    if program == "git":
        own = arguments(simple)
        prints = own and own[0] in _GIT_PRINTING and not options(simple) & _GIT_COUNTING
        return [word.rpartition(":")[2] for word in own[1:]] if prints else []
    if program in _READING_AFTER_ONE:
        files = operands(simple.words[1:], _SEARCH_VALUED)
        given = any(word in ("-e", "-f", "--regexp", "--expression") for word in simple.words[1:])
        return files if given else files[1:]
    if program in _INTO_LAST | _MOVING and program != "ln":
        return operands(simple.words[1:], frozenset())[:-1]
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
