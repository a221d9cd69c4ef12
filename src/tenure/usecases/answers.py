"""What the workspace takes and answers: records with every field named, and what the user should know in `notes`.

The command line prints these records as they are, so a field that is added here stands in its JSON too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tenure.model.memory import Memory

if TYPE_CHECKING:
    from tenure.capture.outcomes import Outcome
    from tenure.model.events import Recorded
    from tenure.rules.consolidate import Decision
    from tenure.rules.promote import Need

# Called with what is done and what there is to do.
Progress = Callable[[int, int], None]


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the API."""


class Written(Memory, frozen=True, kw_only=True):
    """A memory as a change left it, and what the user should know about that."""

    notes: tuple[str, ...] = ()
    # To an agent that proposed it: what is known already and may say the same.
    nearest: tuple[Nearest, ...] = ()


class Nearest(_Record, frozen=True):
    """A memory that is near to a new one."""

    id: str
    text: str


def written(memory: Memory, notes: Sequence[str] = (), nearest: Sequence[Nearest] = ()) -> Written:
    """Return the memory as an answer."""
    fields = {name: getattr(memory, name) for name in Memory.__struct_fields__}
    return Written(**fields, notes=tuple(notes), nearest=tuple(nearest))


class LeftOut(_Record, frozen=True):
    """A memory or a line that was left out, and why."""

    id: str
    why: str


class Problem(_Record, frozen=True):
    """Something that does not hold: in a file, or in the store."""

    path: str
    field: str
    message: str


# Capturing


class Skipped(_Record, frozen=True, omit_defaults=True):
    """Something in a file that was not captured; the fields that are None do not apply."""

    path: str
    line: str | None = None
    kind: str | None = None
    title: str | None = None
    why: str = ""
    category: str | None = None
    destination: str | None = None
    text: str | None = None


class Captured(_Record, frozen=True):
    """What became of each proposal, and what was not one."""

    decisions: Sequence[Decision] = ()
    skipped: Sequence[Skipped] = ()
    notes: Sequence[str] = ()


class Learned(_Record, frozen=True):
    """What became of a session's proposals, what came of memories in it, and the ids of those that changed."""

    decisions: Sequence[Decision] = ()
    outcomes: Sequence[Outcome] = ()
    changed: Sequence[str] = ()
    notes: Sequence[str] = ()


class LearnedPast(_Record, frozen=True):
    """How many sessions an agent had kept, and what became of their proposals."""

    sessions: int
    decisions: Sequence[Decision] = ()
    notes: Sequence[str] = ()


# Searching and injecting


class Hit(_Record, frozen=True):
    """A memory found, with its score and what the score is made of."""

    id: str
    score: float
    title: str
    state: str
    why: str
    # Signal -> what it adds to the score.
    terms: dict[str, float] = {}
    # How sure it is that this is no coincidence; `inject` is silent below the policy's `least_evidence`.
    evidence: float = 0.0


class Word(_Record, frozen=True):
    """A word of a query, and how many memories hold it."""

    word: str
    memories: int


class Silence(_Record, frozen=True):
    """What chance reaches in this store, by words and by meaning; None where it was not measured yet."""

    words: float
    meaning: float
    calibrated_at: str | None


class Explained(_Record, frozen=True, omit_defaults=True):
    """How a query was read: the words looked up, those left out, and the point of silence."""

    words: Sequence[Word]
    left_out: Sequence[Word]
    # How many memories there are.
    memories: int
    # What a match must tell in a store of this size before it is more than chance.
    chance: float
    least_evidence: float
    silence: Silence
    # Memory -> signal -> what it adds to the score; only for an injection.
    terms: dict[str, dict[str, float]] | None = None


class InjectRequest(_Record, frozen=True):
    """What an agent is about to do, and how much it may be told; None leaves a limit to the policy."""

    query: str = ""
    task: str = ""
    agent: str = ""
    domain: str = ""
    files: Sequence[str] = ()
    limit: int | None = None
    budget_chars: int | None = None
    run: str = ""


class Chosen(_Record, frozen=True, omit_defaults=True):
    """A memory that is shown, and why; `caution` where the system warns of some."""

    id: str
    score: float
    why: str
    caution: bool | None = None


class Injection(_Record, frozen=True):
    """What an agent is shown, and what was kept back and why."""

    block: str
    memories: Sequence[Chosen] = ()
    suppressed: Sequence[LeftOut] = ()
    # False when the store could not be written, so that nobody can ask later why this was shown.
    traced: bool = True
    # What was asked for and what was not, for `--explain`; None where the system does not choose by words.
    explained: Explained | None = None
    notes: Sequence[str] = ()


class Shown(_Record, frozen=True):
    """An injection of the past: when, to whom and for what."""

    number: int
    at: str
    run: str
    task: str
    agent: str
    query: str


class Listed(Shown, frozen=True):
    """An injection in a list, with how many memories it showed."""

    memories: int


class Replayed(_Record, frozen=True):
    """One memory of a replay: how it was shown, why, and what happened since."""

    id: str
    # "shown", "erased", "damaged" or "unknown".
    status: str
    version: int | None
    length: str
    score: float
    evidence: float | None
    terms: dict[str, float]
    why: str
    since: tuple[str, ...]
    # Whether this is, character by character, what was shown; None where nothing was noted to tell by.
    exact: bool | None


class Replay(Shown, frozen=True):
    """An injection shown again; `block` differs from what was shown only in its nonce when `exact` is true."""

    block: str
    exact: bool
    memories: Sequence[Replayed]
    notes: Sequence[str]


# Looking


class Why(_Record, frozen=True):
    """Whether a memory may be injected, what it needs next, and what else should be known."""

    id: str
    state: str
    eligible: bool
    next_state: str | None
    reasons: Sequence[Need]
    staleness: float
    injections: Sequence[Shown]
    # Who gave it the state it has, and whether a person was there; empty where the ledger does not say.
    decided_by: str = ""


class Waiting(_Record, frozen=True):
    """A memory that waits for a reviewer, why, and what one needs to know to decide."""

    id: str
    title: str
    state: str
    needs: str
    reviewer: str
    why: str
    kind: str = ""
    phase: str = ""
    text: str = ""
    # Who it comes from, by name and by class of trust, and a person's words that it was taken from.
    source: str = ""
    trust: str = ""
    quote: str = ""
    # Runs and references that speak for it, how often it was used, and how certain it is, from 0 to 1.
    evidence: Sequence[str] = ()
    evidence_count: int = 0
    uses: int = 0
    confidence: float = 0.0
    files: Sequence[str] = ()
    created_at: str = ""
    # Memories that say the opposite.
    conflicts: Sequence[str] = ()
    # The verdicts that keep it and drop it; empty where none is left to give.
    keep: str = ""
    drop: str = ""


class QueuePage(_Record, frozen=True):
    """A page of what waits for a reviewer, and how many wait in all."""

    total: int
    items: list[Waiting]


class Claimed(_Record, frozen=True):
    """Something a memory says that can be looked up in the project, and what was found."""

    text: str
    kind: str
    # "ok", "missing", "moved" or "unchecked".
    status: str
    repair: str = ""
    why: str = ""


class Dossier(_Record, frozen=True):
    """What somebody needs who is to decide about a memory."""

    memory: Memory
    # Names this state of it in a later change.
    version: int
    # The words it was learned from, empty when none were kept.
    quote: str
    # The state an approval would lead to, None at the top.
    next_state: str | None
    # Exactly what is missing for it.
    needs: Sequence[Need]
    # Memories that give the opposite advice, and those that say nearly the same.
    against: Sequence[Memory]
    alike: Sequence[Memory]
    claims: Sequence[Claimed]


class HeldBack(_Record, frozen=True):
    """What is measured of effects: whether it is on, how many exposures there were, and how many were held back."""

    on: bool
    exposures: int
    held: int
    # Sessions that are over.
    sessions: int


class Status(_Record, frozen=True):
    """Counts by state and kind, what is due, sizes, and where the store is."""

    store: str
    # Why this store is used: an option, a variable, a settings file, found, or the default.
    chosen_by: str
    policy: str
    memories: int
    states: dict[str, int]
    kinds: dict[str, int]
    due: int
    runs: int
    # What the hooks may show one session together, and what they showed the last one, in tokens.
    session_tokens: int
    last_session_tokens: int
    bytes: int
    now: str
    # That an earlier copy of the database was put back; absent when it was not.
    older: str | msgspec.UnsetType = msgspec.UNSET
    # What is held back to measure effects; absent where nothing ever was.
    effect: HeldBack | msgspec.UnsetType = msgspec.UNSET
    # How many memories came with a commit and wait for `tenure trust`; absent when none does.
    waiting: int | msgspec.UnsetType = msgspec.UNSET
    # Ledger entries among the newest that decide what only a person may, without one; absent when there are none.
    unproved: list[int] | msgspec.UnsetType = msgspec.UNSET
    # How many are candidates or under review, so that a person may decide.
    undecided: int = 0
    # Of the last seven days: memories written down, injections, and the memories that were in them.
    learned_this_week: int = 0
    injections_this_week: int = 0
    shown_this_week: int = 0


class Brought(_Record, frozen=True):
    """A memory that came with a commit and waits, and how it differs from what counted."""

    id: str
    title: str
    new: bool
    difference: str


class SharedFile(_Record, frozen=True):
    """A memory that was written as a file of the team."""

    id: str
    # Its id among what the team shares.
    shared_as: str
    path: str
    new: bool
    # Whether something that looks like a secret was taken out.
    redacted: bool


class SharedFiles(_Record, frozen=True):
    """What `share` wrote, and the command that makes it part of the next commit."""

    files: list[SharedFile]
    commit: str


class Synced(_Record, frozen=True):
    """What `sync` took in and sent, and what other machines have not yet seen to be forgotten."""

    machine: str
    machines: list[str]
    sent: int
    taken: int
    # Forgotten elsewhere and erased here.
    forgotten: list[str]
    unseen: dict[str, list[str]]


class TeamFinding(_Record, frozen=True):
    """Something wrong with a team file: schema, secret, claim, contradiction or duplicate."""

    path: str
    line: int
    kind: str
    message: str


class ShownOften(_Record, frozen=True):
    """How often a memory was and would be shown in the last injections."""

    id: str
    before: int
    after: int


class TeamCheck(_Record, frozen=True):
    """What `team check` found, and what the change does to what agents were shown last."""

    files: int
    # Files that differ from the base; all of them without one.
    changed: list[str]
    findings: list[TeamFinding]
    # Injections looked at, and the memories that would be shown more or less often.
    injections: int
    gain: list[ShownOften]
    silent: list[ShownOften]


# Beginning


class Found(_Record, frozen=True):
    """A store that is there already; `used` marks the one commands work on."""

    url: str
    used: bool


class AgentHere(_Record, frozen=True):
    """A coding agent that is installed here, or kept sessions of this project."""

    agent: str
    title: str
    # Whether its program is on the path.
    installed: bool
    # Whether Tenure's hooks or server stand in its settings, for the user or for this project.
    wired: bool
    # How many sessions of this project it kept.
    sessions: int


class Situation(_Record, frozen=True):
    """The store that commands use here, the others there are, and the agents."""

    store: str
    # Why this store is used.
    origin: str
    # Whether the first write makes it.
    is_new: bool
    project: str
    found: Sequence[Found]
    agents: Sequence[AgentHere]


# Looking at a whole store


class MemoryPage(_Record, frozen=True):
    """Some memories of a long list, and the id after which the next page begins; empty on the last."""

    memories: Sequence[Memory]
    next: str


class Totals(_Record, frozen=True):
    """How many memories there are, by state and by kind."""

    memories: int
    states: dict[str, int]
    kinds: dict[str, int]


class LedgerPage(_Record, frozen=True):
    """Some entries of the ledger, newest first, and the number before which the next page begins; None on the last."""

    entries: Sequence[Recorded]
    next: int | None


class Week(_Record, frozen=True):
    """One week of a store: what there was at its end, and what happened in it."""

    # The Monday it began on.
    monday: str
    # Phase -> memories at its end.
    phases: dict[str, int]
    born: int
    promoted: int
    decayed: int
    approved: int
    rejected: int
    injections: int


class Trend(_Record, frozen=True):
    """A store by week, and how long ago live memories were verified: days up to -> how many."""

    weeks: Sequence[Week]
    unverified: dict[int, int]


class Contradiction(_Record, frozen=True):
    """Two memories that give opposite advice."""

    left: Memory
    right: Memory


class SessionSeen(_Record, frozen=True):
    """One session of an agent: what it was shown, what was held back, and what came of it; None is unknown."""

    session: str
    agent: str
    began: str
    last: str
    injections: Sequence[Listed]
    shown: Sequence[str]
    held: Sequence[str]
    outcome: dict[str, int | str | bool | None] | None


# Changing many


class Promoted(_Record, frozen=True, rename={"before": "from", "after": "to"}):
    """A memory that went up a step."""

    id: str
    before: str
    after: str


class Unpromoted(_Record, frozen=True):
    """A memory that did not, and what it still needs."""

    id: str
    needs: Sequence[str]


class Promotions(_Record, frozen=True):
    """What was promoted, and what waits."""

    promoted: Sequence[Promoted]
    waiting: Sequence[Unpromoted]
    notes: Sequence[str] = ()


class Change(_Record, frozen=True, rename={"before": "from", "after": "to"}):
    """What a sweep did to one memory."""

    id: str
    before: str
    after: str
    reason: str


class Sweep(_Record, frozen=True):
    """What a sweep changed, each with its reason, and how many memories it left alone."""

    changed: Sequence[Change]
    kept: int
    postponed: int = 0
    notes: Sequence[str] = ()


class Undone(_Record, frozen=True):
    """The ledger entries that were reversed."""

    entries: Sequence[Recorded]
    notes: Sequence[str] = ()


class Erased(_Record, frozen=True):
    """What was erased; `pending` while a reader still holds an old view of the store."""

    id: str
    events: int
    pending: bool
    # Memories that say the same or stand in its line, for the user to look at.
    derived: Sequence[str]


class Collected(_Record, frozen=True):
    """What `gc` removed, and how many retired memories stay."""

    purged: Sequence[str]
    kept: int


class Moved(_Record, frozen=True, omit_defaults=True):
    """How many memories were exported or imported, what was left out, and to where."""

    written: int
    skipped: Sequence[LeftOut]
    # How many of those were refused; what is here already, or became evidence, was not.
    declined: int = 0
    # Fields that did not count, because this user did not export them.
    not_counted: Sequence[str] = ()
    target: str | None = None
    notes: Sequence[str] = ()


# Measuring effects


class ArmCount(_Record, frozen=True):
    """How often a memory was in one arm, and in how many of those sessions trouble followed."""

    exposures: int
    troubles: int


class MemoryEffect(_Record, frozen=True):
    """What is known of one memory's effect."""

    id: str
    title: str
    kind: str
    # "helps", "hurts" or "cannot tell yet".
    verdict: str
    # About how many more sessions a proof takes; None when there is one, or when it would take very long.
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount
    # Held back, and reached the agent another way; it still counts as held back.
    crossed: int
    # Shown minus held, pulled towards what all memories do: for putting them in order.
    change: float
    # Whether it had many chances and shows nothing: then `tenure review` offers to retire it.
    no_sign: bool
    # About how many tokens it has cost so far.
    tokens: int


class BlockEffect(_Record, frozen=True):
    """What is known of the effect of showing anything at all."""

    verdict: str
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount


class HostCost(_Record, frozen=True):
    """What memories cost in the sessions of one host, in tokens (about four characters each)."""

    host: str
    sessions: int
    tokens: int
    tokens_per_session: int


class SessionEffect(_Record, frozen=True):
    """One session: what was shown and held back in it, and what came of it; None is unknown."""

    session: str
    at: str
    host: str
    shown: int
    held: int
    trouble: bool | None
    corrections: int | None
    same_errors: int | None
    edits_taken_back: int | None
    ended_red: bool | None
    violations: int | None
    interruptions: int | None
    failed_commands: int | None
    turns: int | None
    tokens: int | None
    seconds: int | None
    # About how many tokens of memories were put into it.
    injected_tokens: int


class EffectReport(_Record, frozen=True):
    """Whether memory helps in this project, as far as that is known."""

    on: bool
    since: str | None
    stated: bool
    block_held_back: bool
    # Sessions that are over, and those with an exposure that are not.
    sessions: int
    waiting: int
    verdict: str
    more_sessions: int | None
    shown: ArmCount
    held: ArmCount
    crossed: int
    # Shown minus held, as a share of sessions, and where the truth lies for 95 of 100 users at every look.
    change: float | None
    low: float | None
    high: float | None
    memories: Sequence[MemoryEffect] = ()
    block: BlockEffect | None = None
    costs: Sequence[HostCost] = ()
    each_session: Sequence[SessionEffect] = ()
    notes: Sequence[str] = ()


class Pooled(_Record, frozen=True):
    """What the measurements of several people say together."""

    people: int
    # Files that were left out, and why.
    left_out: Sequence[LeftOut]
    sessions: int
    verdict: str
    shown: ArmCount
    held: ArmCount
    change: float | None
    kinds: dict[str, dict[str, ArmCount]] = {}
    # Fingerprints of the keys that signed what counted.
    signers: Sequence[str] = ()
    notes: Sequence[str] = ()


# Guards


class PastFire(_Record, frozen=True):
    """A call at which a guard fired, or would have; `followed` says what came of the call, where anything tells."""

    session: str
    host: str
    at: str
    about: str
    # The call, or for a real fire what came of it.
    call: str
    followed: str = ""
    number: int = 0


class DryRun(_Record, frozen=True):
    """Where a guard would have fired in the sessions that agents have kept."""

    sessions: int
    calls: int
    fires: Sequence[PastFire]


class GuardReport(_Record, frozen=True):
    """One guard: what it looks for, how far it goes, and what came of it in the last 30 days."""

    id: str
    title: str
    # proposed, on, off, ended, or idle with the reason.
    state: str
    level: str
    looks_for: str
    fires: int
    unjudged: Sequence[PastFire]
    right: int
    wrong: int
    until: str


class RuleKept(_Record, frozen=True):
    """One rule that a check could be derived from: in how many sessions it mattered, was kept and was broken."""

    where: str
    rule: str
    relevant: int
    kept: int
    broken: int
    # Some of the calls that broke it.
    calls: Sequence[PastFire]
    # Another place that states the same, empty when this is the first.
    same_as: str = ""


class Obeyed(_Record, frozen=True):
    """Which rules agents keep; of `rules` lines only those in `checked` can be told."""

    sessions: int
    calls: int
    rules: int
    checked: Sequence[RuleKept]


class TeamMade(msgspec.Struct, frozen=True, kw_only=True):
    """What `team init` did in a database."""

    place: str
    migrations: tuple[str, ...]
    groups: tuple[str, ...]
    approvals: int


class PulledCopy(msgspec.Struct, frozen=True, kw_only=True):
    """How the copy of a database on this machine stands: the last entry it knows, its memories, and what changed."""

    entry: int
    memories: int
    came: int
    edited: int
    gone: int


class TeamRole(msgspec.Struct, frozen=True, kw_only=True):
    """A role of a team's database: its groups, the projects it reaches ("*" is all), the domains it reviews."""

    role: str
    groups: tuple[str, ...]
    projects: tuple[str, ...]
    domains: tuple[str, ...] = ()
