"""Our program and a foreign one on the same files: who loses what.

The foreign program takes no lock. It edits a file in place or by a rename, as editors and scripts do, and says each
edit's word once it is done. An edit is lost when its word stands in no file and in no kept copy; a write of ours that
was acknowledged is lost when neither the files nor the companion's history know it.
"""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import tenure
from tests.program import Program
from tests.systems.geas import samples

# What the foreign program does to one file: a line more, or in a JSON file one more item of a list.
FOREIGN = """
import json, os, random, sys, time
path, field, pause, edits = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
rng = random.Random(7)
for n in range(edits):
    word = f"foreign{n:05d}"
    data = open(path, encoding="utf-8").read()
    by_rename = n % 2 == 0
    if field:
        document = json.loads(data)
        document.setdefault(field, []).append(word)
        after = json.dumps(document, indent=2) + "\\n"
    else:
        line = sys.argv[5].replace("WORD", word) + "\\n"
        after = data + line
    if by_rename:
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(after)
        os.replace(path + "~", path)
    elif field:
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
    else:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line)
    print(word, flush=True)
    time.sleep(pause * rng.uniform(0.5, 1.5))
"""

# Writes of ours, each said once it was acknowledged. What a neighbour spoilt is tried again, as a person would.
OURS = """
import sys, tenure
from tenure.model.errors import TenureError
url, name, rounds, shared = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
WORDS = "amber basil cedar delta ember flint grove heron ivory jetty kayak lemon maple north olive pearl ridge".split()
def said(n):
    a, b, c = WORDS[n % 17], WORDS[n // 17 % 17], WORDS[n // 289 % 17]
    return f"{name}n{n:05d} keeps the {a} {b}{n} beside {c}{n} number{n} under {name}"
with tenure.open(url) as ws:
    print("ready", flush=True)
    for n in range(rounds):
        for _ in range(20):
            try:
                if shared and n % 2:
                    ws.log(shared, "positive", task=f"{name}-{n}", by="software_engineer")
                    print("log", f"{name}-{n}", flush=True)
                else:
                    print("add", ws.add(said(n)).id, flush=True)
                break
            except TenureError as error:
                print("no", type(error).__name__, str(error).replace(chr(10), " ")[:200], flush=True)
"""


@dataclass(frozen=True)
class System:
    """Where a system keeps its files, and which of them the foreign program edits."""

    name: str
    folder: str
    edited: str
    field: str = ""
    line: str = ""
    shared: str = ""

    @property
    def url(self) -> str:
        return f"{self.name}:{self.folder}"


SYSTEMS = {
    system.name: system
    for system in (
        System(
            "archeflow",
            ".archeflow",
            ".archeflow/memory/lessons.jsonl",
            line='{"id":"x-WORD","type":"pattern","description":"WORD is known","frequency":3,"domain":"general"}',
        ),
        System("claude-code", "memory", "memory/MEMORY.md", line="A person wrote WORD here"),
        System("claude-memory", ".claude/memory", ".claude/memory/index.md", line="A person wrote WORD here"),
        System("geas", ".geas", "", field="body"),
    )
}


def prepared(system: System, program: Program) -> tuple[Path, str]:
    """Make the folder with a first memory; return the file the foreign program edits and the shared memory's id."""
    folder = program.folder / system.folder
    folder.mkdir(parents=True)
    if system.name == "claude-memory":
        (folder / "memory-config.json").write_text('{"max_memories_per_category": 100000}', "utf-8")
    if system.name == "geas":
        shared = samples.memory()
        path = folder / "memory" / "entries" / f"{shared['memory_id']}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(shared, indent=2) + "\n", "utf-8")
        return path, str(shared["memory_id"])
    with tenure.open(system.url, program.folder) as ws:
        ws.add("The very first memory of all, with words of its own")
    return program.folder / system.edited, ""


@dataclass
class Outcome:
    edits: int
    lost_edits: list[str]
    writes: int
    lost_writes: list[str]
    # Ours that the other program wrote over with what it had read before; their text is in the history.
    overwritten: int
    refused: int
    kills: int

    def __str__(self) -> str:
        return (
            f"foreign edits {self.edits}, lost {len(self.lost_edits)}; our acknowledged writes {self.writes}, "
            f"lost {len(self.lost_writes)} (overwritten by the other program {self.overwritten}); "
            f"told to try again {self.refused}; kills {self.kills}"
        )


def duel(
    system: System, program: Program, *, writes: int, edits: int, pause: float, kill: bool = False, seed: int = 1
) -> Outcome:
    """Let both work until so many edits and acknowledged writes are done; kill our program at random when asked to."""
    path, shared = prepared(system, program)
    foreign = program.start(FOREIGN, str(path), system.field, str(pause), str(edits), system.line)
    rng = random.Random(seed)
    said: list[list[str]] = []
    kills = number = acknowledged = 0
    while acknowledged < writes or (not kill and foreign.poll() is None):
        number += 1
        ours = program.start(OURS, system.url, f"w{number}", "100000" if kill else "10", shared)
        if kill:
            if number % 4:
                # One in four is killed at any time, the others at work: a busy machine takes seconds to begin.
                # Byte by byte, so that nothing acknowledged stays in a buffer.
                assert ours.stdout is not None
                while os.read(ours.stdout.fileno(), 1) not in (b"\n", b""):
                    pass
            time.sleep(rng.uniform(0.5, 4.0))
            ours.kill()
            kills += 1
        out, err = ours.communicate()
        assert kill or not err, err.decode()[-2000:]
        said += [line.split(" ", 2) for line in out.decode().splitlines() if line.count(" ")]
        acknowledged = sum(what in ("add", "log") for what, *_ in said)
    foreign.terminate()
    edited = foreign.communicate()[0].decode().split()
    overwritten, lost_writes = missing_writes(system, program, [rest[0] for what, *rest in said if what == "add"])
    lost_writes += missing_reports(system, program, shared, [rest[0] for what, *rest in said if what == "log"])
    kept = [program.folder / system.folder, program.folder / ".tenure" / "kept"]
    texts = [file.read_bytes() for folder in kept for file in folder.rglob("*") if file.is_file()]
    lost = [word for word in edited if not any(word.encode() in text for text in texts)]
    for trouble in sorted({" ".join(line) for line in said if line[0] == "no"})[:5]:
        print("  told:", trouble)
    refused = sum(what == "no" for what, *_ in said)
    return Outcome(len(edited), lost, acknowledged, lost_writes, overwritten, refused, kills)


def missing_writes(system: System, program: Program, ids: list[str]) -> tuple[int, list[str]]:
    """Return how many of our memories the other program overwrote, and those that no history knows either."""
    with tenure.open(system.url, program.folder) as ws:
        gone = [id for id in ids if ws.project.store.get(id) is None]
        lost = [id for id in gone if not ws.project.store.history(id)]
    return len(gone) - len(lost), lost


def missing_reports(system: System, program: Program, shared: str, tasks: list[str]) -> list[str]:
    """Return the tasks of acknowledged reports on the shared memory that its history does not hold."""
    if not tasks:
        return []
    with tenure.open(system.url, program.folder) as ws:
        known = {entry.event.task for entry in ws.history(shared)}
    return [task for task in tasks if task not in known]
