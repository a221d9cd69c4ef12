"""The records an audit works with and answers in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from tenure.audit.claim import Claim
from tenure.audit.moved_files import Commit

Status = Literal["ok", "missing", "moved", "unchecked"]


class Source(msgspec.Struct, frozen=True):
    """One memory or instruction file as found; `beside` is its folder in the project, for relative links."""

    path: str
    id: str
    kind: str
    dialect: str
    file: Path
    text: str
    start: int = 0
    line: int = 1
    beside: str = ""
    modified: str = ""
    loaded: bool = False
    editable: bool = True
    problems: tuple[str, ...] = ()
    # The agents that load it in every session; the page it is a link to or a copy of, whose claims it shares.
    agents: frozenset[str] = frozenset()
    copy_of: str = ""
    # Documentation, which agents read when they need it.
    docs: bool = False


class Finding(msgspec.Struct, frozen=True):
    """What checking one claim found; `failed` says whether the seed's modifier applies.

    `sure`: history proves that it was here and went, or the page names a place that holds something else.
    """

    claim: Claim
    status: Status
    failed: bool = False
    repair: str | None = None
    confidence: float = 0.0
    pure: bool = False
    since: Commit | None = None
    why: str = ""
    sure: bool = False
    # What an unsure finding would be called with `--perhaps`; its status is unchecked without.
    perhaps: str = ""
    # The name stays and `repair` is the file that has it now; a new name too unsure to be a repair.
    in_file: bool = False
    guess: str = ""
    # The folders that have what the root lost: where the page names one of them, it may mean that.
    below: tuple[str, ...] = ()

    @property
    def repair_in_words(self) -> str:
        """Return the repair in the page's own words: of a command, all but the target stays."""
        said, new = self.claim.said, self.repair or ""
        if not said or " " not in new:
            return new
        return said.rpartition(" ")[0] + " " + new.rpartition(" ")[2]


class AuditedMemory(msgspec.Struct, frozen=True):
    """One memory of the report."""

    source: Source
    age_days: float
    age_source: str
    score: float
    action: str
    reasons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    tokens: int = 0


class FileProblem(msgspec.Struct, frozen=True):
    """Something wrong that is not a claim: an entry without file, a duplicate, a file too large, a secret."""

    code: str
    path: str
    line: int
    message: str


class Edit(msgspec.Struct, frozen=True):
    """One replacement in a file, in characters of its text."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str


class Fixed(msgspec.Struct, frozen=True):
    """The edits of one file, by its full path."""

    file: str
    edits: tuple[Edit, ...]


class Report(msgspec.Struct, frozen=True):
    """Everything one audit found; `edits` were applied when `fixed`, and would be otherwise.

    `fixable` counts what a plain `--fix` would change; `held_back` says why each repair that is told was left out.
    """

    root: str
    memories: tuple[AuditedMemory, ...]
    problems: tuple[FileProblem, ...] = ()
    notices: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    fixed: bool = False
    deep: bool = False
    # Indexes that are loaded besides, with the tokens they cost.
    indexes: tuple[tuple[str, int], ...] = ()
    # The problems that were really looked for, by their codes.
    looked_for: tuple[str, ...] = ()
    # Whether a fix was asked for, be it to look at only.
    fix: bool = False
    fixable: int = 0
    held_back: tuple[str, ...] = ()
    # How many pages of documentation were not looked at.
    docs_left: int = 0

    @property
    def loaded(self) -> list[tuple[str, int]]:
        """Return what the dearest agent's session loads, dearest first."""
        costs = self.by_agent
        agent = max(costs, key=lambda name: sum(tokens for _, tokens in costs[name]), default="")
        return costs.get(agent, [])

    @property
    def by_agent(self) -> dict[str, list[tuple[str, int]]]:
        """Return what a session of each agent loads, dearest first."""
        found: dict[str, list[tuple[str, int]]] = {}
        agents = {memory.source.path: memory.source.agents for memory in self.memories}
        for memory in self.memories:
            # A link and the page behind it are one text, and the page is charged to whoever reads the link.
            linked = agents.get(memory.source.copy_of, frozenset()) if memory.source.copy_of else frozenset()
            for agent in sorted(memory.source.agents - linked):
                found.setdefault(agent, []).append((memory.source.path, memory.tokens))
        for index in self.indexes:
            found.setdefault("claude-code", []).append(index)
        for path, tokens in [(each.source.path, each.tokens) for each in self.memories if each.source.loaded]:
            if not any(path == known for rows in found.values() for known, _ in rows):
                found.setdefault("claude-code", []).append((path, tokens))
        return {agent: sorted(rows, key=lambda pair: -pair[1]) for agent, rows in sorted(found.items())}
