"""What came of the memories an agent cited, read from what happened: no model is asked.

Only a memory that was cited is credited or blamed. The strongest sign counts, once per session:

    the person corrected the answer that cited it      negative
    an edit made after it was shown was taken back     negative
    the same error came again after it was shown       neutral but risky
    a test or build failed, and passed afterwards      positive
    it was cited                                       neutral
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tenure.capture.reproach import is_reproach
from tenure.capture.transcripts import Turn
from tenure.text.command_line import proves


class Outcome(NamedTuple):
    """What came of one memory in a session, and the sign it is read from."""

    memory_id: str
    effect: str
    sign: str
    notes: str


def outcomes(journal: Sequence[Mapping[str, Any]], turns: Iterable[Turn], known: Collection[str]) -> list[Outcome]:
    """Return one outcome per cited memory; `known` are the ids shown in the session."""
    said = list(turns)
    journal = _once(journal)
    cited = _cited(journal, said, known)
    corrected = _corrected(said, cited)
    found = []
    for id in cited:
        since = next((n for n, line in enumerate(journal) if id in _list(line, "shown")), 0)
        later = journal[since:]
        if id in corrected:
            found.append(Outcome(id, "negative", "correction", f"the user corrected: {corrected[id][:120]}"))
        elif _reverted(later):
            found.append(Outcome(id, "negative", "reverted-edit", "an edit made with it was taken back"))
        elif what := _same_error(later):
            found.append(Outcome(id, "neutral_but_risky", "same-error", f"{what} failed in the same way again"))
        elif what := _red_to_green(journal, since):
            found.append(Outcome(id, "positive", "red-to-green", f"{what} failed, then passed"))
        else:
            found.append(Outcome(id, "neutral", "cited", "cited by the agent"))
    return found


def _once(journal: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the journal without the lines of a call that was delivered before."""
    seen: set[Any] = set()
    kept = []
    for line in journal:
        call = line.get("call")
        if call is None or call not in seen:
            kept.append(line)
        seen.add(call)
    return kept


def _cited(journal: Sequence[Mapping[str, Any]], turns: Sequence[Turn], known: Collection[str]) -> list[str]:
    ids = {id: None for line in journal for id in _list(line, "cited") if id in known}
    for turn in turns:
        if turn.role == "assistant":
            ids |= {id: None for id in sorted(known) if _mentions(turn.text, id)}
    return list(ids)


def _corrected(turns: Sequence[Turn], cited: Sequence[str]) -> dict[str, str]:
    """Return the memories whose citing answer the person rejected, with what the person said."""
    found: dict[str, str] = {}
    answer = ""
    for turn in turns:
        if turn.role == "assistant":
            answer += "\n" + turn.text
        elif turn.role == "user" and turn.text.strip():
            if is_reproach(turn.text):
                found |= {id: turn.text.strip() for id in cited if id not in found and _mentions(answer, id)}
            answer = ""
    return found


def _mentions(text: str, id: str) -> bool:
    start = text.find(id)
    while start >= 0:
        around = text[start - 1 : start] + text[start + len(id) : start + len(id) + 1]
        if not any(character.isalnum() or character in "-_" for character in around):
            return True
        start = text.find(id, start + 1)
    return False


def _reverted(journal: Sequence[Mapping[str, Any]]) -> bool:
    made = set()
    for line in journal:
        if line.get("event") == "edit":
            if (line.get("file"), line.get("new"), line.get("old")) in made:
                return True
            made.add((line.get("file"), line.get("old"), line.get("new")))
        elif line.get("event") == "taken-back":
            file = line.get("file")
            if any(file is None or file == edited for edited, _, _ in made):
                return True
    return False


def _same_error(journal: Sequence[Mapping[str, Any]]) -> str:
    seen = set()
    last = {}
    for line in journal:
        if line.get("event") != "command":
            continue
        what = str(line.get("what", ""))
        last[what] = bool(line.get("ok"))
        if not line.get("ok"):
            if (what, line.get("error")) in seen and proves(what):
                return what if not _passes_later(journal, line, what) else ""
            seen.add((what, line.get("error")))
    return ""


def _passes_later(journal: Sequence[Mapping[str, Any]], after: Mapping[str, Any], what: str) -> bool:
    rest = journal[[id(line) for line in journal].index(id(after)) :]
    return any(line.get("event") == "command" and line.get("what") == what and line.get("ok") for line in rest)


def _red_to_green(journal: Sequence[Mapping[str, Any]], since: int) -> str:
    """Return the test or build that failed at some time and passed after the memory was shown."""
    failed = set()
    for number, line in enumerate(journal):
        if line.get("event") != "command":
            continue
        what = str(line.get("what", ""))
        if not line.get("ok"):
            failed.add(what)
        elif what in failed and number >= since and proves(what):
            return what
    return ""


def _list(line: Mapping[str, Any], key: str) -> list[Any]:
    found = line.get(key)
    return found if isinstance(found, list) else []
