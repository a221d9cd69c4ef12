"""Questions that nobody here wrote, about rules that nobody here wrote: `scripts/bench recall --bullets FETCHED`.

A store holds every bullet of real instruction files. Asked are the bold words with which people head a bullet, over a
store that has the rest of it, and the subject of the commit that last wrote a bullet. Both are mechanical, so nobody
judged anything: what is found is compared with what plain FTS5 and the model alone find in the same store.
scripts/data/prompts names repository, commit and paths: `instructions.json` was fitted on, `instructions_score.json`
was only scored.

Silence is asked for over as many bullets as a size says, filled up with those of all Markdown files of the same
repositories: by what people typed in real sessions only to go on, and by LoCoMo's questions about people's lives.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import recall_prompts
import recall_public
import recall_reference as reference
import recall_sets
import recall_stores as stores
from recall_workload import Learned, Prompt

from tenure.text.names import names
from tenure.text.words import words

DATA = Path(__file__).resolve().parent / "data" / "prompts"
HALVES = {"tune": "instructions.json", "score": "instructions_score.json"}
LEAD, LEAD_OTHER_WORDS, COMMIT = "bold words of a bullet", "the same, no word shared", "commit that wrote it"
SORTS = (LEAD, LEAD_OTHER_WORDS, COMMIT)
_BULLET = re.compile(r"\s*(?:[-*]|\d+\.) (.{25,400})$")
_HEADED = re.compile(r"\*\*(.{4,80}?)\*\*\s*[:.\u2013\u2014-]*\s*(.{25,})$")
_SHORTEST, _LONGEST = 5, 60
# A commit that wrote more bullets than this asks for none of them.
_FEW = 3
_MARKS = re.compile(r"\*\*|__")
# Of LoCoMo's questions every so manieth is asked.
_EVERY = 10
Cosines = Callable[[Sequence[Learned]], Callable[[str], object]]


def table(fetched: Path, cosines: Cosines | None) -> Iterator[str]:
    """Return the lines: recall@5 by half and sort."""
    columns = ("plain FTS5", *(("model alone",) if cosines else ()), "words", *(("meaning",) if cosines else ()))
    yield f"{'':<34}{'asked':>6}" + "".join(f"{name:>13}" for name in columns)
    for half in HALVES:
        store, prompts = questions(fetched, half)
        plain, label = reference.fts5(store), f"bullets-{half}-{len(store)}"
        found = {"plain FTS5": _found(prompts, lambda text: [store[n].id for n, _ in plain(text, 5)])}  # noqa: B023
        if cosines:
            found["model alone"] = _found(prompts, recall_sets.nearest(store, cosines(store)))
        for with_model in (False, True) if cosines else (False,):
            going_by = nullcontext() if with_model else stores.without_a_model()
            with stores.filled(store, label, vectors=with_model) as ours, going_by:
                found["meaning" if with_model else "words"] = _found(
                    prompts,
                    lambda text: [hit.id for hit in ours.search(text, limit=5)],
                )
        for sort in SORTS:
            places = [n for n, prompt in enumerate(prompts) if prompt.sort == sort]
            cells = (sum(found[name][n] for n in places) / len(places) for name in columns)
            yield f"{half} {len(store):,} {sort:<28}{len(places):>6}" + "".join(f"{cell:>13.3f}" for cell in cells)


def _found(prompts: Sequence[Prompt], answer: Callable[[str], list[str]]) -> list[bool]:
    return [not prompt.answers.isdisjoint(answer(prompt.text)[:5]) for prompt in prompts]


def silence(fetched: Path, locomo: Path | None, sizes: Sequence[int], *, model: bool) -> Iterator[str]:
    """Return the lines: how many prompts are answered that ask for no rule."""
    asked = {f"follow-ups ({half})": _follow_ups(fetched, half) for half in recall_prompts.HALVES}
    if locomo:
        lives = [prompt.text for _, _, prompts in recall_public.locomo(locomo) for prompt in prompts]
        asked["questions about lives"] = lives[::_EVERY]
    every = list(_every_bullet(fetched))
    for size in sizes:
        store = [Learned(f"b-{n:05}", "lesson", text) for n, text in enumerate(every[:size])]
        for with_model in (False, True) if model else (False,):
            going_by = nullcontext() if with_model else stores.without_a_model()
            with stores.filled(store, f"silence-{len(store)}", vectors=with_model) as ours, going_by:
                stores.calibrate(ours)
                answered = {
                    name: sum(bool(recall_prompts.shown(ours, text)) for text in texts) for name, texts in asked.items()
                }
            told = ", ".join(f"{answered[name]} of {len(texts)} {name}" for name, texts in asked.items())
            yield f"{len(store):,} bullets, {'meaning' if with_model else 'words'}: answered {told}"


def _follow_ups(fetched: Path, half: str) -> list[str]:
    """Return what people of one half typed only to go on, each once."""
    judged = recall_prompts.judged(fetched, half)
    return sorted({text.strip() for prompt, text in judged if prompt["group"] == "followup"})


def _every_bullet(fetched: Path) -> Iterator[str]:
    """Return the bullets of both halves, then those of all Markdown files of their repositories, each once."""
    seen = {item.text for half in HALVES for item in questions(fetched, half)[0]}
    yield from sorted(seen)
    for name in HALVES.values():
        for entry in json.loads((DATA / name).read_text(encoding="utf-8"))["files"]:
            folder = fetched / entry["repo"].replace("/", "+", 1) / "repo"
            command = ["git", "--git-dir", str(folder), "grep", "-hE", r"^\s*([-*]|[0-9]+\.) ", entry["commit"]]
            told = (
                subprocess.run([*command, "--", "*.md"], capture_output=True, check=False) if folder.is_dir() else None
            )
            for line in told.stdout.decode("utf-8", "replace").splitlines() if told else ():
                bullet = _BULLET.match(line)
                text = _MARKS.sub("", bullet[1]).strip() if bullet else ""
                if _SHORTEST <= len(text.split()) <= _LONGEST and text not in seen:
                    seen.add(text)
                    yield text


def questions(fetched: Path, half: str) -> tuple[list[Learned], list[Prompt]]:
    """Return the bullets of one half as memories, and what is asked about them."""
    store: list[Learned] = []
    leads: list[Prompt] = []
    written: dict[str, set[str]] = {}
    seen: set[str] = set()
    for line, subject in _lines(fetched, half):
        bullet = _BULLET.match(line)
        headed = _HEADED.match(bullet[1]) if bullet else None
        text = _MARKS.sub("", headed[2] if headed else bullet[1] if bullet else "").strip()
        if not _SHORTEST <= len(text.split()) <= _LONGEST or text in seen:
            continue
        seen.add(text)
        id = f"b-{len(store):05}"
        store.append(Learned(id, "lesson", text))
        written.setdefault(subject, set()).add(id)
        if headed:
            lead = headed[1].strip(" :.")
            shared = set(words(lead)) & set(words(text)) or set(names(lead)) & set(names(text))
            leads.append(Prompt(lead, LEAD if shared else LEAD_OTHER_WORDS, frozenset([id])))
    commits = [
        Prompt(subject, COMMIT, frozenset(ids))
        for subject, ids in written.items()
        if subject and len(ids) <= _FEW and len(words(subject)) > _FEW
    ]
    return store, leads + commits


def _lines(fetched: Path, half: str) -> Iterator[tuple[str, str]]:
    """Return each line of the listed files, with the subject of the commit that last wrote it."""
    for entry in json.loads((DATA / HALVES[half]).read_text(encoding="utf-8"))["files"]:
        folder = fetched / entry["repo"].replace("/", "+", 1) / "repo"
        for path in entry["paths"] if folder.is_dir() else ():
            command = ["git", "--git-dir", str(folder), "blame", "--line-porcelain", entry["commit"], "--", path]
            told = subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")
            subject = ""
            for line in told.splitlines():
                if line.startswith("summary "):
                    subject = line.removeprefix("summary ")
                elif line.startswith("\t"):
                    yield line[1:], subject
