"""What waits for the person, the most worthwhile first, with everything needed to decide on the spot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.model.errors import BadRequest, TenureError
from tenure.model.memory import as_json
from tenure.surfaces.web.pages import Act, Ask, Done, Page, unchanged
from tenure.text.words import one_line

if TYPE_CHECKING:
    from tenure.usecases.answers.looked import Dossier, Waiting
    from tenure.workspace import Workspace

PER_PAGE = 10
MOST_PER_PAGE = 50
# What a button says -> the verdict it gives; "approve" depends on what the memory waits for.
SIMPLE = {"reject": "reject", "keep": "keep", "archive": "archive", "weaken": "weaken", "hold": "request_review"}
SAID = {
    "approve": "approved",
    "reject": "rejected",
    "keep": "kept",
    "archive": "archived",
    "weaken": "weakened",
    "hold": "taken under review",
    "later": "put off",
}


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return one page of the queue."""
    later = {id.partition(" ")[2] for id in ask.visit.later if id.partition(" ")[0] == ask.project}
    per_page = ask.number("per", PER_PAGE, MOST_PER_PAGE)
    start = ask.number("from", 1, 10**6) - 1
    shown = workspace.queue_page(start, per_page, last=later)
    if start >= shown.total > 0:
        start, shown = 0, workspace.queue_page(0, per_page, last=later)
    known = {item.memory.id: item for item in workspace.dossiers([item.id for item in shown.items])}
    return {
        "waiting": shown.total,
        "start": start + 1 if shown.total else 0,
        "per": per_page,
        "items": [_item(item, known[item.id], item.id in later) for item in shown.items if item.id in known],
        "others": [_other(item) for item in shown.items if item.id not in known],
    }


def _item(waiting: Waiting, found: Dossier, later: bool) -> dict[str, Any]:
    return {
        "memory": as_json(found.memory),
        "version": found.version,
        "why": waiting.why,
        "needs": waiting.needs,
        "reviewer": waiting.reviewer,
        "next_state": found.next_state,
        # What the reason says already is not said twice.
        "missing": [need.text for need in found.needs if need.text.removeprefix("or else ") not in waiting.why],
        # Where the reason is one of two ways up, the rest is the other.
        "either": any(
            need.text.startswith("or else ") and need.text.removeprefix("or else ") in waiting.why
            for need in found.needs
        ),
        "quote": found.quote,
        "against": [as_json(other) for other in found.against],
        "alike": [as_json(other) for other in found.alike],
        "claims": [{"text": each.text, "status": each.status} for each in found.claims],
        "later": later,
    }


def _other(waiting: Waiting) -> dict[str, Any]:
    """Return what waits and is no memory of the store yet."""
    return {name: getattr(waiting, name) for name in ("id", "title", "state", "needs", "reviewer", "why")}


def decide(workspace: Workspace, ask: Ask) -> Done:
    """Give one verdict on one or several memories; each is independent."""
    decision, ids = ask.field("decision"), ask.form.get("id", [])
    if decision not in SAID:
        raise BadRequest(f"{decision!r} is not a decision of this page.", field="decision")
    if not ids:
        raise BadRequest("No memory was chosen.", hint="Select some first.")
    if decision == "later":
        ask.visit.later.update(f"{ask.project} {id}" for id in ids)
        return Done(f"{_named(ids)} put off to the end of the queue for this visit.")
    waiting = {item.id: item for item in workspace.waiting(ids)}
    entries: list[int] = []
    refused: list[str] = []
    done: list[str] = []
    verdicts: set[str] = set()
    for id in ids:
        try:
            verdict = SIMPLE.get(decision) or _approval(workspace, id, waiting.get(id))
            entries.append(_decided(workspace, ask, id, verdict, waiting.get(id)))
            done.append(id)
            verdicts.add(verdict)
        except TenureError as error:
            refused.append(error.message if error.message.startswith(id) else f"{id}: {error.message}")
    said = f"{_named(done)} {SAID['keep' if verdicts == {'keep'} else decision]}." if done else ""
    for item in workspace.waiting(done) if len(done) == 1 else ():
        said = f"{said} It still waits: {item.why}."
    if refused:
        said = f"{said} Not done: {' '.join(refused)}".strip()
    return Done(said, entries)


def _decided(workspace: Workspace, ask: Ask, id: str, verdict: str, waiting: Waiting | None) -> int:
    """Give one verdict and return the ledger entry it wrote first."""
    unchanged(workspace, ask, id)
    before = workspace.history(id)
    by = waiting.reviewer if waiting and waiting.reviewer != "user" else ask.by
    workspace.review(id, verdict, by=by, rationale=one_line(ask.field("rationale", needed=False), 500))
    return workspace.history(id)[len(before)].seq


def _approval(workspace: Workspace, id: str, waiting: Waiting | None) -> str:
    """Return the verdict that says yes to what a memory waits for."""
    if waiting is not None and waiting.needs.startswith("promote_"):
        return waiting.needs
    return "approve" if workspace.get(id).phase == "pending" else "keep"


def undo(workspace: Workspace, ask: Ask) -> Done:
    """Take back the last thing that this visit did in this project."""
    for place in range(len(ask.visit.done) - 1, -1, -1):
        project, entries, said = ask.visit.done[place]
        if project == ask.project:
            del ask.visit.done[place]
            for entry in reversed(entries):
                workspace.undo(entry, whole=True)
            return Done(f"Taken back: {said}")
    raise BadRequest("There is nothing to take back in this visit.")


def edit(workspace: Workspace, ask: Ask) -> Done:
    """Change the words of a memory."""
    id = ask.field("id")
    ask.field("version")
    before = len(workspace.history(id))
    fields: dict[str, Any] = {name: ask.field(name) for name in ("title", "text") if name in ask.form}
    if "tags" in ask.form:
        fields["tags"] = [tag.strip() for tag in ask.form["tags"][0].split(",") if tag.strip()]
    after = workspace.edit(id, **fields, expected_version=ask.given("version"))
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"{after.id} changed." if entries else f"{after.id} is as it was.", *after.notes]), entries)


def supersede(workspace: Workspace, ask: Ask) -> Done:
    """Let one memory take another's place."""
    old, new = ask.field("id"), ask.field("successor").strip()
    before = len(workspace.history(old))
    after = workspace.review(old, "supersede", by=ask.by, successor=new, rationale=ask.field("rationale", needed=False))
    return Done(f"{after.id} superseded by {after.superseded_by}.", [workspace.history(after.id)[before].seq])


def _named(ids: list[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{len(ids)} memories"


PAGES = [Page("/", "Queue", "queue.html", read, "/queue.json")]
ACTS = [Act("/decide", decide), Act("/undo", undo), Act("/edit", edit), Act("/supersede", supersede)]
