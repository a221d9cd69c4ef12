"""Sessions kept as Markdown: SpecStory's histories (Cursor, Claude Code and others) and aider's chat history.

Both lose the inputs of tool calls. An aider file holds many sessions, each under the time it started.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tenure.capture.session_builder import Session, SessionBuilder
from tenure.capture.transcripts import Call

_HEADING = re.compile(r"_\*\*(User|Assistant|Agent)([^*]*)\*\*_\s*")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?Z?")
_THOUGHT = re.compile(r"<(think|thinking)>.*?</\1>", re.DOTALL)
_TOOL_NAME = re.compile(r"data-tool-name=\"([^\"]{1,80})\"|<summary>Tool use: \*\*([\w-]{1,80})\*\*")
_FOLDED = re.compile(r"<tool-use\b.*?</tool-use>|<details>.*?</details>", re.DOTALL)
SPECSTORY, AIDER = "specstory", "aider"
# Where they put them in a project.
PLACES = {SPECSTORY: ".specstory/history/*.md", AIDER: ".aider.chat.history.md"}
_STARTED = "# aider chat started at "
MAX_BODY_CHARACTERS = 2_000_000


def specstory(lines: Iterable[str], path: str, name: str) -> Session:
    """Read one SpecStory history."""
    into = SessionBuilder(SPECSTORY, path, name)
    speaker, when, body, size = "", "", list[str](), 0
    for line in lines:
        heading = _HEADING.fullmatch(line.rstrip("\r\n"))
        if heading is None:
            size += len(line)
            if size <= MAX_BODY_CHARACTERS:
                body.append(line)
            continue
        _specstory_turn(into, speaker, when, body)
        speaker = heading[1] if "sidechain" not in heading[2] else ""
        found = _TIME.search(heading[2])
        when, body, size = found[0] if found else "", [], 0
    _specstory_turn(into, speaker, when, body)
    return into.done()


def _specstory_turn(into: SessionBuilder, speaker: str, at: str, lines: list[str]) -> None:
    text = re.sub(r"\n---\s*$", "", "".join(lines).rstrip()).strip()
    if not speaker or not text:
        return
    text = _THOUGHT.sub("", text)
    if speaker == "User":
        into.human(text, at)
        return
    calls = tuple(Call(one or other, at=at) for one, other in _TOOL_NAME.findall(text))
    into.agent(_FOLDED.sub("", text).strip(), at, calls)


def aider(lines: Iterable[str], path: str) -> Iterator[Session]:
    """Read the sessions of one aider history, in order."""
    into: SessionBuilder | None = None
    role, body = "", list[str]()
    for raw in lines:
        line = raw.rstrip("\r\n")
        if line.startswith(_STARTED):
            if into is not None:
                _aider_turn(into, role, body)
                yield into.done()
            at = line.removeprefix(_STARTED).strip().replace(" ", "T")
            into, role, body = SessionBuilder(AIDER, path, f"aider-{at}"), "", []
            continue
        # Lines of aider's own output say nothing of either.
        if into is None or line.startswith("> ") or line == ">":
            continue
        # An empty line of a longer message, whose blank an editor took away, is the person's as well.
        speaker = "user" if line.startswith("#### ") or line == "####" else "assistant"
        if speaker == "assistant" and role == "user" and not line.strip():
            continue
        if speaker != role:
            _aider_turn(into, role, body)
            role, body = speaker, []
        body.append(line.removeprefix("####").removeprefix(" ") if speaker == "user" else line)
    if into is not None:
        _aider_turn(into, role, body)
        yield into.done()


def _aider_turn(into: SessionBuilder, role: str, body: list[str]) -> None:
    text = "\n".join(body).strip()
    at = into.session.removeprefix("aider-")
    if role == "user" and not text.startswith(("/", "!")):
        into.human(text, at)
    elif role == "assistant" and text:
        into.agent(text, at)
