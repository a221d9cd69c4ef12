"""A month of sessions through `tenure hook` itself: every event is a process of its own, as a client starts it.

The agent is simulated: its tests fail more rarely when the block it was given holds the memory, or, in the placebo
store, as often with it as without. At the end `tenure effect` must say "helps" of the first store and must not claim
anything of the second. Exits with 1 when it says something else.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MEMORY = "Run make db before the integration tests: they need the test database."
PROMPT = "please run the integration tests against the test database and fix what fails"


class World(NamedTuple):
    """How often a session ends with failing tests when the agent has the memory, and when not."""

    name: str
    with_it: float
    without: float
    expected: str


TRUE_EFFECT = World("a memory that helps", 0.05, 0.60, "helps")
PLACEBO = World("a placebo", 0.40, 0.40, "cannot tell yet")


class Desk:
    """A project, a home folder and the program, for one world."""

    def __init__(self, root: Path, world: World, seed: int) -> None:
        self.project, self.home, self.world = root / "project", root / "home", world
        self.project.mkdir(parents=True)
        self.home.mkdir()
        self.chance = Random(f"{seed}/{world.name}")
        self.now = START
        self.seen = 0
        subprocess.run(["git", "init", "-q", "."], cwd=self.project, check=True)

    def run(self, *words: str, given: dict[str, Any] | None = None) -> str:
        """Run one command or hook in a process of its own and return what it prints."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TENURE_", "CLAUDE"))},
            "TENURE_HOME": str(self.home),
            "TENURE_UNATTENDED": "1",
            "TENURE_NO_WORKER": "1",
            "TENURE_HOST": "claude-code",
            # A busy machine is no reason to be silent here.
            "TENURE_HOOK_SECONDS": "30",
            "TENURE_NOW": f"{self.now:%Y-%m-%dT%H:%M:%SZ}",
        }
        done = subprocess.run(
            [sys.executable, "-m", "tenure", *words],
            cwd=self.project,
            env=environment,
            input=json.dumps(given or {}),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"tenure {' '.join(words)}: {done.stderr}")
        return done.stdout

    def session(self, number: int) -> None:
        """Live through one session: prompt, tests, end; then the worker learns from it."""
        self.now = START + timedelta(hours=12 * number)
        name = f"00000000-0000-4000-8000-{self.chance.getrandbits(48):012x}"
        transcript = self.home.parent / f"{name}.jsonl"
        facts = {"session_id": name, "cwd": str(self.project), "transcript_path": str(transcript)}
        first = self.run("hook", "session-start", given={**facts, "source": "startup"})
        block = self.run("hook", "prompt", given={**facts, "prompt": PROMPT})
        has_it = "make db" in first + block
        self.seen += has_it
        failed = self.chance.random() < (self.world.with_it if has_it else self.world.without)
        write_transcript(transcript, name, self.project, self.now, failed)
        self.now += timedelta(minutes=20)
        self.run("hook", "session-end", given=facts)
        self.run("hook", "work")

    def month(self, sessions: int, *, at_most: int = 0) -> dict[str, Any]:
        """Live through so many sessions and return what `tenure effect` says.

        Each store tosses its own coins, so a dozen sessions may hold too little back to prove anything: up to
        `at_most` sessions follow until the expected verdict comes.
        """
        made = json.loads(self.run("--json", "add", MEMORY, "--kind", "lesson", "--source", "agent:simulation"))
        self.run("review", made["id"], "--decision", "approve", "--by", "somebody")
        self.run("effect", "start")
        lived = 0
        while True:
            while lived < sessions:
                lived += 1
                self.session(lived)
            answer: dict[str, Any] = json.loads(self.run("--json", "effect", "--sessions"))
            if answer["verdict"] == self.world.expected or lived >= at_most:
                return answer
            sessions = lived + 1


def write_transcript(path: Path, session: str, project: Path, start: datetime, failed: bool) -> None:
    """Write a session as Claude Code does: a prompt, a test run with its result, an answer."""

    def record(kind: str, minutes: int, content: Any) -> dict[str, Any]:
        at = f"{start + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%S.000Z}"
        message = {"role": kind, "content": content, "model": "simulated"}
        facts = {"sessionId": session, "cwd": str(project), "timestamp": at, "uuid": f"{session}-{minutes}"}
        return {"type": kind, "message": message, **facts}

    call = {"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": "pytest tests/integration"}}
    # Numbers that differ, so that no error is the same as one before: only how the session ends counts.
    said = f"Error: {session[-12:]} failed" if failed else "12 passed"
    result = {"type": "tool_result", "tool_use_id": "call-1", "content": said, "is_error": failed}
    records = [
        record("user", 0, PROMPT),
        record("assistant", 5, [call]),
        record("user", 9, [result]),
        record("assistant", 10, [{"type": "text", "text": "Done."}]),
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def main() -> int:
    """Live through both months and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wrong = 0
    for world in (TRUE_EFFECT, PLACEBO):
        with tempfile.TemporaryDirectory() as folder:
            found = Desk(Path(folder), world, asked.seed).month(asked.sessions)
        arms = ", ".join(
            f"{name} {found[name]['troubles']}/{found[name]['exposures']} troubled" for name in ("shown", "held")
        )
        print(f"{world.name}: {found['verdict']} after {found['sessions']} sessions ({arms})", flush=True)
        wrong += found["verdict"] != world.expected
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
