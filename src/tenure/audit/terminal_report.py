"""The report for a person at a terminal: a few numbers first, then what hurts most, then what to do next."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator

from tenure.audit import repair
from tenure.audit.findings import AuditedMemory, Finding, Report
from tenure.audit.report import broken, clean, in_order, may_be_broken, pain, summary, told_in_words
from tenure.text.words import spelled

# So many lines per section; `--json` lists all.
MAX_SHOWN = 25
MAX_PLACES = 3
COLOURS = {"red": "31", "yellow": "33", "green": "32", "dim": "2", "bold": "1"}
LOOKED_FOR = (
    "CLAUDE.md, AGENTS.md, GEMINI.md, .claude/rules, .cursor/rules, copilot-instructions.md, "
    "memory folders of Claude Code, geas, claude-memory, ArcheFlow and Tenure"
)
# Problems as a person would name them: one, many.
NOUNS = {
    "secret": ("secret", "secrets"),
    "unreadable": ("file that cannot be read", "files that cannot be read"),
    "contradiction": ("contradiction", "contradictions"),
    "entry-without-file": ("index entry without its file", "index entries without their file"),
    "index-limit": ("index too long to be loaded", "indexes too long to be loaded"),
    "duplicate": ("duplicate", "duplicates"),
    "oversize": ("file that is large for every session", "files that are large for every session"),
    "file-without-entry": ("memory missing from its index", "memories missing from their index"),
    "header": ("odd header", "odd headers"),
}
SEVERE = ("secret", "unreadable")

Paint = Callable[[str, str], str]


def render(report: Report, *, colour: bool) -> str:
    """Return the report as text."""
    paint: Paint = (lambda name, text: f"\x1b[{COLOURS[name]}m{text}\x1b[0m") if colour else (lambda _, text: text)
    if not report.memories:
        notes = [paint("dim", f"note: {clean(notice)}") for notice in report.notices]
        return "\n".join(["Nothing that an agent reads was found here.", f"Looked for {LOOKED_FOR}.", *notes])
    sections = [_headline(report, paint), *_broken(report, paint), *_stale(report, paint), *_problems(report, paint)]
    sections += [*_edits(report, paint), *_outcome(report)]
    return "\n\n".join("\n".join(section) for section in [*sections, _next(report, paint)] if section)


def _headline(report: Report, paint: Paint) -> list[str]:
    numbers = summary(report)
    docs = sum(memory.source.docs for memory in report.memories)
    instructions = sum(memory.source.dialect == "instructions" for memory in report.memories) - docs
    parts = [_count(instructions, "instruction file", "instruction files")] if instructions else []
    parts += [_count(docs, "page of documentation", "pages of documentation")] if docs else []
    if others := len(report.memories) - instructions - docs:
        parts.append(_count(others, "memory", "memories"))
    lines = [paint("bold", f"Agents read {' and '.join(parts)} here.")]
    surely = numbers["broken"]
    # As the list has them: what several pages say is one entry, with its places.
    unsure = len({_said(finding) for memory in report.memories for finding in may_be_broken(memory)})
    stands = numbers["may_be_broken"]
    places = f", in {stands:,} places" if stands != unsure else ""
    hidden = sum(bool(finding.perhaps) for memory in report.memories for finding in memory.findings)
    if report.deep:
        repairs = sum(has_repair(finding) for memory in report.memories for finding in broken(memory))
        can = f", {repairs} of them with a repair" if repairs else ""
        said = f"{_count(surely, 'broken reference', 'broken references')} of {numbers['claims']} checked{can}"
        left = numbers["unchecked"] - hidden
        unchecked = f" ({left} cannot be checked)" if left else ""
        lines.append(_mark("red" if surely else "green", said + unchecked, paint))
        if unsure:
            where = f"tenure audit --perhaps lists {'it' if unsure == 1 else 'them'}" if hidden else "listed apart"
            lines.append(paint("dim", f"     {unsure:,} more may be broken{places}: {where}"))
        if left := report.docs_left:
            said = f"{_count(left, 'page of documentation was', 'pages of documentation were')} not checked"
            lines.append(paint("dim", f"     {said}: tenure audit --docs"))
    if stale := _aged(report):
        prune = sum(each.action == "prune" for each in stale)
        said = (
            f"{_count(len(stale), 'stale memory', 'stale memories')}: {prune} to prune, {len(stale) - prune} to review"
        )
        lines.append(_mark("yellow", said, paint))
    for code, count in sorted(numbers["problems"].items(), key=lambda item: list(NOUNS).index(item[0])):
        lines.append(_mark("red" if code in SEVERE else "yellow", _count(count, *NOUNS[code]), paint))
    is_clean = len(lines) == 1 or (len(lines) == 2 + bool(unsure) and report.deep and not surely)
    if is_clean and report.looked_for:
        *first, last = [NOUNS[code][1] for code in report.looked_for]
        listed = f"{', '.join(first)} or {last}" if first else last
        lines.append(_mark("green", f"No {listed} found.", paint))
    if tokens := numbers["tokens_per_session"]:
        lines.append(paint("dim", f"  Every session costs about {tokens:,} tokens: {_costs(report)}."))
        by_agent = {name: cost for name, cost in numbers["tokens_by_agent"].items() if cost}
        if len(by_agent) > 1:
            named = ", ".join(f"{name} {cost:,}" for name, cost in sorted(by_agent.items(), key=lambda item: -item[1]))
            lines.append(paint("dim", f"  By agent: {named}."))
    return lines + [paint("dim", f"  note: {clean(notice)}") for notice in report.notices]


def _mark(colour: str, text: str, paint: Paint) -> str:
    return f"  {paint(colour, 'ok' if colour == 'green' else '!!' if colour == 'red' else ' !')} {text}"


def _costs(report: Report) -> str:
    named = [f"{spelled(path)} {tokens:,}" for path, tokens in report.loaded[:3]]
    more = len(report.loaded) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _broken(report: Report, paint: Paint) -> Iterator[list[str]]:
    """Yield the two lists: what is broken, and, when it was asked for, what may be."""
    listed: set[tuple[str, str, str, str | None]] = set()
    lists: dict[str, list[tuple[AuditedMemory, Finding]]] = {"Broken references": [], "Perhaps broken": []}
    for memory in sorted(report.memories, key=pain):
        surely = broken(memory)
        for finding in [*surely, *may_be_broken(memory)]:
            title = "Broken references" if finding in surely else "Perhaps broken"
            key = (title, *_said(finding), finding.repair if finding in surely else None)
            if finding.status in ("missing", "moved") and key not in listed:
                listed.add(key)
                lists[title].append((memory, finding))
    for title, pairs in lists.items():
        if pairs:
            lines = [paint("bold", title)]
            for memory, finding in pairs[:MAX_SHOWN]:
                lines += _told(report, memory, finding, paint)
            yield [*lines, *_more(len(pairs), paint)]


def _told(report: Report, memory: AuditedMemory, finding: Finding, paint: Paint) -> Iterator[str]:
    where = f"{spelled(memory.source.path)}:{finding.claim.line}"
    colour = "red" if finding.status == "missing" else "yellow"
    yield f"  {where}  {paint(colour, clean(finding.claim.in_words))} {clean(told_in_words(finding))}"
    if finding.since is not None:
        since = finding.since
        yield paint("dim", f"      since {since.commit[:9]} of {since.date[:10]}: {clean(since.subject)}")
    others = places_of(report, memory, finding)
    if others:
        more = f" and {len(others) - MAX_PLACES} more" if len(others) > MAX_PLACES else ""
        yield paint("dim", f"      also {', '.join(map(spelled, others[:MAX_PLACES]))}{more}")


def places_of(report: Report, memory: AuditedMemory, finding: Finding) -> list[str]:
    """Return where else the same claim stands: on other pages or lines, and on pages that are links or copies."""
    surely = finding in broken(memory)
    on_list = broken if surely else may_be_broken
    found = [
        f"{each.source.path}:{other.claim.line}"
        for each in report.memories
        for other in on_list(each)
        if _said(other) == _said(finding) and (not surely or other.repair == finding.repair)
    ]
    copies = [each.source.path for each in report.memories if each.source.copy_of == memory.source.path]
    own = f"{memory.source.path}:{finding.claim.line}"
    return list(dict.fromkeys(place for place in [*found, *copies] if place != own))


def _said(finding: Finding) -> tuple[str, str]:
    return finding.claim.kind, finding.claim.text


def _stale(report: Report, paint: Paint) -> Iterator[list[str]]:
    found = sorted(_aged(report), key=lambda each: -each.score)
    if not found:
        return
    lines = [paint("bold", "Stale memories")]
    for memory in found[:MAX_SHOWN]:
        colour = "red" if memory.action == "prune" else "yellow"
        about = f"{memory.source.kind}, {memory.age_days:.0f} days old by its {memory.age_source}"
        lines.append(
            f"  {paint(colour, memory.action.ljust(6))} {memory.score:3.0f}  {spelled(memory.source.path)}  ({about})"
        )
    yield [*lines, *_more(len(found), paint)]


def _aged(report: Report) -> list[AuditedMemory]:
    """Return the memories to look at; an instruction file is kept by hand and only its references are."""
    return [each for each in report.memories if each.action != "keep" and each.source.dialect == "claude-code"]


def _problems(report: Report, paint: Paint) -> Iterator[list[str]]:
    found = in_order(report.problems)
    if found:
        lines = [
            f"  {paint('red' if each.code in SEVERE else 'yellow', each.code)} "
            f"{spelled(each.path)}:{each.line} {clean(each.message)}"
            for each in found[:MAX_SHOWN]
        ]
        yield [paint("bold", "Other problems"), *lines, *_more(len(found), paint)]


def _edits(report: Report, paint: Paint) -> Iterator[list[str]]:
    """Yield the repairs as a diff."""
    if not report.edits:
        return
    lines = [paint("bold", "Mended" if report.fixed else "Would be mended")]
    for memory in report.memories:
        mine = [edit for edit in report.edits if edit.path == memory.source.path]
        if not mine:
            continue
        shifted = [repair.moved_by(edit, -memory.source.start) for edit in mine]
        before, after = memory.source.text, repair.apply(memory.source.text, shifted)
        lines.append(f"  {spelled(memory.source.path)}")
        for line in list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]:
            if not line.startswith("@@"):
                lines.append("  " + paint("red" if line.startswith("-") else "green", clean(line)))
    yield lines


def _outcome(report: Report) -> Iterator[list[str]]:
    """Yield what a fix changed or would change, and why it leaves a repair out that is told above."""
    if not report.fix:
        return
    files = _count(len({edit.path for edit in report.edits}), "file", "files")
    number = f"{_count(len(report.edits), 'reference', 'references')} in {files}" if report.edits else "nothing"
    lines = [f"Changed: {number}." if report.fixed else f"Would be changed: {number}."]
    if left := len(report.held_back):
        reasons = ", ".join(f"{why} ({count})" for why, count in Counter(report.held_back).most_common())
        is_not = "repair is not applied" if left == 1 else "repairs are not applied"
        lines.append(f"{left:,} {is_not}: {reasons}.")
    yield lines


def has_repair(finding: Finding) -> bool:
    """Return whether other words would mend the claim: a name that is in another file keeps its own."""
    return finding.repair is not None and not finding.in_file


def _next(report: Report, paint: Paint) -> list[str]:
    if report.fixed:
        return [paint("bold", "Take it back with: tenure audit --undo")] if report.edits else []
    if report.edits:
        return [paint("bold", "Next: tenure audit --fix")]
    if not report.deep:
        return [paint("bold", "Next: tenure audit --deep checks what they say against the project")]
    if report.fixable and not report.fix:
        return [paint("bold", "Next: tenure audit --fix --dry-run shows the repairs that are sure")]
    if stale := _aged(report):
        folder = stale[0].source.file.parent
        keep = f"tenure --store claude-code:{spelled(str(folder))} review {spelled(stale[0].source.id)}"
        return [paint("bold", f"Next: {keep} --decision keep --by you, or archive it")]
    return []


def _more(count: int, paint: Paint) -> list[str]:
    return [paint("dim", f"  and {count - MAX_SHOWN} more; --json lists all")] if count > MAX_SHOWN else []


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
