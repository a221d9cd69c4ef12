"""Stores filled with a workload, through the shipped import, and what the ranking sees in them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import recall_cache
from recall_workload import TODAY, Learned

from tenure import workspace
from tenure.model import clock
from tenure.model.evolve import born
from tenure.model.memory import Memory, Signals
from tenure.recall import rank, weights
from tenure.store.sqlite.store import SqliteStore
from tenure.usecases import calibrate as calibrating
from tenure.usecases import embeddings, export_lines, search

# Everything is asked at one moment, so that ages do not depend on when the benchmark runs.
NOW = f"{TODAY.isoformat()}T12:00:00Z"


def database(ours: workspace.Workspace) -> SqliteStore:
    """Return the store as the database it is, with its connection."""
    store = ours.project.store
    assert isinstance(store, SqliteStore)
    return store


@contextmanager
def filled(store: Sequence[Learned], label: str = "", *, vectors: bool = False) -> Iterator[workspace.Workspace]:
    """Open a workspace that holds the memories, with vectors when they are wanted; a label lets it be kept."""
    kept = recall_cache.folder()
    with tempfile.TemporaryDirectory() as name:
        place = kept / f"{label}{'-meaning' if vectors else ''}" if kept and label else Path(name)
        if not (place / "memory.db").exists():
            place.mkdir(parents=True, exist_ok=True)
            words = kept / label / "memory.db" if kept and label else None
            if vectors and words and words.exists():
                shutil.copy(words, place / "memory.db")
            else:
                _fill(place, store)
        with workspace.open(f"sqlite:{place / 'memory.db'}", place) as ours:
            if vectors:
                embeddings.embed(ours.project.store)
            database(ours).connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            yield ours


def _fill(folder: Path, store: Sequence[Learned]) -> None:
    source, seal, now = folder / "memories.jsonl", export_lines.Seal(export_lines.seal_key()), clock.now()
    with source.open("wb") as file:
        for item in store:
            made = datetime.fromisoformat(f"{item.day}T12:00:00").replace(tzinfo=UTC) if item.day else now
            memory = Memory(
                id=item.id,
                kind=item.kind,
                title=item.text[:60].strip() or item.id,
                text=item.text or item.id,
                state="provisional",
                phase="live",
                agent=item.agent,
                runs=(item.run,) if item.run else (),
                files=(item.path,) if item.path else (),
                signals=Signals(confidence=60, evidence_count=2),
                created_at=made,
                updated_at=made,
                trust="user",
                source="bench",
            )
            line = export_lines.ExportLine(format=export_lines.FORMAT, memory=memory, events=[born(memory)])
            file.write(seal.sealed(line))
    with workspace.open(f"sqlite:{folder / 'memory.db'}", folder) as ours:
        ours.import_(str(source))
    source.unlink()


def candidates(ours: workspace.Workspace, text: str, *, texts: str = weights.MEMORIES) -> list[rank.Candidate]:
    """Return what the ranking sees for a prompt."""
    looked_at = search.TURNS if texts == weights.TRANSCRIPTS else search.LOOKED_AT
    result, rows, near = search.found(ours.project.store, text, "eligible", looked_at)
    moment = rank.QueryContext(text, result.query, clock.stamp(ours.project.now()))
    found = search._candidates(rows, result, near, ours.project.policy, ours.project.now(), moment, texts)
    if texts == weights.TRANSCRIPTS:
        rows = [*rows, *search._beside(ours.project.store, rank.rank(found), rows, all=False)]
        found = search._candidates(rows, result, near, ours.project.policy, ours.project.now(), moment, texts)
    return found


def calibrate(ours: workspace.Workspace) -> None:
    """Measure the store's silence threshold as the next upkeep would, whatever an older run has kept."""
    with ours.project.store.writing():
        database(ours).connection.execute("DELETE FROM meta WHERE key = ?", (calibrating.KEY,))
    search.calibrate(ours.project)


@contextmanager
def without_a_model() -> Iterator[None]:
    """Let recall go by words alone for a while."""
    before = os.environ.get("TENURE_ENCODER")
    os.environ["TENURE_ENCODER"] = "none"
    try:
        yield
    finally:
        os.environ.pop("TENURE_ENCODER")
        if before is not None:
            os.environ["TENURE_ENCODER"] = before


def remember_vectors() -> bool:
    """Keep vectors between runs where a folder is named; return False without the extra."""
    if embeddings.problem():
        return False
    kept, model = recall_cache.folder(), embeddings.encoder()
    if kept and model:
        found = recall_cache.Remembering(model, kept)
        embeddings._loaded = lambda named: found  # type: ignore[assignment]
    return True
