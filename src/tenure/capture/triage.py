"""Triage: how strongly a session smells of each category of memory. Pure: turns in, scores out.

Text categories are scored line by line over everything that was said, code left out; the session summary by
how much was done. Every score is returned, also those under their threshold, so that thresholds can be
judged later. Time grows linearly with the text: words are found by plain search, and a pattern only looks
at the line it hit.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tenure.capture.transcripts import Turn
from tenure.capture.triage_rules import (
    BOOSTER_WINDOW,
    CONTEXT_LINES,
    DISTINCT_TOOL_WEIGHT,
    EXCHANGE_WEIGHT,
    MAX_BOOSTED,
    MAX_PLAIN,
    MAX_SNIPPET_CHARACTERS,
    NEGATIONS,
    RULES,
    SESSION_SUMMARY,
    THRESHOLDS,
    TOOL_USE_WEIGHT,
    Rule,
)

_NEGATED = "".join(f"(?<!{re.escape(word)})" for word in NEGATIONS)
_BLANKS = r"[^\S\n]+"


class Activity(NamedTuple):
    """How much was done in a session."""

    tool_uses: int
    distinct_tools: int
    exchanges: int


class Score(NamedTuple):
    """What triage found for one category; `lines` are the numbers of the lines that matched.

    Snippets are whole lines: whoever shows them redacts them first and cuts them then.
    """

    category: str
    score: float
    threshold: float
    snippets: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def fires(self) -> bool:
        """Whether the score reaches its threshold."""
        return self.score >= self.threshold


class TriageScores(NamedTuple):
    """All six scores in their fixed order, with the text and the activity they come from."""

    scores: tuple[Score, ...]
    lines: tuple[str, ...]
    activity: Activity


def triage(turns: Iterable[Turn], thresholds: Mapping[str, float] | None = None) -> TriageScores:
    """Score a session for every category, against its own or the given thresholds."""
    spoken = list(turns)
    limits = {**THRESHOLDS, **(thresholds or {})}
    lines = spoken_lines(spoken)
    text = _Text(lines)
    scores = [_scored(text, rule, limits[rule.category]) for rule in RULES]
    done = activity(spoken)
    scores.append(_session(done, limits[SESSION_SUMMARY]))
    return TriageScores(tuple(scores), tuple(lines), done)


def spoken_lines(turns: Iterable[Turn]) -> list[str]:
    """Return the lines of everything said, without code."""
    return [line for turn in turns if turn.text for line in without_code(turn.text).split("\n")]


def without_code(text: str) -> str:
    """Return the text without fenced blocks and inline code; an unclosed fence stays as it is."""
    parts = text.split("```")
    unclosed = "```" + parts.pop() if len(parts) % 2 == 0 else ""
    return re.sub(r"`[^`]+`", "", "".join(parts[::2]) + unclosed)


def activity(turns: Iterable[Turn]) -> Activity:
    """Count tool calls, different tools and messages."""
    tools: list[str] = []
    exchanges = 0
    for turn in turns:
        tools.extend(turn.tools)
        exchanges += turn.role != "tool"
    return Activity(len(tools), len(set(tools)), exchanges)


def excerpt(lines: Sequence[str], matches: Iterable[int], around: int = CONTEXT_LINES) -> str:
    """Return the lines around the matches, overlapping windows merged, separate ones divided by `---`."""
    windows: list[tuple[int, int]] = []
    for match in matches:
        start, end = max(0, match - around), min(len(lines), match + around + 1)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return "\n---\n".join("\n".join(lines[start:end]) for start, end in windows)


class _Text:
    """Lines prepared for searching: one lower-case text and where each line begins in it."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.lowered = [line.lower().replace("’", "'") for line in lines]
        self.whole = "\n".join(self.lowered)
        self.starts, position = [], 0
        for line in self.lowered:
            self.starts.append(position)
            position += len(line) + 1

    def having(self, phrases: Iterable[str], negatable: bool = False) -> set[int]:
        """Return the numbers of the lines in which one of the phrases stands."""
        found: set[int] = set()
        for phrase in phrases:
            found.update(self._having(phrase, negatable))
        return found

    def _having(self, phrase: str, negatable: bool) -> Iterable[int]:
        # The longest word is the rarest; only lines that hold it are worth a pattern.
        anchor = max(phrase.split(), key=len)
        pattern = None
        position = self.whole.find(anchor)
        while position >= 0:
            number = bisect_right(self.starts, position) - 1
            if pattern is None:
                blanks = _BLANKS.join(re.escape(word) for word in phrase.split())
                pattern = re.compile(f"{_NEGATED if negatable else ''}(?<!\\w){blanks}(?!\\w)")
            if pattern.search(self.lowered[number]):
                yield number
            following = self.starts[number] + len(self.lowered[number])
            position = self.whole.find(anchor, following)


def _scored(text: _Text, rule: Rule, threshold: float) -> Score:
    matches = sorted(text.having(rule.primary) | text.having(rule.unless_negated, negatable=True))
    matches = [number for number in matches if not _is_instruction(text.lowered[number], rule)]
    boosters = sorted(text.having(rule.boosters)) if matches else []
    total, plain, boosted = 0.0, 0, 0
    snippets: list[str] = []
    for number in matches:
        first = bisect_left(boosters, number - BOOSTER_WINDOW)
        supported = first < len(boosters) and boosters[first] <= number + BOOSTER_WINDOW
        if supported and boosted < MAX_BOOSTED:
            boosted += 1
            total += rule.boosted
        elif plain < MAX_PLAIN:
            plain += 1
            total += rule.plain
        else:
            continue
        snippet = text.lines[number].strip()[:MAX_SNIPPET_CHARACTERS]
        if snippet not in snippets:
            snippets.append(snippet)
    return Score(rule.category, min(1.0, total / rule.denominator), threshold, tuple(snippets), tuple(matches))


def _session(done: Activity, threshold: float) -> Score:
    score = min(
        1.0,
        done.tool_uses * TOOL_USE_WEIGHT
        + done.distinct_tools * DISTINCT_TOOL_WEIGHT
        + done.exchanges * EXCHANGE_WEIGHT,
    )
    snippet = f"{done.tool_uses} tool uses across {done.distinct_tools} tools, {done.exchanges} exchanges"
    return Score(SESSION_SUMMARY, score, threshold, (snippet,) if score else ())


def _is_instruction(line: str, rule: Rule) -> bool:
    begin = line.lstrip(" \t#*-")
    return begin.startswith(rule.instruction_starts) or any(part in line for part in rule.instruction_parts)
