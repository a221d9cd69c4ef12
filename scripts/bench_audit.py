"""Measure the audit: a scripted history of 200 commits with 150 planted memories, and a large repository.

python scripts/bench_audit.py                  the confusion table
python scripts/bench_audit.py --size           50,000 files and 5,000 memories, first and second run
python scripts/bench_audit.py --seeds 5        the table over several histories
python scripts/bench_audit.py --real FOLDER    fetched repositories against verdicts given by hand
python scripts/bench_audit.py --real FOLDER --cost    what a first audit costs beside one git log of the history
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenure.audit import report as reports
from tenure.audit import run
from tenure.usecases import audit

COMMITS = 200
MEMORIES = 150
START = 1_750_000_000
CALLS_ANOTHER = 0.4
FIRST_RUN_SECONDS = 60
SECOND_RUN_SHARE = 0.2
FIRST_BODY_LINE = 7
VERBS = [
    "load",
    "save",
    "parse",
    "render",
    "fetch",
    "build",
    "merge",
    "split",
    "check",
    "apply",
    "queue",
    "drain",
    "sign",
    "hash",
    "route",
    "index",
    "scan",
    "flush",
]
NOUNS = [
    "config",
    "user",
    "order",
    "token",
    "session",
    "cache",
    "packet",
    "invoice",
    "ledger",
    "report",
    "badge",
    "widget",
    "shard",
    "lease",
    "quota",
]
FOLDERS = [
    "src/core",
    "src/api",
    "src/store",
    "lib/net",
    "lib/text",
    "pkg/jobs",
    "pkg/mail",
    "web/app",
    "web/forms",
    "tools",
]
PACKAGES = ["requests", "httpx", "pydantic", "rich", "attrs", "lodash", "express", "zod", "chalk", "vitest"]
LANGUAGES = ("py", "ts", "go")


@dataclass
class Function:
    """One function of the history; `file` is where it is now, None once deleted."""

    name: str
    body: list[str]
    file: SourceFile | None


@dataclass
class SourceFile:
    """One file of the history; `path` is None once deleted."""

    path: str | None
    language: str
    functions: list[Function] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Named:
    """A script, target or package; `name` is None once gone."""

    name: str | None


@dataclass
class Planted:
    """A claim as planted: what kind, which words, and the thing it is about."""

    memory: str
    line: int
    kind: str
    text: str
    thing: object
    within: SourceFile | None = None


class World:
    """The repository as the script knows it, which is the truth the audit is compared with."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.used: set[str] = set()
        self.files = [self.new_file() for _ in range(60)]
        self.scripts = [Named(f"scripts/{self.fresh('-')}.sh") for _ in range(12)]
        self.targets = [Named(self.fresh("-")) for _ in range(12)]
        self.tasks = [Named(self.fresh(":")) for _ in range(10)]
        self.packages = [Named(name) for name in PACKAGES]
        self.changelog: list[str] = []

    def fresh(self, joint: str = "_") -> str:
        while True:
            words = [self.random.choice(VERBS), self.random.choice(NOUNS), self.random.choice(NOUNS)]
            name = joint.join(words[: self.random.choice((2, 3))])
            if name not in self.used:
                self.used.add(name)
                return name

    def new_file(self) -> SourceFile:
        language = self.random.choice(LANGUAGES)
        file = SourceFile(f"{self.random.choice(FOLDERS)}/{self.fresh()}.{language}", language)
        file.functions = [self.new_function(file) for _ in range(self.random.randint(2, 5))]
        return file

    def new_function(self, file: SourceFile) -> Function:
        name = self.fresh()
        if file.language != "py":
            first, *rest = name.split("_")
            name = first + "".join(part.capitalize() for part in rest)
        body = [
            f"ctx.{self.random.choice(VERBS)}({self.random.choice(NOUNS)}, {self.random.randint(1, 99)})"
            for _ in range(self.random.randint(2, 7))
        ]
        # Calls of other functions, which stay in the code when the function they call is deleted.
        known = self.functions() if hasattr(self, "files") else []
        if known and self.random.random() < CALLS_ANOTHER:
            body.append(f"{self.random.choice(known).name}(value)")
        return Function(name, body, file)

    def living(self) -> list[SourceFile]:
        return [file for file in self.files if file.path]

    def functions(self) -> list[Function]:
        return [function for file in self.living() for function in file.functions]

    def step(self) -> str:
        """Change one thing and return the commit's subject."""
        kinds = "rename move delete edit rename_function move_function delete_function "
        kinds += "rename_script rename_target"
        weights = (14, 14, 7, 20, 18, 10, 7, 3, 3)
        action = self.random.choices(kinds.split(), weights)[0]
        return str(getattr(self, f"do_{action}")())

    def do_rename(self) -> str:
        file = self.random.choice(self.living())
        old = file.path or ""
        file.path = f"{old.rpartition('/')[0]}/{self.fresh()}.{file.language}"
        self.maybe_touch(file)
        return self.told(f"Rename {old} to {file.path}")

    def do_move(self) -> str:
        file = self.random.choice(self.living())
        old = file.path or ""
        folder = self.random.choice([each for each in FOLDERS if not old.startswith(each)])
        file.path = f"{folder}/{old.rpartition('/')[2]}"
        self.maybe_touch(file)
        return self.told(f"Move {old} to {folder}")

    def do_delete(self) -> str:
        file = self.random.choice(self.living())
        old, file.path = file.path, None
        self.files.append(self.new_file())
        return self.told(f"Remove {old}")

    def do_edit(self) -> str:
        file = self.random.choice(self.living())
        file.functions.append(self.new_function(file))
        if self.random.random() < 0.3:
            gone = self.random.choice([package for package in self.packages if package.name] or self.packages)
            if sum(package.name is not None for package in self.packages) > 6:
                gone.name = None
        return f"Extend {file.path}"

    def do_rename_function(self) -> str:
        function = self.random.choice(self.functions())
        assert function.file is not None
        old, function.name = function.name, self.new_function(function.file).name
        for caller in self.functions():
            caller.body = [line.replace(f"{old}(value)", f"{function.name}(value)") for line in caller.body]
        if self.random.random() < 0.3:
            function.file.notes.append(f"{function.name} was once {old}")
        return self.told(f"Rename {old} to {function.name}")

    def do_move_function(self) -> str:
        function = self.random.choice(self.functions())
        source = function.file
        assert source is not None
        others = [each for each in self.living() if each.language == source.language and each is not source]
        target = self.random.choice(others)
        source.functions.remove(function)
        target.functions.append(function)
        function.file = target
        return self.told(f"Move {function.name} to {target.path}")

    def do_delete_function(self) -> str:
        function = self.random.choice(self.functions())
        assert function.file is not None
        function.file.functions.remove(function)
        function.file = None
        return self.told(f"Drop {function.name}")

    def do_rename_script(self) -> str:
        script = self.random.choice(self.scripts)
        old, script.name = script.name, f"scripts/{self.fresh('-')}.sh"
        return self.told(f"Rename {old} to {script.name}")

    def do_rename_target(self) -> str:
        joint, things = self.random.choice((("-", self.targets), (":", self.tasks)))
        thing = self.random.choice(things)
        old, thing.name = thing.name, self.fresh(joint)
        return self.told(f"Rename target {old} to {thing.name}")

    def maybe_touch(self, file: SourceFile) -> None:
        if self.random.random() < 0.4:
            file.notes.append(f"revised {self.random.randint(1, 999)}")

    def told(self, subject: str) -> str:
        self.changelog.append(subject)
        return subject

    def write(self) -> None:
        """Put the whole state on disk; what is no longer part of it goes."""
        wanted = {file.path: _source(file, self.functions()) for file in self.living() if file.path}
        wanted |= {
            script.name: f"#!/bin/sh\n# {n}\nset -eu\necho step {n}\n" + f"run_{n} --all\n" * 3
            for n, script in enumerate(self.scripts)
            if script.name
        }
        targets = "".join(f"{t.name}:\n\t@echo recipe {n}\n\n" for n, t in enumerate(self.targets) if t.name)
        wanted["Makefile"] = f".PHONY: all\n\n{targets}"
        tasks = {task.name: f"node run.js {n}" for n, task in enumerate(self.tasks) if task.name}
        packages = {package.name: "1.0.0" for package in self.packages if package.name}
        wanted["package.json"] = json.dumps({"scripts": tasks, "dependencies": packages}, indent=1)
        wanted["CHANGELOG.md"] = "".join(f"- {line}\n" for line in self.changelog)
        for path in self.root.rglob("*"):
            relative = path.relative_to(self.root).as_posix()
            if path.is_file() and not relative.startswith(".git/") and relative not in wanted:
                path.unlink()
        for name, text in wanted.items():
            full = self.root / name
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text)


def _source(file: SourceFile, functions: list[Function]) -> str:
    mark = "#" if file.language == "py" else "//"
    lines = ["package main", ""] if file.language == "go" else []
    lines += [f"{mark} {note}" for note in file.notes]
    for function in file.functions:
        head, tail = {
            "py": (f"def {function.name}(value):", ""),
            "ts": (f"export function {function.name}(value: string) {{", "}"),
            "go": (f"func {function.name}(value string) {{", "}"),
        }[file.language]
        lines += [head, *(f"    {line}" for line in function.body), tail, ""]
    callee = next((each for each in functions if each.file is not file and each.body), None)
    if callee is not None and len(file.functions) > 3:
        lines.append(f"{mark} see also {callee.name}" if file.language == "go" else f"{callee.name}(1)")
    return "\n".join(lines) + "\n"


def plant(world: World, number: int) -> tuple[str, list[Planted]]:
    """Return one memory's text and the claims it makes about the world as it is now."""
    name = f"memory_{number:03}.md"
    file = world.random.choice(world.living())
    function = world.random.choice(world.functions())
    home = function.file
    assert home is not None
    assert file.path is not None
    assert home.path is not None
    script, target = world.random.choice(world.scripts), world.random.choice(world.targets)
    task = world.random.choice(world.tasks)
    package = world.random.choice([each for each in world.packages if each.name])
    assert script.name is not None
    assert package.name is not None
    sentences: list[tuple[str, list[tuple[str, str, object, SourceFile | None]]]] = [
        (f"The rules for retries are in `{file.path}`.", [("file", file.path, file, None)]),
        (f"See {file.path} before touching the client/server code.", [("file", file.path, file, None)]),
        (
            f"Always go through `{function.name}()` and/or ask first.",
            [("symbol", function.name, function, None)],
        ),
        (
            f"`{function.name}` in `{home.path}` is the only way in.",
            [("symbol", function.name, function, home), ("file", home.path, home, None)],
        ),
        (f"Run `bash {script.name} --fast` before a release.", [("file", script.name, script, None)]),
        (f"Use `make {target.name}` to set up.", [("command", f"make {target.name}", target, None)]),
        (f"`npm run {task.name}` takes a minute.", [("command", f"npm run {task.name}", task, None)]),
        (f"We depend on the `{package.name}` package.", [("package", package.name, package, None)]),
    ]
    weights = (5, 3, 5, 5, 2, 2, 2, 1)
    chosen = {index: sentences[index] for index in world.random.choices(range(len(sentences)), weights, k=2)}
    generic = "Prefer readability over cleverness; use a database and keep it simple. Write tests first."
    body = "\n".join([*(text for text, _ in chosen.values()), generic])
    lines = enumerate(chosen.values(), FIRST_BODY_LINE)
    planted = [Planted(name, line, *claim) for line, (_, claims) in lines for claim in claims]
    text = f"---\nname: m{number}\ndescription: planted {number}\ntype: project\n---\n\n{body}\n"
    return text, planted


def truth(claim: Planted) -> tuple[str, str | None]:
    """Return what is true now: ok, moved or missing, and the right repair."""
    thing = claim.thing
    if isinstance(thing, SourceFile):
        new = thing.path
    elif isinstance(thing, Function):
        if thing.file is None or thing.file.path is None:
            return "missing", None
        if thing.name != claim.text:
            return "moved", thing.name
        elsewhere = claim.within is not None and thing.file is not claim.within
        return ("moved", thing.file.path) if elsewhere else ("ok", None)
    else:
        assert isinstance(thing, Named)
        lead = claim.text[: claim.text.rfind(" ") + 1] if claim.kind == "command" else ""
        new = None if thing.name is None else lead + thing.name
    if new == claim.text:
        return "ok", None
    return ("missing", None) if new is None else ("moved", new)


def measure(seed: int, folder: Path, verbose: bool) -> Counter[str]:
    """Play one history, audit it and return the counts of the confusion table."""
    root, memory = folder / "repository", folder / "memory"
    root.mkdir(parents=True)
    memory.mkdir()
    _git(root, 0, "init", "-q", "-b", "main")
    world = World(root, seed)
    planted: list[Planted] = []
    when = sorted(world.random.choices(range(COMMITS), k=MEMORIES))
    for number in range(COMMITS):
        subject = world.step() if number else "Begin"
        world.write()
        _git(root, number, "add", "-A")
        _git(root, number, "commit", "-q", "--allow-empty", "-m", subject)
        for index, moment in enumerate(when):
            if moment == number:
                text, claims = plant(world, index)
                (memory / f"memory_{index:03}.md").write_text(text)
                planted += claims
    found = run.audit(root, deep=True, fix=True, dry_run=True, store_dir=memory, now=datetime.now(UTC))
    return compare(planted, reports.as_json(found), verbose)


def compare(planted: list[Planted], report: dict[str, Any], verbose: bool) -> Counter[str]:
    """Return the counts: what is true against what the audit said."""
    said = {
        (memory["id"], claim["line"], claim["kind"], claim["text"]): claim
        for memory in report["memories"]
        for claim in memory["claims"]
    }
    fixes = {(edit["path"], edit["line"], edit["old"]): edit["new"] for edit in report["edits"]}
    counts: Counter[str] = Counter()
    known = {(each.memory, each.line, each.kind, each.text) for each in planted}
    for claim in planted:
        state, repair = truth(claim)
        answer = said.get((claim.memory, claim.line, claim.kind, claim.text))
        status = answer["status"] if answer else "not extracted"
        counts[f"{state} / {status}"] += 1
        broken = status in ("missing", "moved")
        counts["broken claims"] += state != "ok"
        counts["broken found"] += state != "ok" and broken
        counts["true claims"] += state == "ok"
        counts["true called broken"] += state == "ok" and broken
        right = answer is not None and answer["repair"] == repair
        counts["moves"] += state == "moved"
        counts["moves repaired"] += state == "moved" and right
        fixed = fixes.get((claim.memory, claim.line, claim.text.rpartition(" ")[2]))
        counts["fixes"] += fixed is not None
        counts["wrong fixes"] += fixed is not None and fixed != (repair or "").rpartition(" ")[2]
        wrong = (state != "ok") != broken or (state == "moved" and not right)
        if verbose and wrong:
            print(f"  {claim.kind} {claim.text!r}: truth {state} {repair!r}, said {answer}", file=sys.stderr)
    counts["claims nobody planted"] = sum(key not in known for key in said)
    return counts


def size_run(folder: Path, file_count: int, memory_count: int) -> int:
    """Build a large repository, audit it twice as the command does, and print both times; 1 when a bar is missed."""
    root, memory, cache = folder / "large", folder / "large-memory", folder / "cache"
    memory.mkdir(parents=True)
    for number in range(file_count):
        language = LANGUAGES[number % 3]
        path = root / f"area{number % 97}/part{number % 13}/unit_{number}.{language}"
        path.parent.mkdir(parents=True, exist_ok=True)
        function = Function(f"handle_unit_{number}", [f"step_{n}({number})" for n in range(30)], None)
        path.write_text(_source(SourceFile(None, language, [function]), []))
    _git(root, 0, "init", "-q")
    _git(root, 0, "add", "-A")
    _git(root, 0, "commit", "-q", "-m", "Begin")
    for number in range(memory_count):
        other = number * 11 % (file_count + 500)
        language = LANGUAGES[other % 3]
        body = (
            f"`handle_unit_{other}()` in `area{other % 97}/part{other % 13}/unit_{other}.{language}` is it.\n"
            f"Note {number}: {VERBS[number % 18]} the {NOUNS[number % 15]} {number} before {number * 3}.\n"
        )
        header = f"---\nname: m{number}\ndescription: about {other}\ntype: project\n---\n\n"
        (memory / f"m_{number}.md").write_text(header + body)
    spent = []
    for label in ("first run", "second run"):
        start = time.monotonic()
        found = run.audit(
            root,
            deep=True,
            store_dir=memory,
            now=datetime.now(UTC),
            cache_dir=cache,
            find_secrets=audit.find_secrets,
        )
        seconds = time.monotonic() - start
        spent.append(seconds)
        numbers = reports.summary(found)
        kept = {key: numbers[key] for key in ("memories", "claims", "ok", "missing", "moved", "unchecked")}
        print(f"{label}: {seconds:.1f} s, {kept}, problems {numbers['problems']}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / (1 << 20 if sys.platform == 'darwin' else 1024):.0f} MB")
    print(f"second run {spent[1] / spent[0]:.0%} of the first (at most {SECOND_RUN_SHARE:.0%})")
    return int(spent[0] > FIRST_RUN_SECONDS or spent[1] > SECOND_RUN_SHARE * spent[0])


def _git(root: Path, number: int, *arguments: str) -> None:
    moment = f"{START + number * 3600} +0000"
    identity = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": os.devnull}
    names = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "-c", "core.autocrlf=false"]
    subprocess.run(["git", *names, "-C", str(root), *arguments], check=True, env={**os.environ, **identity})


def main() -> int:
    """Print the tables and return 1 when a bar of the issue is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--real", type=Path, metavar="FOLDER", help="the folder with the fetched repositories")
    parser.add_argument("--verdicts", type=Path, help="a verdict file, or a folder of them")
    parser.add_argument("--only", default="", help="only repositories whose name contains this")
    parser.add_argument("--cost", action="store_true", help="with --real: time and memory beside one git log")
    options = parser.parse_args()
    if options.real and options.cost:
        import audit_costs  # beside this script

        return int(audit_costs.measure(options.real, options.only) > 0)
    if options.real:
        import audit_real  # beside this script, which tests load by its path

        return int(
            audit_real.measure(options.real, options.verdicts or audit_real.VERDICTS, options.only, options.verbose) > 0
        )
    with tempfile.TemporaryDirectory() as name:
        if options.size:
            return size_run(Path(name), options.files, options.memories)
        total: Counter[str] = Counter()
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            total += measure(seed, Path(name) / str(seed), options.verbose)
    for key, count in sorted(total.items()):
        print(f"{key:32} {count}")
    found = total["broken found"] / max(total["broken claims"], 1)
    false = total["true called broken"] / max(total["true claims"], 1)
    repaired = total["moves repaired"] / max(total["moves"], 1)
    print(f"\nbroken claims found      {found:7.2%}  (at least 98 %)")
    print(f"true claims called broken {false:6.2%}  (at most 1 %)")
    print(f"moves repaired correctly {repaired:7.2%}  (at least 90 %)")
    print(f"wrong under --fix        {total['wrong fixes']:7}  (none) of {total['fixes']}")
    return int(found < 0.98 or false > 0.01 or repaired < 0.9 or total["wrong fixes"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
