"""Collects what a format reader finds in a session file: turns, calls with their results, answers, tokens.

Bounded: of a session longer than `MAX_SPOKEN_CHARACTERS` the last part is kept, and a result is matched with recent
calls only.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, NamedTuple

from tenure.capture.transcripts import MAX_TEXT_CHARACTERS, Call, Turn, without_fences
from tenure.text import private
from tenure.text.command_line import error_signature, outcome

# A longer session is judged by its last part.
MAX_SPOKEN_CHARACTERS = 4_000_000
MAX_TURNS = 50_000
# A result further away than so many calls is not looked for.
OPEN_CALLS = 256
# An error is known by the end of what came back.
MOST_OUTPUT = 20_000
MOST_REFUSALS = 100
# What tools brought back is kept up to this size, the last of it, to know a sentence that only repeats it.
MOST_HEARD = 2_000_000
# Blocks that hosts and memory systems add to what a person typed.
FENCES = (
    "memory-context", "memory-note", "system-reminder", "system_reminder", "tenure", "hook_context",
    "environment_context", "state_snapshot", "triage_data", "transcript_data", "current_datetime", "ide_opened_file",
    "ide_selection", "system_instruction", "system-instruction",
)  # fmt: skip
INTERRUPTED = "[Request interrupted by user"
# What Claude Code writes as the result of a call that the person refused or stopped.
# Behind these words stands why, when the person typed a reason.
REFUSED_BECAUSE = "the user said:\n"
REFUSED = ("[Request interrupted", "The user doesn't want to", "The user doesn't want to proceed")


class PersonAnswer(NamedTuple):
    """What the person chose or typed when the agent asked; `turn` counts the turns before it."""

    question: str
    text: str
    at: str
    turn: int


class Session(NamedTuple):
    """One session of an agent: what was said and done in it, whoever's file it was read from."""

    id: str
    host: str
    transcript: str
    turns: list[Turn]
    answers: list[PersonAnswer] = []
    cwd: str = ""
    tokens: int = 0
    cached_tokens: int = 0
    model: str = ""
    # How often the person stopped the agent.
    interruptions: int = 0
    # Nobody sat there: `claude -p`, `codex exec` and their like. Its turns prove nothing.
    headless: bool = False
    # What learning from it left out, with the reason; filled by whoever learns.
    left_out: list[dict[str, str]] = []
    # What tools brought back: files, pages, the output of commands. Read, and never stored.
    heard: list[str] = []
    # What the person typed when they refused a call. It stands in a tool's result, so it proves nothing.
    refusals: tuple[str, ...] = ()
    # What it suggests and the person does not want to keep, as folded texts.
    declined: frozenset[str] = frozenset()


class SessionBuilder:
    """A session under construction."""

    def __init__(self, host: str, path: str, session: str = "") -> None:
        self.host, self.path, self.session = host, path, session
        self.cwd, self.tokens, self.cached_tokens, self.model, self.headless = "", 0, 0, "", False
        self.interruptions, self._stopped = 0, False
        self.answers: list[PersonAnswer] = []
        self.refusals: list[str] = []
        self._turns: deque[Turn] = deque()
        self._dropped = self._weight = 0
        self._typed = False
        self._open: dict[str, Call] = {}
        self._heard: deque[str] = deque()
        self._heard_size = 0

    def human(self, text: str, at: str = "") -> None:
        """Add what stands in a user's record; who wrote it is judged later."""
        if self._typed:
            return
        said = text.strip()
        if said.startswith(INTERRUPTED):
            self.interrupt()
            said = said.partition("\n")[2].strip()
        self._add(Turn("user", clean(said), (), at, self.session, self.cwd))

    def typed(self, text: str, at: str = "") -> None:
        """Add what a format keeps as typed by the person; from then on its other user records are left out."""
        if not self._typed:
            self._turns = deque(turn for turn in self._turns if turn.role != "user")
            self._typed = True
        self._add(Turn("user", clean(text.strip()), (), at, self.session, self.cwd))

    def agent(self, text: str, at: str = "", calls: tuple[Call, ...] = ()) -> None:
        """Add what the agent said, with the calls it made in the same breath."""
        for call in calls:
            self._note(call)
        role = "assistant" if text.strip() or not calls else "tool"
        self._add(Turn(role, clean(text), tuple(c.tool for c in calls), at, self.session, self.cwd, calls))

    def result(self, id: str, *, ok: bool, interrupted: bool = False, said: str = "") -> None:
        """Say how a call ended, and what came back."""
        if call := self._open.pop(id, None):
            self.heard(call, said)
            output, command = said[-MOST_OUTPUT:], call.input.get("command")
            passed = outcome(command, ok, output) if isinstance(command, str) and not interrupted else ok
            call.ok, call.interrupted = False if interrupted else passed, interrupted
            call.error = error_signature(output) if passed is False and said else 0
            if interrupted:
                self.interruptions, self._stopped = self.interruptions + 1, True

    def heard(self, call: Call, said: str) -> None:
        """Keep what a tool brought back, but for what we answered ourselves."""
        command = str(call.input.get("command") or "")
        ours = call.tool.startswith("mcp__tenure") or (
            command.startswith("tenure ") and not set(command) & set(";|&\n")
        )
        if said and not ours:
            self._heard.append(said[-MAX_TEXT_CHARACTERS:])
            self._heard_size += len(self._heard[-1])
            while self._heard_size > MOST_HEARD:
                self._heard_size -= len(self._heard.popleft())

    def answer(self, question: str, text: str, at: str = "") -> None:
        """Add an answer of the person to a question of the agent."""
        if text.strip():
            place = self._dropped + len(self._turns)
            self.answers.append(PersonAnswer(clean(question).strip(), clean(text).strip(), at, place))

    def refused(self, said: str) -> None:
        """Add the reason that the person gave when they refused a call."""
        reason = clean(said.partition(REFUSED_BECAUSE)[2]).strip()
        if reason and len(self.refusals) < MOST_REFUSALS:
            self.refusals.append(reason)

    def call_of(self, id: str) -> Call | None:
        """Return a call that waits for its result."""
        return self._open.get(id)

    def done(self) -> Session:
        """Return the session as read."""
        return Session(
            self.session,
            self.host,
            self.path,
            list(self._turns),
            self.answers,
            self.cwd,
            self.tokens,
            self.cached_tokens,
            self.model,
            self.interruptions,
            self.headless,
            [],
            list(self._heard),
            tuple(self.refusals),
        )

    def _note(self, call: Call) -> None:
        if call.id:
            self._open[call.id] = call
            while len(self._open) > OPEN_CALLS:
                del self._open[next(iter(self._open))]

    def interrupt(self) -> None:
        """Mark the call at hand as stopped by the person."""
        # A host that says so of the call says it of the turn as well.
        self.interruptions += not self._stopped
        self._stopped = False
        last = next(reversed(self._open.values()), None)
        if last is not None and last.ok is None:
            last.interrupted, last.ok = True, False

    def _add(self, turn: Turn) -> None:
        if not turn.text and not turn.tools:
            return
        self._stopped = False
        self._turns.append(turn)
        self._weight += len(turn.text)
        while (self._weight > MAX_SPOKEN_CHARACTERS or len(self._turns) > MAX_TURNS) and len(self._turns) > 1:
            self._weight -= len(self._turns.popleft().text)
            self._dropped += 1


# What Codex in an editor puts before each of the person's requests: the open file and the tabs.
_EDITOR_CONTEXT = re.compile(
    r"\A\s*# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE
)


def clean(text: str) -> str:
    """Return a text without injected blocks, of bounded length, that can be written again."""
    kept = private.without(without_fences(text[:MAX_TEXT_CHARACTERS], FENCES))
    kept = _EDITOR_CONTEXT.sub("", kept, count=1)
    return kept.encode("utf-8", "replace").decode("utf-8")


def texts(content: Any) -> list[str]:
    """Return the texts of a message in any of the hosts' shapes."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found = [block.get("text") if isinstance(block, dict) else block for block in content]
    return [text for text in found if isinstance(text, str) and text]
