"""Guards measured: command lines and rules of real repositories, planted violations, and what the hook costs.

Lines and rules lie in scripts/data/guards with where they come from and a verdict given by hand; `tuned` ones were
looked at while the code was written, `untuned` ones only afterwards. `first_answer` is what the parser said before.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "guards"
ROUNDS = 25
HOSTS = ("claude-code", "codex", "gemini", "qwen", "copilot", "opencode")
PLANTED = 200
VERDICTS = ("right", "wrong", "unclear")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def lines() -> None:
    from tenure.guards import match
    from tenure.guards.calls import call_of

    matchers = json.loads((DATA / "matchers.json").read_text(encoding="utf-8"))
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows("lines.jsonl"):
        seen = match.Seen(call_of("Bash", {"command": row["line"]}, "/project"), "/project", "/home/x")
        fired = match.fires(matchers[row["guard"]], seen) is not None
        for name, answer in (("now", fired), ("first", row["first_answer"]), ("substring", True)):
            kind = "right" if answer is row["fires"] else "false alarm" if answer else "missed"
            counts[f"{row['set']} {name}", kind] += 1
        counts[f"{row['set']} now", "fires" if row["fires"] else "passes"] += 1
    print("Command lines of real sessions, judged by hand")
    for name in ("tuned", "untuned"):
        total = counts[f"{name} now", "fires"] + counts[f"{name} now", "passes"]
        print(f"  {name}: {total} lines, {counts[f'{name} now', 'fires']} of them what a guard means")
        for answer in ("now", "first", "substring"):
            found = counts[f"{name} {answer}", "false alarm"], counts[f"{name} {answer}", "missed"]
            print(f"    {answer:<10} {found[0]} false alarms, {found[1]} missed")


def rules() -> None:
    from tenure.guards.derive import derive

    print("Rules of real instruction files, judged by hand")
    for name in ("tuned", "untuned"):
        mine = [row for row in rows("rules.jsonl") if row["set"] == name]
        meant = [row for row in mine if row["expected"]]
        right = sum(row["verdict"] == "right" for row in meant)
        wrong = sum(row["verdict"] == "wrong" for row in mine)
        found = [derive(row["rule"]) for row in mine]
        denying = sum(one is not None and one.guard.level == "deny" for one in found)
        silent = sum(not row["expected"] and one is None for row, one in zip(mine, found, strict=True))
        print(
            f"  {name}: {right} of {len(meant)} guardable rules a right proposal ({right / len(meant):.0%});"
            f" of {len(mine) - len(meant)} others {silent} without one, {wrong} wrong proposals; {denying} deny"
        )


def first_sight() -> None:
    """Print what was seen of projects that nobody had looked at, before anything was mended."""
    seen = [row for row in rows("rules.jsonl") if row["set"] == "first sight"]
    verdicts = Counter(row["first_verdict"] for row in seen)
    told = ", ".join(f"{verdicts[name]} {name}" for name in ("right", "wrong", "missed"))
    print(f"Rules of 37 more projects (10,961 lines) at first sight: {told}")
    for name in ("fires_first_sight.jsonl", "fires_second_sight.jsonl"):
        about = rows(name)[0]
        size = f"{about['sessions']} sessions of {about['repositories']} more projects ({about['calls']} calls)"
        print(f"Fires over {size} at first sight: {about['first']}")


def past(folder: str) -> None:
    """Print what the guards of all these rules fire at in real sessions, with verdicts given by hand.

    The sessions are public and not kept here; `folder` holds them, and without it only the verdicts are counted.
    """
    about, *judged = rows("fires_all.jsonl")
    counts = {name: sum(len(row.get(name, "").split()) for row in judged) for name in VERDICTS}
    size = f"{about['sessions']} real sessions of {about['repositories']} projects ({about['calls']} calls)"
    print(f"Dry run over all {size}")
    for what, found in (("before the run was looked at", about["before"]), ("now", counts)):
        told = ", ".join(f"{found.get(name, 0)} {name}" for name in VERDICTS)
        print(f"  {what}: {sum(found.values())} fires, every distinct one read: {told}")
    for number, verdict, why in about["why_before"]:
        print(f"    {number} {verdict} before: {why}")
    for what, sample in (
        ("18 projects at first sight: a sample of 2,542", rows("fires_untuned.jsonl")),
        ("six more projects at first sight: a sample of 798", rows("fires_fresh.jsonl")),
    ):
        verdicts = Counter(row["verdict"] for row in sample)
        told = ", ".join(f"{verdicts[name]} {name}" for name in VERDICTS)
        print(f"  {what}, {len(sample)} judged: {told}")
    picked = rows("breaker.jsonl")
    print(f"Calls of these sessions picked to break guards: {len(picked)}")
    for what in ("first_answer", "answer"):
        alarms = sum(row[what] and not row["fires"] for row in picked)
        missed = sum(row["fires"] and not row[what] for row in picked)
        print(f"  {'at first' if what == 'first_answer' else 'now'}: {alarms} false alarms, {missed} missed")
    if folder:
        calls = [(row["guards"][0], row.get(name, "").split(), name) for row in judged for name in VERDICTS]
        known = {(guard, call): name for guard, marks, name in calls for call in marks}
        _again(Path(folder), known, picked)


def _again(folder: Path, known: dict[tuple[str, str], str], picked: list[dict[str, Any]]) -> None:
    from tenure.guards import match
    from tenure.guards.calls import FirstLook
    from tenure.usecases import past_calls

    named = _matchers()
    looked = {name: (set(match.kinds(one)), match.needles(one)) for name, one in named.items()}
    wanted = {(row["guard"], row["call"]): row["fires"] for row in picked}
    found: dict[tuple[str, str], str] = {}
    seen_calls: set[str] = set()
    answers: Counter[str] = Counter()
    for past_call in past_calls.calls(past_calls.in_files([folder])):
        call = past_call.call
        words = f"{past_call.session}\0{past_call.at}\0{call.command or ' '.join(call.paths)}"
        mark = hashlib.sha256(words.encode()).hexdigest()[:8]
        if mark in seen_calls:
            continue
        seen_calls.add(mark)
        seen, look = match.Seen(call, call.folder), FirstLook(call)
        for name, one in named.items():
            kinds, needles = looked[name]
            near = call.kind in kinds and look.may_mean(needles, is_command="commands" in one)
            fired = near and match.fires(one, seen) is not None
            if fired:
                found[name, mark] = known.get((name, mark), "not judged yet")
            if (name, mark) in wanted:
                meant = wanted[name, mark]
                answers["right" if fired is meant else "false alarm" if fired else "missed"] += 1
    print(f"  again: {len(seen_calls)} calls, {len(found)} fires: {dict(Counter(found.values()))}")
    print(f"  again, picked: {dict(answers)}")


def _matchers() -> dict[str, dict[str, Any]]:
    """Return the matchers of all rules and of the table's guards, each once, by the first that has it."""
    from tenure.guards.derive import derive
    from tenure.model.guard import matcher

    parts = ("tool", "commands", "paths", "except", "text")
    derived = [(row["source"], derive(row["rule"])) for row in rows("rules.jsonl")]
    every: list[tuple[str, dict[str, Any]]] = [(source, dict(matcher(one.guard))) for source, one in derived if one]
    table = json.loads((DATA / "matchers.json").read_text(encoding="utf-8"))
    every += [(f"matcher {name}", one) for name, one in table.items()]
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, one in every:
        kept = {part: one[part] for part in parts if part in one}
        found.setdefault(json.dumps(kept, sort_keys=True), (name, kept))
    return dict(found.values())


def obeyed() -> None:
    """Print what `audit --obeyed` said of repositories that keep their sessions, with verdicts given by hand.

    Each row names the repository's commit and that of the branch with its sessions; both are public and not kept here.
    """
    frozen = rows("obeyed.jsonl")
    whole = {row["repository"]: row for row in frozen}.values()
    sessions, calls = sum(row["sessions"] for row in whole), sum(row["calls"] for row in whole)
    print(f"Rules held against {sessions} sessions ({calls} calls) that {len(whole)} repositories keep of themselves")
    for row in frozen:
        if row["where"]:
            judged = row.get("calls_judged", {"right": 0, "wrong": 0})
            print(
                f"    {row['repository']}@{row['commit']} {row['where']}: relevant in {row['relevant']},"
                f" kept in {row['kept']}, broken in {row['broken']}: {row['verdict']}"
                f" ({judged['right']} calls right, {judged['wrong']} wrong)"
            )
    lines = [row for row in frozen if row["where"]]
    first = sum(row.get("first_verdict") == "wrong" for row in lines)
    right = sum(row["verdict"] == "right" for row in lines)
    print(f"  {right} of {len(lines)} lines right; {first} was wrong before its relevance was mended")


def planted() -> None:
    """Plant violations in a month of sessions of six hosts, and count those the dry run finds."""
    from tenure.guards import replay
    from tenure.guards.derive import derive
    from tenure.model.guard import matcher
    from tenure.usecases import past_calls

    texts = (
        "Never run `git push --force`.",
        "Never edit files under `gen/`.",
        "Use pnpm, not npm.",
        "Never read `.env`.",
    )
    bad = ("cd web && git push -f origin x", "echo x > gen/a.ts", "sudo npm install left-pad", "cat .env | head -3")
    good = (
        "git push",
        "cat gen/a.ts",
        "pnpm add left-pad",
        "ls -la .env",
        "echo 'git push -f'",
        "grep -n npm docs/a.md",
    )
    guards = [matcher(found.guard) for found in map(derive, texts) if found]
    with tempfile.TemporaryDirectory() as folder:
        wanted = 0
        for number in range(60):
            host = HOSTS[number % len(HOSTS)]
            made = [good[(number + n) % len(good)] for n in range(12)]
            for n in range(4 if number < 20 else 3):
                made.insert(3 * n + 1, bad[(number + n) % len(bad)])
                wanted += 1
            path = Path(folder, f"{number:02}-{host}.{'json' if host == 'opencode' else 'jsonl'}")
            path.write_text("\n".join(session(host, f"s{number}", made, folder)), encoding="utf-8")
        calls = list(past_calls.calls(past_calls.in_files([Path(folder)])))
        found = {fire.number for guard in guards for fire in replay.over(guard, calls, folder)}
    assert wanted == PLANTED
    hosts = len({call.host for call in calls})
    print(f"Planted violations: {len(found)} found of {wanted} among {len(calls)} calls of {hosts} hosts")


def session(host: str, id: str, commands: list[str], cwd: str) -> Iterator[str]:
    """Yield a session of a host as its file holds it, with these commands."""
    day = f"2026-10-{int(id[1:]) % 28 + 1:02}T10:00:00Z"
    given = [{"command": line} for line in commands]
    if host == "claude-code":
        for n, one in enumerate(given):
            block = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": one}
            message = {"role": "assistant", "content": [block]}
            record = {"type": "assistant", "uuid": f"{id}{n}", "sessionId": id, "cwd": cwd, "timestamp": day}
            yield json.dumps({**record, "message": message})
    elif host == "codex":
        yield json.dumps({"type": "session_meta", "timestamp": day, "payload": {"id": id, "cwd": cwd}})
        for n, line in enumerate(commands):
            arguments = json.dumps({"cmd": line})
            call = {"type": "function_call", "name": "exec_command", "call_id": f"c{n}", "arguments": arguments}
            yield json.dumps({"type": "response_item", "timestamp": day, "payload": call})
    elif host == "gemini":
        yield json.dumps({"sessionId": id, "projectHash": "x", "startTime": day})
        for n, one in enumerate(given):
            asked = {"name": "run_shell_command", "args": {**one, "dir_path": cwd}, "status": "success"}
            yield json.dumps({"id": f"g{n}", "type": "gemini", "timestamp": day, "content": "", "toolCalls": [asked]})
    elif host == "qwen":
        for n, one in enumerate(given):
            part = {"functionCall": {"id": f"q{n}", "name": "run_shell_command", "args": one}}
            message = {"role": "model", "parts": [part]}
            record = {"type": "assistant", "uuid": f"{id}{n}", "sessionId": id, "cwd": cwd, "timestamp": day}
            yield json.dumps({**record, "message": message})
    elif host == "copilot":
        start = {"sessionId": id, "context": {"cwd": cwd}}
        yield json.dumps({"type": "session.start", "id": "0", "timestamp": day, "data": start})
        for n, one in enumerate(given):
            data = {"toolName": "bash", "toolCallId": f"t{n}", "arguments": one}
            yield json.dumps({"type": "tool.execution_start", "id": f"e{n}", "timestamp": day, "data": data})
    else:
        parts = [{"type": "tool", "tool": "bash", "state": {"status": "completed", "input": one}} for one in given]
        answer = {"info": {"role": "assistant", "time": {"created": 1}}, "parts": parts}
        yield json.dumps({"info": {"id": id, "directory": cwd}, "messages": [answer]})


# What the hook is timed at: a call that no guard means, one that holds a word of each, so that none is left out at the
# first look, and the same among all that costs a parser: a loop, globs, lists for xargs, a program in another language.
_NAMES = " ".join(f"tool{n}" if n % 2 else f"gen{n}" for n in range(50))
_BUSY = r"""cd web && for f in a/*.txt b/*.txt; do rm -rf "$f"; done; git checkout -- .; find . -name '*.tmp' | xargs rm
sudo env A=1 timeout 5 bash -c 'tool1 build | tee out/log.txt'
python3 - <<'EOF'
from pathlib import Path
for path in (Path("a/b.txt"), Path("a") / "c.txt"):
    path.write_text(path.read_text().replace("a", "b"))
EOF
echo """
HOOK_LINES = {
    "a call no guard means": "git status --short && make build",
    "a call that holds a word of every guard": f"echo {_NAMES}",
    "the same in a long line": _BUSY + _NAMES,
}


def hook() -> None:
    """Compare the hook before a tool with 50 guards, and with none, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {count: Path(folder, str(count)) for count in (0, 50)}
        for count, home in homes.items():
            home.mkdir()
            (home / "project").mkdir()
            filled(home, count)
        print(f"Hook before a tool with 50 guards, beside the hook with none (median of {ROUNDS}, processor time)")
        for what, line in HOOK_LINES.items():
            times: dict[int, list[float]] = {0: [], 50: []}
            for _ in range(ROUNDS):
                for count, home in homes.items():
                    times[count].append(timed(home, line))
            print(f"  {what}: {statistics.median(times[50]) / statistics.median(times[0]):.2f}x")


def environment(home: Path) -> dict[str, str]:
    own = {"TENURE_HOME": str(home / "home"), "TENURE_UNATTENDED": "1", "TENURE_ENCODER": "none", "CLAUDECODE": "1"}
    variables = {**os.environ, **own, "HOME": str(home), "TENURE_HOOK_SECONDS": "60"}
    # An installed program is compiled; without this the compiler would be measured.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


FILL = """
import sys
from tenure import workspace
from tenure.model.guard import CommandRule, Guard
with workspace.open() as ws:
    ws.add("The build needs make db first", id="first")
    for n in range(50):
        ws.add(f"Deployments of part {n} follow the release number {n * 7919}", id=f"g{n}")
    for n in range(int(sys.argv[1])):
        if n % 2:
            rule = CommandRule(program=f"tool{n}", words=("deploy",), options=("--now",))
            line = f"run tool{n} deploy --now"
            fires, passes = (line, f"run cd x && tool{n} deploy --now"), ("run ls", f"run echo tool{n}")
            guard = Guard(tool="run", commands=(rule,), fires=fires, passes=passes)
        else:
            fires, passes = (f"run rm gen{n}/a", f"edit gen{n}/a"), (f"run ls gen{n}", "edit a")
            guard = Guard(tool="edit", paths=(f"gen{n}/",), fires=fires, passes=passes)
        ws.confirm_guard(f"g{n}", "deny", guard=guard, deny_now=True)
"""


def filled(home: Path, count: int) -> None:
    command = [sys.executable, "-c", FILL, str(count)]
    variables = {name: value for name, value in environment(home).items() if name != "CLAUDECODE"}
    subprocess.run(command, cwd=home / "project", env=variables, check=True, capture_output=True)


def timed(home: Path, line: str) -> float:
    event = {"session_id": "s", "cwd": str(home / "project"), "tool_name": "Bash", "tool_input": {"command": line}}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "tenure", "hook", "pre-tool"],
        input=json.dumps(event).encode(),
        cwd=home / "project",
        env=environment(home),
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    lines()
    rules()
    first_sight()
    planted()
    obeyed()
    past(next((word.removeprefix("--sessions=") for word in sys.argv if word.startswith("--sessions=")), ""))
    if "--quick" not in sys.argv:
        hook()
