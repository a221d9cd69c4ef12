"""The commands that a piece of a rule's text names, as rules a guard can match.

A command stands in code marks, or is a program that people name without them. Options and other names of the same
command come with it.
"""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

import re

from msgspec.structs import replace

from tenure.guards.shell import UNKNOWN, parse
from tenure.model.guard import CommandRule

MOST_RULES = 8
SPAN = re.compile(r"`([^`\n]{1,160})`")

# Programs a rule may name without more.
PROGRAMS = frozenset(
    "ag alembic ansible apk apt apt-get aws az bash bazel biome black brew bun bundle bunx cargo cat chmod chown clang"
    " cmake composer conda cp curl deno dig django-admin docker docker-compose dotnet drizzle-kit eas electron esbuild"
    " eslint expo find firebase flake8 flutter flyctl gcloud gem gh git go gofmt gradle grep gt gulp helm heroku husky"
    " hub isort java javac jest just kill killall kubectl lerna ln ls make mise mix mocha mv mvn mypy mysql nest next"
    " ng nix node nohup npm npx nx openssl pdm perl pip pip3 pipenv pipx pkill playwright pnpm pnpx podman poetry"
    " pre-commit prettier prisma psql pytest python python3 rails rake redis-cli rg rm rsync rspec rubocop ruby ruff rustc"
    " rustup rye scp sed sh sha256sum sqlite3 ssh sudo supabase swift systemctl tail task terraform tox tsc tsx turbo uv"
    " uvicorn uvx vercel vite vitest wget wrangler xcodebuild yarn yarnpkg zsh".split()
)
# Those that a sentence may name without code marks and still mean the program.
BARE = frozenset(
    "npm yarn pnpm bun pip pip3 poetry pipenv conda uv npx sudo docker-compose eslint prettier pytest jest vitest brew"
    " kubectl terraform mypy grep curl wget sed awk".split()
)
# Those that it names together with what they do, and that mean something else alone: "git push --force".
_LINES = frozenset("git cargo docker gh helm".split())
_COMMAND_LINE = re.compile(r"([a-z][\w-]*) ([a-z][\w:-]*)(?: --?[\w-]+){0,2}")
_BY_HAND = re.compile(r"\s+(?:by hand|manually|directly|locally|yourself|here|again)[.\s]*$|[.\s]+$")
_NO_SUBCOMMAND = frozenset(
    "or and nor in on at for to from with as anywhere ever commands command itself scripts".split()
)
# Programs whose first word says what is done.
_TOOLBOXES = frozenset(
    "git npm pnpm yarn bun docker kubectl cargo go gh uv poetry pip pip3 terraform make just rake rails mix dotnet helm"
    " gcloud aws az prisma supabase firebase wrangler nx turbo bundle gem brew apt apt-get flutter conda gt mise task"
    " systemctl alembic composer docker-compose eas drizzle-kit pre-commit playwright vercel flyctl heroku podman".split()
)
# A second word belongs to the first one here.
_PAIRS = frozenset("run compose workspace exec migrate db stash remote system volume container image pr repo".split())
# Options that belong to one program, whatever the rule says around them.
OPTIONS: dict[str, tuple[CommandRule, ...]] = {
    "--no-verify": (
        CommandRule(program="git", words=("commit",), options=("--no-verify", "-n")),
        CommandRule(program="git", words=("push",), options=("--no-verify",)),
        CommandRule(program="git", words=("merge",), options=("--no-verify",)),
    ),
    "--no-gpg-sign": (CommandRule(program="git", words=("commit",), options=("--no-gpg-sign",)),),
    "--amend": (CommandRule(program="git", words=("commit",), options=("--amend",)),),
    "--force-with-lease": (CommandRule(program="git", words=("push",), options=("--force-with-lease",)),),
}
# Other words for the same command.
_ALIASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("npm", "install"): ("i", "add"), ("npm", "i"): ("install", "add"), ("pnpm", "install"): ("i",),
    ("bun", "install"): ("i",), ("npm", "test"): ("t",), ("npm", "run"): ("run-script",), ("npm", "run-script"): ("run",),
}  # fmt: skip
_SHORT: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("git", "push", "--force"): ("-f",), ("git", "push", "-f"): ("--force",), ("git", "commit", "--no-verify"): ("-n",),
    ("git", "commit", "-n"): ("--no-verify",), ("git", "add", "-A"): ("--all",), ("git", "add", "--all"): ("-A",),
    ("git", "commit", "-a"): ("--all",), ("git", "branch", "-D"): (), ("git", "clean", "-f"): ("--force",),
}  # fmt: skip
# Programs that come with a package manager or stand for it.
_SAME_PROGRAM = {"pip": ("pip3",), "pip3": ("pip",), "yarn": ("yarnpkg",), "docker-compose": ()}
# Programs that run files and also run what stands on their line, which "`node <file>`" does not speak of.
_NO_FILE = {
    **dict.fromkeys(("node", "bun", "deno"), ("-e", "-p", "--eval", "--print", "-v", "--version", "--test", "-")),
    **dict.fromkeys(("python", "python3"), ("-c", "-m", "-V", "--version", "-")),
    **dict.fromkeys(("ruby", "perl"), ("-e",)),
}
# Programs that do more than manage packages, and what of it does that.
_MANAGING = {"bun": ("install", "i", "add", "remove", "update"), "deno": ("install", "add", "remove")}
# How package.json's scripts are named when they belong together: `build:web`.
_SCRIPT_NAME = re.compile(
    r"(?:build|check|ci|clean|db|deploy|dev|docker|docs|e2e|fix|format|gen|generate|lint|migrate|prod|publish|release"
    r"|seed|serve|start|test|typecheck|version|watch)(?::[a-z][a-z0-9-]*){1,3}"
)
_RUNNING = (
    ("npm", "run"),
    ("npm", "run-script"),
    ("pnpm", "run"),
    ("pnpm",),
    ("yarn", "run"),
    ("yarn",),
    ("bun", "run"),
)
_PLACEHOLDER = re.compile(r"[<>{}$…]|\.\.\.|^[A-Z][A-Z_]+$|^\[.*\]$")


def named_commands(text: str, *, bare: bool, leading: bool = False) -> list[CommandRule]:
    """Return the commands a piece of text names, those in code marks first."""
    spans = [(found.start(), found[1].strip()) for found in SPAN.finditer(text)]
    rules: list[CommandRule] = []
    for number, (start, span) in enumerate(spans):
        if leading and number == 0 and len(text[:start].split()) > 4:
            break
        if number and not re.fullmatch(
            r"[\s,/]*(?:or|and|nor|,|/|&)?[\s,/]*(?:the\s|plain\s|bare\s)?\s*", _between(text, spans, number)
        ):
            break
        # In a list of commands a single word is one too.
        found = command_rules(span) or (program_rules(span) if rules and re.fullmatch(r"[a-z][\w-]+", span) else [])
        if not found:
            break
        rules += found
    if not rules and not spans and bare:
        rules = _bare(text)
    return list(dict.fromkeys(rules))[:MOST_RULES]


def _between(text: str, spans: list[tuple[int, str]], number: int) -> str:
    before = spans[number - 1]
    return text[before[0] + len(before[1]) + 2 : spans[number][0]]


def _bare(text: str) -> list[CommandRule]:
    """Return what a sentence names without code marks: a whole command, "npm publish", or programs, "npm or yarn"."""
    line = _BY_HAND.sub("", text).strip()
    named = _COMMAND_LINE.fullmatch(line)
    if named and named[1] in _TOOLBOXES & (BARE | _LINES) and named[2] not in _NO_SUBCOMMAND:
        return command_rules(line)
    rules: list[CommandRule] = []
    for word in re.findall(r"[\w-]+", text)[:6]:
        if word.lower() in ("or", "and", "nor", "the", "plain", "raw"):
            continue
        if word not in BARE:
            break
        rules += program_rules(word)
    return rules


def program_rules(name: str) -> list[CommandRule]:
    return [CommandRule(program=one) for one in (name, *_SAME_PROGRAM.get(name, ()))]


def installing(rule: CommandRule) -> list[CommandRule]:
    """Return what of a program's rule is about packages: "use pnpm instead of bun for package management"."""
    words = () if rule.words else _MANAGING.get(rule.program, ())
    return [replace(rule, words=(word,)) for word in words] or [rule]


def command_rules(span: str) -> list[CommandRule]:
    """Return the rules for a command as a rule writes it, none when it is no command."""
    if span in OPTIONS:
        return list(OPTIONS[span])
    if _SCRIPT_NAME.fullmatch(span):
        # A script of package.json, whichever program runs it.
        return [CommandRule(program=program, words=(*before, span)) for program, *before in _RUNNING]
    # A placeholder stands where an argument goes.
    script = parse(re.sub(r"<[^<>]+>", "…", span))
    if not script.whole or len(script.commands) != 1 or not script.commands[0].words:
        return []
    words = script.commands[0].words
    name = words[0]
    is_script = re.fullmatch(r"(?:\./|scripts?/|bin/|tools/)[\w./-]+", name) is not None
    if name not in PROGRAMS and not is_script:
        return []
    if len(words) == 1:
        return program_rules(name)
    if name in ("python", "python3") and words[1] == "-m" and len(words) > 2:
        # `python -m pip` is seen as the `pip` that it starts.
        return command_rules(" ".join(words[2:])) or program_rules(words[2])
    if re.search(r"[(){};=]|::|=>", re.sub(r"\{[\w,]*\}|<[\w -]+>", "", span)) and "=" not in span:
        return []
    if name in _NO_FILE and re.fullmatch(rf"{name} <[\w ./-]+>", span):
        return [CommandRule(program=name, unless=_NO_FILE[name])]
    kept: list[str] = []
    flags: list[str] = []
    for word in words[1:]:
        if _PLACEHOLDER.search(word) or UNKNOWN in word or "*" in word:
            break
        if word.startswith("-"):
            flags.append(word)
        elif flags and not word.startswith("-"):
            break
        else:
            kept.append(word)
    most = (
        0 if name not in _TOOLBOXES and name not in ("npx", "python", "python3", "node", "bunx", "pnpx", "uvx") else 1
    )
    if most and kept and kept[0] in _PAIRS:
        most = 2
    if name in ("rm", "cp", "mv", "cat", "chmod", "sudo") and kept and not flags:
        return []
    argument = tuple(kept[most:]) if most else ()
    rule = CommandRule(
        program=name, words=tuple(kept[: most + len(argument)]), options=_options(name, next(iter(kept), ""), flags)
    )
    if most == 0 and kept:
        rule = CommandRule(program=name, words=tuple(kept), options=_options(name, next(iter(kept), ""), flags))
    others = [
        replace(rule, words=(other, *rule.words[1:])) for other in _ALIASES.get((name, (rule.words or ("",))[0]), ())
    ]
    same = [replace(each, program=program) for program in _SAME_PROGRAM.get(name, ()) for each in (rule, *others)]
    return [rule, *others, *same]


def _options(program: str, word: str, flags: list[str]) -> tuple[str, ...]:
    """Return the flags of one command as a rule wants them: all of them, and a cluster as its letters."""
    letters: list[str] = []
    for flag in flags:
        if flag.startswith("--") or len(flag) == 2 or not flag[1:].isalpha() or len(flag) > 4:
            letters.append(flag.partition("=")[0])
        else:
            letters += [f"-{letter}" for letter in flag[1:]]
    if len(letters) == 1:
        return (*letters, *_SHORT.get((program, word, letters[0]), ()))
    return (" ".join(letters),) if letters else ()
