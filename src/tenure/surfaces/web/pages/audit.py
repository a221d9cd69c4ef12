"""What agents read in the repository, with broken claims marked in the text and each repair as a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure import workspace as api
from tenure.surfaces.web.pages import Act, Ask, Done, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace

BROKEN = ("missing", "moved")
# So many with something broken are shown, and so many of the others are named.
MOST_BROKEN, MOST_NAMED = 200, 100
# So many of the memories that agents are shown are read with the files: a page does not read a whole store.
MOST_MEMORIES = 200
NATIVE = "tenure"
# A line of a page is shown with so much before and after.
AROUND = 1


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the report; the claims are checked when it is asked for, because that reads the history."""
    deep = ask.query.get("deep") == "1"
    report = api.audit(None, str(workspace.folder), deep=deep, fix=deep, dry_run=True, most_memories=MOST_MEMORIES)
    edits: dict[str, list[dict[str, Any]]] = {}
    for edit in report.edits:
        edits.setdefault(edit.path, []).append({"line": edit.line, "old": edit.old, "new": edit.new})
    files: list[dict[str, Any]] = []
    for memory in report.memories:
        source = memory.source
        lines = source.text.splitlines()
        broken = [each for each in memory.findings if each.status in BROKEN]
        files.append(
            {
                "path": source.path,
                "id": source.id,
                # Where it has a page of its own here.
                "memory": source.id if source.dialect == NATIVE else "",
                "title": lines[0] if lines else "",
                "kind": source.kind,
                "tokens": memory.tokens,
                "age_days": round(memory.age_days),
                "claims": len(memory.findings),
                "broken": [
                    {
                        "text": each.claim.in_words,
                        "line": each.claim.line,
                        "status": each.status,
                        "repair": each.repair_in_words,
                        "why": each.why,
                        "shown": _around(lines, each.claim.line - source.line, each.claim.in_words),
                    }
                    for each in broken
                ],
                "edits": edits.get(source.path, []),
            }
        )
    broken_first = [each for each in files if each["broken"] or each["edits"]]
    others = [each for each in files if not each["broken"] and not each["edits"]]
    others.sort(key=lambda each: -each["tokens"])
    return {
        "deep": deep,
        "checked": len(files),
        "files": broken_first[:MOST_BROKEN],
        "others": others[:MOST_NAMED],
        "more_others": max(0, len(others) - MOST_NAMED),
        "most_memories": MOST_MEMORIES,
        "more_memories": sum(1 for each in files if each["memory"]) >= MOST_MEMORIES,
        "can_take_back": api.can_undo_audit(None, str(workspace.folder)),
        "problems": [
            {"path": each.path, "line": each.line, "message": each.message, "code": each.code}
            for each in report.problems
        ],
        "notices": list(report.notices),
        "repairs": len(report.edits),
    }


def _around(lines: list[str], place: int, claim: str) -> list[dict[str, Any]]:
    """Return the lines around a claim, each in three parts: before it, the claim itself, after it."""
    found = []
    for number in range(max(0, place - AROUND), min(len(lines), place + AROUND + 1)):
        before, marked, after = lines[number].partition(claim) if number == place else (lines[number], "", "")
        found.append({"number": number + 1, "before": before, "marked": marked, "after": after})
    return found


def fix(workspace: Workspace, ask: Ask) -> Done:
    """Apply the repairs that are pure moves."""
    report = api.audit(None, str(workspace.folder), deep=True, fix=True, most_memories=MOST_MEMORIES)
    count = len(report.edits)
    said = f"{count} {'repair' if count == 1 else 'repairs'} applied; take them back below."
    return Done(said if count else "There was nothing to repair.")


def undo_fix(workspace: Workspace, ask: Ask) -> Done:
    """Take back what the last repairs changed."""
    files = api.undo_audit(None, str(workspace.folder))
    return Done(f"Taken back in {len(files)} {'file' if len(files) == 1 else 'files'}.")


PAGES = [Page("/audit", "Audit", "audit.html", read, "/audit.json")]
ACTS = [Act("/audit/fix", fix), Act("/audit/undo", undo_fix)]
