"""The whole life of memories, in any order, on a real store.

The quick profile runs in the suite; `TENURE_TORTURE=300` lives that many longer stories, for scripts/torture.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tenure.model import clock
from tenure.model.errors import Forgotten, TenureError
from tenure.model.evolve import fold
from tenure.model.memory import Memory
from tenure.rules.use_counts import EFFECTS
from tenure.rules.verdicts import DECISIONS
from tenure.workspace import Workspace
from tests.specimens import NOW, plain, workspace

# How many stories to live; 0 is the quick profile.
TORTURE = int(os.environ.get("TENURE_TORTURE") or 0)
PROFILE = settings(
    max_examples=TORTURE or 25,
    stateful_step_count=60 if TORTURE else 30,
    derandomize=not TORTURE,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

TEXTS = st.sampled_from(
    [
        "Use tabs for indentation",
        "Never use tabs for indentation",
        "Restart the import worker after every deploy",
        "Restart the import worker after every single deploy",
        "Resolved: restart the import worker after every deploy",
        "The request timeout is 30 seconds",
        "The request timeout is 60 seconds",
        "日本語のメモ 🗂️",
        "!!!",
    ]
)
KINDS = st.sampled_from(["lesson", "runbook", "preference", "session_summary"])
WHO = st.sampled_from(["kim", "lee", "user"])
TASKS = st.sampled_from(["", "T1", "T2", "T3"])
RUNS = st.sampled_from([f"r{n}" for n in range(6)])
SOURCES = st.sampled_from(["", "agent:coder", "web:example"])
ANY = st.integers(0, 10**6)


class Lives(RuleBasedStateMachine):
    """Every command of the workspace, and what must hold after each."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = contextlib.ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.environment = {name: os.environ.get(name) for name in ("TENURE_NOW", "TENURE_HOME")}
        os.environ["TENURE_HOME"] = str(self.folder / "home")
        self.now = NOW
        self.stores = 0
        self.ever: set[str] = set()
        self.forgotten: set[tuple[str, str]] = set()
        self.born: dict[str, Any] = {}

    @initialize()
    def start(self) -> None:
        self._set_now(timedelta(0))
        self.ws = self._open()

    def teardown(self) -> None:
        self.ws.close()
        for name, value in self.environment.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        self.stack.close()

    # Writing down

    @rule(text=TEXTS, kind=KINDS, source=SOURCES, tag=st.sampled_from(["", "a", "b"]))
    def add(self, text: str, kind: str, source: str, tag: str) -> None:
        self._try(lambda: self.ws.add(text, kind=kind, source=source, tags=[tag] if tag else []))

    @rule(text=TEXTS, kind=KINDS, run=RUNS, source=SOURCES, dry=st.booleans())
    def capture(self, text: str, kind: str, run: str, source: str, dry: bool) -> None:
        before = self._state() if dry else None
        item = {"text": text, "kind": kind, "source": source, "evidence": [f"{run}#1"]}
        self._try(lambda: self.ws.capture([item, item], run=run, dry_run=dry))
        assert before is None or self._state() == before

    @rule(which=ANY, text=TEXTS, tags=st.lists(st.sampled_from("abcdefghijklmnop"), max_size=13))
    def edit(self, which: int, text: str, tags: list[str]) -> None:
        self._with(which, lambda id: self.ws.edit(id, text=text, tags=tags or None))

    # Judging

    @rule(which=ANY, effect=st.sampled_from(EFFECTS), task=TASKS, by=WHO, contradiction=st.booleans())
    def log(self, which: int, effect: str, task: str, by: str, contradiction: bool) -> None:
        self._with(which, lambda id: self.ws.log(id, effect, task=task, by=by, contradiction=contradiction))

    @rule(which=ANY, decision=st.sampled_from(sorted(DECISIONS)), by=WHO, other=ANY)
    def review(self, which: int, decision: str, by: str, other: int) -> None:
        self._with(which, lambda id: self.ws.review(id, decision, by=by, successor=self._pick(other) or ""))

    @rule(dry=st.booleans(), mode=st.sampled_from(["inline", "batch"]))
    def promote(self, dry: bool, mode: str) -> None:
        before = self._state() if dry else None
        self._try(lambda: self.ws.promote(mode=mode, dry_run=dry))
        assert before is None or self._state() == before

    # Time

    @rule(days=st.sampled_from([0.1, 1, 20, 31, 100, 400, -1, -400]))
    def pass_time(self, days: float) -> None:
        self._set_now(timedelta(days=days))

    @rule(dry=st.booleans(), deep=st.booleans())
    def sweep(self, dry: bool, deep: bool) -> None:
        before = self._state() if dry else None
        self._try(lambda: self.ws.upkeep(dry_run=dry) if deep else self.ws.decay(dry_run=dry))
        assert before is None or self._state() == before

    # Letting go and bringing back

    @rule(which=ANY, how=st.sampled_from(["retire", "archive", "restore"]))
    def move(self, which: int, how: str) -> None:
        options = {"reason": "test"} if how == "retire" else {}
        self._with(which, lambda id: getattr(self.ws, how)(id, **options))

    @rule(old=ANY, new=ANY)
    def supersede(self, old: int, new: int) -> None:
        self._with(old, lambda id: self.ws.supersede(id, self._pick(new) or ""))

    @rule()
    def undo(self) -> None:
        self._try(lambda: self.ws.undo())

    @rule(which=ANY)
    def undo_one(self, which: int) -> None:
        def undo(id: str) -> None:
            events = self.ws.history(id)
            self.ws.undo(events[which % len(events)].seq)

        self._with(which, undo)

    @rule(which=ANY)
    def forget(self, which: int) -> None:
        def forget(id: str) -> None:
            memory = self.ws.get(id)
            copies = sorted(m.id for m in self._memories() if m.text == memory.text and m.id != id)
            erased = self.ws.forget(id)
            # Another memory that says the same is somebody else's to forget: it is named, not erased.
            assert {m for m in copies if self.ws.get(m).kind == memory.kind} <= set(erased.derived)
            if not copies:
                self.forgotten.add((memory.kind, memory.text))

        self._with(which, forget)

    @rule(dry=st.booleans())
    def collect(self, dry: bool) -> None:
        before = self._state() if dry else None
        self._try(lambda: self.ws.gc(dry_run=dry))
        assert before is None or self._state() == before

    # Looking and moving house

    @rule(query=TEXTS)
    def look(self, query: str) -> None:
        self.ws.search(query)
        shown = self.ws.inject(query)
        assert all(self.ws.get(item.id).phase == "live" for item in shown.memories)
        assert not {text for _, text in self.forgotten} & set(shown.block.splitlines())
        self.ws.queue()
        self.ws.status()
        for memory in self._memories():
            self.ws.why(memory.id)

    @precondition(lambda self: self.stores < 3)
    @rule()
    def move_house(self) -> None:
        """Export and import into a fresh store: every memory arrives as it was, with its history."""
        first, second = self.folder / f"{self.stores}.jsonl", self.folder / f"{self.stores}-again.jsonl"
        memories = self._memories()
        self.ws.export(str(first))
        self.ws.close()
        self.ws = self._open()
        result = self.ws.import_(str(first))
        assert (result.written, result.skipped) == (len(memories), [])
        assert self._memories() == memories
        self.ws.export(str(second))
        assert first.read_bytes() == second.read_bytes()
        # Marks of what was forgotten stay in the old store: a new one has nothing to compare with.
        self.forgotten.clear()
        self.ever = {memory.id for memory in memories}

    # What always holds

    @invariant()
    def every_row_follows_from_the_ledger(self) -> None:
        assert self.ws.check() == []
        for memory in self._memories():
            assert fold(recorded.event for recorded in self.ws.history(memory.id)) == memory

    @invariant()
    def signals_are_in_range(self) -> None:
        for memory in self._memories():
            signals = plain(memory)["signals"]
            assert all(value is None or value >= 0 for value in signals.values()), (memory.id, signals)
            assert memory.signals.confidence <= 100
            assert memory.signals.evidence_count >= 0
            assert len(set(memory.runs)) == len(memory.runs)
            assert len(memory.tags) <= self.ws.project.policy.write.tags_cap
            assert memory.times_held >= 0
            assert memory.updated_at >= memory.created_at

    @invariant()
    def phases_follow_from_states(self) -> None:
        for memory in self._memories():
            assert memory.phase == self.ws.project.policy.phase(memory.state)
            assert (memory.phase == "live") <= (memory.review_after is not None)
            assert (memory.state == "superseded") == (memory.superseded_by is not None)

    @invariant()
    def successors_and_contradictions_are_known_on_both_sides(self) -> None:
        memories = {memory.id: memory for memory in self._memories()}
        for memory in memories.values():
            for old in memory.supersedes:
                assert old not in memories or memories[old].superseded_by == memory.id
            if memory.superseded_by in memories:
                assert memory.id in memories[memory.superseded_by].supersedes
            for other in memory.conflicts:
                assert other not in memories or memory.id in memories[other].conflicts

    @invariant()
    def identity_never_changes_and_ids_are_never_reused(self) -> None:
        now = {memory.id: (memory.kind, memory.created_at) for memory in self._memories()}
        for id, identity in now.items():
            assert self.born.setdefault(id, identity) == identity
        erased = self.ever - set(now)
        self.ever |= set(now)
        for id in erased:
            with contextlib.suppress(TenureError):
                self.ws.add("A new thing under an old name", id=id)
                raise AssertionError(f"{id} was used again")

    @invariant()
    def nothing_forgotten_returns(self) -> None:
        kept = {memory.text for memory in self._memories()}
        for _, text in self.forgotten:
            assert text not in kept

    def _open(self) -> Workspace:
        self.stores += 1
        return workspace(self.folder, f"memory-{self.stores}.db")

    def _memories(self) -> list[Memory]:
        return self.ws.memories(all=True)

    def _state(self) -> list[Memory]:
        return self._memories()

    def _pick(self, which: int) -> str | None:
        ids = [memory.id for memory in self._memories()]
        return ids[which % len(ids)] if ids else None

    def _with(self, which: int, act: Callable[[str], Any]) -> None:
        if (id := self._pick(which)) is not None:
            self._try(lambda: act(id))

    def _try(self, act: Callable[[], Any]) -> None:
        """Do it; a refusal by a rule is an answer too, and must change nothing."""
        before = self._state()
        try:
            act()
        except Forgotten:
            assert self._state() == before
        except TenureError as error:
            if error.exit_status not in (2, 3):
                raise
            assert self._state() == before

    def _set_now(self, step: timedelta) -> None:
        self.now = max(self.now + step, NOW - timedelta(days=4000))
        os.environ["TENURE_NOW"] = clock.stamp(self.now)


Lives.TestCase.settings = PROFILE
TestLives = Lives.TestCase
