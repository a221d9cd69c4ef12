"""Evidence is meaning, not words: a text that says the same as a known memory counts for it, however it is worded.

An agent that proposes something is told the three nearest memories and may name the one that already says it. Vectors
are compared in `upkeep` and in the worker, with a threshold that none of 320 unlike pairs reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from tenure.model.memory import Memory
from tenure.rules import likeness, transitions
from tenure.rules.consolidate import Decision
from tenure.rules.contradict import contradictions
from tenure.rules.same_rule import same, same_by_meaning
from tenure.store.api import Store
from tenure.systems.api import System
from tenure.text.words import folded, one_line
from tenure.usecases import add, learned_lately
from tenure.usecases.answers import Nearest
from tenure.usecases.project import Project

# So many are named to the agent, so much of each: of real restatements 9 in 10 are among them.
MOST, LONGEST = 3, 200
JOINED = "says the same in other words"
# The model whose cosines the bar was fitted for, what a session taught comes from, and how many are compared at most.
FITTED_FOR, SESSION_SOURCE, MOST_COMPARED = "all-MiniLM-L6-v2-int8", "model:transcript", 3000


def nearest(project: Project, text: str, leave_out: str = "") -> list[Nearest]:
    """Return the memories nearest to a text by its words; no model is loaded for that."""
    from tenure.usecases import search  # start-up: only a proposal is compared with all there is

    hits = search.search(project, text, limit=MOST + 1, model=False, layers=False)
    rows = [project.store.get(hit.id) for hit in hits if hit.id != leave_out]
    known = [row.memory for row in rows if row is not None and row.memory.phase != "gone"]
    return [Nearest(id=one.id, text=one_line(one.text, LONGEST)) for one in known[:MOST]]


def notes(found: list[Nearest]) -> list[str]:
    """Return what an agent is told about the nearest, so that it can join two wordings of one rule."""
    if not found:
        return []
    listed = "; ".join(f"{one.id}: {one.text}" for one in found)
    return [f"Nearest known: {listed}. If one says the same, say so with the same quote and its id (same_as)."]


def join(
    project: Project, system: System, id: str, text: str, *, run: str, proves: Callable[[str], bool]
) -> tuple[Memory | None, str]:
    """Count a proposal for the memory that says it already; return that memory, or none and why not.

    What this run wrote down in these words before it was told of the other memory gives way to it. A memory that still
    waits comes into use by this, so the quote must prove its own text too, and text from outside needs a person.
    """
    row = project.store.get(project.resolve(id))
    if row is None or row.memory.phase == "gone":
        return None, f"{id} is gone, so nothing can count for it."
    known = row.memory
    if contradictions(msgspec.structs.replace(known, id="", text=text, title=text), [known], project.policy):
        return None, f"{known.id} says the opposite, so this is a memory of its own."
    if not _may_be_same(project, known, text):
        return None, f"{known.id} says something else, so this is a memory of its own."
    if known.phase != "live" and (known.trust == "external" or not proves(known.text)):
        return None, f"{known.id} waits and says more than the quote proves, so this is a memory of its own."
    last = learned_lately.last_entry(project.store)
    after = add.add_again(project, system, known.id, run=run)
    learned_lately.note_risen(project, [known.id], last)
    if after is not None:
        for other in project.store.find(phases=("pending", "live")):
            mine = other.memory
            if mine.id != after.id and run in mine.runs and folded(mine.text) == folded(text):
                give_way(project, mine, after.id)
    return after, ""


def _may_be_same(project: Project, known: Memory, text: str) -> bool:
    """Tell whether a text may say the same: they share words, or a word where nothing is nearer."""
    if likeness.opposite(text, known.text):
        return False
    shared = len(likeness.telling(text) & likeness.telling(known.text))
    if shared >= likeness.SHARED or same(text, known.text):
        return True
    own = next((row.memory.id for row in project.store.find() if folded(row.memory.text) == folded(text)), "")
    return shared > 0 and known.id in [one.id for one in nearest(project, text, own)]


def give_way(project: Project, memory: Memory, to: str) -> None:
    """Let a memory be superseded by the one that says the same; undo brings it back."""
    with project.changing(makes=False) as batch:
        mine, other = batch.get(memory.id), batch.get(to)
        if mine is None or other is None or mine.phase == "gone" or other.phase == "gone":
            return
        project.keep_guarded(mine, "supersede")
        gone, took = transitions.supersede(mine, other, batch.policy, batch.now, actor=mine.source, reason=JOINED)
        batch.record(mine, gone)
        batch.record(other, took)


def join_learned(project: Project, system: System, decisions: Sequence[Decision]) -> list[str]:
    """Join what a session just taught, where an upkeep has made vectors of this store before; a note for each.

    The worker has the time to load a model, and a rule said again counts before the next session begins.
    """
    taught = any(one.action == "create" and one.id for one in decisions)
    if not taught or not (project.store.vectors.encoder() or "").startswith(FITTED_FOR):
        return []
    from tenure.usecases import embeddings  # start-up: only where there are vectors

    embeddings.embed(project.store)
    return join_near(project, system)


def join_near(project: Project, system: System) -> list[str]:
    """Let what sessions taught count for an older memory of the same meaning; return a note for each that was joined.

    Only vectors of the packaged model are compared, which the bar was fitted for, and only what was learned from
    sessions gives way: what a person wrote down stays as they wrote it.
    """
    store = project.store
    if not (store.vectors.encoder() or "").startswith(FITTED_FOR):
        return []
    rows = [row for row in store.find(phases=("pending", "live")) if not row.memory.content]
    taught = [row for row in rows if _from_session(store, row.memory)]
    codes = store.vectors.codes("present")
    if not taught or not codes.numbers or len(codes.numbers) > MOST_COMPARED:
        return []
    from tenure.recall import vectors  # start-up: numpy comes with the extra

    # What is compared is short, so its first vector is its only one.
    cosines = vectors.among(*codes.firsts())
    notes: list[str] = []
    for row in sorted(taught, key=lambda row: -row.number):
        mine, place = row.memory, codes.place(row.number)
        older = [other for other in rows if other.number < row.number and other.memory.kind == mine.kind]
        for other in older if place is not None else ():
            beside = codes.place(other.number)
            if beside is None or not same_by_meaning(mine.text, other.memory.text, float(cosines[place][beside])):
                continue
            run = mine.runs[-1] if mine.runs else mine.id
            # What is compared by meaning says the same, word for word nearly: nothing else comes into use by it.
            after, _ = join(project, system, other.memory.id, mine.text, run=run, proves=lambda _: True)
            if after is not None:
                give_way(project, mine, after.id)
                notes.append(f"{mine.id} {JOINED} as {after.id} and counts for it.")
                break
    return notes


def _from_session(store: Store, memory: Memory) -> bool:
    return memory.source == SESSION_SOURCE or bool(store.setting(f"quote:{memory.id}"))
