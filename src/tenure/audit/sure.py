"""What makes a finding sure: the one place that decides which of them a page is told as broken.

The checks say what they found and what proves it; this module asks what the page around it means. A page that keeps
a record or a plan, shows somebody else's project, or is a template tells nothing about what is here now, and a drawing
or sample that is mostly not here shows what might be. What stays unsure is on the second list (`--perhaps`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from tenure.audit import moods, repair, staleness, targets
from tenure.audit.commands import command_target
from tenure.audit.findings import Finding, Source
from tenure.audit.never_here import NOT_AT_ROOT
from tenure.audit.path_patterns import OTHER_CASE
from tenure.audit.paths import is_rooted

# More names than this that were never here, and more than this share of all, and the page tells of something else.
FEW_NEVER, NEVER_SHARE = 5, 0.25
FEW_DRAWN = 2
# So much of a drawing that is here, and so small a share that is not, shows what is and no plan.
MANY_DRAWN, MAX_LACKING = 8, 0.15
# In a sample of so few names one that was here proves as much as the rest.
FEW_SHOWN = 3
# So many links and paths that never were, more than there are, and the page is a template that nobody filled in.
FEW_UNFILLED = 2
# More targets of a runner that no file ever defined, in all pages, and the audit misreads how they are named here.
FEW_TARGETS = 2
# So many targets of that runner that a page names and that are here show that its file is read as it is meant.
MIN_TARGETS = 2
# So many folders that a page writes as `/web` and that are here show that it means folders by it.
MIN_ROOTS = 2
# Words of a page's title or file name by which it keeps what was, or says what may come: nothing on it is broken now.
_RECORD = re.compile(
    r"(?<![a-z])(?:archived|migrat(?:ion|ing)|upgrad(?:e|ing)[ _-]guide|plan(?=\W*$)|post-?mortem"
    r"|design[ _-](?:doc(?:ument)?|notes?|proposal)"
    r"|proposal|roadmap|retrospective|target[ _-](?:architecture|structure))(?![a-z])",
    re.I,
)
_TITLE = re.compile(r"^[ \t]{0,3}#[ \t]+(.+)$", re.M)
# "- `plan.md` — …": what follows tells what that page says.
_TELLS_OF_PAGE = re.compile(r"[ \t]*(?:[-*+]|\d+[.)]|\|)[ \t]*(?:\*\*)?[`\[][^`\]\n]*\.(?:md|mdx|mdc|rst|adoc)\b")
# "- `packages/mcp`: **DEPRECATED**", "├── old.py  # DELETED": the note behind it says that it is gone.
_SAID_GONE = re.compile(
    r"[`*_)\s]*(?:[:#(—–-]|//)+[ \t*_(]*(?:deleted|removed|deprecated|gone|retired|archived)\b", re.I
)
_HEADING = re.compile(r"^#{2,6}[ \t]", re.M)
# Where a section changes to a folder, or a command is told one, what follows runs there.
_GOES_BELOW = re.compile(
    r"(?:^|[\s;&|`(])(?:cd|pushd)[ \t]+(?!\.\.?(?:\s|$)|<)|[ \t](?:--filter|-F|-C|--cwd|--prefix)[ \t=](?!<)"
)
_PATH_SIGN = re.compile(r"[./]")
# What a version heads or follows where a page says what the project is made of or needs, and not in a sentence.
_NEEDS = re.compile(
    r"(?:^|[|:,+&(/（：、，]|\band)[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+|#+[ \t]+|>[ \t]*)?[*_`\[]*$"
    r"|\d\+?[ \t]+(?:with|on)[ \t]*$"  # beside another version: "React Native 0.81 with Expo 54"
    r"|(?<![\w-])(?:requir\w*|needs?|minimum|at least|prerequisites?|runs? on|built (?:with|on)|written in|using|uses?)"
    r"(?![\w-])[^.;]*$",
    re.I,
)
_DATED = re.compile(r"(?:^|[/_-])20\d\d[-_]?[01]\d[-_]?[0-3]\d(?!\d)")


def judged(pages: Sequence[tuple[Source, list[Finding]]], perhaps: bool) -> list[list[Finding]]:
    """Return each page's findings with the unsure ones of instruction files left open, or marked; memories keep theirs.

    All pages of the project are judged together: what is misread on one of them is misread on all.
    """
    misread = _misread_runners(finding for _, findings in pages for finding in findings)
    return [
        _judged(source, findings, misread, perhaps) if source.dialect == staleness.INSTRUCTIONS else findings
        for source, findings in pages
    ]


def _judged(source: Source, findings: list[Finding], misread: set[str], perhaps: bool) -> list[Finding]:
    doubts = [*(rule(source, findings) for rule in DOUBTS), _of_commands(findings, misread)]
    foreign = {kind for kind in ("file", "symbol") if _is_foreign(findings, kind)}
    return [
        _left_open(each) if _is_anybodys(each, foreign) else _told(each, any(doubt(each) for doubt in doubts), perhaps)
        for each in findings
    ]


Doubt = Callable[[Finding], bool]


def is_record(source: Source) -> bool:
    """Return whether the page keeps what was once, or says what may come, by its name or its title."""
    title = _TITLE.search(source.text)
    name = source.path.rpartition("/")[2].rpartition(".")[0]
    told = [name, title[1] if title else ""]
    return any(_RECORD.search(each) for each in told) or _DATED.search(source.path) is not None


def _of_record(source: Source, findings: list[Finding]) -> Doubt:
    record = is_record(source)
    return lambda each: record


def _of_drawing(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt what a drawing shows that is mostly not here or in parts never was, unless history knows it."""
    trees = _grouped(findings, lambda each: each.claim.tree)
    # A drawing most of which is not here shows what might be, and one with several things that never were, a plan.
    drawn = {tree for tree, each in trees.items() if sum(_is_here(one) for one in each) * 2 < len(each)}
    drawn |= {tree for tree, each in trees.items() if sum(_never_was(one) for one in each) > FEW_DRAWN}
    whole = {tree for tree, each in trees.items() if _is_whole(each)}

    def doubt(each: Finding) -> bool:
        if each.why == NOT_AT_ROOT and each.claim.tree not in whole:
            return True
        # A word in a box, or a pattern, is the name of no file that anybody could have removed.
        if (
            each.claim.tree
            and each.since is None
            and (not _PATH_SIGN.search(each.claim.text) or "*" in each.claim.text)
        ):
            return True
        return each.claim.tree in drawn and not _has_history(each)

    return doubt


def _of_sample(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt a sample most names of which are not and were not here, and every sample of a page about something else."""
    samples = _grouped(findings, lambda each: each.claim.sample)
    foreign = {
        sample
        for sample, each in samples.items()
        if len(each) > FEW_SHOWN and sum(one.status == "ok" or one.since is not None for one in each) * 2 < len(each)
    }
    never, there = _counts(findings, "file")
    template = never >= FEW_UNFILLED and never > there

    def doubt(each: Finding) -> bool:
        # A name that has another here now was ours all the same.
        return each.repair is None and (each.claim.sample in foreign or (template and each.claim.fenced))

    return doubt


def _of_page(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt what was never here on a page that names much which never was: it tells of another project or a plan."""
    strange = {kind for kind in ("file", "symbol") if _is_about_something_else(findings, kind)}
    return lambda each: each.claim.kind in strange and not each.claim.link and not _has_history(each)


def _of_line(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt what the line says was succeeded or another page tells, and versions that a sentence tells of something."""

    def doubt(each: Finding) -> bool:
        line, at = _line_of(source.text, each.claim.start)
        before = line[:at]
        if each.claim.kind == "version":
            return not each.claim.fenced and _NEEDS.search(before) is None
        if each.claim.kind == "symbol" and _TELLS_OF_PAGE.match(before):
            return True
        if each.claim.kind == "file" and _SAID_GONE.match(line[at + len(each.claim.text) :]):
            return True
        return not each.claim.fenced and moods.SUCCEEDS.search(before) is not None

    return doubt


def _of_folders(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt that the root lacks what a folder has, where the section speaks of that folder or goes into any."""

    def doubt(each: Finding) -> bool:
        if not each.below:
            return False
        section = _section(source.text, each.claim.start)
        if _GOES_BELOW.search(section):
            return True
        script = each.claim.text.rpartition("/")[2] if each.claim.kind == "file" else ""
        if script and re.search(rf"(?<!\./)(?<![\w.-]){re.escape(script)}", section):
            return True  # it is copied or made first
        named = {name for folder in each.below for name in (folder, folder.rpartition("/")[2])}
        title, _, body = section.partition("\n")
        # A title calls the folder `docker` by the name of what is in it, Docker; a sentence need not mean the folder.
        told = f"{title.lower()}\n{body}"
        return any(re.search(rf"(?<![\w:/.-]){re.escape(name)}(?![\w.-]*\w)", told) for name in named)

    return doubt


def _section(text: str, at: int) -> str:
    """Return the page's title of the section that holds the character `at`, and what stands between it and there."""
    start = max((match.start() for match in _HEADING.finditer(text, 0, at)), default=0)
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)]


def _of_roots(source: Source, findings: list[Finding]) -> Doubt:
    """Doubt that `/admin` was a folder, unless the page writes others so that are here: it may be an address."""
    here = {each.claim.text.rstrip("/") for each in findings if each.status == "ok" and _is_of_root(each)}
    return lambda each: _is_of_root(each) and len(here) < MIN_ROOTS


def _is_of_root(finding: Finding) -> bool:
    return finding.claim.kind == "file" and is_rooted(finding.claim)


def _misread_runners(findings: Iterable[Finding]) -> set[str]:
    """Return the runners of which many targets never were: one misread custom of a project makes all of them."""
    never: dict[str, set[str]] = {}
    for each in findings:
        if each.claim.kind == "command" and _never_was(each):
            never.setdefault(_runner_of(each), set()).add(each.claim.text)
    return {runner for runner, told in never.items() if len(told) > FEW_TARGETS}


def _of_commands(findings: list[Finding], misread: set[str]) -> Doubt:
    """Doubt a target that never was, unless the page names others of that runner that are here."""
    here = Counter(_runner_of(each) for each in _each_command(findings) if each.status == "ok")

    def doubt(each: Finding) -> bool:
        if each.claim.kind != "command" or not _runner_of(each) or _has_history(each):
            return False
        runner = _runner_of(each)
        return runner in misread or (here[runner] < MIN_TARGETS and runner not in targets.LISTED)

    return doubt


def _each_command(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Return the commands of a page, each once."""
    return {each.claim.text: each for each in findings if each.claim.kind == "command"}.values()


def _runner_of(finding: Finding) -> str:
    return command_target(finding.claim.text)[0] or ""


# The reasons to doubt what the checks were sure of; commands have one more, which takes all pages (`_of_commands`).
DOUBTS = (_of_record, _of_drawing, _of_sample, _of_page, _of_line, _of_roots, _of_folders)


def _line_of(text: str, at: int) -> tuple[str, int]:
    """Return the line that holds the character `at`, and where in it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)], at - start


def _grouped(findings: Iterable[Finding], key: Callable[[Finding], int]) -> dict[int, list[Finding]]:
    found: dict[int, list[Finding]] = {}
    for each in findings:
        if key(each):
            found.setdefault(key(each), []).append(each)
    return found


def _is_about_something_else(findings: list[Finding], kind: str) -> bool:
    """Return whether so much of what a page names was never here that it tells of a plan or of another project."""
    never, there = _counts(findings, kind)
    return never > FEW_NEVER and never > NEVER_SHARE * (never + there)


def _is_foreign(findings: list[Finding], kind: str) -> bool:
    """Return whether most of what a page names is nothing of this project: a tool's manual, a guide to names."""
    mine = {each.claim.text: each for each in findings if each.claim.kind == kind and not each.claim.tree}.values()
    never = sum(each.status in ("missing", "moved") and not each.sure and each.since is None for each in mine)
    return never > FEW_NEVER and never > sum(each.status == "ok" for each in mine)


def _is_anybodys(finding: Finding, foreign: set[str]) -> bool:
    """Return whether a finding is not even worth a second look: a word that no proof makes ours."""
    if finding.status not in ("missing", "moved") or finding.sure:
        return False
    claim = finding.claim
    if claim.kind == "package":
        scoped = claim.text.startswith("@") and finding.since is not None and not claim.fenced
        return claim.tentative and not scoped
    return claim.kind in foreign and not claim.link and not _has_history(finding)


def _counts(findings: list[Finding], kind: str) -> tuple[int, int]:
    """Return how many things of the kind that a page names never were here, and how many are."""
    mine = [each for each in findings if each.claim.kind == kind]
    return sum(map(_never_was, mine)), sum(each.status == "ok" for each in mine)


def _is_here(finding: Finding) -> bool:
    return finding.status == "ok" or finding.why == OTHER_CASE


def _is_whole(drawing: list[Finding]) -> bool:
    """Return whether nearly all that is drawn is here, so that what is not was meant to be."""
    here = sum(_is_here(each) for each in drawing)
    lacking = sum(each.status == "missing" for each in drawing)
    return here >= MANY_DRAWN and lacking <= here * MAX_LACKING


def _never_was(finding: Finding) -> bool:
    return finding.sure and finding.since is None and finding.why not in (OTHER_CASE, NOT_AT_ROOT)


def _has_history(finding: Finding) -> bool:
    return finding.since is not None or finding.why == OTHER_CASE


def _left_open(finding: Finding) -> Finding:
    return Finding(finding.claim, "unchecked", since=finding.since, why=finding.why)


def _told(finding: Finding, doubted: bool, perhaps: bool) -> Finding:
    """Return the finding as it is told: broken, perhaps broken, or left open; a new place below 80 % is a guess."""
    if finding.status not in ("missing", "moved"):
        return finding
    unsure = doubted or not finding.sure
    if unsure and perhaps:
        return msgspec.structs.replace(finding, sure=False, failed=False)
    if unsure:
        return Finding(finding.claim, "unchecked", since=finding.since, why=finding.why, perhaps=finding.status)
    if finding.repair is not None and finding.confidence < repair.SURE_ENOUGH:
        why = f"it may be {finding.repair_in_words} now"
        changed = {"status": "missing", "repair": None, "confidence": 0.0, "pure": False, "why": why}
        return msgspec.structs.replace(finding, **changed, guess=finding.repair)
    return finding
