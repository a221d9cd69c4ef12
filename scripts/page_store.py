"""Makes a store of any size for the pages from texts that people wrote: bullets of Markdown files.

Real texts matter: pages made of one template look better than they are. States, dates, files, quotes and contradictions
are spread by a fixed seed.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

from tenure import workspace
from tenure.files.trust import times_of
from tenure.model import clock
from tenure.model.evolve import born
from tenure.model.memory import Memory, Phase, Signals, Trust
from tenure.store.records import SessionOutcome
from tenure.text.words import one_line
from tenure.usecases import export_lines, intake

KINDS = ("lesson", "constraint", "runbook", "preference", "decision")
# (state, phase, how many of a hundred)
SPREAD: tuple[tuple[str, Phase, int], ...] = (
    ("provisional", "live", 45),
    ("stable", "live", 23),
    ("candidate", "pending", 20),
    ("under_review", "held", 2),
    ("retired", "gone", 6),
    ("rejected", "gone", 4),
)
# One memory in so many contradicts its neighbour, and one in so many has the words it was learned from.
CONTESTED_EVERY, QUOTED_EVERY = 400, 60
DAYS, WEEKS = 80, 12
TITLE_CHARS = 120
_BULLET = re.compile(r"\s*(?:[-*+]|\d+\.)\s+(?:\[.\]\s*)?(.*)")
_FILE = re.compile(r"`([\w./-]+\.\w{1,5})`")


def texts(source: Path) -> list[str]:
    """Return different texts: a JSON list of them, or the bullets of every Markdown file below a folder."""
    if source.is_file():
        found = json.loads(source.read_text("utf-8"))
        return [each if isinstance(each, str) else each[-1] for each in found]
    bullets = (
        match.group(1).strip().replace("**", "")
        for path in sorted(source.rglob("*.md"))
        if path.is_file()
        for line in path.read_text("utf-8", "replace").splitlines()
        if (match := _BULLET.match(line))
    )
    return list(dict.fromkeys(text for text in bullets if 30 <= len(text) <= 500 and " " in text))


def fill(folder: Path, found: list[str], count: int) -> str:
    """Make a store of `count` memories below the folder and return its address."""
    url = f"sqlite:{folder / 'memory.db'}"
    lines = folder / "memories.jsonl"
    with workspace.open(url, folder) as ours:
        if count:
            _write(lines, [found[place % len(found)] for place in range(count)])
            ours.import_(str(lines))
            lines.unlink()
        for place in range(0, count, QUOTED_EVERY):
            ours.project.store.keep(f"quote:b-{place:06}", f"No, {found[place % len(found)][:200]}")
    return url


def live_through(folder: Path, sessions: int, prompts: Sequence[str] = ()) -> None:
    """Let agents work with a store: sessions over twelve weeks, what they were shown, their outcomes and hook times.

    Without prompts somebody asks with the words of memories.
    """
    url, random_ = f"sqlite:{folder / 'memory.db'}", random.Random(11)
    today = clock.now()
    with workspace.open(url, folder) as ours:
        live = [memory for memory in ours.browse(limit=200, phase="live").memories if len(memory.text) > 40]
    if not live:
        return
    lines: list[str] = []
    for place in range(sessions):
        at = today - timedelta(days=WEEKS * 7 * (1 - (place + 1) / sessions), minutes=random_.randrange(240))
        os.environ["TENURE_NOW"] = clock.stamp(at)
        name, host = f"{random_.getrandbits(32):08x}", random_.choice(("claude-code", "claude-code", "codex"))
        with workspace.open(url, folder, agent=host) as ours:
            for _ in range(random_.randrange(1, 4)):
                ours.inject(random_.choice(prompts) if prompts else _asked(live, random_), run=name, agent=host)
            ours.project.store.effects.conclude(_outcome(name, host, at, random_))
        for _ in range(random_.randrange(4, 15)):
            shown = "1" if random_.random() < 0.3 else "0"
            lines.append(f"{clock.stamp(at)} {round(random_.lognormvariate(4.1, 0.25))} {shown}\n")
    del os.environ["TENURE_NOW"]
    path = Path(times_of(str(folder / "memory.db")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="ascii")


def _asked(live: Sequence[Memory], random_: random.Random) -> str:
    words = random_.choice(live).text.replace("`", "").split()
    return " ".join(words[: random_.randrange(6, 14)])


def _outcome(name: str, host: str, at: datetime, random_: random.Random) -> SessionOutcome:
    corrections = random_.choice((0, 0, 0, 1, 2))
    return SessionOutcome(
        session=name,
        at=clock.stamp(at),
        host=host,
        corrections=corrections,
        failed_commands=random_.randrange(6),
        same_errors=random_.choice((0, 0, 1)),
        edits_taken_back=0,
        ended_red=random_.choice((False, False, False, True, None)),
        turns=random_.randrange(2, 25),
        tokens=random_.randrange(8_000, 400_000),
        seconds=random_.randrange(120, 7200),
        trouble_at=clock.stamp(at) if corrections else None,
    )


def _write(path: Path, chosen: list[str]) -> None:
    seal = export_lines.Seal(export_lines.seal_key())
    with path.open("wb") as file:
        for memory in _memories(chosen):
            file.write(
                seal.sealed(export_lines.ExportLine(format=export_lines.FORMAT, memory=memory, events=[born(memory)]))
            )


def _memories(chosen: list[str]) -> Iterator[Memory]:
    random_, now = random.Random(7), clock.now()
    states = [(state, phase) for state, phase, share in SPREAD for _ in range(share)]
    trusts: tuple[Trust, ...] = get_args(Trust)
    for place, text in enumerate(chosen):
        state, phase = random_.choice(states)
        made = now - timedelta(days=random_.random() * DAYS, seconds=random_.randrange(86_400))
        partner = place ^ 1 if place % CONTESTED_EVERY < 2 and (place | 1) < len(chosen) else None
        yield Memory(
            id=f"b-{place:06}",
            kind=random_.choice(KINDS),
            title=one_line(intake.first_sentence(text), TITLE_CHARS),
            text=text,
            state=state,
            phase=phase,
            files=tuple(dict.fromkeys(_FILE.findall(text)))[:4],
            signals=Signals(
                confidence=random_.randrange(30, 95),
                evidence_count=random_.choice((1, 1, 1, 2, 3)),
                reuse_count=random_.choice((0, 0, 1, 4)),
                successful_reuses=random_.choice((0, 0, 0, 3)),
            ),
            created_at=made,
            updated_at=made,
            verified_at=made if place % 3 else None,
            review_after=made + timedelta(days=60) if phase == "live" else None,
            conflicts=(f"b-{partner:06}",) if partner is not None else (),
            trust=random_.choice(trusts),
            source="bench",
        )
