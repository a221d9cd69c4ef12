"""`tenure claude-memory triage`: at the end of a turn, ask the agent to save what the session was about.

The stop hook: it reads the whole session, scores it, and when a category reaches its threshold answers with
a block whose reason ends in a `<triage_data>` block for the memory skill. It never blocks twice in a row,
and within a session only what came after the last block counts again. Whatever breaks, the session may
stop. Every score is logged under `.tenure/` with what became of it; the log holds numbers, never what was
said.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections import deque
from itertools import islice
from pathlib import Path
from typing import Any

from tenure.capture.session_builder import MAX_SPOKEN_CHARACTERS
from tenure.capture.transcripts import Turn, turns
from tenure.capture.triage import Score, TriageScores, triage
from tenure.capture.triage_rules import THRESHOLDS
from tenure.model import clock
from tenure.systems.claude_memory import config, context_files, hook_input, triage_log
from tenure.systems.claude_memory.config import Config, is_on
from tenure.systems.claude_memory.entries import escaped

FLAG_SECONDS = 300
MIN_MESSAGES, MAX_MESSAGES = 10, 200
SNIPPET_CHARACTERS = 120

MODELS = ("haiku", "sonnet", "opus")
PARALLEL: dict[str, Any] = {
    "enabled": True,
    "category_models": {
        "session_summary": "haiku",
        "decision": "sonnet",
        "runbook": "haiku",
        "constraint": "sonnet",
        "tech_debt": "haiku",
        "preference": "haiku",
    },
    "verification_model": "sonnet",
    "default_model": "haiku",
}

OPENING = "This session holds something worth remembering. Before stopping, save each of these as a memory:"
CLOSING = "The memory-management skill says how; nothing else has to be done, and after it you may stop."


def main(argv: list[str]) -> int:
    """Run the drop-in for `memory_triage.py`."""
    with contextlib.suppress(Exception):
        reason = answer(hook_input.read())
        if reason:
            sys.stdout.write(json.dumps({"decision": "block", "reason": reason}) + "\n")
            sys.stdout.flush()
    return 0


def answer(message: dict[str, Any]) -> str:
    """Return why the session should not stop yet, or nothing."""
    project = hook_input.project(message)
    settings = config.load(Path(project, ".claude", "memory"))
    section = settings.section("triage")
    # The client says itself when a stop follows a block; the flag serves clients that do not.
    if not is_on(section, "enabled") or flag_consumed(project) or message.get("stop_hook_active") is True:
        return ""
    transcript = readable_transcript(hook_input.text(message, "transcript_path"))
    if not transcript:
        return ""
    session = hook_input.text(message, "session_id")
    start = triage_log.blocked_at(project, session)
    spoken, total = _spoken(transcript, start, max_messages(section.get("max_messages")))
    if not spoken:
        return ""
    finding = triage(spoken, thresholds(section.get("thresholds")))
    outcomes = {score.category: outcome(score, settings) for score in finding.scores}
    fired = [score for score in finding.scores if outcomes[score.category] == "fired"]
    reason = _block(project, fired, finding, settings) if fired else ""
    # Logged last: a block that could not be given must not count as one at the next stop.
    triage_log.append(project, session, total, finding.scores, outcomes)
    return reason


def outcome(score: Score, settings: Config) -> str:
    """Return what becomes of a score: fired, below threshold, or silenced by a setting."""
    if not score.fires:
        return "below threshold"
    if not settings.enabled(score.category):
        return "enabled is off"
    return "fired" if settings.auto_capture(score.category) else "auto_capture is off"


def block_message(
    fired: list[Score], described: dict[str, str], files: dict[str, str | None], models: dict[str, Any]
) -> str:
    """Return the reason: a line per category for the reader, then the same as JSON for the skill."""
    lines, entries = [], []
    for score in fired:
        description, file = described.get(score.category, ""), files.get(score.category)
        hint = f" ({snippet(description)})" if description else ""
        snippets = context_files.shown_snippets(score)
        summary = snippet(snippets[0]) if snippets else "Significant activity detected"
        lines.append(f"- [{score.category.upper()}]{hint} {summary} (score: {score.score:.2f})")
        entry: dict[str, Any] = {"category": score.category, "score": round(score.score, 4)}
        if description:
            entry["description"] = description
        if file:
            entry["context_file"] = file
        entries.append(entry)
    data = json.dumps({"categories": entries, "parallel_config": models}, indent=2)
    # Escaped, so that no description can close the block.
    data = data.replace("<", "\\u003c").replace(">", "\\u003e")
    return "\n".join([OPENING, *lines, "", CLOSING, "", "<triage_data>", data, "</triage_data>"])


def snippet(text: str) -> str:
    """Return a line of the transcript as it may appear in the message."""
    return escaped(text.replace("`", ""), SNIPPET_CHARACTERS).replace("&quot;", '"')


def thresholds(raw: object) -> dict[str, float]:
    """Return the thresholds with the user's own, in any case of the key; what is no number is passed over."""
    limits = dict(THRESHOLDS)
    for name, value in raw.items() if isinstance(raw, dict) else ():
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            limit = math.nan if isinstance(value, bool) else float(value)
            if math.isfinite(limit) and str(name).lower() in limits:
                limits[str(name).lower()] = max(0.0, min(1.0, limit))
    return limits


def max_messages(raw: object) -> int | None:
    """Return how many of the last messages count; None, without a setting, for all of them."""
    try:
        return max(MIN_MESSAGES, min(MAX_MESSAGES, int(raw)))  # type: ignore[call-overload, no-any-return]
    except (ValueError, TypeError, OverflowError):
        return None


def parallel(raw: object) -> dict[str, Any]:
    """Return which models draft and verify; an unknown model is replaced by the default."""
    chosen = {**PARALLEL, "category_models": dict(PARALLEL["category_models"])}
    if not isinstance(raw, dict):
        return chosen
    chosen["enabled"] = is_on(raw, "enabled")
    for key in ("verification_model", "default_model"):
        chosen[key] = _model(raw.get(key), chosen[key])
    models = raw.get("category_models")
    if isinstance(models, dict):
        for category, usual in PARALLEL["category_models"].items():
            chosen["category_models"][category] = _model(models.get(category), usual)
    return chosen


def readable_transcript(path: str) -> str:
    """Return where the transcript really is, or nothing when that is neither in the home nor in /tmp."""
    if not path or "\0" in path:
        return ""
    place = os.path.realpath(os.path.expanduser(path))
    homes = [os.path.expanduser("~"), "/tmp", os.environ.get("CLAUDE_CONFIG_DIR", "")]
    allowed = any(home and place.startswith(os.path.realpath(home) + os.sep) for home in homes)
    return place if allowed and os.path.isfile(place) else ""


def flag_consumed(project: str) -> bool:
    """Remove the mark of an earlier block and return whether it was fresh: then this stop is its answer."""
    path = _flag(project)
    try:
        raised = os.lstat(path).st_mtime
        os.unlink(path)
    except (OSError, ValueError):
        return False
    return clock.now().timestamp() - raised < FLAG_SECONDS


def raise_flag(project: str) -> None:
    """Leave the mark that a block was given; without it the client's own word has to do."""
    from tenure.files import durable as files
    from tenure.model.errors import TenureError

    path = Path(_flag(project))
    with contextlib.suppress(OSError, TenureError):
        path.parent.mkdir(exist_ok=True)
        files.replace(path, f"{clock.now().timestamp()}".encode())


def _block(project: str, fired: list[Score], finding: TriageScores, settings: Config) -> str:
    described = settings.descriptions()
    files = {
        score.category: context_files.write(project, score, finding, described.get(score.category, ""))
        for score in fired
    }
    reason = block_message(fired, described, files, parallel(settings.section("triage").get("parallel")))
    raise_flag(project)
    return reason


def _spoken(transcript: str, start: int, last: int | None) -> tuple[list[Turn], int]:
    """Return the turns that count, and how many the session has."""
    kept: deque[Turn] = deque()
    total = weight = 0
    for turn in islice(turns(transcript), start, None):
        total += 1
        kept.append(turn)
        weight += len(turn.text)
        while len(kept) > 1 and (weight > MAX_SPOKEN_CHARACTERS or len(kept) > (last or total)):
            weight -= len(kept.popleft().text)
    return list(kept), start + total


def _model(value: object, default: str) -> str:
    name = str(value).lower()
    return name if name in MODELS else default


def _flag(project: str) -> str:
    return os.path.join(project, ".claude", ".stop_hook_active")
