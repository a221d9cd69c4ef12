"""Charts as SVG, made on the server: lines, stacked bars, a forest of intervals, a sparkline.

Each has a title for people who cannot see it and a table beneath with the same numbers. Colours come from the style
sheet, by class, so that a chart is readable in light and dark; shades of one accent and patterns distinguish the
series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

# About as large as they are shown, so that letters keep their size.
WIDTH, HEIGHT = 400, 150
LEFT, RIGHT, TOP, BOTTOM = 38, 6, 8, 20
ROW = 36


class Interval(NamedTuple):
    """One row of a forest: what it is of, the estimate and its ends, and what that says."""

    label: str
    low: float
    middle: float
    high: float
    said: str


def lines(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float | None]], *, unit: str = "") -> Markup:
    """Return one line for each series over the same labels; where nothing is known it has a gap."""
    top = _nice(max((value for values in series.values() for value in values if value is not None), default=0))
    parts = [_frame(labels, top, unit)]
    for place, values in enumerate(series.values()):
        points = [(_x(n, len(labels)), _y(value, top)) for n, value in enumerate(values) if value is not None]
        for part in _unbroken(values):
            path = " ".join(f"{_x(n, len(labels)):.1f},{_y(value, top):.1f}" for n, value in part)
            parts.append(Markup('<polyline class="line s{}" points="{}"/>').format(place, path))
        parts += [
            Markup('<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="2"/>').format(place, x, y) for x, y in points
        ]
    return _figure(title, parts, labels, series, unit, of="of-line")


def _unbroken(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """Return the runs of known values, each with its place."""
    found: list[list[tuple[int, float]]] = [[]]
    for n, value in enumerate(values):
        if value is None:
            found.append([])
        else:
            found[-1].append((n, value))
    return [part for part in found if len(part) > 1]


def stacked(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Markup:
    """Return one bar for each label, made of the series."""
    sums = [sum(values[n] for values in series.values()) for n in range(len(labels))]
    top = _nice(max(sums, default=0))
    parts = [_frame(labels, top)]
    step = (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    for n in range(len(labels)):
        below = 0.0
        for place, values in enumerate(series.values()):
            value = values[n]
            if value <= 0:
                continue
            y, base = _y(below + value, top), _y(below, top)
            below += value
            parts.append(
                Markup('<rect class="bar s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                    place, LEFT + n * step + step * 0.12, y, step * 0.76, max(0.5, base - y)
                )
            )
    return _figure(title, parts, labels, series)


def forest(title: str, rows: Sequence[Interval]) -> Markup:
    """Return one row for each interval around a line at nothing."""
    if not rows:
        return Markup("")
    far = max(max(abs(row.low), abs(row.high)) for row in rows) or 1.0
    height = TOP + BOTTOM + ROW * len(rows)
    middle, half = WIDTH / 2, WIDTH * 0.46
    parts = [Markup('<line class="axis" x1="{0}" y1="{1}" x2="{0}" y2="{2}"/>').format(middle, TOP, height - BOTTOM)]
    for value, x, side in ((-far, middle - half, "start"), (0, middle, "middle"), (far, middle + half, "end")):
        tick = Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{}</text>')
        parts.append(tick.format(x, height - 5, side, f"{value:+.3g}" if value else "0"))
    for n, row in enumerate(rows):
        y = TOP + ROW * n + 24
        low, at, high = (middle + half * value / far for value in (row.low, row.middle, row.high))
        parts.append(Markup('<text class="name" x="4" y="{}">{}</text>').format(y - 12, row.label[:50]))
        parts.append(Markup('<line class="line s0" x1="{:.1f}" y1="{}" x2="{:.1f}" y2="{}"/>').format(low, y, high, y))
        parts.append(Markup('<rect class="bar s0" x="{:.1f}" y="{}" width="8" height="8"/>').format(at - 4, y - 4))
    body = Markup("").join(parts)
    head = Markup("<th scope=col>{}</th>").format("low"), Markup("<th scope=col>{}</th>").format("estimate")
    cells = Markup("").join(
        Markup("<tr><th scope=row>{}</th><td>{:g}</td><td>{:g}</td><td>{:g}</td><td>{}</td></tr>").format(*row)
        for row in rows
    )
    table = Markup(
        "<table><thead><tr><th scope=col>memory</th>{}{}<th scope=col>high</th><th scope=col>verdict</th></tr></thead>"
        "<tbody>{}</tbody></table>"
    ).format(*head, cells)
    return _wrapped(title, body, table, WIDTH, height, "plot forest")


def sparkline(title: str, values: Sequence[float]) -> Markup:
    """Return a line as high as a word."""
    top = max(values, default=0) or 1
    step = 96 / max(1, len(values) - 1)
    points = " ".join(f"{2 + n * step:.1f},{18 - 16 * value / top:.1f}" for n, value in enumerate(values))
    return Markup(
        '<svg class="spark" role="img" viewBox="0 0 100 20"><title>{}</title>'
        '<polyline class="line s0" points="{}"/></svg>'
    ).format(f"{title}: {', '.join(f'{value:g}' for value in values)}", points)


def _figure(
    title: str,
    parts: Sequence[Markup],
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    unit: str = "",
    of: str = "",
) -> Markup:
    legend = Markup("").join(
        Markup('<li><span class="key-sign {} s{}"></span>{}</li>').format(of, place, name)
        for place, name in enumerate(series)
    )
    head = Markup("").join(Markup("<th scope=col>{}</th>").format(name) for name in series)
    rows = Markup("").join(
        Markup("<tr><th scope=row>{}</th>{}</tr>").format(
            label, Markup("").join(Markup("<td>{}</td>").format(_said(values[n], unit)) for values in series.values())
        )
        for n, label in enumerate(labels)
    )
    table = Markup('<table><thead><tr><th><span class="hidden">when</span></th>{}</tr></thead>{}</table>').format(
        head, Markup("<tbody>{}</tbody>").format(rows)
    )
    plot = _wrapped(title, Markup("").join(parts), table, WIDTH, HEIGHT)
    return Markup('<ul class="legend">{}</ul>{}').format(legend, plot) if len(series) > 1 else plot


def _said(value: float | None, unit: str) -> str:
    return "–" if value is None else f"{value:g}{unit}"


def _wrapped(title: str, body: Markup, table: Markup, width: int, height: int, kind: str = "plot") -> Markup:
    return Markup(
        '<svg class="{}" role="img" viewBox="0 0 {} {}"><title>{}</title>{}</svg>'
        '<details class="numbers"><summary>The numbers</summary><div class="scroll" tabindex="0" role="region"'
        ' aria-label="{}">{}</div></details>'
    ).format(kind, width, height, escape(title), body, escape(title), table)


def _frame(labels: Sequence[str], top: float, unit: str = "") -> Markup:
    """Return the axes: three heights, and as many labels as fit."""
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = _y(top * share, top)
        parts.append(
            Markup('<line class="grid" x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>').format(LEFT, y, WIDTH - RIGHT, y)
        )
        if share != 0.5 or top * share == int(top * share):
            parts.append(
                Markup('<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                    LEFT - 6, y + 4, _short(top * share) + (unit.strip() if unit.strip() == "%" else "")
                )
            )
    every = max(1, -(-len(labels) // 6))
    for n in range(0, len(labels), every):
        x = _x(n, len(labels))
        parts.append(
            Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
                x, HEIGHT - 5, labels[n]
            )
        )
    return Markup("").join(parts)


def _x(place: int, count: int) -> float:
    step = (WIDTH - LEFT - RIGHT) / max(1, count)
    return LEFT + step * (place + 0.5)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value / top if top else 0)


def _nice(value: float) -> float:
    """Return the next number that people count in."""
    size = 1.0
    while size < value:
        for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10):
            if size * step >= value:
                return size * step
        size *= 10
    return size


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"
