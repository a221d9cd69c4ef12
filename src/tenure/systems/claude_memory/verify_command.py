"""`tenure claude-memory verify`: whether a draft says only what the session says, before anybody saves it.

The original leaves this to a subagent's judgement; here a program looks first. What blocks a draft can be shown: a
name, a number or a path that was not said, or a "not" that was left out. Other words that were not said are for the
verifying agent to judge, because a summary may use words of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tenure.capture.draft_check import Source
from tenure.capture.transcripts import Turn, turns
from tenure.files import CLAUDE_MEMORY, durable
from tenure.model.errors import TenureError
from tenure.model.kinds import content_problems
from tenure.systems.claude_memory import drafts
from tenure.systems.claude_memory.folder import warn
from tenure.systems.claude_memory.records import FOLDERS
from tenure.systems.claude_memory.refusal import Refusal

MAX_CONTEXT_BYTES = 1024 * 1024
EXAMPLE = """\
example:
  tenure claude-memory verify --category decision --input /tmp/.memory-draft-decision-1.json --context /tmp/….txt
"""
_DATA = re.compile(r"<transcript_data>\n(.*?)(?:\n</transcript_data>|\Z)", re.DOTALL)
_WINDOW = "\n---\n"
# A session summary is asked for by how much was done, so its context holds counts and no words.
_COUNTS = "Activity Metrics:"


def main(arguments: list[str]) -> int:
    """Say PASS with 0 or FAIL with 1, and why."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="tenure claude-memory verify",
        description="Check a draft against what was said in the session.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--category", required=True, choices=list(FOLDERS))
    parser.add_argument("--input", required=True, help="the draft, under /tmp or in the staging folder")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--context", help="the context file that triage named")
    source.add_argument("--transcript", help="the session's transcript, instead of the context file")
    parser.add_argument("--root", default=CLAUDE_MEMORY, help="the memory folder")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")
    options = parser.parse_args(arguments)
    try:
        draft = drafts.read(options.input, Path(options.root).absolute())
        said = list(turns(options.transcript)) if options.transcript else context(options.context)
    except Refusal as refusal:
        print(refusal.block())
        return 1
    except (TenureError, OSError) as error:
        print(Refusal("INPUT_ERROR", "Name a context file or a transcript that can be read.", error=error).block())
        return 1
    found = issues(options.category, draft, said)
    passed = not any(issue["level"] == "block" for issue in found)
    if options.json:
        print(json.dumps({"verdict": "PASS" if passed else "FAIL", "issues": found}))
    else:
        print("PASS" if passed else "FAIL")
        for issue in found:
            warn(f"{issue['level'].upper()} {issue['field']}: {issue['message']}")
    return 0 if passed else 1


def issues(category: str, draft: dict[str, Any], said: list[Turn]) -> list[dict[str, str]]:
    """Return what is wrong with a draft, each with its field and whether it blocks."""
    content, title = draft.get("content"), draft.get("title")
    if not isinstance(content, dict) or not isinstance(title, str) or not title.strip():
        return [{"level": "block", "field": "content", "message": "a draft needs a title and a content"}]
    found = [
        {"level": "block", "field": field, "message": message} for field, message in content_problems(category, content)
    ]
    if not any(turn.text for turn in said):
        nothing = "the context holds nothing that was said; give --transcript to compare"
        return [*found, {"level": "advisory", "field": "context", "message": nothing}]
    for field, message, blocks in Source(said).issues(title, content):
        found.append({"level": "block" if blocks else "advisory", "field": field, "message": message})
    return found


def context(path: str) -> list[Turn]:
    """Return what a context file quotes of the session, a turn for each part of it."""
    text = durable.read_bytes(Path(path), limit=MAX_CONTEXT_BYTES).decode("utf-8", "replace")
    quoted = _DATA.search(text)
    if quoted is None or quoted[1].startswith(_COUNTS):
        return []
    return [Turn("user", window) for window in quoted[1].split(_WINDOW) if window.strip()]
