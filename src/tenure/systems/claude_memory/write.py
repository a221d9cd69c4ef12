"""`tenure claude-memory write`: create, update, retire, archive, unarchive and restore one memory.

Everything that decides happens under the lock, after the record was read there; so of two writers with the
same `--hash` one wins and the other is told `OCC_CONFLICT`.
"""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tenure.model import clock
from tenure.model.errors import InvalidInput, TenureError
from tenure.systems.claude_memory import config, drafts, lifecycle, merge, paths, schema
from tenure.systems.claude_memory.enforce import window
from tenure.systems.claude_memory.flags import Flag, parse
from tenure.systems.claude_memory.folder import RecordFolder, RecordToWrite, warn
from tenure.systems.claude_memory.paths import Target
from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER, FOLDERS, Record, is_active, status_of
from tenure.systems.claude_memory.refusal import Refusal, invalid
from tenure.systems.claude_memory.repair import new_record, repair, safe_entries
from tenure.systems.take_in_notes import take_in_notes
from tenure.text.redact import holds_secret

ACTIONS = ("create", "update", "delete", "retire", "archive", "unarchive", "restore")
FLAGS = (
    Flag("action", required=True, choices=ACTIONS),
    Flag("category", choices=tuple(FOLDERS)),
    Flag("target", required=True),
    Flag("input"),
    Flag("hash"),
    Flag("reason"),
    Flag("skip-auto-enforce", "switch"),
)


def main(arguments: list[str]) -> int:
    """Run the command, print the original's answer, and return its exit status."""
    options = parse("tenure claude-memory write", FLAGS, arguments)
    if options.action in ("create", "update") and not options.input:
        print("ERROR: --input is required for create and update actions.")
        return 1
    if options.action == "create" and not options.category:
        print("ERROR: --category is required for create action.")
        return 1
    if options.action == "update" and not options.hash:
        warn("WARNING: --hash not provided for update. OCC protection disabled.")
    try:
        result = run(options, Path.cwd())
        take_in_notes("claude-memory", paths.memory_root(options.target, Path.cwd()))
    except Refusal as refusal:
        print(refusal.block())
        return 1
    except (TenureError, OSError) as error:
        print(Refusal("WRITE_ERROR", "Nothing was acknowledged; try again.", error=error).block())
        return 1
    print(json.dumps(result))
    return 0


def run(options: SimpleNamespace, cwd: Path) -> dict[str, Any]:
    """Carry out one action and return the original's answer; raise `Refusal` when a rule says no."""
    root = paths.memory_root(options.target, cwd)
    if options.action == "create":
        return create(options, root, cwd)
    if options.action == "update":
        return update(options, root, cwd)
    return move(options, root, cwd)


def create(options: SimpleNamespace, root: Path, cwd: Path) -> dict[str, Any]:
    """Write a new memory and list it."""
    record, notes = repair(drafts.read(options.input, root), creating=True, stamp=_stamp())
    record, more = new_record(safe_entries({}, record), options.category)
    _report([*notes, *more])
    _validate(record, options.category)
    target = paths.confined(options.target, root, cwd)
    if holds_secret(target.path.stem):
        raise Refusal("VALIDATION_ERROR", "Name the file after what it says.", target="its name looks like a secret")
    if record["id"] != target.path.stem:
        record["id"] = target.path.stem
        _report([f"id: set to match filename '{target.path.stem}'"])
        _validate(record, options.category)
    if CATEGORY_OF_FOLDER[target.path.parent.name] != options.category:
        warn(f"Note: {target.shown}: a {options.category} belongs in {FOLDERS[options.category]}/")
    settings = config.load(target.root)
    _refuse_disabled(settings, options)
    target.root.mkdir(parents=True, exist_ok=True)
    folder = RecordFolder(target.root)
    with folder.locked(heal=True):
        # Only now: a folder younger than the index would look as if it had lost the files it lists.
        target.path.parent.mkdir(exist_ok=True)
        if not _replayed(folder, target, record, settings, options):
            _refuse_full(folder, settings, options)
            created = [RecordToWrite(target.path, target.shown, record)]
            folder.commit(created)
            folder.note("Created", created)
        if _is_windowed(options):
            window(folder, options.category, settings.max_retained(options.category)[0], say=_only_warnings)
    drafts.discard(options.input)
    return {"status": "created", "target": target.shown, "id": record["id"], "title": record["title"]}


def update(options: SimpleNamespace, root: Path, cwd: Path) -> dict[str, Any]:
    """Replace a memory by a draft of it, within the merge protections, and keep its line in step."""
    target = paths.confined(options.target, root, cwd)
    _must_exist(target, options, "File does not exist. Use --action create instead.")
    draft, notes = repair(drafts.read(options.input, root), creating=False, stamp=_stamp())
    _report(notes)
    folder = RecordFolder(target.root)
    with folder.locked(heal=True):
        old, digest = _read(folder, target, options)
        if options.hash and options.hash.strip().lower() != digest:
            raise Refusal(
                "OCC_CONFLICT",
                "File was modified by another session. Re-read the file and retry.",
                target=options.target,
                expected_hash=options.hash,
                current_hash=digest,
            )
        category = old.get("category") if old.get("category") in FOLDERS else options.category
        category = category or CATEGORY_OF_FOLDER[target.path.parent.name]
        draft = safe_entries(old, merge.keep_identity(old, draft))
        _validate(draft, category)
        record, warnings = merge.merge(old, draft, stamp=_stamp(), exists=os.path.exists)
        for text in warnings:
            warn(f"[WARN] {text}")
        change = _renamed(target, old, record)
        _validate(change.record, category)
        folder.commit([change])
        folder.note("Edited", [change])
    drafts.discard(options.input)
    result = {
        "status": "updated",
        "target": change.shown,
        "id": change.record["id"],
        "title": change.record["title"],
        "times_updated": change.record["times_updated"],
    }
    return result | {"renamed_from": target.shown} if change.renamed_from else result


def move(options: SimpleNamespace, root: Path, cwd: Path) -> dict[str, Any]:
    """Retire, archive, unarchive or restore a memory."""
    target = paths.confined(options.target, root, cwd)
    _must_exist(target, options, "File does not exist.")
    folder = RecordFolder(target.root)
    reason = _safe(options.reason) if options.reason else None
    with folder.locked(heal=True):
        record, _ = _read(folder, target, options)
        done = lifecycle.move(record, options.action, reason=reason, stamp=_stamp(), target=options.target)
        if done.record is not None:
            moved = [RecordToWrite(target.path, target.shown, done.record)]
            folder.commit(moved)
            folder.note(lifecycle.MOVES[options.action].event, moved, done.reason or "")
    result = {"status": done.status, "target": target.shown}
    return result | {"reason": done.reason} if done.reason is not None else result


def _renamed(target: Target, old: Record, record: Record) -> RecordToWrite:
    slug = merge.renamed(old.get("title"), record.get("title"), target.path.stem)
    if slug is None:
        return RecordToWrite(target.path, target.shown, record)
    path = target.path.with_name(f"{slug}.json")
    if os.path.lexists(path):
        warn(f"[WARN] Slug rename collision: {path} exists. Keeping old slug.")
        return RecordToWrite(target.path, target.shown, record)
    shown = target.shown.rpartition("/")[0] + f"/{slug}.json"
    return RecordToWrite(path, shown, {**record, "id": slug}, renamed_from=target.path)


def _replayed(
    folder: RecordFolder, target: Target, record: Record, settings: config.Config, options: SimpleNamespace
) -> bool:
    """Return whether the very same memory is there already; raise `Refusal` when another one is."""
    if not target.path.exists():
        return False
    existing, _ = _read(folder, target, options)
    if status_of(existing) == "retired":
        _refuse_return(existing, settings.no_return_hours, options)
        return False
    if is_active(existing) and _essence(existing) == _essence(record):
        return True
    raise Refusal(
        "CREATE_OVERWRITE_ERROR",
        "A memory exists at this path. Use --action update, or a different target path.",
        target=options.target,
        record_status=status_of(existing),
    )


def _refuse_return(existing: Record, hours: int, options: SimpleNamespace) -> None:
    try:
        retired_at = clock.parse(existing.get("retired_at") or "")
    except (InvalidInput, AttributeError, TypeError):
        return
    if clock.now() - retired_at < timedelta(hours=hours):
        raise Refusal(
            "ANTI_RESURRECTION_ERROR",
            f"This file was retired less than {hours} hours ago. Wait, use a different target path, "
            "or restore it with --action restore.",
            target=options.target,
            retired_at=existing["retired_at"],
        )


def _refuse_disabled(settings: config.Config, options: SimpleNamespace) -> None:
    if not settings.enabled(options.category):
        raise Refusal(
            "CATEGORY_DISABLED_ERROR",
            f"Set categories.{options.category}.enabled to true in {config.NAME} to save this category.",
            category=options.category,
            target=options.target,
        )


def _refuse_full(folder: RecordFolder, settings: config.Config, options: SimpleNamespace) -> None:
    category, most = options.category, settings.max_memories
    if _is_windowed(options) and settings.max_retained(category)[0] <= most:
        return  # the window makes room by itself
    if folder.count(category) < most:
        return
    active = sum(is_active(item.record) for item in folder.stored([category]))
    if active >= most:
        raise Refusal(
            "CATEGORY_FULL_ERROR",
            f"Retire or archive a memory first, or raise max_memories_per_category in {config.NAME}.",
            category=category,
            active=active,
            max_memories_per_category=most,
        )


def _is_windowed(options: SimpleNamespace) -> bool:
    return options.category == "session_summary" and not options.skip_auto_enforce


def _read(folder: RecordFolder, target: Target, options: SimpleNamespace) -> tuple[Record, str]:
    try:
        return folder.read(target.path)
    except FileNotFoundError:
        raise _missing(options, "File does not exist.") from None
    except (TenureError, OSError) as error:
        fix = "The file is left as it is. Correct it by hand, or remove it."
        raise Refusal("READ_ERROR", fix, target=options.target, error=error) from error


def _must_exist(target: Target, options: SimpleNamespace, fix: str) -> None:
    if not target.path.exists():
        raise _missing(options, fix)


def _missing(options: SimpleNamespace, fix: str) -> Refusal:
    return Refusal(f"{options.action.upper()}_ERROR", fix, target=options.target)


def _validate(record: Record, category: str) -> None:
    found = schema.problems(record, category)
    if found:
        raise invalid(found)


def _essence(record: Record) -> Record:
    # A replayed draft may have a new time stamp; everything else says whether it is the same memory.
    return {k: v for k, v in record.items() if k not in ("created_at", "updated_at") and v not in (None, 0, [])}


def _report(notes: list[str]) -> None:
    for note in notes:
        warn(f"[AUTO-FIX] {note}")


def _only_warnings(text: str) -> None:
    if text.startswith("WARNING"):
        warn(text)


def _safe(text: str) -> str:
    from tenure.text.redact import redact  # start-up: only a reason needs it here

    return redact(text.encode("utf-8", "replace").decode("utf-8"))[0]


def _stamp() -> str:
    return clock.stamp(clock.now())
