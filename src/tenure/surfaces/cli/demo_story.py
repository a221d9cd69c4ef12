"""The story `tenure demo` tells: what three runs of an agent leave behind, and what becomes of it.

Everything here is data. Names in braces stand for the ids that the memories get when the story runs.
"""

from __future__ import annotations

from typing import NamedTuple

DATABASE = "Run make db before integration tests"
RETRY = "Retry payment calls that time out"
STAGING = "Deploys to staging need the VPN"

# Name used in the commands below -> text by which the memory is found.
NAMES = {"database": DATABASE, "retry": RETRY, "staging": STAGING}

# File -> (kind, text) of each proposal in it, one JSON line each.
RUNS: dict[str, list[tuple[str, str]]] = {
    "run-1.jsonl": [("runbook", DATABASE), ("lesson", RETRY)],
    "run-2.jsonl": [("runbook", "Before integration tests start, run make db"), ("lesson", RETRY), ("lesson", STAGING)],
    "run-3.jsonl": [("lesson", STAGING), ("lesson", "The build server was slow today")],
}


class Scene(NamedTuple):
    """One step: the day it plays on, what it shows, and the commands that show it."""

    day: int
    title: str
    says: str
    commands: tuple[str, ...]


SCENES = (
    Scene(
        1,
        "An agent learns something",
        "A coding agent has finished a task and left proposals: what it believes is worth knowing, one JSON line each. "
        "Tenure takes them in as candidates.",
        ("cat run-1.jsonl", "tenure capture run-1.jsonl --run run-1"),
    ),
    Scene(
        1,
        "Said once is not enough",
        "The next prompt is about exactly this. Still nothing is shown to the agent: a candidate has no influence, "
        "and `why` lists what it needs.",
        ("tenure inject 'why do the integration tests fail?'", "tenure why {database}"),
    ),
    Scene(
        3,
        "Evidence from other runs promotes",
        "Two more runs report. What comes up again counts as evidence, in other words too. "
        "What one run mentions once stays a candidate.",
        (
            "tenure capture run-2.jsonl --run run-2",
            "tenure capture run-3.jsonl --run run-3",
            "tenure list",
        ),
    ),
    Scene(
        4,
        "The right memory for a prompt, or silence",
        "The same prompt now gets the memory that fits, fenced as data and with its id. "
        "An unrelated prompt prints nothing.",
        ("tenure inject 'why do the integration tests fail?'", "tenure inject 'centre the logo on the landing page'"),
    ),
    Scene(
        4,
        "Being useful counts",
        "The agent followed it and the tests passed. `why` says exactly what is missing for the next state.",
        ("tenure log {database} --effect positive --task T-1", "tenure why {database}"),
    ),
    Scene(
        5,
        "Doing harm is noticed",
        "The advice to retry charged two customers twice. The second failure takes the memory out of use, and only a "
        "person can decide what becomes of it.",
        (
            "tenure log {retry} --effect negative --task T-2",
            "tenure log {retry} --effect negative --task T-3",
            "tenure inject 'payment calls time out'",
            "tenure review {retry} --decision reject --by you",
        ),
    ),
    Scene(
        45,
        "What nobody uses goes, and can come back",
        "Six weeks later, upkeep retires what was not used by its review date. "
        "Nothing is deleted: `undo` reverses the whole sweep.",
        ("tenure upkeep", "tenure undo"),
    ),
    Scene(
        45,
        "Everything can be explained and proved",
        "Each change is an entry in a ledger. `history` shows the entries of one memory, `check` proves every memory "
        "from them.",
        ("tenure history {staging}", "tenure check"),
    ),
)

# What to type in one's own repository, and what it does.
NEXT = (
    ("tenure start", "audit, learn, wire: step by step"),
    ("tenure audit --deep", "check what agents read"),
    ("tenure capture --agent claude-code", "learn from the sessions it kept"),
    ("tenure install claude-code", "let it see and propose memories"),
    ("tenure review", "decide about what waits for you"),
    ("tenure --help", "see every command"),
)
