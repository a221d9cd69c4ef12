"""The recorded cases: ArcheFlow's script 0.11.0 was run, and its output, exit status and files written down.

Where a case contradicts ArcheFlow's documents the documents win; `OVERRULED` says where and what we do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
NOW = "2031-07-08T09:10:11Z"

# The document's `list` has no row of dashes and a narrower type column.
TABLE = [
    (
        "ID       Freq  Type             Domain   Description",
        "ID       Freq  Type            Domain   Description",
    ),
    ("----     ----  ----             ------   -----------\n", ""),
    ("preference       general", "preference      general"),
    ("pattern          code", "pattern         code"),
]
# Document 1: run_id is the run "that created or last triggered this lesson". The script never changes it.
LAST_TRIGGERED = [
    ('"run_id":"2026-04-03-seed","type":"pattern"', '"run_id":"2026-04-05-run","type":"pattern"'),
    ('"run_id":"manual"', '"run_id":"2026-04-05-run"'),
]
# Document 2: a "matching finding" makes a lesson ineffective. The script adds up words of several findings.
FINDING_BY_FINDING = [
    ("Lesson m-001 (ineffective)", "Lesson m-001 (helpful)"),
    (
        '"effectiveness":"ineffective","keyword_overlap_pct":30',
        '"effectiveness":"helpful","keyword_overlap_pct":20',
    ),
]
OVERRULED = {
    "list-empty": TABLE,
    "extract-newline-in-description": TABLE,
    "extract-bumps-preference": TABLE + LAST_TRIGGERED,
    "extract-case-and-punctuation": LAST_TRIGGERED,
    "extract-denominator-asymmetry": LAST_TRIGGERED,
    "extract-match-updates-fields": LAST_TRIGGERED,
    "audit-threshold-30": FINDING_BY_FINDING,
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_recorded_case_comes_out_as_recorded(path: Path, tmp_path: Path) -> None:
    """Source: the recorded cases, with the documents' corrections above."""
    case = json.loads(path.read_text(encoding="utf-8"))
    project = tmp_path / "project"
    for name, content in case["initial_files"].items():
        _write(project / name, content)
    for name, target in case.get("symlinks", {}).items():
        (project / name).symlink_to(target)
    project.mkdir(exist_ok=True)
    for step in case["steps"]:
        if "write" in step:
            _write(project / step["write"], step["content"])
            continue
        status, out, err = _run(project, step["args"])
        assert (status, out, err) == (
            step["exit"],
            _expected(case, step["stdout"]),
            _expected(case, step["stderr"]),
        )
    files = {name: _expected(case, content) for name, content in case["final_files"].items()}
    assert _files(project) == {name: content.replace("<NOW>", NOW) for name, content in files.items()}


def _run(project: Path, arguments: list[str]) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tenure", "archeflow", *arguments],
        cwd=project,
        env={**os.environ, "TENURE_NOW": NOW, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _expected(case: dict[str, Any], recorded: str) -> str:
    for theirs, ours in OVERRULED.get(case["name"], ()):
        # Only the lines that the run touched change; they are the ones with the time of the run.
        lines = recorded.splitlines(keepends=True)
        recorded = "".join(
            line.replace(theirs, ours) if "<NOW>" in line or not line.startswith("{") else line for line in lines
        )
    return recorded


def _files(project: Path) -> dict[str, str]:
    found = (path for path in project.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        str(path.relative_to(project)): path.read_text(encoding="utf-8")
        for path in found
        if path.suffix not in (".lock", ".tmp") and path.relative_to(project).parts[0] != ".tenure"
    }


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
