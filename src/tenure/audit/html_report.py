"""The audit as one page to send: a self-contained HTML file, without script and without a network.

Each instruction file with a broken claim, or with `--perhaps` one that may be, is shown as it is, the claim marked
where it stands, what became of it beside the line, and the repair as a diff. Everything from the repository is text: it
is escaped, and control characters are taken out.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from tenure.audit import repair
from tenure.audit.findings import AuditedMemory, Finding, Report
from tenure.audit.report import broken, clean, is_unsure, may_be_broken, summary, told_in_words
from tenure.audit.staleness import INSTRUCTIONS
from tenure.audit.terminal_report import has_repair, places_of

# Lines of a page around what is broken; the rest is folded away as a count.
CONTEXT = 3
MAX_LINE = 2_000
# Characters of a line that a diff shows before and after what changes.
AROUND = 80
STYLE = """
:root { --ink: #1c2128; --dim: #667079; --line: #d8dee4; --paper: #ffffff; --page: #f5f6f8;
  --bad: #b42318; --bad-bg: #fde8e6; --good: #13653f; --good-bg: #e3f5ea; --warn: #8a5a00; --warn-bg: #fff1d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5ec; --dim: #93a0ac; --line: #323b45; --paper: #171c22;
  --page: #0f1317; --bad: #ff9d94; --bad-bg: #43201d; --good: #7fd8a5; --good-bg: #173626; --warn: #f2c46d;
  --warn-bg: #3b2d10; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 36px 0 8px; overflow-wrap: anywhere; }
p { margin: 4px 0; } .dim { color: var(--dim); }
.numbers { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; padding: 0; list-style: none; }
.numbers li { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 10px 16px; }
.numbers b { display: block; font-size: 22px; } .numbers .bad b { color: var(--bad); }
.sheet { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.row { display: flex; font: 13px/1.55 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
.row .no { flex: 0 0 52px; padding: 0 10px 0 0; text-align: right; color: var(--dim); user-select: none; }
.row .text { flex: 1; min-width: 0; padding-right: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.row.hit { background: color-mix(in srgb, var(--bad-bg) 35%, transparent); }
.fold { padding: 2px 12px 2px 52px; color: var(--dim); font-size: 12px; background: var(--page); }
mark { background: var(--bad-bg); color: var(--bad); border-radius: 3px; padding: 0 2px; }
mark.moved { background: var(--warn-bg); color: var(--warn); }
.note { margin: 2px 12px 8px 52px; padding: 6px 12px; border-left: 3px solid var(--bad); font-size: 14px;
  background: var(--page); overflow-wrap: anywhere; }
.note.moved { border-color: var(--warn); }
.diff { margin: 6px 0 2px; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.diff div { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 6px; }
.diff .old { background: var(--bad-bg); color: var(--bad); }
.diff .new { background: var(--good-bg); color: var(--good); }
footer { margin-top: 40px; color: var(--dim); font-size: 13px; }
"""


def render(report: Report, title: str) -> str:
    """Return the page; `title` names the project."""
    pages = [memory for memory in report.memories if _shown(memory)]
    parts = [_head(report, title), *(_sheet(memory, report) for memory in pages)]
    if not pages:
        parts.append('<p class="sheet" style="padding:16px">Nothing that agents read here is broken.</p>')
    parts.append(_foot(report))
    body = "\n".join(parts)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}: what agents read</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _shown(memory: AuditedMemory) -> list[Finding]:
    """Return what is marked on a page: what is broken, and where it was asked for what may be."""
    return broken(memory) + [each for each in may_be_broken(memory) if each.status in ("missing", "moved")]


def _is_unsure(memory: AuditedMemory, finding: Finding) -> bool:
    return memory.source.dialect == INSTRUCTIONS and is_unsure(finding)


def _head(report: Report, title: str) -> str:
    numbers = summary(report)
    wrong = numbers["broken"]
    repairs = sum(has_repair(finding) for memory in report.memories for finding in broken(memory))
    boxes = [
        ("bad" if wrong else "", wrong, "broken references"),
        ("", repairs, "with a repair"),
        ("", numbers["may_be_broken"], "more that may be broken"),
        ("", numbers["claims"], "claims checked"),
        ("", len(report.memories), "files that agents read"),
        ("", f"{numbers['tokens_per_session']:,}", "tokens in every session"),
    ]
    items = "".join(f'<li class="{kind}"><b>{number}</b>{what}</li>' for kind, number, what in boxes)
    notes = "".join(f'<p class="dim">Note: {_text(notice)}</p>' for notice in report.notices)
    lead = "What agents read here, checked against the repository and its history."
    return f'<h1>{_text(title)}</h1>\n<p class="dim">{lead}</p>\n<ul class="numbers">{items}</ul>{notes}'


def _sheet(memory: AuditedMemory, report: Report) -> str:
    """Return one file: the lines around what is broken, with marks, notes and diffs."""
    lines = memory.source.text.split("\n")
    first = memory.source.line
    hits: dict[int, list[Finding]] = {}
    surely = broken(memory)
    for finding in _shown(memory):
        hits.setdefault(finding.claim.line - first, []).append(finding)
    shown = sorted({near for at in hits for near in range(max(0, at - CONTEXT), min(len(lines), at + CONTEXT + 1))})
    rows: list[str] = []
    previous = -1
    for number in shown:
        if number > previous + 1:
            rows.append(_fold(number - previous - 1))
        rows.append(_row(memory, lines[number], number, hits.get(number, [])))
        rows += [_note(memory, lines[number], number, finding, report) for finding in hits.get(number, [])]
        previous = number
    if previous + 1 < len(lines):
        rows.append(_fold(len(lines) - previous - 1))
    unsure = sum(map(len, hits.values())) - len(surely)
    more = f", {unsure} more that may be broken" if unsure else ""
    told = f"{len(surely)} broken reference{'s' if len(surely) != 1 else ''}{more}, {memory.tokens:,} tokens"
    heading = f'{_text(memory.source.path)} <span class="dim">({told})</span>'
    return f'<h2>{heading}</h2>\n<div class="sheet">{"".join(rows)}</div>'


def _row(memory: AuditedMemory, line: str, number: int, found: list[Finding]) -> str:
    begins = _offset(memory, number)
    pieces, at = [], 0
    for finding in sorted(found, key=lambda each: each.claim.start):
        start, end = finding.claim.start - begins, finding.claim.end - begins
        if start >= at and end <= len(line):
            kind = ' class="moved"' if finding.status == "moved" or _is_unsure(memory, finding) else ""
            pieces += [_text(line[at:start]), f"<mark{kind}>{_text(line[start:end])}</mark>"]
            at = end
    pieces.append(_text(line[at : at + MAX_LINE]))
    hit = " hit" if found else ""
    return (
        f'<div class="row{hit}"><span class="no">{number + memory.source.line}</span>'
        f'<span class="text">{"".join(pieces)}</span></div>'
    )


def _note(memory: AuditedMemory, line: str, number: int, finding: Finding, report: Report) -> str:
    since = finding.since
    unsure = _is_unsure(memory, finding)
    lead = "May be broken: " if unsure else ""
    told = f"{lead}<b>{_text(finding.claim.in_words)}</b> {_text(told_in_words(finding))}"
    if since is not None:
        told += (
            f'<p class="dim">since {_text(since.commit[:9])} of {_text(since.date[:10])}: {_text(since.subject)}</p>'
        )
    others = places_of(report, memory, finding)
    if others:
        told += f'<p class="dim">also in {_text(", ".join(others))}</p>'
    if finding.repair is not None and finding.confidence >= repair.SURE_ENOUGH:
        told += _diff(memory, line, number, finding)
    kind = " moved" if finding.status == "moved" or unsure else ""
    return f'<div class="note{kind}">{told}</div>'


def _diff(memory: AuditedMemory, line: str, number: int, finding: Finding) -> str:
    new = finding.repair or ""
    start, end = finding.claim.start - _offset(memory, number), finding.claim.end - _offset(memory, number)
    old = line[start:end]
    if finding.claim.kind == "command" and " " in finding.claim.text:
        new = new.split()[-1]
    if finding.claim.kind in ("symbol", "default", "line") and old not in finding.claim.text:
        return ""
    if finding.claim.kind == "default":
        new = new.partition("=")[2]
    if finding.in_file:
        return ""  # the name stays, its place is another
    before = "…" * (start > AROUND) + line[max(0, start - AROUND) : start].lstrip()
    after = line[end : end + AROUND].rstrip() + "…" * (len(line.rstrip()) > end + AROUND)
    return (
        f'<div class="diff"><div class="old">- {_text(before + old + after)}</div>'
        f'<div class="new">+ {_text(before + new + after)}</div></div>'
    )


def _offset(memory: AuditedMemory, number: int) -> int:
    """Return where a line of the text begins, in characters."""
    at = 0
    for _ in range(number):
        at = memory.source.text.index("\n", at) + 1
    return at


def _fold(count: int) -> str:
    return f'<div class="fold">{count} line{"s" if count != 1 else ""}</div>'


def _foot(report: Report) -> str:
    by_agent = ", ".join(f"{name} {sum(t for _, t in rows):,}" for name, rows in report.by_agent.items())
    costs = f"<p>Tokens that a session loads: {_text(by_agent)}.</p>" if by_agent else ""
    return (
        f"<footer>{costs}<p>Made with <code>tenure audit --html</code>. Broken means: history proves that it was here "
        "and went, or the page names a place that holds something else.</p></footer>"
    )


def _text(text: str | Iterable[str]) -> str:
    return html.escape(clean(str(text)), quote=True)
