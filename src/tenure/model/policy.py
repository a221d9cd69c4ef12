"""Policy is data: every threshold of a dialect, read from a TOML file and overlaid by the user's settings.

A policy file must name every key; there are no defaults in the code. The order of authority is: the project's
settings, the user's settings, the packaged file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Annotated, Any

import msgspec

from tenure.model.decoding import convert
from tenure.model.errors import InvalidInput
from tenure.model.memory import Phase, Trust

# A number below nothing, or a share of more than all, is a slip of the pen, and some would erase: grace_days = -5.
# So is one beyond every use, which would overflow a date or SQLite's integers; nan is within no bounds at all.
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
_Size = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Hundredths = Annotated[int, msgspec.Meta(ge=0, le=100)]
_Change = Annotated[int, msgspec.Meta(ge=-100, le=100)]
_Days = Annotated[int, msgspec.Meta(ge=0, le=36_500)]
_HalfLife = Annotated[float, msgspec.Meta(ge=0.01, le=36_500)]
_Hours = Annotated[int, msgspec.Meta(ge=0, le=876_000)]
# Neither arm may be certain, and a bet on one that hardly ever comes is worth nothing.
_HeldShare = Annotated[float, msgspec.Meta(ge=0.01, le=0.9)]
_Strength = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a policy file: every key named, none left over."""


class Step(_Section, frozen=True, rename={"source": "from"}):
    """One rung of the ladder: what a memory needs to go from one state to the next."""

    source: str
    to: str
    evidence: _Count
    successes: _Count
    tasks: _Count
    approvals: _Count
    either: bool
    contradictions_allowed: bool
    review_days: _Days


class Hold(_Section, frozen=True):
    """When a live memory goes under review, and how that may end."""

    state: str
    failures: _Count
    confidence_below: _Hundredths
    rounds: _Size
    exhausted: str
    weaken_exhausted: bool
    weakened_to: str
    also_from: tuple[str, ...]


class Promotion(_Section, frozen=True):
    start: str
    start_stated: str
    at_once: bool
    upkeep_mode: str
    evidence_suffices_for: tuple[Trust, ...]
    steps: tuple[Step, ...]
    hold: Hold


class Confidence(_Section, frozen=True):
    by_evidence: Annotated[tuple[_Hundredths, ...], msgspec.Meta(min_length=1)]
    positive: _Change
    negative: _Change
    contradiction: _Change
    raises: tuple[tuple[_Hundredths, _Hundredths], ...]
    reinstated_floor: _Hundredths
    reinstated_to_evidence: bool
    once_per_task_and_agent: bool
    count_reports: bool


class Decay(_Section, frozen=True):
    state: str
    contradictions: _Count
    confidence_below: _Hundredths
    by_review_date: bool
    used_since: str
    unseen_runs: _Count
    kept_when_stated: tuple[str, ...]
    sweep_limit: _Count
    half_life_days: dict[str, _HalfLife]


class Inject(_Section, frozen=True):
    limit: _Count
    budget_chars: _Count
    line_chars: _Size
    duplicate_overlap: _Share
    floor_share: _Share
    least_evidence: _Strength
    once_per_session: bool
    ask: bool
    session_tokens: _Size
    weight: dict[str, _Hundredths]


class Write(_Section, frozen=True):
    title_chars: _Size
    text_bytes: _Size
    content_bytes: _Size
    tags_cap: _Size
    changes_cap: _Size
    resurrection_hours: _Hours
    resurrection_overlap: _Share
    session_window: _Count
    kind_cap: _Count
    waiting_per_run: _Count
    disabled_kinds: tuple[str, ...]
    uncaptured_kinds: tuple[str, ...]
    history_in_memory: bool


class Reversal(_Section, frozen=True):
    words: tuple[str, ...]
    kinds: tuple[str, ...]


class Match(_Section, frozen=True):
    similar_overlap: _Share
    reversal_overlap: _Share
    topic_overlap: _Share
    candidates: _Size
    words: _Size
    reversal: Reversal


class Claims(_Section, frozen=True):
    modifiers: dict[str, _Hundredths]


class Routing(_Section, frozen=True):
    trust: dict[str, Trust]


class Retention(_Section, frozen=True):
    retired_state: str
    final_states: tuple[str, ...]
    grace_days: _Days
    purge_states: tuple[str, ...]
    archive_instead: bool
    expire_days: dict[str, _Days]


class Effect(_Section, frozen=True):
    """How often a memory is held back where effects are measured, and what follows from what is found."""

    first_exposures: _Count
    first_share: _HeldShare
    later_share: _HeldShare
    proven_share: _HeldShare
    block_share: _HeldShare
    no_sign_exposures: _Size


class Guards(_Section, frozen=True):
    """How guards rise, fall and end, and how much they may say."""

    lasts_days: _Days
    least_examples: _Count
    right_to_deny: _Size
    wrong_to_off: _Size
    stops_in_a_row: _Size
    at_once: _Size
    most: _Size


class Policy(_Section, frozen=True):
    """All rules of one dialect."""

    name: str
    states: dict[str, Phase]
    promotion: Promotion
    confidence: Confidence
    decay: Decay
    inject: Inject
    write: Write
    match: Match
    claims: Claims
    routing: Routing
    retention: Retention
    effect: Effect
    guards: Guards
    # Tables of a dialect's own, under its name in its file.
    own: dict[str, Any]

    def phase(self, state: str) -> Phase:
        """Return the phase a state belongs to; a state nobody named is held until someone looks."""
        return self.states.get(state, "held")

    def step_from(self, state: str) -> Step | None:
        """Return the next rung above a state, None at the top or off the ladder."""
        for step in self.promotion.steps:
            if step.source == state:
                return step
        return None

    def step_to(self, state: str) -> Step | None:
        """Return the rung that leads to a state."""
        return next((step for step in self.promotion.steps if step.to == state), None)


_ABSENT = object()
# Keys that earlier versions took and nothing reads any more: files that still have them go on working.
RETIRED = frozenset({"claims.kinds"})


class Setting(msgspec.Struct, frozen=True):
    """One value of a policy and where it came from."""

    key: str
    value: Any
    origin: str


def load(name: str, overlays: Mapping[str, Mapping[str, Any]] | None = None) -> tuple[Policy, list[Setting]]:
    """Return the named policy and its settings; `overlays` maps an origin to its [policy] table, weakest first."""
    tree, origins = _packaged(name)
    for origin, overlay in (overlays or {}).items():
        for key, value in _leaves(overlay):
            if key in RETIRED:
                continue
            if key not in origins and not _opens(key):
                raise InvalidInput(
                    f"{origin}: there is no policy key {key!r}.",
                    hint="`tenure policy` lists the keys.",
                    field=f"policy.{key}",
                )
            _put(tree, key, value)
            origins[key] = origin
    try:
        policy = convert(tree, Policy)
    except msgspec.ValidationError as error:
        said, _, path = str(error).partition(" - at `$.")
        key = path.rstrip("`")
        where = origins.get(key) or ", ".join(overlays or {}) or f"{name}.toml"
        raise InvalidInput(
            f"{where}: {key or 'the policy'} is not valid: {said}.",
            hint="`tenure policy` shows the values in use and where each comes from.",
            field=f"policy.{key}",
        ) from None
    settings = [Setting(key, value, origins[key]) for key, value in _leaves(tree)]
    return policy, sorted(settings, key=lambda setting: setting.key)


def requested(origin: str, overlay: Mapping[str, Any]) -> list[Setting]:
    """Return what an overlay asks for, unchanged."""
    return [Setting(key, value, origin) for key, value in _leaves(overlay)]


def differing(origin: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Setting]:
    """Return what one overlay asks for otherwise than another; None for what it no longer names."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    changed = [Setting(key, value, origin) for key, value in new.items() if old.get(key, _ABSENT) != value]
    return changed + [Setting(key, None, origin) for key in old if key not in new]


def packaged_text(name: str) -> str:
    """Return a packaged policy file as it is written; each lies in the folder of its system."""
    folder = "native" if name == "tenure" else name.replace("-", "_")
    return resources.files("tenure.systems").joinpath(folder, "policy.toml").read_text(encoding="utf-8")


def _packaged(name: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a packaged policy and where each value stands; a file may be based on another and name what differs."""
    mine = tomllib.loads(packaged_text(name))
    base = mine.pop("based_on", None)
    own = mine.pop(name, {})
    tree, origins = _packaged(base) if base else (dict(mine), {})
    tree["own"] = own
    if "states" in mine:
        # States are a whole: those of the base do not exist here.
        tree["states"] = {}
        origins = {key: origin for key, origin in origins.items() if not key.startswith("states.")}
    if "unknown" in mine.get("decay", {}).get("half_life_days", {}):
        # So are half-lives where a file says what holds for a kind it does not list.
        tree["decay"] = {**tree["decay"], "half_life_days": {}}
        origins = {key: origin for key, origin in origins.items() if not key.startswith("decay.half_life_days.")}
    for key, value in _leaves(mine):
        _put(tree, key, value)
    origins |= {key: f"{name}.toml" for key, _ in [*_leaves(mine), *_leaves({"own": own})]}
    return tree, origins


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# Tables whose keys are the user's own (kinds, states, sources), so an overlay may add to them.
_OPEN_TABLES = (
    "states",
    "decay.half_life_days",
    "inject.weight",
    "routing.trust",
    "retention.expire_days",
    "own",
)


def _opens(key: str) -> bool:
    return any(key.startswith(f"{table}.") for table in _OPEN_TABLES)


def _put(tree: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for part in path:
        tree = tree.setdefault(part, {})
        if not isinstance(tree, dict):
            raise InvalidInput(f"{key}: {part} is a value, not a table.", field=f"policy.{key}")
    tree[last] = value
