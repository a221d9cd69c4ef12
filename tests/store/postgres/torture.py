"""Clients of one project with random offline spells while the database is killed again and again (issue 23).

Each client is a process with its own home: it adds, edits and logs through the workspace, cuts its own line now and
then, pulls, and writes down what was acknowledged. At the end everything is compared with what the database holds.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from postgres_server import Server

from tests.postgres import PASSWORD, Line
from tests.program import Program

CLIENT = """
import json, os, random, sys, time
from pathlib import Path
import tenure
from tenure.model.errors import StoreUnusable, TenureError
from tenure.store.postgres.connection import close_pools

url, folder, acknowledged, seed, socket, real, stop = sys.argv[1:]
chance, socket = random.Random(int(seed)), Path(socket)
said = open(acknowledged, "a", buffering=1)
mine, n = [], 0
while not Path(stop).exists():
    if socket.is_symlink() and chance.random() < 0.06:
        socket.unlink()                      # an offline spell begins
        close_pools()
    elif not socket.is_symlink() and chance.random() < 0.15:
        socket.symlink_to(real)
    try:
        with tenure.open(url, folder) as ws:
            what = chance.random()
            n += 1
            if what < 0.55 or not mine:
                made = ws.add(f"Client {seed} says {n}: {chance.getrandbits(60):x} {chance.getrandbits(60):x}")
                mine.append(made.id)
                said.write(json.dumps(["add", made.id]) + "\\n")
            elif what < 0.7:
                id = chance.choice(mine)
                text = f"Client {seed} says instead {n}: {chance.getrandbits(60):x}"
                ws.edit(id, text=text)
                said.write(json.dumps(["edit", id, text]) + "\\n")
            elif what < 0.9:
                id, task = chance.choice(mine), f"{seed}-{n}"
                ws.log(id, "positive", task=task)
                said.write(json.dumps(["log", id, task]) + "\\n")
            else:
                ws.pull()
    except StoreUnusable:
        time.sleep(0.05)
    except TenureError as error:
        said.write(json.dumps(["refused", error.message]) + "\\n")
if not socket.is_symlink():
    socket.symlink_to(real)
"""


# Seconds for a client to end what it is at; a busy machine takes minutes for eight of them.
_PATIENCE = 900


class Outcome(NamedTuple):
    """What was acknowledged and what became of it."""

    acknowledged: int
    kept_for_later: int
    lost: list[Any]
    twice: list[Any]
    refused: list[Any]
    differing: list[str]
    problems: list[Any]
    kills: int


def run(folder: Path, *, clients: int, kills: int, pause: float, seed: int = 23) -> Outcome:
    """Let clients work while the server is killed so many times; return what was found at the end."""
    import psycopg

    from tenure.store.postgres import connection, migrate, roles

    chance = random.Random(seed)
    # Durable as a real one: after a kill everything that was acknowledged has to be there.
    server = Server(folder / "pg", durable=True)
    address = server.start()
    with connection.connect(address) as admin:
        migrate.migrate(admin)
        roles.init(admin, approvals=0)
        for n in range(clients):
            admin.execute(f"CREATE ROLE client{n} LOGIN PASSWORD '{PASSWORD}'".encode())
            roles.grant(admin, f"client{n}", ["member"])
    stop = folder / "stop"
    programs, lines, processes, urls = [], [], [], []
    for n in range(clients):
        (folder / f"client{n}").mkdir()
        program = Program(folder / f"client{n}", folder / f"client{n}" / "home" / "tenure")
        line = Line(server.folder)
        url = line.through(f"postgresql://client{n}:{PASSWORD}@/postgres?host={server.folder}") + "#one"
        assert program("--store", url, "team", "pull").status == 0
        programs.append(program)
        lines.append(line)
        urls.append(url)
        real = str(server.folder / line.socket.name)
        words = [url, str(program.folder), str(_said(program)), str(n), str(line.socket), real, str(stop)]
        processes.append(program.start(CLIENT, *words))
    done = 0
    try:
        while done < kills:
            time.sleep(pause * (0.5 + chance.random()))
            server.kill()
            done += 1
            server.start()
        time.sleep(2 * pause)
    finally:
        stop.touch()
        errors = [process.communicate(timeout=_PATIENCE)[1].decode() for process in processes]
    assert not any(errors) and not any(process.returncode for process in processes), errors
    try:
        return _compared(programs, urls, done)
    finally:
        for line in lines:
            line.__exit__()
        connection.close_pools()
        with psycopg.connect(address):
            pass
        server.remove()


def _compared(programs: list[Program], urls: list[str], kills: int) -> Outcome:
    kept = 0
    for program, url in zip(programs, urls, strict=True):
        kept += len(program.ok("--store", url, "team", "outbox")["commands"])
        program.ok("--store", url, "team", "pull")
    for program, url in zip(programs, urls, strict=True):
        program.ok("--store", url, "team", "pull")
    refused = [
        item for p, u in zip(programs, urls, strict=True) for item in p.ok("--store", u, "team", "outbox")["commands"]
    ]
    said = [json.loads(line) for program in programs for line in _said(program).read_text("utf-8").splitlines()]
    told = [entry for entry in said if entry[0] != "refused"]
    history = _history(programs[0], urls[0])
    added = Counter(id for id, type, _ in history if type == "Created")
    logged = Counter(task for _, type, task in history if type == "Applied")
    edited = Counter(text for _, type, text in history if type == "Edited")
    seen = {"add": added, "log": logged, "edit": edited}
    lost = [entry for entry in told if not seen[entry[0]][entry[-1]]]
    twice = [key for counted in seen.values() for key, times in counted.items() if times > 1]
    copies = [_copy(program) for program in programs]
    differing = [f"client{n}" for n, copy in enumerate(copies) if copy != copies[0]]
    problems = programs[0].ok("--store", urls[0], "check")["problems"]
    return Outcome(len(told), kept, lost, twice, refused, differing, problems, kills)


def _history(program: Program, url: str) -> list[tuple[str, str, str]]:
    script = (
        "import json,sys,tenure\n"
        "ws = tenure.open(sys.argv[1])\n"
        "for one in ws.memories(all=True):\n"
        "    for e in ws.history(one.id):\n"
        "        print(json.dumps([one.id, e.event.type, one.id if e.event.type == 'Created' else e.event.task or "
        "e.event.set.get('text', '')]))\n"
    )
    out, err = program.start(script, url).communicate()
    assert not err, err
    return [tuple(json.loads(line)) for line in out.decode().splitlines()]


def _copy(program: Program) -> list[tuple[str, str, str, bool]]:
    from tenure.store import open_store

    (path,) = [path for path in (program.home / "teams").glob("*.db") if "offline" not in path.name]
    store = open_store(path)
    found = sorted((r.memory.id, r.memory.text, r.memory.state, r.eligible) for r in store.find())
    store.close()
    return found


def _said(program: Program) -> Path:
    return program.folder / "acknowledged"
