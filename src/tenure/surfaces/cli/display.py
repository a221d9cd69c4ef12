"""How memories look on a terminal: aligned columns, colour only where a person looks."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.text.words import for_terminal, one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.found import Explained, Silence

# So much of an id leaves room for a title in 80 columns.
_ID_CHARS = 24
# The last column of a table is cut to no less than this.
_LEAST_ROOM = 20
_PHASE_COLOURS = {"pending": "yellow", "live": "green", "held": "red", "gone": "bright_black"}


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Return rows in columns, the first of which is a name; on a terminal the last column is cut to fit.

    Where the others leave it less than `_LEAST_ROOM`, it stands on a line of its own below them.
    """
    cells = [[spelled(row[0]), *map(one_line, row[1:])] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header) - 1)]
    room = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths) if sys.stdout.isatty() else None
    below = room is not None and room < _LEAST_ROOM
    lines = []
    for number, row in enumerate(cells):
        parts = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        if below:
            parts[-1] = parts[-1].rstrip()
            under = f"\n{' ' * (widths[0] + 2)}{row[-1]}" if row[-1] else ""
            line = f"{'  '.join(parts).rstrip()}{under}"
        else:
            line = "  ".join([*parts, one_line(row[-1], room) if room is not None else row[-1]]).rstrip()
        lines.append(style(line, bold=True) if number == 0 else line)
    return "\n".join(lines)


def memories(items: Sequence[Memory]) -> str:
    """Return memories as a list, one line each."""
    ids = short_ids([m.id for m in items])
    rows = [[ids[m.id], m.state, m.kind, f"{m.signals.confidence / 100:.1f}", m.title] for m in items]
    return table(rows, ["ID", "STATE", "KIND", "CONF", "TITLE"])


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return each id as a list shows it: at a terminal its beginning, which every command takes, if that is unique."""
    if not sys.stdout.isatty():
        return {id: id for id in ids}
    begins = Counter(id[:_ID_CHARS] for id in ids)
    return {id: id[:_ID_CHARS] if begins[id[:_ID_CHARS]] == 1 else id for id in ids}


def sections(items: Sequence[Memory]) -> str:
    """Return memories as a list, what is in use apart from what waits and what is gone where there are several."""
    titles = {"live": "In use", "held": "Under review", "pending": "Waiting for evidence or for you", "gone": "Gone"}
    parts = {title: [item for item in items if item.phase == phase] for phase, title in titles.items()}
    there = {title: found for title, found in parts.items() if found}
    if len(there) < 2:
        return memories(items)
    return "\n\n".join(f"{style(title, bold=True)}\n{memories(found)}" for title, found in there.items())


def is_long(text: str) -> bool:
    """Tell whether a text does not fit on the terminal; in a pipe every text does."""
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return False
    return text.count("\n") + 1 >= shutil.get_terminal_size().lines


def memory(item: Memory) -> str:
    """Return one memory in full."""
    signals = item.signals
    state = style(item.state, fg=_PHASE_COLOURS[item.phase])
    facts = [
        ("state", f"{state} ({item.phase}), confidence {signals.confidence / 100:g}"),
        ("kind", item.kind),
        ("scope", " ".join(filter(None, (item.scope, item.domain, item.agent)))),
        ("tags", ", ".join(item.tags)),
        ("files", ", ".join(map(spelled, item.files))),
        ("evidence", f"{signals.evidence_count}: {', '.join(item.evidence)}" if item.evidence else ""),
        ("uses", f"{signals.reuse_count}: {signals.successful_reuses} succeeded, {signals.failed_reuses} failed"),
        ("contradicted", f"{signals.contradiction_count} times" if signals.contradiction_count else ""),
        ("written", f"{date(item.created_at)} by {item.source or 'unknown'} (trust: {item.trust})"),
        ("last helped", date(item.helped_at)),
        ("review after", date(item.review_after)),
        ("contradicts", ", ".join(map(spelled, item.conflicts))),
        ("supersedes", ", ".join(map(spelled, item.supersedes))),
        ("superseded by", spelled(item.superseded_by or "")),
    ]
    lines = [style(f"{spelled(item.id)}  {one_line(item.title)}", bold=True)]
    lines += [f"  {name:<14}{one_line(value) if name != 'state' else value}" for name, value in facts if value]
    if item.text != item.title:
        lines += ["", *(f"  {for_terminal(line)}" for line in item.text.splitlines())]
    for name, value in item.content.items():
        shown = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(f"  {style(name, dim=True)}: {one_line(shown)}")
    return "\n".join(lines)


def explained(found: Explained | None, sums: Mapping[str, Mapping[str, float]]) -> str:
    """Return how a query was read and what the scores are made of; nothing where a system does not search by words."""
    if found is None:
        return ""
    asked, left = (", ".join(f"{w.word} ({w.memories})" for w in words) for words in (found.words, found.left_out))
    lines = [
        f"Looked up, with how many memories have each word: {asked or 'nothing'}.",
        *([f"Ignored: {left}."] if left else []),
        f"Searched {count(found.memories)}.",
        "Evidence is what a memory shares with the query, minus what memories here share with any query by chance.",
        f"A memory is shown when its evidence is at least {found.least_evidence:g} and its score is near the best.",
        _silence(found.silence),
    ]
    for id, terms in sums.items():
        lines.append(f"{spelled(id)}: " + ", ".join(f"{name} {value:+.2f}" for name, value in terms.items()))
    return "\n".join(lines)


def _silence(found: Silence) -> str:
    if not found.calibrated_at:
        return "Silence threshold: the default. `tenure upkeep` calibrates it for this store."
    points = f"{found.words:+g} by words, {found.meaning:+g} by meaning"
    return f"Silence threshold of this store: {points} (measured {found.calibrated_at[:10]})."


def count(number: int, one: str = "memory", many: str = "memories") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def date(moment: datetime | None) -> str:
    """Return a time as a person writes it, nothing for none."""
    return clock.stamp(moment).replace("T", " ").removesuffix("Z") if moment else ""


def style(text: str, **how: object) -> str:
    """Return text with colour when a person looks at a terminal, and plain otherwise."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return click.style(text, **how) if coloured else text  # type: ignore[arg-type]


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar on a terminal while long work goes on, and nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = None

    def step(done: int, total: int) -> None:
        nonlocal bar
        if not total:
            return
        if bar is not None and bar.length != total:
            # The next part of the work, with a length of its own.
            end()
            bar = None
        if bar is None:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            bar.__enter__()
        bar.update(done - bar.pos)

    def end() -> None:
        # Work that found what it looked for reads no further: that is the end of it, and no standstill.
        bar.update(bar.length - bar.pos)
        bar.__exit__(None, None, None)

    try:
        yield step
    except BaseException:
        if bar is not None:
            bar.__exit__(None, None, None)
        raise
    if bar is not None:
        end()
