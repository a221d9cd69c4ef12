"""A memory as a file of the team: Open Knowledge Format, one fact a line, named after its id in *ours*.

Nothing in it changes by itself (no counter, no time of the last change), so that two people who edit different lines
never collide. Quotes, evidence, runs and reviews stay with the person who shared it. Keys we do not know stay where
they are.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

import msgspec

from tenure.formats import okf, yaml_subset
from tenure.model import clock
from tenure.model.decoding import convert
from tenure.model.errors import InvalidInput
from tenure.model.kinds import KINDS
from tenure.model.memory import Memory, Signals
from tenure.model.policy import Policy
from tenure.rules.confidence import from_evidence
from tenure.text.redact import redact, redact_value
from tenure.text.words import slug
from tenure.usecases import intake

MOST_BYTES = 256 * 1024
# A file without a status was written by a person or by another program.
UNSAID = "provisional"
STATES = {"draft": "candidate", "stable": "stable"}
# The key that names the commit which made a memory true, and the shortest name of one that is taken.
COMMIT, SHORTEST_COMMIT = "commit", 7
_NAME_CHARS, _RANDOM_BYTES = 32, 3


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """What a team file says. `commit` names the commit that made it true, empty when it always was."""

    id: str
    kind: str
    title: str
    text: str
    state: str
    content: dict[str, Any] = {}
    scope: str = "project"
    domain: str = ""
    agent: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commit: str = ""
    stale_after: datetime | None = None
    created_at: datetime | None = None

    @property
    def mark(self) -> str:
        """Return a hash of everything it says, by which it is known whether a person agreed to it."""
        said = {name: value for name, value in msgspec.to_builtins(self).items() if name != "created_at"}
        return hashlib.sha256(msgspec.json.encode(said, order="sorted")).hexdigest()

    def memory(self, policy: Policy, created_at: datetime) -> Memory:
        """Return it as the replica keeps it; counters are nobody's here."""
        return Memory(
            **{name: getattr(self, name) for name in _SAID},
            phase=policy.phase(self.state),
            signals=Signals(confidence=from_evidence(2, policy), evidence_count=1, frequency=1),
            created_at=self.created_at or created_at,
            updated_at=self.created_at or created_at,
            review_after=self.stale_after,
            trust="repository",
            source="team",
            extra={COMMIT: self.commit} if self.commit else {},
        )


_SAID = (
    "id", "kind", "title", "text", "state", "content", "scope", "domain", "agent", "tags", "files",
)  # fmt: skip


def new_id(title: str) -> str:
    """Return an id for a memory that is shared for the first time, which nobody else gives to another one."""
    name = slug(title)
    # Whole words, as many as are short enough to be cited.
    short = name[: _NAME_CHARS + 1].rpartition("-")[0] if len(name) > _NAME_CHARS else name
    return f"{short or name[:_NAME_CHARS]}-{secrets.token_hex(_RANDOM_BYTES)}"


def of_memory(memory: Memory, id: str, commit: str = "") -> Shared:
    """Return a memory as the team gets it: without secrets, and without anything that is the person's own."""
    said = {name: msgspec.to_builtins(getattr(memory, name)) for name in _SAID if name not in ("id", "state")}
    safe = redact_value(said)
    assert isinstance(safe, dict)
    facts = {"id": id, "state": memory.state, "commit": commit, "stale_after": memory.review_after}
    return convert({**safe, **facts, "created_at": memory.created_at}, Shared)


def document(shared: Shared, before: str = "") -> str:
    """Return the text of a team file; what `before` says under keys that are not ours stays."""
    kept: dict[str, Any] = {}
    if before:
        try:
            kept, _ = yaml_subset.split(before)
        except ValueError:
            kept = {}  # it could not be read, so there is nothing to keep
    own = kept.pop(okf.OWN, {})
    own = own if isinstance(own, dict) else {}
    said: dict[str, Any] = {
        "type": shared.kind,
        "title": shared.title,
        "tags": list(shared.tags),
        "status": okf.STATUS.get(shared.state, okf.GONE),
        "stale_after": clock.stamp(shared.stale_after) if shared.stale_after else None,
        "generated": kept.get("generated") or _generated(shared),
    }
    mine = {
        **{name: value for name, value in own.items() if name not in ("state", COMMIT, *okf.SAID)},
        "state": shared.state,
        COMMIT: shared.commit,
        **{name: _plain(getattr(shared, name)) for name in okf.SAID},
    }
    if shared.scope == "project":
        mine.pop("scope")
    head = {
        **said,
        **{name: value for name, value in kept.items() if name not in said},
        okf.OWN: {name: value for name, value in mine.items() if value not in (None, "", [], {})},
    }
    safe = redact_value({name: value for name, value in head.items() if value not in (None, "", [])})
    assert isinstance(safe, dict)
    return f"{yaml_subset.FENCE}\n{yaml_subset.dump(safe)}{yaml_subset.FENCE}\n\n{redact(shared.text)[0]}\n"


def parsed(id: str, text: str, policy: Policy) -> Shared:
    """Return what a file says; raise `InvalidInput` with the field that is wrong."""
    intake.check_id(id)
    try:
        head, body = yaml_subset.split(text.replace("\r\n", "\n"))
    except ValueError as error:
        raise InvalidInput(f"{error}.", field="front matter") from None
    if not isinstance(head.get("type"), str) or not head["type"].strip():
        raise InvalidInput("it has no `type`, the one key every concept needs.", field="type")
    said = intake.proposal(okf.says(id, head, body), policy, known_kinds=tuple(KINDS))
    own = head.get(okf.OWN)
    own = own if isinstance(own, dict) else {}
    status = head.get("status")
    state = okf.GONE if status == okf.GONE else own.get("state") or STATES.get(str(status or ""), UNSAID)
    if not isinstance(state, str) or (state not in policy.states and state != okf.GONE):
        raise InvalidInput(f"{state!r:.60} is not a state.", field="tenure.state")
    generated = head.get("generated")
    return Shared(
        id=id,
        state=state,
        commit=_commit(own.get(COMMIT)),
        stale_after=_moment(head.get("stale_after"), "stale_after"),
        created_at=_moment(generated.get("at") if isinstance(generated, dict) else None, "generated.at"),
        **{name: getattr(said, name) for name in _SAID if name not in ("id", "state")},
    )


def line_of(text: str, *words: str) -> int:
    """Return the first line that holds one of some words, 1 when none does."""
    for word in filter(None, words):
        for number, line in enumerate(text.splitlines(), start=1):
            if word in line:
                return number
    return 1


def _generated(shared: Shared) -> dict[str, str]:
    made = {"by": "tenure"}
    return made | ({"at": clock.stamp(shared.created_at)} if shared.created_at else {})


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _commit(value: Any) -> str:
    if value in (None, ""):
        return ""
    name = str(value).lower()
    if not SHORTEST_COMMIT <= len(name) <= 64 or any(sign not in "0123456789abcdef" for sign in name):
        raise InvalidInput(f"{name!r:.60} is not the name of a commit.", field=f"tenure.{COMMIT}")
    return name


def _moment(value: Any, field: str) -> datetime | None:
    """Return a time; OKF wrote plain dates before it wrote instants."""
    if value in (None, ""):
        return None
    return clock.parse(str(value), field=field)
