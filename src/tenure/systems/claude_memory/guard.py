"""The two guards around direct writes to `.claude/memory/`: one before a tool call, one after.

Before, a write anywhere under the memory folder is denied, by the path as given and by where it really
leads; only `memory-config.json` directly in the folder is free. After, a record that got there anyway is
checked, and an invalid one is set aside under another name so that nothing reads it. Both always exit 0.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

from tenure.files import CATEGORY_SETTINGS
from tenure.systems.claude_memory import hook_input

CONFIG_NAME = CATEGORY_SETTINGS
STAGING_FOLDER = ".staging"
PATH_FIELDS = ("file_path", "notebook_path")
READING_TOOLS = frozenset({"Read", "NotebookRead", "Grep", "Glob", "LS"})
MAX_RECORD_BYTES = 4 * 1024 * 1024
SHOWN_CHARACTERS = 1000

DENIED = (
    "Direct writes to the memory directory are blocked. Use memory_write.py via Bash instead: "
    "python3 $CLAUDE_PLUGIN_ROOT/hooks/scripts/memory_write.py --action <create|update|delete> ..."
)
INSTEAD = "`tenure claude-memory write` takes the same arguments as memory_write.py."


def main_write(argv: list[str]) -> int:
    """Run the drop-in for `memory_write_guard.py`."""
    with contextlib.suppress(Exception):
        message = hook_input.read()
        if any(is_protected(path) for path in written_paths(message)):
            _print(_decision("PreToolUse", DENIED, additionalContext=INSTEAD))
    return 0


def main_validate(argv: list[str]) -> int:
    """Run the drop-in for `memory_validate_hook.py`."""
    with contextlib.suppress(Exception):
        for path in sorted({os.path.realpath(path) for path in written_paths(hook_input.read())}):
            reason = check_written(path)
            if reason:
                print(f"ERROR: {reason}", file=sys.stderr)
                # Today's client reads the first two fields after a tool call, the original wrote the others.
                _print({"decision": "block", "reason": reason, **_decision("PostToolUse", reason)})
                break
    return 0


def written_paths(message: dict[str, Any]) -> list[str]:
    """Return the absolute paths a tool call writes to, whichever tool it is."""
    call = message.get("tool_input")
    if not isinstance(call, dict) or message.get("tool_name") in READING_TOOLS:
        return []
    base = hook_input.text(message, "cwd") or os.getcwd()
    named = (call.get(field) for field in PATH_FIELDS)
    paths = (os.path.expanduser(path) for path in named if isinstance(path, str) and path)
    return [os.path.join(base, path) for path in paths if "\0" not in path]


def is_protected(path: str) -> bool:
    """Return whether writing to this absolute path would change memories behind the writer's back."""
    for place in (os.path.normpath(path), os.path.realpath(path)):
        inside = inside_memory(place)
        if inside is not None and inside != [CONFIG_NAME]:
            return True
    return False


def inside_memory(path: str) -> list[str] | None:
    """Return the path's parts below `.claude/memory`, or None when it is not there."""
    parts = path.replace(os.sep, "/").split("/")
    # Some file systems do not tell upper from lower case.
    folded = [part.casefold() for part in parts]
    for place in range(len(parts) - 1):
        if folded[place : place + 2] == [".claude", "memory"]:
            return [part for part in parts[place + 2 :] if part]
    return None


def check_written(path: str) -> str:
    """Return why a written file is not acceptable, having set an invalid record aside; else nothing."""
    inside = inside_memory(path)
    if inside is None or inside[:1] == [STAGING_FOLDER]:
        return ""
    print(f"WARNING: Write to memory file bypassed PreToolUse guard: {path}", file=sys.stderr)
    if inside == [CONFIG_NAME]:
        return ""
    name = os.path.basename(path)
    if not name.endswith(".json"):
        return f"Direct write to non-JSON memory file blocked: {name}. Use memory_write.py instead."
    # Imported here because only a file that got past the first guard is ever checked.
    from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER

    problem = _problem(path, CATEGORY_OF_FOLDER.get(inside[0]) if len(inside) > 1 else None)
    if not problem:
        print(f"WARNING: File is valid but was written directly (bypassed guard): {path}", file=sys.stderr)
        return ""
    moved = _set_aside(path)
    return f"Schema validation failed: {problem}. File quarantined to {moved}. Use memory_write.py instead."


def problems(record: dict[str, Any], category: str) -> list[tuple[str, str]]:
    """Return what is wrong with a record of a category: field paths and messages."""
    from tenure.systems.claude_memory import schema  # start-up, as above

    if category not in schema.CONTENT:
        return [("category", f"Input should be one of {', '.join(schema.CONTENT)}")]
    known = {*schema.envelope(category), *(f"content.{name}" for name in schema.CONTENT[category])}
    found = []
    for field, _, expected in schema.problems(record, category):
        if not _has(record, field):
            expected = "Field required"
        elif field not in known and field.count(".") <= field.startswith("content."):
            expected = "Extra inputs are not permitted"
        elif field == "category":
            expected = f"Input should be {expected}"
        found.append((field, expected))
    return found


def _problem(path: str, category: str | None) -> str:
    from pathlib import Path

    from tenure.files.durable import read_bytes
    from tenure.model.errors import TenureError

    try:
        record = json.loads(read_bytes(Path(path), limit=MAX_RECORD_BYTES))
    except (ValueError, RecursionError) as error:
        return f"Invalid JSON: {error}"
    except (OSError, TenureError) as error:
        return f"Cannot read file: {error}"
    if not isinstance(record, dict):
        return "Invalid JSON: a record is an object"
    own = record.get("category")
    category = category or (own if isinstance(own, str) else None)
    if not category:
        return "Cannot determine category from path or file content"
    found = problems(record, category)
    return "VALIDATION_ERROR\n" + "\n".join(_told(record, *problem) for problem in found) if found else ""


def _told(record: dict[str, Any], field: str, message: str) -> str:
    value = _deepest(record, field)[0]
    got = json.dumps(value)[:SHOWN_CHARACTERS]
    return f"field: {field}\nexpected: {message}\ngot: {got}\nfix: Correct the value for '{field}'\n"


def _has(record: dict[str, Any], field: str) -> bool:
    return _deepest(record, field)[1] == ""


def _deepest(record: dict[str, Any], field: str) -> tuple[Any, str]:
    """Return the value at a field path, or the last on the way, and the part of the path that is missing."""
    value: Any = record
    left = field.split(".")
    while left:
        if isinstance(value, dict) and left[0] in value:
            value = value[left[0]]
        elif isinstance(value, list) and left[0].isdigit() and int(left[0]) < len(value):
            value = value[int(left[0])]
        else:
            break
        left.pop(0)
    return value, ".".join(left)


def _set_aside(path: str) -> str:
    from tenure.model import clock

    moment = int(clock.now().timestamp())
    while os.path.lexists(moved := f"{path}.invalid.{moment}"):
        moment += 1
    try:
        os.rename(path, moved)
    except OSError as error:
        print(f"WARNING: Could not quarantine {path}: {error}", file=sys.stderr)
        moved = path
    return os.path.basename(moved)


def _decision(event: str, reason: str, **more: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
            **more,
        }
    }


def _print(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
