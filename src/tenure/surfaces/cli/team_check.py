"""`team check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tenure.surfaces.cli import display
from tenure.surfaces.cli.app import App, command, plain
from tenure.text.words import one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.shared import ShownOften, TeamCheck

MOST_MOVED = 10


@command("check", example="tenure team check\ntenure team check --base origin/main --json")
@click.option("--base", metavar="REF", default="", help="Look at files that differ from this commit only.")
def team_check_command(app: App, base: str) -> None:
    """Check the files in .tenure/team: schema, secrets, claims, contradictions, duplicates; exits with 1 on findings.

    If agents were shown memories on this machine, it also says which ones they would see more or less often.
    """
    with app.open() as workspace:
        answer = workspace.team_check(base=base)
    app.answer(plain(answer), lambda: _report(answer, base))
    if answer.findings:
        raise click.exceptions.Exit(1)


def _report(answer: TeamCheck, base: str) -> str:
    lines = [
        f"{spelled(found.path)}:{found.line}: {found.kind}: {one_line(found.message)}" for found in answer.findings
    ]
    about = f"{len(answer.changed)} changed since {base}" if base else "all checked"
    files = display.count(answer.files, "team file", "team files")
    lines.append(f"{files}, {about}; {display.count(len(answer.findings), 'finding', 'findings')}.")
    if answer.injections:
        last = "injection" if answer.injections == 1 else f"{answer.injections} injections"
        lines.append(f"The last {last}, replayed with these files:")
        lines += [*_moved("is shown more often", answer.gain), *_moved("is shown less often", answer.silent)]
        if not answer.gain and not answer.silent:
            lines.append("  no change")
    return "\n".join(lines)


def _moved(how: str, items: list[ShownOften]) -> list[str]:
    shown = [f"  {spelled(item.id)} {how}: {item.before} -> {item.after}" for item in items[:MOST_MOVED]]
    return [*shown, f"  and {len(items) - MOST_MOVED} more"] if len(items) > MOST_MOVED else shown
