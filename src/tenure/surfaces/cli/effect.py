"""`effect`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.effects import ArmCount, EffectReport, MemoryEffect, Pooled, SessionEffect

TROUBLE = (
    "Trouble is any of these, after the memory was shown or would have been: you correct the agent, the same error"
    " comes back, an edit is reverted, a test or build fails at the end, a guarded rule is broken."
)
CASES = "A case is one memory in one session; chance decided whether it was shown or held back."
RUNNING = "Measuring is already on, since {since}, and continues with these options.\n"
STARTED = (
    "From now on Tenure holds back some memories in some sessions, to learn whether they help.\n"
    "What it costs: about half of a memory's first ten exposures are held back, later one in five, and one in twenty"
    " once its effect is proven.\n"
    "Never held back: constraints, guards, {top} memories and everything tagged security{stated}.\n"
    "See the result any time: tenure effect. It stays valid however often you look."
)


@command("effect", example="tenure effect start\ntenure effect\ntenure effect m-4k7q2x9 --sessions\ntenure effect stop")
@click.argument("words", nargs=-1, metavar="[start | stop | ID]")
@click.option("--stated", is_flag=True, help="With start: also hold back what you stated, except constraints.")
@click.option("--block", is_flag=True, help="With start: hold back everything in one session out of twenty.")
@click.option("--sessions", is_flag=True, help="Show every session: what was shown or held back, and the outcome.")
@click.option(
    "--publish", type=click.Path(dir_okay=False, path_type=Path), help="Write counts, and no text, to a file."
)
@click.option("--merge", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE…",
              help="Show what the published counts of several people prove together.")  # fmt: skip
@click.option("--signer", multiple=True, metavar="SHA256:…", help="With merge: a key whose files count.")
@click.option("--unsigned", is_flag=True, help="With merge: count files that no known key signed; the answer says so.")
def effect_command(
    app: App,
    words: tuple[str, ...],
    stated: bool,
    block: bool,
    sessions: bool,
    publish: Path | None,
    merge: tuple[Path, ...],
    signer: tuple[str, ...],
    unsigned: bool,
) -> None:
    """Measure whether memory helps in this project, by holding some of it back."""
    word = words[0] if words else ""
    if (stated or block) and word != "start":
        raise BadRequest("--stated and --block go with start.", hint="tenure effect start --stated")
    if merge:
        if publish or sessions or {"start", "stop"} & set(words):
            raise BadRequest("--merge reads files and nothing else.", hint="tenure effect --merge FILE…")
        pooled = _merged((*merge, *map(Path, words)), signer, unsigned)
        app.answer(plain(pooled), lambda: _pooled(pooled))
        return
    if signer or unsigned:
        raise BadRequest("--signer and --unsigned go with --merge.", hint="tenure effect --merge FILE… --signer KEY")
    if len(words) > 1:
        whole = {"start", "stop"} & set(words)
        raise BadRequest(
            f"`{min(whole)}` is for the whole project and takes nothing else." if whole else "One memory at a time.",
            hint=f"tenure effect {min(whole)}" if whole else "tenure effect ID",
        )
    if publish and (words or sessions):
        raise BadRequest("--publish writes the whole project's counts.", hint="tenure effect --publish FILE")
    if sessions and word in ("start", "stop"):
        raise BadRequest(f"--sessions does not go with {word}.", hint="tenure effect --sessions")
    with app.open() as workspace:
        if publish:
            from tenure.workspace import effect_signer

            written = workspace.publish_effect(publish)
            by = effect_signer(written)
            app.answer(plain(written), lambda: _published(written.sessions, by, publish))
            return
        if word == "start":
            before = workspace.effect()
            found = workspace.start_effect(stated=stated, block=block)
            running = RUNNING.format(since=str(before.since)[:10]) if before.on else ""
            said = running + STARTED.format(
                top=workspace.top_state or "the most trusted",
                stated="" if stated else ", and what you stated (to hold that back too: --stated)",
            )
            app.notes(workspace, found.notes)
            app.answer(plain(found), lambda: said)
            return
        if word == "stop":
            found = workspace.stop_effect()
            rest = "The results so far are kept: tenure effect" if found.sessions else "No session was measured."
            app.answer(plain(found), lambda: f"Tenure no longer holds anything back. {rest}")
            return
        found = workspace.effect(word, sessions=sessions)
        app.notes(workspace, found.notes)
        app.answer(plain(found), lambda: "\n".join(_lines(found, one=bool(word))))


def _merged(paths: tuple[Path, ...], signers: tuple[str, ...], unsigned: bool) -> Pooled:
    from tenure import workspace

    seen: set[str] = set()
    for path in paths:
        if (real := os.path.realpath(path)) in seen:
            raise BadRequest(f"{str(path)!r} is given twice.", hint="Name each file once.")
        seen.add(real)
    for key in signers:
        if not key.startswith("SHA256:"):
            raise BadRequest(f"{key!r} is no fingerprint of a key.", hint="`tenure effect --publish` prints one.")
    return workspace.merge_effects(paths, signers=signers, unsigned=unsigned)


def _lines(found: EffectReport, *, one: bool) -> list[str]:
    if not found.sessions and not found.on:
        return ["Measuring is off. Start with `tenure effect start`; it says what that costs."]
    if one:
        lines = _memory_lines(found)
    else:
        compared = bool(found.shown.exposures and found.held.exposures)
        said = (
            _answer(found.verdict, found.more_sessions, on=found.on)
            if compared
            else "Cannot tell yet: nothing to compare so far."
        )
        lines = [display.style(f"Does memory help here? {said}", bold=True)]
        lines += [*_counted(found.shown, found.held), f"  {CASES}", f"  {TROUBLE}"]
        if found.change is not None and found.low is not None and found.high is not None:
            lines.append(
                f"  Best estimate: trouble is {_points(found.change)} when a memory is shown. The fewer"
                " cases there are, the closer to zero Tenure keeps this figure."
            )
            lines.append(
                f"  The true difference lies between {_points(found.low)} and {_points(found.high)}, with 95 %"
                " confidence, however often you look."
            )
        if found.crossed:
            lines.append(
                f"  {found.crossed} of those held back reached the agent another way; they count as held back."
            )
        lines.append(f"  {_state(found)}")
        lines += [_cost(item.host, item.tokens_per_session, item.sessions) for item in found.costs]
        if found.block:
            said = _answer(found.block.verdict, found.block.more_sessions, on=found.on)
            lines += [
                "",
                f"Does it help to show anything at all? {said}",
                *_counted(found.block.shown, found.block.held, "sessions"),
            ]
        if found.memories:
            lines += ["", _table(found)]
        if offered := [spelled(item.id) for item in found.memories if item.no_sign]:
            lines += [
                "",
                f"No sign of an effect after many sessions: {', '.join(offered)}. To retire one: tenure retire ID",
            ]
    if found.each_session:
        lines += [
            "",
            _session_table(found.each_session),
            "Interruptions and failed commands alone do not count as trouble.",
        ]
    return lines


def _answer(verdict: str, more: int | None, *, on: bool) -> str:
    if verdict == "helps":
        return "Yes, it helps: trouble is rarer when memories are shown."
    if verdict == "hurts":
        return "No, it hurts: trouble is more frequent when memories are shown."
    if not on:
        return "Cannot tell from what was measured, and measuring is off."
    about = f"about {more} more sessions" if more is not None else "it would take very many more sessions"
    return f"Cannot tell yet ({about})."


def _memory_lines(found: EffectReport) -> list[str]:
    if not found.memories:
        return ["This memory has not been measured."]
    (item,) = found.memories
    lines = [display.style(f"{spelled(item.id)}  {one_line(item.title, 80)}", bold=True)]
    lines.append(f"  {_answer(item.verdict, item.more_sessions, on=found.on)}")
    lines += [*_counted(item.shown, item.held, "sessions"), f"  {TROUBLE}"]
    if item.crossed:
        lines.append(
            f"  In {display.count(item.crossed, 'session', 'sessions')} it was held back but reached the agent another"
            " way; that counts as held back."
        )
    if item.no_sign:
        lines.append(f"  No sign of an effect after many sessions. To retire it: tenure retire {spelled(item.id)}")
    lines.append(f"  It has cost about {item.tokens:,} tokens so far.")
    return lines


def _counted(shown: ArmCount, held: ArmCount, unit: str = "cases") -> list[str]:
    return [
        f"  shown:      trouble in {shown.troubles} of {shown.exposures} {unit}{_share(shown)}",
        f"  held back:  trouble in {held.troubles} of {held.exposures} {unit}{_share(held)}",
    ]


def _share(arm: ArmCount) -> str:
    return f" ({100 * arm.troubles / arm.exposures:.0f} %)" if arm.exposures else ""


def _points(change: float) -> str:
    points = round(100 * abs(change))
    if not points:
        return "as frequent"
    unit = "percentage point" if points == 1 else "percentage points"
    return f"{points} {unit} {'rarer' if change < 0 else 'more frequent'}"


def _state(found: EffectReport) -> str:
    over = display.count(found.sessions, "session is over", "sessions are over")
    rest = f", {found.waiting} not yet" if found.waiting else ""
    every = found.held.exposures + found.shown.exposures
    cost = f" The price: a memory was held back in {found.held.exposures} of {every} cases." if every else ""
    if not found.on:
        measured = display.count(found.sessions, "session was measured", "sessions were measured")
        return f"Measuring is off; {measured} before.{cost} To continue: tenure effect start"
    return f"Measuring since {str(found.since)[:10]}: {over}{rest}.{cost}"


def _cost(host: str, tokens: int, sessions: int) -> str:
    those = display.count(sessions, "session with memories", "sessions with memories")
    agent = "agent unknown" if host == "unknown" else host
    return f"  {agent}: memories cost about {tokens:,} tokens in each of {those}."


def _table(found: EffectReport) -> str:
    rows = [
        [
            item.id,
            _verdict(item, on=found.on),
            f"{item.shown.troubles} of {item.shown.exposures}",
            f"{item.held.troubles} of {item.held.exposures}",
            f"{item.tokens:,}",
            item.title,
        ]
        for item in found.memories
    ]  # fmt: skip
    return display.table(rows, ["ID", "VERDICT", "TROUBLE IF SHOWN", "TROUBLE IF HELD", "TOKENS SO FAR", "TITLE"])


def _verdict(item: MemoryEffect, *, on: bool) -> str:
    if item.verdict != "cannot tell yet" or (on and item.more_sessions is None):
        return item.verdict
    return f"{item.verdict} (about {item.more_sessions} more sessions)" if on else "cannot tell"


def _session_table(sessions: object) -> str:
    listed: list[SessionEffect] = list(sessions)  # type: ignore[call-overload]
    rows = [
        [
            one.at[:16].replace("T", " "),
            one.host,
            str(one.shown),
            str(one.held),
            "unknown" if one.trouble is None else "yes" if one.trouble else "no",
            f"{one.injected_tokens:,}",
            _signs(one),
        ]
        for one in listed
    ]
    return display.table(
        rows, ["ENDED", "AGENT", "MEMORIES SHOWN", "HELD BACK", "TROUBLE", "MEMORY TOKENS", "WHAT HAPPENED"]
    )


def _signs(one: SessionEffect) -> str:
    named = (
        (one.corrections, "corrections"),
        (one.same_errors, "repeated errors"),
        (one.edits_taken_back, "reverted edits"),
        (one.violations, "broken rules"),
        (one.interruptions, "interruptions"),
        (one.failed_commands, "failed commands"),
    )
    parts = [f"{count} {what}" for count, what in named if count]
    if one.ended_red:
        parts.insert(0, "tests failed at the end")
    return ", ".join(parts)


def _published(sessions: int, by: str | None, target: Path) -> str:
    signed = (
        f"Signed with the key {by}. Give this key to whoever merges the file, so that they know it is yours."
        if by
        else "Not signed: ssh-keygen (OpenSSH) is not installed here."
    )
    return f"Counts of {display.count(sessions, 'session', 'sessions')} written to {target}.\n{signed}"


def _pooled(found: Pooled) -> str:
    people = display.count(found.people, "store", "stores")
    said = _answer(found.verdict, None, on=True) if found.verdict != "cannot tell yet" else "Cannot tell yet."
    if not found.people:
        said = "Cannot tell: no file counts."
    elif found.unproved:
        said += f" Not signed with a key you named: {display.count(found.unproved, 'file', 'files')}."
    lines = [f"{people}, {display.count(found.sessions, 'session', 'sessions')}. {said}"]
    lines += _counted(found.shown, found.held)
    for kind, arms in sorted(found.kinds.items()):
        said = ", ".join(f"{name} {arm.troubles}/{arm.exposures}" for name, arm in sorted(arms.items()))
        lines.append(f"  {kind}: trouble {said}")
    lines += [f"  signed by {by}" for by in found.signers]
    lines += [f"  skipped {spelled(item.id)}: {one_line(item.why)}" for item in found.left_out]
    return "\n".join([*lines, *(f"  {note}" for note in found.notes)])
