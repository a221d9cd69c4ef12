"""Runs a recorded case of claude-memory: what was there before, the commands, what came out.

Placeholders: `{{now-2h}}` a time before now, `{{md5:path}}` a file's hash when the step starts, `{{TS}}`
any time, `{{ROOT}}` the project, `{{IN}}` the folder of the drafts, `{{HOME}}` the home folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
SOURCE = Path(__file__).parents[3] / "src"
TOOLS = {"write_guard": "write-guard", "validate_hook": "validate-hook", "search_engine": "search"}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
TAG = re.compile(r"\[[A-Z_-]+\] [^\s:]+|usage")


def case_files(group: str) -> list[Path]:
    """Return the recorded cases of a group."""
    return sorted((CASES / group).glob("*.json"))


def run_tool(project: Path, tool: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run one drop-in command as a process of its own, in the project."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "tenure", "claude-memory", TOOLS.get(tool, tool), *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


class Case:
    """One case laid out in a temporary folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.case = json.loads(path.read_text("utf-8"))
        self.root, self.drafts = folder / "project", folder / "in"
        self.started = datetime.now(UTC)
        for place in (self.root, self.drafts):
            place.mkdir()
        setup = self.case["setup"]
        for name in setup.get("dirs", []):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for base, files in ((self.root, setup.get("files", {})), (self.drafts, setup.get("inputs", {}))):
            for name, content in files.items():
                _write(base / name, self.filled(content))
        for name, age in setup.get("dir_age_s", {}).items():
            (self.root / name).mkdir(parents=True, exist_ok=True)
            then = self.started.timestamp() - age
            os.utime(self.root / name, (then, then))

    def filled(self, value: Any) -> Any:
        """Return the value with its placeholders replaced, `{{TS}}` left in place."""
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        return re.sub(r"\{\{([^}]*)\}\}", self._placeholder, value) if isinstance(value, str) else value

    def check(self) -> None:
        """Run every step and compare what it printed and what it left behind."""
        before = _snapshot(self.root)
        for step, expected in zip(self.case["steps"], self.case["expect"]["steps"], strict=True):
            done = run_tool(
                self.root,
                step["tool"],
                *(self.filled(word) for word in step["argv"]),
                input=self.filled(step.get("stdin", "")),
                env=self.filled(step.get("env", {})),
            )
            self._check_step(done, self.filled(expected))
        self._check_files(before)
        assert sorted(p.name for p in self.drafts.iterdir()) == sorted(self.case["expect"]["inputs_left"])

    def _check_step(self, done: subprocess.CompletedProcess[str], expected: dict[str, Any]) -> None:
        assert done.returncode == expected["exit"], done.stdout + done.stderr
        if "stdout_json" in expected:
            assert json.loads(done.stdout) == expected["stdout_json"]
        if "stdout_text" in expected:
            assert done.stdout == expected["stdout_text"]
        if "stdout_error" in expected:
            name, *lines = done.stdout.splitlines()
            pairs = [line.split(": ", 1) for line in lines if ": " in line]
            assert name == expected["stdout_error"]["error"]
            if "fields" in expected["stdout_error"]:
                fields = [value for key, value in pairs if key == "field"]
                assert fields == expected["stdout_error"]["fields"]
            for key, value in expected["stdout_error"].get("keys", {}).items():
                assert [key, value] in pairs
        tags = [match.group() for line in done.stderr.splitlines() if (match := TAG.match(line))]
        assert tags == expected.get("stderr_tags", []), done.stderr

    def _check_files(self, before: dict[str, bytes]) -> None:
        changed = self.filled(self.case["expect"]["files_changed"])
        after = _snapshot(self.root)
        differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert differing == {name for name, content in changed.items() if not content.get("absent")}
        for name, content in changed.items():
            if content.get("absent"):
                assert not (self.root / name).exists()
            elif "json" in content:
                assert _same(json.loads(after[name]), content["json"]), after[name].decode()
            else:
                assert _entries(after[name].decode()) == _entries(content["text"])

    def _placeholder(self, match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "TS":
            return match.group()
        if name.startswith("md5:"):
            return hashlib.md5((self.root / name[4:]).read_bytes()).hexdigest()
        if name.startswith("now"):
            amount = re.fullmatch(r"now-(\d+)([smhd])", name)
            ago = timedelta(**{UNITS[amount[2]]: int(amount[1])}) if amount else timedelta()
            return (self.started - ago).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"ROOT": str(self.root), "IN": str(self.drafts), "HOME": os.environ["HOME"]}[name]


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content["text"] if "text" in content else json.dumps(content["json"], indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, "utf-8")


def _snapshot(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def _entries(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- [")]


def _same(found: Any, expected: Any) -> bool:
    if expected == "{{TS}}":
        return isinstance(found, str) and TIME.fullmatch(found) is not None
    if isinstance(expected, dict) and isinstance(found, dict):
        return found.keys() == expected.keys() and all(_same(found[key], expected[key]) for key in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(_same, found, expected))
    return bool(found == expected)
