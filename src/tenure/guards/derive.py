# ruff: noqa: E501 - patterns and lists of words read better in one line
"""A guard proposed from a rule's own words, without a model: a prohibition with a path or a command in it.

Understood are never/don't/avoid with something to run, edit, delete, commit or read; "X instead of Y"; "use X, not Y".
Doubt is silence: a rule about code, about style or about people has no guard. What comes out is a proposal with its
examples, which a person confirms or throws away.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace

from tenure.guards import match
from tenure.guards.shell import UNKNOWN, parse
from tenure.model.guard import CommandRule, Guard, Level, Tool, matcher

MOST_CHARACTERS = 1200
MOST_RULES = 8

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
_BARE = frozenset(
    "npm yarn pnpm bun pip pip3 poetry pipenv conda uv npx sudo docker-compose eslint prettier pytest jest vitest brew"
    " kubectl terraform mypy grep curl wget sed awk".split()
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
_OPTIONS: dict[str, tuple[CommandRule, ...]] = {
    "--no-verify": (
        CommandRule(program="git", words=("commit",), options=("--no-verify", "-n")),
        CommandRule(program="git", words=("push",), options=("--no-verify",)),
        CommandRule(program="git", words=("merge",), options=("--no-verify",)),
    ),
    "--no-gpg-sign": (CommandRule(program="git", words=("commit",), options=("--no-gpg-sign",)),),
    "--amend": (CommandRule(program="git", words=("commit",), options=("--amend",)),),
    "--force-with-lease": (CommandRule(program="git", words=("push",), options=("--force-with-lease",)),),
}
_FORCE_PUSH = (CommandRule(program="git", words=("push",), options=("--force", "-f")),)
# Other words for the same command.
_ALIASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("npm", "install"): ("i", "add"), ("npm", "i"): ("install", "add"), ("pnpm", "install"): ("i",),
    ("bun", "install"): ("i",), ("npm", "test"): ("t",),
}  # fmt: skip
_SHORT: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("git", "push", "--force"): ("-f",), ("git", "push", "-f"): ("--force",), ("git", "commit", "--no-verify"): ("-n",),
    ("git", "commit", "-n"): ("--no-verify",), ("git", "add", "-A"): ("--all",), ("git", "add", "--all"): ("-A",),
    ("git", "commit", "-a"): ("--all",), ("git", "branch", "-D"): (), ("git", "clean", "-f"): ("--force",),
}  # fmt: skip
# Programs that come with a package manager or stand for it.
_SAME_PROGRAM = {"pip": ("pip3",), "yarn": ("yarnpkg",), "docker-compose": ()}

_CUE = re.compile(
    r"\b(?:never|do not|don[’']?t|avoid|must not|must never|mustn[’']?t|should not|should never|shouldn[’']?t"
    r"|may not|cannot|can[’']?t|not allowed to|forbidden to|prohibited to|refrain from|no)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`\n]{1,160})`")
# Where the forbidden thing ends and what to do instead begins.
_END = re.compile(
    r"\s[—–]\s|;\s|\.\s|\.$|\s-{1,2}\s|:\s|\s(?:but|because|since|so that|instead,|instead;)\s"
    r"|,\s(?:use|run|always|call|only|prefer|edit|regenerate|it|they|this|as|since|because|which|instead|unless)\b"
    r"|\s\((?!`)|\s[→=]>?\s|[!。]",
)
_VERBS: dict[str, str] = {
    **dict.fromkeys("run running use using execute executing invoke invoking call calling type launch".split(), "run"),
    **dict.fromkeys(
        "edit editing modify modifying change changing touch touching update updating overwrite overwriting"
        " alter altering hand-edit hand-editing handedit hand-write hand-modify rewrite patch".split(),
        "edit",
    ),
    **dict.fromkeys("write writing create creating add adding put place generate save store".split(), "write"),
    **dict.fromkeys("delete deleting remove removing rm erase drop".split(), "delete"),
    **dict.fromkeys("commit committing stage check-in checkin".split(), "commit"),
    **dict.fromkeys("read reading open opening cat print printing view inspect".split(), "read"),
    **dict.fromkeys("push pushing force-push force-pushing".split(), "push"),
    **dict.fromkeys("bypass bypassing skip skipping pass".split(), "bypass"),
}  # fmt: skip
# Words between the prohibition and its verb that change nothing.
_FILLERS = frozenset(
    "ever directly manually just simply blindly to try attempt start by you we agents please also again either"
    " accidentally automatically hand commands any the be not never *never* manual direct".split()
)
# What follows a prohibition and turns it into something else.
_NOT_A_RULE = re.compile(
    r"\b(?:forget|hesitate|need to|have to|worry|require|assume|expect|rely|guess|believe|confuse|mix)\b", re.IGNORECASE
)
_ASKED = re.compile(
    r"\b(?:unless (?:the user |i |you are |explicitly |specifically )*(?:ask|request|told|instruct|approv)\w*"
    r"|without (?:\w+ ){0,3}(?:ask|permission|approval|confirm|consent|review|instruction)\w*|ask (?:first|before)"
    r"|explicit(?:ly)? (?:permission|approval|asked|requested|instruct\w*))",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\bwithout\s+(?:the\s+|using\s+|passing\s+|an?\s+)*`(--?[\w-]+)", re.IGNORECASE)
# Conditions that a matcher cannot see; a rule that holds only then has no guard.
_ONLY_WHEN = re.compile(
    r"\b(?:without|unless|except|when|if|before|until|while|during|after|between|from|in (?:production|prod|tests?|ci|new)\b)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of|over)\b", re.IGNORECASE)
_STARTS = r"(?:^|[—–;:.,(!]\s*|\s-\s|\b(?:always|please|must|should|and|you|we)\s)\s*"
_ORDER = re.compile(_STARTS + r"(?:use|prefer|run|choose|call)\b", re.IGNORECASE)
_USE_NOT = re.compile(
    _STARTS + r"(?:use|prefer|run|choose)\b[^.;]{1,90}?(?:,|\s[—–(-]|\s\()\s*(?:and\s+)?(?:not|never)\b\s*",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|^\s*(?:[-*+>]|\d+[.)])\s+|^\s*\[[ x]\]\s+|[❌🚫⛔✅⚠️🚨]", re.MULTILINE)
_PATH_WORD = re.compile(
    r"(?<![\w`/.-])((?:\.{1,2}/|~/|/)?(?:[\w.@*-]+/)+[\w.@*-]*|[\w*-]+\.(?:lock|env|pem|key|sqlite3?|snap))(?![\w/`])"
)
_FILE = re.compile(
    r"(?:~/|\.{0,2}/)?(?:[\w.@*?\[\]{},<>-]+/)*(?:\.?[\w@*?\[\]-]+(?:\.[\w*?-]+)+|\.[a-z][\w.*-]+|[\w.@*?-]+/|\*+|[A-Z][\w]*file)(?:/\*{0,2})?"
)
_PLACEHOLDER = re.compile(r"[<>{}$…]|\.\.\.|^[A-Z][A-Z_]+$|^\[.*\]$")
_CODE_SIGNS = re.compile(r"[(){};=!\"'|&#@]|::|->|=>|\?\?|\.\w+\(")


class Proposal(NamedTuple):
    """A guard that a text suggests, and the words it was taken from."""

    guard: Guard
    because: str


def derive(text: str) -> Proposal | None:
    """Return the first guard that a rule suggests, with examples it was tried on; None when there is none."""
    return next(iter(derivations(text)), None)


def derivations(text: str) -> list[Proposal]:
    """Return the guards that a text suggests, at most one for each sentence."""
    proposals = []
    for sentence in _sentences(_MARKUP.sub(" ", text[:MOST_CHARACTERS])):
        ways = (way(sentence) for way in (_instead, _use_not, _prohibited))
        guard = next((with_examples for found in ways if found and (with_examples := _with_examples(found))), None)
        if guard is not None:
            proposals.append(Proposal(guard, " ".join(sentence.split())))
    return proposals


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`*])|\n\s*\n|\n(?=\s*[-*]\s)", text)
    return [part.replace("\n", " ").strip() for part in parts if part.strip()]


# Three ways a rule forbids something


def _prohibited(sentence: str) -> Guard | None:
    for cue in _CUE.finditer(sentence):
        if cue[0].lower() in ("no", "cannot", "can't", "can’t", "may not") and not _names_program(sentence, cue.end()):
            continue
        if not _commands_somebody(sentence[: cue.start()], cue[0]):
            continue
        clause = _clause(sentence, cue.end())
        verb, behind = _verb(clause)
        if not verb or _NOT_A_RULE.search(clause[: len(clause) - len(behind)]):
            continue
        guard = _of_clause(verb, behind, sentence[cue.end() :])
        if guard is not None:
            return guard
    return _trailing(sentence) or _passive(sentence)


def _trailing(sentence: str) -> Guard | None:
    """Read a list's entry: "`gen/` — autogenerated; do not hand-edit"."""
    found = re.match(r"[^`\w]*(?:[\w ]{1,24}:\s*)?`([^`]+)`\s*(?:[—–:|(-]|\s-)[^`]*?\b(?:do not|don[’']t|never)\s+(?:manually\s+|directly\s+)?"
                     r"(?:hand-?)?(edit|modify|touch|change)\b(?:\s+(?:by hand|manually|directly|these|it|them))?\W*(?:$|[—–;,.]|-\s)",
                     sentence, re.IGNORECASE)  # fmt: skip
    if found and _is_path(found[1]):
        return Guard(tool="edit", paths=(_pattern(found[1], "", ""),), level="remind")
    return None


def _commands_somebody(before: str, cue: str) -> bool:
    """Tell an order from a report: "agents that don't read this file" forbids nothing."""
    if cue.lower().replace("’", "'") not in ("do not", "don't", "dont", "cannot", "can't"):
        return True
    word = re.search(r"([\w`]+)\W*$", before)
    if not word or re.search(r"[—–;:,.(!|]\s*$|\s-{1,2}\s*$", before):
        return True
    return word[1].lower() in (
        "and",
        "but",
        "or",
        "so",
        "please",
        "you",
        "also",
        "then",
        "we",
        "agents",
        "always",
        "just",
    )


def _passive(sentence: str) -> Guard | None:
    """Read "`gen/` must never be edited"."""
    found = re.search(
        r"((?:`[^`]+`(?:\s*(?:,|and|or|/)\s*)?)+)[^`.;]{0,40}?\b(?:must|should|may)(?: not|n[’']t| never)(?: ever)? be"
        r"(?: manually| directly| hand)?[ -](edited|modified|changed|touched|committed|deleted|removed|read)\b",
        sentence,
        re.IGNORECASE,
    )
    if not found:
        return None
    verb = {"edited": "edit", "modified": "edit", "changed": "edit", "touched": "edit", "committed": "commit"}.get(
        found[2].lower(), "delete" if found[2].lower() != "read" else "read"
    )
    return _of_clause(verb, found[1], sentence)


def _instead(sentence: str) -> Guard | None:
    """Read "use X instead of Y": Y is what is not wanted, when both are commands."""
    found = _INSTEAD.search(sentence)
    if not found or not _ORDER.search(sentence[: found.start()]):
        return None
    if found[0].lower() == "over" and not re.search(r"\bprefer\b", sentence[: found.start()], re.IGNORECASE):
        return None
    before, behind = sentence[: found.start()], _clause(sentence, found.end())
    if _CUE.search(before[-80:]):
        return None
    return _instead_of(before, behind)


def _use_not(sentence: str) -> Guard | None:
    """Read "use X, not Y" and "use X (never Y)"."""
    found = _USE_NOT.search(sentence)
    if not found:
        return None
    behind = _clause(sentence, found.end())
    behind = re.sub(r"^\s*(?:use|run|using)\s+", "", behind)
    return _instead_of(sentence[found.start() : found.end()], behind)


def _instead_of(wanted: str, unwanted: str) -> Guard | None:
    rules = _commands(unwanted, bare=True, leading=True)
    good = _commands(wanted, bare=False) or [
        rule for word in re.findall(r"[\w-]+", wanted) if word in _BARE for rule in _program(word)
    ]
    if not rules or not good or _only_sometimes(unwanted):
        return None
    # "use `git switch` instead of `git checkout`": what is wanted must not fire.
    rules = [rule for rule in rules if not any(_same(rule, other) for other in good)]
    return Guard(tool="run", commands=tuple(rules)) if rules else None


def _same(one: CommandRule, other: CommandRule) -> bool:
    return one.program == other.program and other.words[: len(one.words)] == one.words and not one.options


# One clause


def _of_clause(verb: str, behind: str, rest: str) -> Guard | None:
    level: Level = "ask" if _ASKED.search(rest) else "remind"
    unless = tuple(dict.fromkeys(_WITHOUT.findall(rest)))
    if not unless and level != "ask" and _only_sometimes(behind):
        return None
    spoken = _WITHOUT.split(behind)[0] if unless else behind
    guard = _pushed(behind) if verb == "push" else None
    if guard is None and verb in ("run", "bypass", "push"):
        rules = _commands(spoken, bare=verb == "run", leading=True)
        if verb != "run":
            # "Never skip `make lint`" wants it run; only an option that skips something is meant.
            rules = [rule for rule in rules if rule.options and any(span in behind for span in _OPTIONS)]
        guard = Guard(tool="run", commands=tuple(rules)) if rules else None
    if guard is None and verb in ("edit", "write", "delete", "commit", "read"):
        guard = _of_paths(verb, spoken)
    if guard is None:
        return None
    if unless:
        guard = replace(guard, commands=tuple(replace(rule, unless=unless) for rule in guard.commands))
        if not guard.commands:
            return None
    return replace(guard, level=level)


def _of_paths(verb: str, behind: str) -> Guard | None:
    paths = _paths(behind)
    if not paths:
        # "Never commit with `--no-verify`", "don't delete with `rm -rf`".
        rules = _commands(behind, bare=False, leading=False) if re.match(r"\s*(?:with|using|via)\b", behind) else []
        return Guard(tool="run", commands=tuple(rules)) if rules else None
    if verb == "commit":
        rules = [CommandRule(program="git", words=("add",)), CommandRule(program="git", words=("commit",))]
        return Guard(tool="run", commands=tuple(rules), paths=paths)
    if verb == "delete":
        programs = [CommandRule(program=name) for name in ("rm", "rmdir", "unlink", "shred", "trash")]
        return Guard(tool="run", commands=(*programs, CommandRule(program="git", words=("rm",))), paths=paths)
    if verb == "write" and not re.search(r"\b(?:in|to|into|under|inside|at)\b[^`]{0,30}`", behind):
        # "Don't add `foo.ts`" may speak of what is in a file; a place is named with a preposition.
        return None
    tool: Tool = "read" if verb == "read" else "edit"
    return Guard(tool=tool, paths=paths)


def _pushed(behind: str) -> Guard | None:
    """Read "push to main", "force push"."""
    forced = bool(re.match(r"\s*(?:with\s+)?`?--force\b", behind))
    found = re.search(
        r"\bto\s+(?:the\s+)?[`\"']?(?:origin/)?(main|master|develop|production|trunk)\b", behind, re.IGNORECASE
    )
    if not found or len(behind[: found.start()].split()) > 4:
        return Guard(tool="run", commands=_FORCE_PUSH) if forced else None
    others = re.findall(r"(?:/|or|and|,)\s*[`\"']?(main|master|develop|trunk)\b", behind, re.IGNORECASE)
    branches = list(dict.fromkeys(name.lower() for name in (found[1], *others)))
    options = [f"{flag} {name}" for name in branches for flag in ("--force", "-f")] if forced else branches
    return Guard(tool="run", commands=(CommandRule(program="git", words=("push",), options=tuple(options)),))


def _clause(sentence: str, start: int) -> str:
    """Return what stands behind a cue up to where another thought begins; code marks are not looked into."""
    rest = sentence[start:]
    hidden = _SPAN.sub(lambda found: "`" + "x" * len(found[1]) + "`", rest)
    end = _END.search(hidden)
    return rest[: end.start()] if end else rest


def _verb(clause: str) -> tuple[str, str]:
    """Return what kind of doing a clause forbids, and the clause behind its verb."""
    if re.match(r"\s*(?:ever\s+)?force[- ]push", clause, re.IGNORECASE):
        return "push", "--force" + re.sub(r"^\s*(?:ever\s+)?force[- ]push(?:ing)?", "", clause, flags=re.IGNORECASE)
    for at, word in enumerate(re.finditer(r"[A-Za-z*'-]+|`", clause)):
        if word[0] == "`":
            # "Never `git push --force`": the command is the verb.
            return ("run", clause[word.start() :]) if at <= 1 else ("", "")
        name = word[0].strip("*'").lower()
        if name in _VERBS:
            return _strongest(name, clause[word.end() :])
        if at == 0 and name in _BARE:
            # "Never npm, never yarn".
            return "run", clause[word.start() :]
        if name not in _FILLERS and not name.endswith("ly"):
            return "", ""
    return "", ""


def _strongest(name: str, behind: str) -> tuple[str, str]:
    """Return the verb of a list of verbs that says most: "create, modify or suggest" forbids the edit."""
    verb = _VERBS[name]
    while further := re.match(r"\s*(?:,|/|or|and|nor|, or)+\s*([a-z-]+)\b", behind, re.IGNORECASE):
        word = further[1].lower()
        if word not in _VERBS and not re.match(r"\s*(?:,|or|and|nor)", behind[further.end() :]) and word not in _LESSER:
            break
        verb = "edit" if "edit" in (verb, _VERBS.get(word)) else verb
        behind = behind[further.end() :]
    return verb, behind


_LESSER = frozenset("suggest recommend propose commit stage rename move refactor format".split())


def _only_sometimes(behind: str) -> bool:
    """Tell whether a condition follows that no matcher sees."""
    return bool(_ONLY_WHEN.search(_SPAN.sub("``", behind)))


def _names_program(sentence: str, start: int) -> bool:
    found = re.match(r"\s*`([^`]+)`", sentence[start:])
    return bool(found and _command(found[1]))


# Commands


def _commands(text: str, *, bare: bool, leading: bool = False) -> list[CommandRule]:
    """Return the commands a piece of text names, those in code marks first."""
    spans = [(found.start(), found[1].strip()) for found in _SPAN.finditer(text)]
    rules: list[CommandRule] = []
    for number, (start, span) in enumerate(spans):
        if leading and number == 0 and len(text[:start].split()) > 4:
            break
        if number and not re.fullmatch(
            r"[\s,/]*(?:or|and|nor|,|/|&)?[\s,/]*(?:the\s|plain\s|bare\s)?\s*", _between(text, spans, number)
        ):
            break
        # In a list of commands a single word is one too.
        found = _command(span) or (_program(span) if rules and re.fullmatch(r"[a-z][\w-]+", span) else [])
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
    """Return programs a sentence names without code marks: "npm or yarn"."""
    rules: list[CommandRule] = []
    for word in re.findall(r"[\w-]+", text)[:6]:
        if word.lower() in ("or", "and", "nor", "the", "plain", "raw"):
            continue
        if word not in _BARE:
            break
        rules += _program(word)
    return rules


def _program(name: str) -> list[CommandRule]:
    return [CommandRule(program=one) for one in (name, *_SAME_PROGRAM.get(name, ()))]


def _command(span: str) -> list[CommandRule]:
    """Return the rules for a command as a rule writes it, none when it is no command."""
    if span in _OPTIONS:
        return list(_OPTIONS[span])
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
        return _program(name)
    if re.search(r"[(){};=]|::|=>", re.sub(r"\{[\w,]*\}|<[\w -]+>", "", span)) and "=" not in span:
        return []
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
    return [rule, *others]


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


# Paths


def _paths(text: str) -> tuple[str, ...]:
    """Return the patterns of the files and folders a piece of text names."""
    spans = [(found.start(), found.end(), found[1].strip()) for found in _SPAN.finditer(text)]
    found: list[str] = []
    last = 0
    for start, end, span in spans:
        between = text[last:start]
        if found and not re.fullmatch(
            r"[\s,/]*(?:or|and|nor|,|/|&)?[\s,/]*(?:the\s|any\s|files?\s|in\s|under\s)*\s*", between
        ):
            break
        if not found and len(between.split()) > 9:
            break
        if not _is_path(span):
            if found:
                break
            return ()
        found.append(_pattern(span, text[:start], text[end:]))
        last = end
    if not spans:
        found = [_pattern(word, "", "") for word in _PATH_WORD.findall(text) if _is_path(word)]
    return tuple(dict.fromkeys(found))[:MOST_RULES]


def _is_path(span: str) -> bool:
    if " " in span or len(span) > 120 or span.startswith(("http", "@", "--", "$")) or _CODE_SIGNS.search(span):
        return False
    if span.lower().rstrip("/") in ("and/or", "n/a", "i/o", "ci/cd", "input/output", "client/server", "true/false"):
        return False
    if not _FILE.fullmatch(span):
        return False
    if (
        re.fullmatch(r"[\w.]+\.(?:[A-Z]\w*|js|io|NET)", span)
        and span.count("/") == 0
        and span.split(".")[-1] not in ("js",)
    ):
        return False
    if "/" in span or span.endswith(".*"):
        return True
    ending = span.rpartition(".")[2]
    known = re.fullmatch(
        r"(?:[a-z]{1,5}\d?|lock|json|yaml|toml|snap|sqlite3?|xcodeproj|pbxproj|local|production|md)", ending
    )
    return (
        span.startswith((".", "*")) or bool(known and not re.fullmatch(r"[a-z]+\.[a-z]+", span)) or ending in _ENDINGS
    )


_ENDINGS = frozenset(
    "py js ts tsx jsx mjs cjs rs go rb java kt c h cc cpp hpp cs swift php ex exs sh sql toml json yaml yml md mdx txt lock"
    " env ini cfg conf xml html css scss vue svelte proto graphql prisma gradle properties csv pem key db sqlite snap".split()
)


def _pattern(span: str, before: str, after: str) -> str:
    """Return a path as .gitignore would write it; one that the words call a folder ends in a slash."""
    path = re.sub(r"<[^>]*>|\{[a-z_]+\}", "*", span)
    path = path.removeprefix("./")
    if path.endswith(("/**", "/*", "/**/*")):
        path = path.rstrip("*/") + "/"
    if re.match(r"\s*(?:folder|directory|dir|tree)\b", after) and not path.endswith("/"):
        path += "/"
    if "." not in path.rsplit("/", 1)[-1] and "/" in path and not path.endswith("/") and "*" not in path:
        path += "/"
    return path


# Examples


def _with_examples(guard: Guard) -> Guard | None:
    """Return the guard with two examples each that were tried on it; None when it fails its own."""
    data = matcher(guard)
    fire = [text for text in _firing(guard) if match.fires(data, match.example(text))]
    spare = [text for text in _passing(guard) if not match.fires(data, match.example(text))]
    if len(fire) < 2 or len(spare) < 2:
        return None
    return replace(guard, fires=tuple(fire[:3]), passes=tuple(spare[:3]))


def _line(rule: CommandRule) -> str:
    options = rule.options[0] if rule.options else ""
    if options and not options.startswith("-"):
        options = f"origin {options}"
    return " ".join([rule.program, *rule.words, *([options] if options else [])])


def _firing(guard: Guard) -> list[str]:
    if guard.commands:
        target = f" {_sample(guard.paths[0])}" if guard.paths else ""
        lines = [f"{_line(rule)}{target}" for rule in guard.commands]
        return [
            f"run {lines[0]}",
            f"run cd sub/folder && {lines[0]}" if not target else f"run cd . && {lines[0]}",
            *(f"run {line}" for line in lines[1:]),
        ]
    path = _sample(guard.paths[0])
    if guard.tool == "read":
        return [f"read {path}", f"run cat {path}"]
    return [f"edit {path}", f"run echo x >> {path}"]


def _passing(guard: Guard) -> list[str]:
    if guard.commands:
        line = _line(guard.commands[0])
        other = [f"run git {guard.commands[0].words[0]} README.md"] if guard.paths and guard.commands[0].words else []
        return [*other, f'run echo "{line}"', f'run grep -rn "{line}" docs', "run git status --short"]
    path = _sample(guard.paths[0])
    if guard.tool == "read":
        return ["read elsewhere/example.txt", "run ls -l elsewhere", f'run echo "{path}"']
    return [f"read {path}", "edit elsewhere/example.txt", f"run cat {path}"]


def _sample(pattern: str) -> str:
    path = pattern.lstrip("!").replace("**/", "some/").replace("**", "some").replace("*", "example").replace("?", "x")
    path = path.removeprefix("/") if not path.startswith("//") else path[1:]
    return f"{path}example.txt" if path.endswith("/") else path
