"""`list`, `show`, `search`, `why`, `history` and `status`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.model.memory import Memory, as_json
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.found import PastInjection
    from tenure.usecases.answers.looked import Why
    from tenure.usecases.answers.shared import Reviewed, SharedMemory
    from tenure.workspace import Workspace

# Fields that follow from others an entry shows; `--json` has them all.
_BOOKKEEPING = ("phase", "previous_state", "review_set_at", "run_mark", "frequency", "runs", "applied", "changes")
_EMPTY = "No memories yet. Add one with: tenure add 'what you learned'"


@command("list", example="tenure list --state stable\ntenure list --sort use --limit 20\ntenure list --all --json")
@click.option("--state", default="", help="Only this state.")
@click.option("--phase", type=click.Choice(["pending", "live", "held", "gone"]), help="Only this phase.")
@click.option("--kind", default="", help="Only this kind.")
@click.option("--all", "everything", is_flag=True, help="Include what is gone: retired, archived, decayed, …")
@click.option("--sort", "order", type=click.Choice(["written", "use", "age", "state"]), default="written",
              show_default=True, help="Order: last written, most used, oldest, or by state.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Memories per page.")
@click.option("--page", type=click.IntRange(1), help="With --limit: which page.")
def list_command(
    app: App,
    state: str,
    phase: str | None,
    kind: str,
    everything: bool,
    order: str,
    limit: int | None,
    page: int | None,
) -> None:
    """List memories: what is in use, then what waits. At a terminal a long list is shown page by page."""
    if page is not None and limit is None:
        raise BadRequest("--page needs --limit, the memories per page.", hint=f"tenure list --limit 20 --page {page}")
    page = page or 1
    with app.open_to_read() as workspace:
        items = workspace.memories(state=state, phase=phase or "", kind=kind, all=everything)
        states = [setting.key.partition(".")[2] for setting in workspace.settings if setting.key.startswith("states.")]
        items = _sorted(items, order, states)
        total = len(items)
        begin = (page - 1) * limit if limit else 0
        items = items[begin : begin + limit] if limit else items
        runs = workspace.runs()
        app.notes(workspace)
        data: dict[str, Any] = {"memories": [as_json(memory, runs_now=runs) for memory in items]}
        team = workspace.team_memories() if page == 1 and not (state or phase or kind) else []
        if team:
            data["ours"] = plain(team)
        if limit:
            data |= {"page": page, "total": total}
        if not items and total:
            raise BadRequest(f"There is no page {page}: {display.count(total)} in all.", hint="Begin with --page 1.")
        text = display.sections(items) if items else _nothing(workspace, bool(state or phase or kind))
        if team:
            text = (f"{text}\n\n" if items else "") + _team(team)
        if limit and total > limit:
            text += f"\n{begin + 1} to {begin + len(items)} of {total}."
        if not app.json and not workspace.actor.is_agent and display.is_long(text):
            click.echo_via_pager(text)
            return
        app.answer(data, lambda: text)


def _sorted(items: list[Memory], order: str, states: Sequence[str]) -> list[Memory]:
    """Return memories in another order; equals stay in the order they were written."""
    if order == "use":
        return sorted(items, key=lambda memory: -memory.signals.reuse_count)
    if order == "age":
        return sorted(items, key=lambda memory: memory.created_at)
    if order == "state":
        return sorted(items, key=lambda memory: states.index(memory.state) if memory.state in states else len(states))
    return items


@command("show", example="tenure show m-4k7q2x9")
@click.argument("id")
def show_command(app: App, id: str) -> None:
    """Show one memory. The beginning of its id is enough."""
    with app.open() as workspace:
        memory = workspace.get(id)
        # A memory of another layer is known by the beginning of its id, which it does not carry itself.
        version = workspace.version(id if "/" in id else memory.id)
        data = {**as_json(memory, runs_now=workspace.runs()), "version": version}
        app.answer(data, lambda: display.memory(memory))


@command("search", example="tenure search 'database migration' --limit 5")
@click.argument("query")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many at most.")
@click.option("--all", "everything", is_flag=True, help="Include what is gone.")
@click.option("--explain", is_flag=True, help="Explain how the query was read and what each score is made of.")
def search_command(app: App, query: str, limit: int, everything: bool, explain: bool) -> None:
    """Find memories by words, and by meaning if the extra `semantic` is installed. Any text is a query."""
    with app.open_to_read() as workspace:
        hits = workspace.search(query, limit=limit, all=everything)
        rows = [[hit.id, f"{hit.score:.2f}", hit.state, hit.title] for hit in hits]
        names = ["id", "score", "title", "state", "why", *(["terms", "evidence"] if explain else [])]
        data: dict[str, Any] = {"hits": [{name: getattr(hit, name) for name in names} for hit in hits]}
        if explain:
            read = workspace.explain(query)
            data["explained"] = plain(read)
        app.notes(workspace)
        page = display.table(rows, ["ID", "SCORE", "STATE", "TITLE"]) if rows else _nothing(workspace, True)
        if explain:
            sums = {hit.id: {**hit.terms, "evidence": hit.evidence} for hit in hits}
            page += "\n" + display.explained(read, sums)
        app.answer(data, lambda: page)


@command("why", example="tenure why m-4k7q2x9")
@click.argument("id")
def why_command(app: App, id: str) -> None:
    """Explain whether agents are shown a memory, and exactly what it still needs."""
    with app.open() as workspace:
        found = workspace.why(id)
        app.answer(plain(found), lambda: _explain(found))


@command("history", example="tenure history m-4k7q2x9")
@click.argument("id")
def history_command(app: App, id: str) -> None:
    """Show everything that happened to a memory, oldest first."""
    with app.open() as workspace:
        entries = workspace.history(id)
        events = [
            {
                "seq": entry.seq,
                "version": entry.version,
                "type": entry.event.type,
                "at": clock.stamp(entry.event.at),
                "actor": entry.event.actor,
                "reason": entry.event.reason,
                "run": entry.event.run,
                "task": entry.event.task,
                "set": entry.event.set,
                "before": entry.event.before,
                "add": entry.event.add,
                "detail": entry.event.detail,
            }
            for entry in entries
        ]
        rows = [[str(e["seq"]), str(e["at"]), str(e["type"]), _who(e), _what(e)] for e in events]
        shown = workspace.injections_of(entries[0].event.memory_id)
        reviewed = workspace.reviewed(id)
        page = [display.table(rows, ["ENTRY", "WHEN", "EVENT", "WHO", "WHAT"]), *_unwatched(events)]
        page += [*map(_let_in, reviewed), *_shown(shown)]
        data = {"events": events, "injections": plain(shown), **({"reviewed": plain(reviewed)} if reviewed else {})}
        app.answer(data, lambda: "\n".join(page))


@command("status", example="tenure status")
def status_command(app: App) -> None:
    """Count memories by state, and say what is due and where the store is."""
    from tenure.surfaces.cli import off  # start-up: nothing else here asks

    with app.open_to_read() as workspace:
        found = {**plain(workspace.status()), "sessions": _sessions(), "off": off.silenced(workspace.folder)}
        app.answer(found, lambda: _status(found))


def _sessions() -> dict[str, int]:
    """Count the sessions of all projects that hooks told of and that were not learned from yet."""
    from tenure.spool import journal, pending  # start-up: nothing else here asks

    folder = journal.folder()
    waiting, failed = len(pending.ready(folder)), len(pending.failed(folder))
    return {"going_on": pending.unfinished(folder), "waiting": waiting, "failed": failed}


def _nothing(workspace: Workspace, narrowed: bool) -> str:
    if workspace.damaged:
        return "Nothing unaltered fits. `tenure check` shows what is wrong."
    if narrowed and workspace.status().memories:
        return "Nothing matches. `tenure list --all` lists every memory."
    return _EMPTY


def _explain(found: Why) -> str:
    can = "may be injected" if found.eligible else "is not injected"
    lines = [f"{spelled(found.id)} is {found.state} and {can}. Staleness by age: {found.staleness:g} of 100."]
    lines += [f"  - {one_line(reason.text)}" for reason in found.reasons]
    if found.path:
        whose = f", which {' '.join(found.owners)} own (CODEOWNERS)" if found.owners else ""
        lines.append(f"  Its file is {spelled(found.path)}{whose}.")
        lines += [f"  {_let_in(commit)}" for commit in found.reviewed[:1]]
    if found.decided_by:
        lines.append(f"  Decided by: {found.decided_by}")
    if found.next_state and not found.reasons:
        lines.append(f"  It has everything for {found.next_state}: tenure promote {spelled(found.id)}")
    return "\n".join([*lines, *(f"  {line}" for line in _shown(found.injections))])


def _team(listed: Sequence[SharedMemory]) -> str:
    rows = [
        [
            item.id,
            item.state,
            _claims(item),
            " ".join(item.owners),
            item.title + (f" ({item.silent})" * bool(item.silent)),
        ]
        for item in listed
    ]
    table = display.table(rows, ["ID", "STATE", "COMMITTED BY (UNPROVED)", "OWNERS", "TITLE"])
    return f"{display.style('Shared by the team (.tenure/team)', bold=True)}\n{table}"


def _claims(item: SharedMemory) -> str:
    return item.reviewed.claimed.partition(" <")[0] if item.reviewed else "not committed"


def _let_in(commit: Reviewed) -> str:
    """Say who let a team file in, and what of that is proved."""
    how = "merged" if commit.merge else "committed"
    said = f"{how} {commit.at} in {commit.commit[:12]} by {commit.claimed}"
    if commit.committer:
        said += f", made by {commit.committer}"
    if commit.proved:
        return f"{said}: proved, signed by {commit.signed_by} ({commit.key[-16:]})"
    return f"{said}: claimed, " + ("signed with a key you do not trust" if commit.signed else "not signed")


def _shown(injections: Sequence[PastInjection]) -> list[str]:
    return [
        f"shown {item.at} for {one_line(item.query or item.task or 'a session', 60)!r}:"
        f" tenure inject --replay {item.number}"
        for item in injections
    ]


def _what(event: dict[str, Any]) -> str:
    parts = [event["reason"]] if event["reason"] else []
    detail = event["detail"]
    if "effect" in detail:
        parts.insert(0, f"{detail['effect']}{' in ' + event['task'] if event['task'] else ''}")
    if detail.get("notes"):
        parts.append(one_line(str(detail["notes"]), 120))
    if event["type"] not in ("Created", "Imported"):
        for name, value in event["set"].items():
            if name not in _BOOKKEEPING:
                parts.append(f"{name} {_short(event['before'].get(name), name)} -> {_short(value, name)}")
        parts += [
            f"{name} + {', '.join(map(_short, items))}"
            for name, items in event["add"].items()
            if name not in _BOOKKEEPING
        ]
    return "; ".join(parts)


def _who(event: dict[str, Any]) -> str:
    """Return who did something: the name it was done under, and who that was."""
    from tenure.model import actor  # start-up: only a history tells

    found = actor.read(event["detail"].get("who"))
    named = str(event["actor"])
    return f"{named} ({found.in_few_words})" if found and named else found.in_few_words if found else named


def _unwatched(events: Sequence[dict[str, Any]]) -> list[str]:
    """Return what `unwatched` means in the column of who it was, once for each terminal."""
    from tenure.model import actor  # start-up: only a history tells

    found: dict[str, list[str]] = {}
    for event in events:
        who = actor.read(event["detail"].get("who"))
        if who and who.in_few_words != who.in_words:
            found.setdefault(who.unseen, []).append(str(event["seq"]))
    return [
        f"unwatched ({'entry' if len(entries) == 1 else 'entries'} {', '.join(entries)}): on {terminal}"
        for terminal, entries in found.items()
    ]


def _short(value: Any, name: str = "") -> str:
    if isinstance(value, dict):
        return str(value.get("by") or value.get("summary") or "…")
    if isinstance(value, list):
        return one_line(", ".join(map(_short, value)) or "none", 60)
    if name == "confidence" and isinstance(value, int):
        return f"{value / 100:g}"
    return "none" if value is None else one_line(str(value), 60)


def _status(found: dict[str, Any]) -> str:
    lines = [f"Store: {spelled(found['store'])} ({found['chosen_by']})"]
    if older := found.get("older"):
        lines.append(f"Warning: {older}")
    if unproved := found.get("unproved"):
        named = ", ".join(map(str, unproved[:5]))
        lines.append(f"Warning: ledger entries {named} decide without proof that a person was there: tenure check")
    if brought := found.get("waiting"):
        lines.append(
            f"{display.count(brought)} came with a commit and wait{'s' * (brought == 1)} for you: tenure trust"
        )
    if silent := found.get("off"):
        lines.append(silent)
    lines += found.get("notices", [])
    sessions = found["sessions"]
    waiting = [f"{sessions['waiting']} sessions wait to be learned from."] if sessions["waiting"] else []
    waiting += [f"{sessions['failed']} sessions could not be learned from: tenure doctor"] if sessions["failed"] else []
    undecided = []
    if count := found["undecided"]:
        undecided.append(f"{count} wait{'s' * (count == 1)} for you to decide: tenure review")
    elif pending := found["pending"]:
        undecided.append(
            f"{display.count(pending)} wait{'s' * (pending == 1)} for evidence: tenure list --phase pending"
        )
    if not found["memories"]:
        return "\n".join([*lines, *waiting, *(undecided or [_EMPTY])])
    lines += [f"  {state:<14}{count}" for state, count in found["states"].items()]
    runs = display.count(found["runs"], "run", "runs")
    lines.append(f"{display.count(found['memories'])} in {found['bytes']:,} bytes, {runs} seen.")
    shown, most = found["last_session_tokens"], found["session_tokens"]
    lines.append(f"Hooks show at most {most:,} tokens per session; the last session was shown {shown:,}.")
    if measured := found.get("effect"):
        state = "Measuring effects" if measured["on"] else "Effects were measured"
        lines.append(f"{state}: held back {measured['held']} of {measured['exposures']} times: tenure effect")
    lines += undecided
    learned, shown = found["learned_this_week"], found["shown_this_week"]
    if learned or shown:
        times = found["injections_this_week"]
        lines.append(f"This week: {learned} learned, {shown} shown to agents in {times} prompt{'s' * (times != 1)}.")
    if found["due"]:
        lines.append(f"{found['due']} past their review date: tenure review, or tenure upkeep.")
    return "\n".join([*lines, *waiting])
