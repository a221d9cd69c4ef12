"""Proposes a guard from a rule's own words, without a model: a prohibition that names a path or a command.

It understands never/don't/avoid with something to run, edit, delete, commit or read; "X instead of Y"; "use X, not
Y". In doubt it proposes nothing: a rule about code, style or people has no guard. The result is a proposal with
examples, which a person confirms or rejects.
"""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace

from tenure.guards.examples import with_examples
from tenure.guards.match import FILTERING, STARTED
from tenure.guards.named_commands import (
    BARE,
    MOST_RULES,
    OPTIONS,
    SPAN,
    command_rules,
    installing,
    named_commands,
    program_rules,
)
from tenure.guards.named_paths import is_path, named_paths, path_pattern
from tenure.model.guard import CommandRule, Guard, Level, Tool

MOST_CHARACTERS = 1200
_FORCE_PUSH = (CommandRule(program="git", words=("push",), options=("--force", "-f")),)

_CUE = re.compile(
    r"\b(?:never|do not|don[’']?t|avoid|must not|must never|mustn[’']?t|should not|should never|shouldn[’']?t"
    r"|may not|cannot|can[’']?t|not allowed to|forbidden to|prohibited to|refrain from|no)\b",
    re.IGNORECASE,
)
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
# "Never use X for commits" forbids something else than X.
_ONLY_FOR = re.compile(r"\bfor\s+(?!any\b|all\b|every|anything\b)", re.IGNORECASE)
# Something that is written, other than files as such, before the place where it must not be.
_CONTENT = re.compile(
    r"\s*(?!(?:in|to|into|under|inside|at)\b)(?!(?:(?:any|new|the|more|other|your|our|own|source|generated|temporary)\s+)*"
    r"(?:files?|anything|code|folders?|director(?:y|ies)|changes?|stuff|things?)\b)[a-z]",
    re.IGNORECASE,
)
# "Secrets live in `.env.local` (never commit it)".
_KEPT_OUT = re.compile(
    r"`([^`]+)`[^`.;]{0,40}[(—–,-]\s*(?:never|do not|don[’']t)\s+commit(?:\s+(?:it|them|this|these|that))?\s*(?:[).;!]|$)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"\s*(?:to|for|when|while|if|during)\s+(?!all\b|any\b|every)\w+", re.IGNORECASE)
_INSTALLING = re.compile(r"\bfor\s+(?:all\s+)?(?:packages?|dependenc(?:y|ies))\b", re.IGNORECASE)
_SEARCHING = re.compile(r"\b(?:search\w*|find\w*|look\w*|explor\w*)\b[^.]{0,40}\b(?:files?|contents?|code\w*|repo\w*|project|source)\b", re.IGNORECASE)  # fmt: skip
# Programs by which a project starts its own tools.
_STARTING = "uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|bundle|mise|npx|bunx|bun|pnpm|yarn|npm|uvx|make"
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of|over)\b", re.IGNORECASE)
_STARTS = r"(?:^|[—–;:.,(!]\s*|\s-\s|\b(?:always|please|must|should|and|you|we)\s)\s*"
# Who says of a whole project what it uses.
_WE = r"(?:we|(?:this|the|our)\s+(?:[a-z-]+\s)?(?:project|repo|repository|codebase|workspace|monorepo))"
_WE_USE = re.compile(rf"\b{_WE}\s+uses?\b", re.IGNORECASE)
_ORDER = re.compile(_STARTS + r"(?:use|prefer|run|choose|call)\b", re.IGNORECASE)
_USE_NOT = re.compile(
    rf"(?:{_STARTS}(?:use|prefer|run|choose)|\b{_WE}\s+uses?)\b"
    r"[^.;]{1,90}?(?:,|\s[—–(-]|\s\()\s*(?:and\s+)?(?:not|never)\b\s*",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|^\s*(?:[-*+>]|\d+[.)])\s+|^\s*\[[ x]\]\s+|[❌🚫⛔✅⚠️🚨]", re.MULTILINE)
_LESSER = frozenset("suggest recommend propose commit stage rename move refactor format".split())


class Proposal(NamedTuple):
    """A guard that a text suggests, the words it was taken from, and the commands that they want instead."""

    guard: Guard
    because: str
    instead: tuple[CommandRule, ...] = ()


class _Found(NamedTuple):
    guard: Guard
    instead: tuple[CommandRule, ...] = ()


def derive(text: str) -> Proposal | None:
    """Return the first guard that a rule suggests, with examples it was tried on; None when there is none."""
    return next(iter(derivations(text)), None)


def derivations(text: str) -> list[Proposal]:
    """Return the guards that a text suggests, at most one for each sentence."""
    proposals = []
    for sentence in _sentences(_MARKUP.sub(" ", text[:MOST_CHARACTERS])):
        for found in (way(sentence) for way in (_instead, _use_not, _forbidden)):
            if found and (tried := with_examples(_lifted(found.guard, sentence))):
                proposals.append(Proposal(tried, " ".join(sentence.split()), found.instead))
                break
    return proposals


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`*])|\n\s*\n|\n(?=\s*[-*]\s)", text)
    return [part.replace("\n", " ").strip() for part in parts if part.strip()]


def _lifted(guard: Guard, sentence: str) -> Guard:
    """Spare what the sentence itself wants: "use `uv run pytest`, not `pytest`" means no `pytest` that `uv` starts."""
    rules = []
    for rule in guard.commands:
        named = re.findall(rf"\b({_STARTING})\s+(?:run\s+|exec\s+|x\s+)?{re.escape(rule.program)}\b", sentence)
        lifting = tuple(f"{name}{STARTED}" for name in dict.fromkeys(named) if name != rule.program)
        rules.append(replace(rule, unless=(*rule.unless, *lifting)) if lifting else rule)
    return replace(guard, commands=tuple(rules))


# Three ways a rule forbids something


def _forbidden(sentence: str) -> _Found | None:
    guard = _prohibited(sentence)
    return _Found(guard) if guard else None


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
    if found and is_path(found[1]):
        return Guard(tool="edit", paths=(path_pattern(found[1], "", ""),), level="remind")
    kept = _KEPT_OUT.search(sentence)
    return _of_paths("commit", f"`{kept[1]}`") if kept and is_path(kept[1]) else None


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


def _instead(sentence: str) -> _Found | None:
    """Read "use X instead of Y": Y is what is not wanted, when both are commands."""
    found = _INSTEAD.search(sentence)
    if not found or not (_ORDER.search(sentence[: found.start()]) or _WE_USE.search(sentence[: found.start()])):
        return None
    if found[0].lower() == "over" and not re.search(r"\bprefer\b", sentence[: found.start()], re.IGNORECASE):
        return None
    before, behind = sentence[: found.start()], _clause(sentence, found.end())
    if _CUE.search(before[-80:]):
        return None
    return _instead_of(before, behind)


def _use_not(sentence: str) -> _Found | None:
    """Read "use X, not Y" and "use X (never Y)"."""
    found = _USE_NOT.search(sentence)
    if not found:
        return None
    behind = _clause(sentence, found.end())
    behind = re.sub(r"^\s*(?:use|run|using)\s+", "", behind)
    return _instead_of(sentence[found.start() : found.end()], behind)


def _instead_of(wanted: str, unwanted: str) -> _Found | None:
    rules = named_commands(unwanted, bare=True, leading=True)
    good = named_commands(wanted, bare=False) or [
        rule for word in re.findall(r"[\w-]+", wanted) if word.lower() in BARE for rule in program_rules(word.lower())
    ]
    if not rules or not good or _only_sometimes(unwanted):
        return None
    # "use `git switch` instead of `git checkout`": what is wanted must not fire.
    rules = [rule for rule in rules if not any(_same(rule, other) for other in good)]
    if _PURPOSE.match(wanted) and any(rule.program == other.program for rule in rules for other in good):
        # "For development, use `npm run dev` instead of `npm run build`" says when, not that the other is unwanted.
        return None
    if _INSTALLING.search(unwanted):
        rules = [each for rule in rules for each in installing(rule)][:MOST_RULES]
    if _SEARCHING.search(wanted):
        # Whoever searches files in another way still picks lines of what a program prints.
        rules = [replace(rule, unless=(FILTERING,)) if rule.program == "grep" else rule for rule in rules]
    return _Found(Guard(tool="run", commands=tuple(rules)), tuple(good)) if rules else None


def _same(one: CommandRule, other: CommandRule) -> bool:
    return one.program == other.program and other.words[: len(one.words)] == one.words and not one.options


# One clause


def _of_clause(verb: str, behind: str, rest: str) -> Guard | None:
    level: Level = "ask" if _ASKED.search(rest) else "remind"
    unless = tuple(dict.fromkeys(_WITHOUT.findall(rest)))
    if not unless and level != "ask" and (_only_sometimes(behind) or _ONLY_FOR.search(SPAN.sub("``", behind))):
        return None
    if re.match(r"\s*(?:the\s+)?(?:root|top-level|global)\s+`", behind):
        return None
    spoken = _WITHOUT.split(behind)[0] if unless else behind
    guard = _pushed(behind) if verb == "push" else None
    if guard is None and verb in ("run", "bypass", "push"):
        rules = named_commands(spoken, bare=verb == "run", leading=True)
        if verb != "run":
            # "Never skip `make lint`" wants it run; only an option that skips something is meant.
            rules = [rule for rule in rules if rule.options and any(span in behind for span in OPTIONS)]
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
    paths = named_paths(behind)
    if not paths:
        # "Never commit with `--no-verify`", "don't delete with `rm -rf`".
        rules = (
            named_commands(behind, bare=False, leading=False) if re.match(r"\s*(?:with|using|via)\b", behind) else []
        )
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
    if verb == "write" and _CONTENT.match(behind):
        # "Don't write drafts to `plans/`" speaks of drafts, not of the folder.
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
    hidden = SPAN.sub(lambda found: "`" + "x" * len(found[1]) + "`", rest)
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
        if at == 0 and name in BARE:
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


def _only_sometimes(behind: str) -> bool:
    """Tell whether a condition follows that no matcher sees."""
    return bool(_ONLY_WHEN.search(SPAN.sub("``", behind)))


def _names_program(sentence: str, start: int) -> bool:
    found = re.match(r"\s*`([^`]+)`", sentence[start:])
    return bool(found and command_rules(found[1]))
