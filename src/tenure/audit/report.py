"""A report for programs: the JSON of the command contract, SARIF and GitHub annotations.

Text from memories is somebody else's: control characters never reach a terminal or a workflow command.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import quote

from tenure import __version__
from tenure.audit import repair
from tenure.audit.findings import AuditedMemory, FileProblem, Finding, Report
from tenure.audit.staleness import INSTRUCTIONS
from tenure.audit.words import listed
from tenure.text import words

# What hurts most comes first.
PROBLEM_ORDER = listed(
    """
    secret unreadable contradiction entry-without-file index-limit duplicate oversize file-without-entry
    header
    """
)
RULES = {
    "broken-claim": "A page names something the project does not have",
    "moved-claim": "A page names something by an old name or place",
    "stale-memory": "A memory is old enough to be pruned",
}


def as_json(report: Report) -> dict[str, Any]:
    """Return the document of the command contract."""
    return {
        "memories": [_memory(memory) for memory in report.memories],
        "problems": [
            {"code": each.code, "path": each.path, "line": each.line, "message": each.message}
            for each in in_order(report.problems)
        ],
        "edits": [{"path": each.path, "line": each.line, "old": each.old, "new": each.new} for each in report.edits],
        "fixed": report.fixed,
        "notices": list(report.notices),
        "summary": summary(report),
    }


def summary(report: Report) -> dict[str, Any]:
    """Return the numbers of the report."""
    findings = [finding for memory in report.memories for finding in memory.findings]
    actions = Counter(memory.action for memory in report.memories)
    statuses = Counter(finding.status for finding in findings)
    return {
        "memories": len(report.memories),
        "keep": actions["keep"],
        "review": actions["review"],
        "prune": actions["prune"],
        "claims": len(findings),
        "ok": statuses["ok"],
        "missing": statuses["missing"],
        "moved": statuses["moved"],
        "unchecked": statuses["unchecked"],
        "sure": sum(finding.sure for finding in findings if finding.status in ("missing", "moved")),
        "perhaps": sum(is_unsure(finding) for finding in findings),
        "broken": sum(len(broken(memory)) for memory in report.memories),
        "may_be_broken": sum(len(may_be_broken(memory)) for memory in report.memories),
        "fixable": report.fixable,
        "docs_left": report.docs_left,
        "repairable": sum(finding.repair is not None for finding in findings),
        "problems": dict(sorted(Counter(problem.code for problem in report.problems).items())),
        "tokens_per_session": sum(tokens for _, tokens in report.loaded),
        "tokens_by_agent": {name: sum(tokens for _, tokens in rows) for name, rows in report.by_agent.items()},
        "deep": report.deep,
    }


def is_unsure(finding: Finding) -> bool:
    """Return whether the claim belongs on the list of what may be broken."""
    return bool(finding.perhaps) or (finding.status in ("missing", "moved") and not finding.sure)


def broken(memory: AuditedMemory) -> list[Finding]:
    """Return what is surely broken on a page, and whatever is broken in a memory."""
    instructions = memory.source.dialect == INSTRUCTIONS
    found = [finding for finding in memory.findings if finding.status in ("missing", "moved")]
    return [finding for finding in found if finding.sure or not instructions]


def may_be_broken(memory: AuditedMemory) -> list[Finding]:
    """Return what is on the second list of a page, whether it was asked for or not."""
    instructions = memory.source.dialect == INSTRUCTIONS
    return [finding for finding in memory.findings if instructions and is_unsure(finding)]


def fails(report: Report, conditions: set[str]) -> bool:
    """Return whether any of `broken`, `stale`, `secrets` holds, for use as a gate; what may be broken fails nobody."""
    is_broken = any(broken(memory) for memory in report.memories)
    dangling = any(problem.code == "entry-without-file" for problem in report.problems)
    stale = any(memory.action == "prune" and memory.source.dialect == "claude-code" for memory in report.memories)
    secrets = any(problem.code == "secret" for problem in report.problems)
    states = {"broken": is_broken or dangling, "stale": stale, "secrets": secrets}
    return any(states.get(condition, False) for condition in conditions)


def as_sarif(report: Report) -> dict[str, Any]:
    """Return the report as SARIF 2.1.0, for code scanning."""
    results = [
        {
            "ruleId": rule,
            "level": level,
            "message": {"text": clean(message)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(path)},
                        "region": {"startLine": max(line, 1)},
                    }
                }
            ],
        }
        for rule, level, path, line, message in _results(report)
    ]
    used = sorted({str(result["ruleId"]) for result in results})
    rules = [{"id": rule, "shortDescription": {"text": RULES.get(rule, rule)}} for rule in used]
    driver = {"name": "tenure audit", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def as_annotations(report: Report) -> str:
    """Return the report as GitHub workflow commands, one per line."""
    lines = []
    for rule, level, path, line, message in _results(report):
        place = f"file={_escaped(path, True)},line={max(line, 1)},title={_escaped(rule, True)}"
        lines.append(f"::{level if level != 'note' else 'notice'} {place}::{_escaped(message)}")
    return "\n".join(lines) + ("\n" if lines else "")


def _results(report: Report) -> list[tuple[str, str, str, int, str]]:
    found: list[tuple[str, str, str, int, str]] = []
    for memory in sorted(report.memories, key=pain):
        surely = broken(memory)
        for finding in memory.findings:
            place = memory.source.path, finding.claim.line
            if finding.status == "missing":
                sure = finding in surely
                told = sentence(finding) if sure else f"may be broken: {sentence(finding)}"
                found.append(("broken-claim", "error" if sure else "warning", *place, told))
            elif finding.status == "moved":
                told = sentence(finding) if finding in surely else f"may be broken: {sentence(finding)}"
                found.append(("moved-claim", "warning", *place, told))
        if memory.action == "prune" and memory.source.dialect == "claude-code":
            reasons = "; ".join(memory.reasons) or "broken claims"
            message = f"{memory.source.id}: score {memory.score:.0f}, {reasons}"
            found.append(("stale-memory", "note", memory.source.path, 1, message))
    for problem in in_order(report.problems):
        level = "error" if problem.code in ("secret", "unreadable") else "warning"
        found.append((problem.code, level, problem.path, problem.line, problem.message))
    return found


def _memory(memory: AuditedMemory) -> dict[str, Any]:
    return {
        "path": memory.source.path,
        "id": memory.source.id,
        "kind": memory.source.kind,
        "dialect": memory.source.dialect,
        "age_days": memory.age_days,
        "age_source": memory.age_source,
        "score": memory.score,
        "action": memory.action,
        "reasons": list(memory.reasons),
        "tokens": memory.tokens,
        "agents": sorted(memory.source.agents),
        "copy_of": memory.source.copy_of or None,
        "docs": memory.source.docs,
        "claims": [_claim(finding) for finding in memory.findings],
    }


def _claim(finding: Finding) -> dict[str, Any]:
    since = finding.since
    return {
        "kind": finding.claim.kind,
        "text": finding.claim.text,
        "line": finding.claim.line,
        "status": finding.status,
        "sure": finding.sure,
        "repair": finding.repair,
        "confidence": finding.confidence if finding.repair else None,
        "since": since and {"commit": since.commit, "date": since.date, "subject": since.subject},
        "why": finding.why,
    }


def pain(memory: AuditedMemory) -> tuple[int, int, float, str]:
    """Return what memories are sorted by: what hurts most comes first."""
    surely = broken(memory)
    missing = sum(finding.status == "missing" for finding in surely)
    moved = len(surely) - missing
    return (-missing, -moved, -memory.score, memory.source.path)


def sentence(finding: Finding) -> str:
    """Return a broken claim in the words of the page: what became of it, and since when."""
    text = f"{finding.claim.in_words} {told_in_words(finding)}"
    if finding.since is not None:
        text += f"; since {finding.since.commit[:9]} of {finding.since.date[:10]}: {finding.since.subject}"
    return text


def told_in_words(finding: Finding) -> str:
    """Return what became of a claim, in words."""
    if finding.repair is not None:
        verb = "is now" if finding.confidence >= repair.SURE_ENOUGH else "may be"
        verb += " in" if finding.in_file else ""
        return f"{verb} {finding.repair_in_words} ({finding.confidence:.0%} sure)"
    state = {"missing": "is missing", "moved": "is elsewhere"}[finding.status]
    return state + (f": {finding.why}" if finding.why else "")


def in_order(problems: tuple[FileProblem, ...]) -> list[FileProblem]:
    order = {code: number for number, code in enumerate(PROBLEM_ORDER)}
    return sorted(problems, key=lambda each: (order.get(each.code, 99), each.path, each.line))


def clean(text: str) -> str:
    """Return text without anything a terminal or a workflow would obey."""
    return words.clean(text).replace("\n", " ").replace("\t", " ")


def _uri(path: str) -> str:
    return ("file://" if path.startswith("/") else "") + quote(path, errors="replace")


def _escaped(text: str, is_property: bool = False) -> str:
    escaped = clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if is_property else escaped
