"""A team's database beside what it is measured by: `scripts/bench team [FETCHED]`.

Ranking: real prompts over the same memories, the top eight of the file store against those of SQL and of the copy.
Load: commands and searches of one client and of several at once, each process in a project of its own, beside raw
psycopg that repeats the very statements in another project. `--load` measures nothing else.
Prompts: the hook with a database that nobody reaches, beside one that is there. `--generated N` instead of all that
prints sizes, plans and times in a database of N projects. FETCHED holds fetched repositories, as
for `scripts/bench recall --real`; without it only load and prompts are measured.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from postgres_server import Server

import tenure
from tenure.files import locate
from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.events import Revision
from tenure.model.evolve import born
from tenure.model.memory import Memory
from tenure.rules.stored_verdict import verdict
from tenure.store import open_elsewhere, open_store

PROMPTS, BULLETS, TOP = 500, 3000, 8
COMMANDS, SEARCHES, HOOKS = 300, 300, 21
CLIENTS = (1, 4, 8)
# Far from every other number that a statement may hold, so that it can be told from them.
FIRST_PROJECT = 700_000_001
UNREACHABLE = "postgresql://ana@10.255.255.1/memory#bench"
POLICY, _ = policies.load("tenure", {})
Call = list[tuple[Any, Any]]


def main(words: Sequence[str]) -> None:
    """Print every figure."""
    if words[:1] == ["--client"]:
        client(*words[1:])
        return
    folder = Path(tempfile.mkdtemp(prefix="tenure-bench-"))
    folder.chmod(0o755)
    os.environ |= {"TENURE_HOME": str(folder / "home"), "TENURE_UNATTENDED": "1", "TENURE_ENCODER": "none"}
    server = Server(folder / "pg", durable=True)
    try:
        address = _set_up(server)
        if words[:1] == ["--generated"]:
            generated(server, address, int(words[1]))
            return
        only_load = words[:1] == ["--load"]
        if words and not only_load:
            ranking(folder, address, Path(words[0]))
        for clients in CLIENTS:
            load(folder, address, clients)
        if not only_load:
            prompts(folder, address)
    finally:
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def _set_up(server: Server) -> str:
    from tenure.store.postgres import connection, migrate, roles

    with connection.connect(server.start()) as admin:
        migrate.migrate(admin)
        roles.init(admin, approvals=0)
        admin.execute("CREATE ROLE ana LOGIN PASSWORD 'bench'")
        roles.grant(admin, "ana", ["member"])
        admin.execute(f"SELECT setval(pg_get_serial_sequence('tenure.project', 'id'), {FIRST_PROJECT})".encode())
    return f"postgresql://ana:bench@/postgres?host={server.folder}"


# Ranking


def ranking(folder: Path, address: str, fetched: Path) -> None:
    """Compare the top eight of three stores with the same memories."""
    import recall_prompts
    import recall_real

    texts = [item.text for half in recall_prompts.HALVES for item in recall_prompts.memories(half).values()]
    texts += list(recall_real.bullets(fetched))[:BULLETS]
    asked = [text for half in recall_prompts.HALVES for _, text in recall_prompts.judged(fetched, half)][:PROMPTS]
    here = folder / "ranking"
    here.mkdir()
    url = f"{address}#ranking"
    _fill(open_store(here / "file.db"), texts)
    _fill(open_elsewhere("postgresql", address, "ranking"), texts)
    with tenure.open(f"sqlite:{here / 'file.db'}", here) as file, tenure.open(url, here) as team:
        team.pull()
        with tenure.open(f"sqlite:{team.project.place.path}", here) as copy:
            by_file = [_best(file, text) for text in asked]
            by_sql = [_best(team, text) for text in asked]
            by_copy = [_best(copy, text) for text in asked]
    for name, found in (("SQL", by_sql), ("copy", by_copy)):
        equal = sum(one == other for one, other in zip(by_file, found, strict=True))
        same = sum(set(one) == set(other) for one, other in zip(by_file, found, strict=True))
        share = 100 / len(asked)
        print(f"{name:5} {len(asked)} prompts over {len(texts)} memories: {equal * share:.1f} % equal top eight in"
              f" order, {same * share:.1f} % as a set")  # fmt: skip
    empty = sum(not found for found in by_file)
    print(f"      {empty} of the prompts find nothing in any store")


def _best(workspace: tenure.Workspace, text: str) -> list[str]:
    return [hit.id for hit in workspace.search(text, limit=TOP)]


def _fill(store: Any, texts: Sequence[str]) -> None:
    now = clock.parse("2026-04-03T14:00:00Z")
    with contextlib.closing(store):
        for start in range(0, len(texts), 200):
            revisions = []
            for n, text in enumerate(texts[start : start + 200], start):
                memory = _memory(f"m-{n:05d}", text, now)
                revisions.append(
                    Revision(memory_id=memory.id, events=(born(memory),), after=memory, expected_version=0)
                )
            store.commit(revisions, [verdict(r.after, POLICY) if r.after else None for r in revisions])


def _memory(id: str, text: str, now: Any) -> Memory:
    return Memory(id=id, kind="lesson", title=text[:60], text=text, state="provisional", phase="live", trust="user",
                  created_at=now, updated_at=now)  # fmt: skip


# Load


def load(folder: Path, address: str, clients: int) -> None:
    """Time commands and searches of so many clients at once, and the same statements by themselves."""
    started = []
    for n in range(clients):
        here = folder / f"load-{clients}-{n}"
        here.mkdir()
        words = [sys.executable, __file__, "--client", address, f"{clients}-{n}", str(here), str(clients)]
        started.append(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    ours: dict[str, list[float]] = {}
    for what in ("commands", "raw commands", "searches", "raw searches"):
        for process in started:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        begin = time.perf_counter()
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        taken: list[float] = []
        for process in started:
            assert process.stdout is not None
            taken += json.loads(process.stdout.readline())
        seconds = time.perf_counter() - begin
        if what.startswith("raw "):
            name = what.removeprefix("raw ")
            _print(f"{name}, {clients} clients", (ours[name], ours[f"{name} seconds"][0]), (taken, seconds))
        else:
            ours[what], ours[f"{what} seconds"] = taken, [seconds]
    for process in started:
        assert process.wait() == 0


def client(address: str, name: str, folder: str, clients: str) -> None:
    """Do each part of the load when told to, and print how long every call took."""
    commands, searches = COMMANDS // int(clients), SEARCHES // int(clients)
    words = [f"area{n % 17} module{n % 29} service{n % 41}" for n in range(commands)]

    def told(taken: Callable[[], list[float]]) -> None:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(taken()), flush=True)

    with tenure.open(f"{address}#load-{name}", folder) as ws:
        ws.add("The first command makes the project")
        store: Any = ws.project.store
        calls: list[Call] = []
        with _recorded(store.connection, calls):
            told(lambda: _timed(lambda n: ws.add(f"Rule {n}: the {words[n]} waits for step{n}"), commands, calls))
        made = _made_like(address, f"replayed-{name}", folder)
        told(lambda: _replay(address, store.project, calls, made))
        asked: list[Call] = []
        with _recorded(store.connection, asked):
            told(lambda: _timed(lambda n: ws.search(f"why does {words[n]} wait", limit=TOP), searches, asked))
        told(lambda: _replay(address, store.project, asked, store.project))


@contextlib.contextmanager
def _recorded(connection: Any, calls: list[Call]) -> Iterator[None]:
    """Write down each statement in the call it belongs to."""
    execute = connection.execute

    def noted(query: Any, values: Any = None, **named: Any) -> Any:
        if calls:
            calls[-1].append((query, values))
        return execute(query, values, **named)

    connection.execute = noted
    try:
        yield
    finally:
        del connection.execute


def _timed(do: Callable[[int], object], count: int, calls: list[Call]) -> list[float]:
    taken = []
    for n in range(count):
        calls.append([])
        begin = time.perf_counter()
        do(n)
        taken.append(time.perf_counter() - begin)
    return taken


def _made_like(address: str, name: str, folder: str) -> int:
    """Return a new project with the one memory that the measured one began with."""
    with tenure.open(f"{address}#{name}", folder) as other:
        other.add("The first command makes the project")
        store: Any = other.project.store
        return int(store.project)


def _replay(address: str, project: int, calls: list[Call], number: int) -> list[float]:
    """Repeat the statements in another project, or in the same one where they only read."""
    import psycopg

    taken = []
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("SELECT set_config('tenure.project', %s, false)", (str(number),))
        for call in calls:
            begin = time.perf_counter()
            for query, values in call:
                done = raw.execute(query, _moved(values, project, number))
                if done.description is not None:
                    done.fetchall()
            taken.append(time.perf_counter() - begin)
    return taken


def _moved(values: Any, project: int, number: int) -> Any:
    swap = {project: number, str(project): str(number)}
    if isinstance(values, dict):
        return {key: swap.get(value, value) if isinstance(value, int | str) else value for key, value in values.items()}
    if values is None:
        return None
    return [swap.get(value, value) if isinstance(value, int | str) else value for value in values]


def _print(what: str, ours: tuple[list[float], float], raw: tuple[list[float], float]) -> None:
    """Print rates over the time that all clients took together, and times of single calls."""

    def told(taken: list[float], seconds: float) -> str:
        cut = sorted(taken)
        return (f"{len(cut) / seconds:6.0f}/s  p50 {1000 * statistics.median(cut):6.2f} ms  "
                f"p99 {1000 * cut[int(len(cut) * 0.99) - 1]:6.2f} ms")  # fmt: skip

    print(f"{what}: Tenure {told(*ours)} · raw psycopg {told(*raw)} · {raw[1] / ours[1]:.2f}x the rate", flush=True)


def generated(server: Server, address: str, count: int) -> None:
    """Print figures of a database with so many projects of twenty memories."""
    import psycopg
    import team_generated

    words = ("service", "retries", "deploy", "cache", "queue", "schema", "region", "token", "budget", "proxy")
    texts = [
        f"Rule {n}: the {words[n % 10]} waits for {words[n * 3 % 10]} before {words[n * 7 % 10]} {n} runs"
        for n in range(20)
    ]
    _fill(open_elsewhere("postgresql", address, "first"), texts)
    with psycopg.connect(server.uri, autocommit=True) as admin:
        found = admin.execute("SELECT id FROM tenure.project WHERE name = 'first'").fetchone()
        assert found is not None
        for before in (0, count):
            if before:
                seconds = team_generated.multiply(admin, found[0], count)
                print(f"{count} projects more, {20 * count} memories, in {seconds:.0f} s:")
            else:
                print("one project of 20 memories:")
            team_generated.figures(admin, address, f"copy-{count // 2}" if before else "first")


# Prompts


def prompts(folder: Path, address: str) -> None:
    """Time the prompt hook where the database is there, where nobody answers, and with a file of its own."""
    here = folder / "prompts"
    here.mkdir()
    with tenure.open(f"{address}#load-1-0", here) as ws:
        ws.pull()
        copy = ws.project.place.path
    far = locate.named(UNREACHABLE, here).path
    shutil.copy(copy, far)
    cases = {"reachable": f"{address}#load-1-0", "unreachable": UNREACHABLE, "a file": f"sqlite:{copy}"}
    event = json.dumps({"cwd": str(here), "session_id": "s", "prompt": "why does area3 module5 wait?"}).encode()
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(HOOKS):
        for name, url in cases.items():
            environment = {**os.environ, "TENURE_STORE": url, "TENURE_HOOK_SECONDS": "30"}
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "tenure", "hook", "prompt"], input=event, capture_output=True, cwd=here,
                env=environment, check=True,
            )  # fmt: skip
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    middle = {name: statistics.median(each) for name, each in taken.items()}
    for name, seconds in middle.items():
        print(f"prompt hook, {name}: {1000 * seconds:.1f} ms of CPU, {seconds / middle['reachable']:.2f}x")


if __name__ == "__main__":
    main(sys.argv[1:])
