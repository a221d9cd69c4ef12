"""What Tenure keeps: one thing worth knowing, with everything that is known about it.

A memory is a frozen record. It changes only by `evolve`, which applies one ledger event, so the ledger
can always prove how a row came to be. Confidence is kept in whole hundredths: binary floats would end up at
0.29999999999999993 where the rule says 0.3.

Nothing in a memory leads back to it, so the garbage collector does not follow the thousands that a list reads.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from tenure.model import clock
from tenure.model.decoding import decoder
from tenure.model.errors import InvalidInput
from tenure.model.guard import Guard

Phase = Literal["pending", "live", "held", "gone"]
# From most to least trusted; a memory is as trusted as its least trusted source.
Trust = Literal["user", "repository", "tool", "model", "external"]
TRUST_ORDER: tuple[Trust, ...] = ("user", "repository", "tool", "model", "external")
SCOPES = ("task", "mission", "project", "agent", "global")


class Signals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """Counters and confidence, derived from events and owned by the engine; a record leaves out those that are 0."""

    confidence: int = 0
    evidence_count: int = 0
    reuse_count: int = 0
    successful_reuses: int = 0
    failed_reuses: int = 0
    contradiction_count: int = 0
    frequency: int = 0
    # Runs that ended without it, where a system's files count them; None where the store counts runs.
    runs_unseen: int | None = None


class Approval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A reviewer's consent to one promotion: a name that was given, and the user of the machine where that is known."""

    by: str
    to: str
    at: datetime
    user: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of a memory's own change history, as claude-memory records it."""

    date: str
    summary: str
    field: str | None = None
    old_value: Any = None
    new_value: Any = None


class Memory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One thing worth knowing."""

    id: str
    kind: str
    title: str
    text: str
    content: dict[str, Any] = {}
    state: str
    phase: Phase
    scope: str = "project"
    domain: str = ""
    agent: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    # The runs its evidence comes from: one run counts once, however often it repeats itself.
    runs: tuple[str, ...] = ()
    signals: Signals = Signals()
    # The tasks in which it helped.
    tasks: tuple[str, ...] = ()
    # Who applied it where, "task/agent": where a policy counts each pair once.
    applied: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    created_at: datetime
    updated_at: datetime
    verified_at: datetime | None = None
    used_at: datetime | None = None
    helped_at: datetime | None = None
    review_after: datetime | None = None
    # When the review date was set: a use after this moment keeps the memory from decaying by disuse.
    review_set_at: datetime | None = None
    # The store's count of runs when the memory was last seen, or last lost a piece of evidence to disuse.
    run_mark: int = 0
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    # Memories that give the opposite advice.
    conflicts: tuple[str, ...] = ()
    previous_state: str | None = None
    times_held: int = 0
    retired_at: datetime | None = None
    trust: Trust = "model"
    source: str = ""
    changes: tuple[Change, ...] = ()
    # What makes it act at tool calls.
    guard: Guard | None = None
    # What a dialect's file holds and no field above does.
    extra: dict[str, Any] = {}

    @property
    def guard_is_on(self) -> bool:
        """Whether a person switched its guard on; whether the guard still acts depends on phase and time too."""
        return self.guard is not None and self.guard.state == "on"

    @property
    def stated(self) -> bool:
        """True when the user said it, rather than something having been inferred."""
        return self.trust == "user"


class Queued(NamedTuple):
    """Where a memory stands among what waits for a person, decided when it is written."""

    # Whether it contradicts others: if that still counts depends on them.
    contested: bool
    # Its place, smallest first (`rules.queue_order`): nothing goes on without a verdict, who says it, and all the rest.
    free: bool
    said: int
    # Empty when nobody has to decide.
    place: str
    # From when on, empty: always.
    since: str
    # Which rules said so.
    rules: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the policy says of a memory as it stands: stored with the row, so that hooks need no policy."""

    eligible: bool
    weight: int
    line: str
    # When time alone changes the verdict.
    due_at: datetime | None
    # Equal for texts of one kind that differ only in form.
    fingerprint: int
    # None for what is gone.
    queued: Queued | None


_encoder = msgspec.json.Encoder()
_decode = decoder(Memory)


def encode(memory: Memory) -> bytes:
    """Return the memory as the store keeps it."""
    return _encoder.encode(memory)


def decode(data: bytes | str) -> Memory:
    """Return the memory a store kept; raise `InvalidInput` with the field's path when it is not one."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InvalidInput(f"Not a memory: {error}.") from None


def as_json(memory: Memory, *, runs_now: int = 0) -> dict[str, Any]:
    """Return the memory in the shape scripts rely on: every key present, absent facts null or empty."""
    signals = msgspec.structs.asdict(memory.signals)
    signals["confidence"] = memory.signals.confidence / 100
    if memory.signals.runs_unseen is None:
        signals["runs_unseen"] = max(0, runs_now - memory.run_mark)
    return {
        "id": memory.id,
        "kind": memory.kind,
        "title": memory.title,
        "text": memory.text,
        "content": memory.content,
        "state": memory.state,
        "phase": memory.phase,
        "scope": memory.scope,
        "domain": memory.domain,
        "agent": memory.agent,
        "tags": list(memory.tags),
        "files": list(memory.files),
        "evidence": list(memory.evidence),
        "runs": list(memory.runs),
        "signals": signals,
        "tasks": list(memory.tasks),
        "approvals": [{"by": a.by, "to": a.to, "at": clock.stamp(a.at)} for a in memory.approvals],
        "created_at": clock.stamp(memory.created_at),
        "updated_at": clock.stamp(memory.updated_at),
        **{name: _stamp(getattr(memory, name)) for name in _OPTIONAL_TIMES},
        "supersedes": list(memory.supersedes),
        "superseded_by": memory.superseded_by,
        "conflicts": list(memory.conflicts),
        "previous_state": memory.previous_state,
        "times_held": memory.times_held,
        "trust": memory.trust,
        "source": memory.source,
        "changes": [msgspec.to_builtins(change) for change in memory.changes],
        "guard": msgspec.to_builtins(memory.guard) if memory.guard else None,
        "extra": memory.extra,
    }


_OPTIONAL_TIMES = ("verified_at", "used_at", "helped_at", "review_after", "retired_at")


def _stamp(moment: datetime | None) -> str | None:
    return clock.stamp(moment) if moment else None
