#!/usr/bin/env python3
"""Break the code on purpose and count what the tests notice: scripts/mutate ROOM [--sample N] [--seed N].

The tests of a room run once, in a copy of the tree, while it is recorded which functions each of them enters. Then
each mutant (`mutants.py`) gets a fork of that process, in which the changed code is put into the living function; the
tests that enter it run, those of the mirrored file first, until one fails. Programs that tests start read the changed
file. It is our own because a fork costs milliseconds where starting pytest anew for each mutant costs seconds;
mutmut and cosmic-ray were not tried on this code.

What survives must be explained, one sentence each, in `scripts/data/surviving_mutants.toml`; `rules` must also reach
its floor. A sample is drawn by the names of mutants, so that a change elsewhere leaves it as it is. With `--results`
each mutant gets a line in a file, and the next run goes on where that file ends; `--again` tries those that survived
once more, for instance with `--tests` on a file that is new.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Container, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import pytest
from mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parents[1]
EXPLAINED = ROOT / "scripts" / "data" / "surviving_mutants.toml"
# Room -> the least share of mutants that must be noticed, before explanations; None where a sample is taken.
ROOMS: dict[str, float | None] = {"rules": 0.85, "store": None, "systems": None}
# Tests mirror modules; what only a use case can see is tested there.
BESIDES = {
    "rules": ["tests/usecases"],
    "store": ["tests/usecases", "tests/systems", "tests/formats", "tests/surfaces/hooks", "tests/surfaces/web"],
    "systems": ["tests/usecases"],
}
# A mutant that makes a loop endless is noticed by this; nothing else is measured by the clock.
PATIENCE_SECONDS, PATIENCE_FACTOR = 30.0, 6.0

# Stands in the copy's source folder, so that programs which tests start tell what they enter while tests are recorded.
RECORDER = """
import os, sys
_here = os.path.dirname(__file__)
_record = os.path.join(_here, "entered")
if os.path.exists(_record):
    _seen = set()
    def _entered(frame, event, _):
        code = frame.f_code
        if event == "call" and code not in _seen:
            _seen.add(code)
            if code.co_filename.startswith(os.path.join(_here, "tenure")):
                with open(_record, "a") as file:
                    file.write(code.co_filename + "\\t" + code.co_qualname.split(".<locals>")[0] + "\\n")
    sys.setprofile(_entered)
"""


class Runner:
    """A pytest plugin: records the tests once and then runs them on mutants instead of once more."""

    def __init__(self, tree: Path, chosen: list[Mutant], seconds: float, results: Path, skip: str) -> None:
        self.tree, self.chosen, self.seconds, self.results, self.skip = tree, chosen, seconds, results, skip
        self.entered: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.in_programs: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.took: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if not item.get_closest_marker("slow")]
        items = [item for item in items if not self.skip or self.skip not in item.nodeid]
        self._record(items)
        known = [item for item in items if item.nodeid not in self.failed]
        print(f"\n{len(known)} tests in {sum(self.took.values()):.0f} s; {len(items) - len(known)} do not pass here")
        self._try_all(known)
        return True

    # What each test enters

    def _record(self, items: list[pytest.Item]) -> None:
        source = str(self.tree / "src" / "tenure")
        record = self.tree / "src" / "entered"
        found: set[CodeType] = set()

        def entering(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                found.add(frame.f_code)

        for item, following in _with_next(items):
            found.clear()
            record.write_text("")
            began = time.perf_counter()
            sys.setprofile(entering)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.setprofile(None)
            self.took[item.nodeid] = time.perf_counter() - began
            for code in found:
                if code.co_filename.startswith(source):
                    self.entered[code.co_filename, code.co_qualname.split(".<locals>")[0]].add(item.nodeid)
            for line in set(record.read_text().splitlines()):
                file, _, function = line.partition("\t")
                self.in_programs[file, function].add(item.nodeid)
        record.unlink(missing_ok=True)

    # Mutants

    def _try_all(self, items: list[pytest.Item]) -> None:
        functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                code = one.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
        survivors = 0
        for number, mutant in enumerate(self.chosen, 1):
            began = time.perf_counter()
            targets = functions.get((str(mutant.path), mutant.function, mutant.first_line), [])
            tests = self._tests(items, mutant)
            noticed = bool(tests) and self._noticed(mutant, targets, tests)
            survivors += not noticed
            took = time.perf_counter() - began
            with self.results.open("a") as file:
                file.write(json.dumps([mutant.name, noticed, len(tests), round(took, 2)]) + "\n")
            if number % 100 == 0:
                print(f"{number} of {len(self.chosen)}, {survivors} survive", flush=True)

    def _tests(self, items: list[pytest.Item], mutant: Mutant) -> list[pytest.Item]:
        """Return the tests that enter the changed code, those of the mirrored file first, up to the seconds allowed."""
        ids: set[str] = set()
        for (file, function), names in [*self.entered.items(), *self.in_programs.items()]:
            if file == str(mutant.path) and (not mutant.function or function == mutant.function):
                ids |= names
        mirrored = f"test_{mutant.path.stem}.py"
        if mutant.runs_at_import:
            # What runs when a module is loaded is not entered by anybody; the tests beside its own are asked.
            folder = self.tree / "tests" / mutant.path.parent.relative_to(self.tree / "src" / "tenure")
            ids |= {item.nodeid for item in items if item.path.parent == folder}
        chosen, seconds = [], 0.0
        for item in sorted(items, key=lambda item: (item.path.name != mirrored, self.took[item.nodeid])):
            if item.nodeid in ids and seconds < self.seconds:
                chosen.append(item)
                seconds += self.took[item.nodeid]
        return chosen

    def _noticed(self, mutant: Mutant, functions: list[FunctionType], tests: list[pytest.Item]) -> bool:
        key = str(mutant.path), mutant.function
        in_programs = any(item.nodeid in self.in_programs.get(key, ()) for item in tests)
        limit = PATIENCE_SECONDS + PATIENCE_FACTOR * sum(self.took[item.nodeid] for item in tests)
        is_loaded = any(getattr(module, "__file__", "") == str(mutant.path) for module in [*sys.modules.values()])
        outside = mutant.runs_at_import or in_programs or not is_loaded
        with self._changed_file(mutant) if outside else contextlib.nullcontext():
            # What only programs load is read by them from the changed file.
            can_be_put_in = bool(mutant.function) or (is_loaded and mutant.statement() is not None)
            if can_be_put_in and not self._passes_in_a_fork(mutant, functions, tests, limit):
                return True
            # What was made of it when the module was loaded is seen by a process that loads it changed.
            return mutant.runs_at_import and not self._passes_anew(tests, limit)

    @contextlib.contextmanager
    def _changed_file(self, mutant: Mutant) -> Iterator[None]:
        before = mutant.path.read_bytes()
        # Compiled files are told apart by whole seconds and sizes, so each change gets a second of its own.
        self.second = getattr(self, "second", 1_000_000_000) + 1
        mutant.path.write_text(mutant.source(), "utf-8")
        os.utime(mutant.path, (self.second, self.second))
        try:
            yield
        finally:
            mutant.path.write_bytes(before)

    def _passes_anew(self, tests: list[pytest.Item], limit: float) -> bool:
        words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
        try:
            done = subprocess.run(
                [*words, *(item.nodeid for item in tests)],
                cwd=self.tree,
                env={**os.environ, "PYTHONPATH": str(self.tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def _passes_in_a_fork(
        self, mutant: Mutant, functions: list[FunctionType], tests: list[pytest.Item], limit: float
    ) -> bool:
        folder = Path(tempfile.mkdtemp(dir=self.tree.parent))
        child = os.fork()
        if not child:
            # Whatever happens in here, the fork must end here.
            status = 1
            try:
                status = self._in_the_fork(mutant, functions, tests, folder)
            finally:
                os._exit(status)
        status = _waited(child, limit)
        shutil.rmtree(folder, ignore_errors=True)
        return status == 0

    def _in_the_fork(
        self, mutant: Mutant, functions: list[FunctionType], tests: list[pytest.Item], folder: Path
    ) -> int:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        if mutant.function:
            code = mutant.code()
            for function in functions:
                function.__code__ = code
        else:
            _assign_anew(mutant)
        for one in gc.get_objects():
            if type(one).__name__ == "_lru_cache_wrapper" and str(one.__module__).startswith("tenure"):
                one.cache_clear()
        config = tests[0].config
        config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
        self.failed.clear()
        for item, following in _with_next(tests):
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return 1
        return 0


def _assign_anew(mutant: Mutant) -> None:
    """Run the changed assignment in its module, and give its names to whoever imported them."""
    module = next(one for one in [*sys.modules.values()] if getattr(one, "__file__", "") == str(mutant.path))
    before = dict(vars(module))
    statement = mutant.statement()
    assert statement is not None
    exec(compile(ast.fix_missing_locations(ast.Module([statement], [])), str(mutant.path), "exec"), vars(module))  # noqa: S102 - our own source
    for name in [name for name, value in vars(module).items() if name not in before or before[name] is not value]:
        for other in [*sys.modules.values()]:
            if other is not module and getattr(other, "__dict__", {}).get(name) is before.get(name):
                setattr(other, name, vars(module)[name])


def _with_next(items: list[pytest.Item]) -> list[tuple[pytest.Item, pytest.Item | None]]:
    return list(zip(items, [*items[1:], None], strict=True))


def _waited(child: int, limit: float) -> int:
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("room", choices=sorted(ROOMS))
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, chosen by the seed; 0 for all")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--only", default="", help="mutants whose name holds this text")
    parser.add_argument("--skip", default="", help="leave out mutants and tests whose name holds this text")
    parser.add_argument("--again", action="store_true", help="try those once more that survived by the file of results")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for one mutant, at most")
    parser.add_argument("--tests", nargs="*", default=[], help="folders or files; those that mirror the room if none")
    parser.add_argument(
        "--results", type=Path, help="a file that gets a line for each mutant; those in it are not tried"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        tree = Path(name) / "tree"
        for folder in ("src", "tests", "scripts", "docs", "plugin"):
            shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("pyproject.toml", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / file, tree / file)
        (tree / "src" / "sitecustomize.py").write_text(RECORDER)
        found = [one for path in sorted((tree / "src/tenure" / asked.room).rglob("*.py")) for one in mutants(path)]
        found = [one for one in found if not asked.skip or asked.skip not in one.name]
        results = (asked.results or Path(name) / "results").absolute()
        tried = noticed_by(results)
        if asked.sample:
            found = sample(found, asked.sample, asked.seed, tried)
        found = [one for one in found if asked.only in one.name]
        left = [one for one in found if one.name not in tried or (asked.again and not tried[one.name])]
        runner = Runner(tree, left, asked.seconds, results, asked.skip)
        os.chdir(tree)
        sys.path[:0] = [str(tree / "src"), str(tree)]
        # Programs that tests start are those of the copy, also where a test says nothing about it.
        os.environ["PYTHONPATH"] = str(tree / "src")
        folders = asked.tests or [f"tests/{asked.room}", *BESIDES.get(asked.room, [])]
        if left:
            pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-s", *folders], plugins=[runner])
        tried = noticed_by(results)
        return report(asked.room, {one.name: tried[one.name] for one in found if one.name in tried})


def noticed_by(results: Path) -> dict[str, bool]:
    """Return which mutants a file of results names, and whether the tests noticed them at last."""
    rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()] if results.exists() else []
    return {name: noticed for name, noticed, *_ in rows}


def sample(found: list[Mutant], most: int, seed: int, tried: Container[str]) -> list[Mutant]:
    """Return so many mutants: those that were tried before, and others by a hash of their names."""

    def place(one: Mutant) -> tuple[bool, bytes]:
        return one.name not in tried, hashlib.sha256(f"{seed} {one.name}".encode()).digest()

    return sorted(found, key=place)[:most]


def report(room: str, noticed: dict[str, bool]) -> int:
    """Print the table and the survivors without an explanation; return the exit status."""
    explained = {
        entry["mutant"]: entry["why"] for entry in tomllib.loads(EXPLAINED.read_text("utf-8")).get("survivor", [])
    }
    print(f"\n{'module':<44} mutants  killed  explained  share")
    survivors = {name for name, dead in noticed.items() if not dead}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, dead in noticed.items():
        counts[name.partition(" ")[0]][0] += 1
        counts[name.partition(" ")[0]][1] += dead
    for module, (tried, killed) in [*sorted(counts.items()), ("all", _sums(counts))]:
        known = sum(1 for name in survivors & set(explained) if module == "all" or name.startswith(f"{module} "))
        print(f"{module:<44} {tried:7} {killed:7} {known:10} {killed / max(tried, 1):6.1%}")
    missing = sorted(survivors - set(explained))
    if missing:
        print(f"\n{len(missing)} survive without an explanation:")
        print("\n".join(missing))
    tried, killed = _sums(counts)
    floor = ROOMS[room]
    short = floor is not None and killed < floor * tried
    if short:
        print(f"\n{killed / max(tried, 1):.1%} is less than {floor:.0%}")
    return 1 if missing or short or not tried else 0


def _sums(counts: dict[str, list[int]]) -> tuple[int, int]:
    return sum(tried for tried, _ in counts.values()), sum(killed for _, killed in counts.values())


if __name__ == "__main__":
    sys.exit(main())
