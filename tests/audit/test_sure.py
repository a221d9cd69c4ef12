"""The two lists: what is broken, and what may be. An instruction file is accused only on evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tenure.audit import page, renames, report, run

from .conftest import NOW, Repository

LOADER = "".join(f"def load_{name}(value):\n    return value + {n}\n\n" for n, name in enumerate("abcdef"))


def claims_of(root: Path, **options: Any) -> dict[str, dict[str, Any]]:
    found = report.as_json(run.audit(root, now=NOW, deep=True, **options))
    return {claim["text"]: claim for memory in found["memories"] for claim in memory["claims"]}


def verdict(root: Path, text: str, **options: Any) -> tuple[str, bool]:
    claim = claims_of(root, **options)[text]
    return claim["status"], claim["sure"]


def test_what_went_is_broken_and_what_never_was_is_left_open(repository: Repository) -> None:
    """Issue 17: broken is what history proves; without --perhaps the rest is unchecked."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "See `src/loader.py`, `other/never.py` and `never_named()`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/loader.py") == ("missing", True)
    for text in ("other/never.py", "never_named"):
        assert verdict(repository.root, text) == ("unchecked", False)
        assert verdict(repository.root, text, perhaps=True) == ("missing", False)
    found = run.audit(repository.root, now=NOW, deep=True)
    assert "2 more may be broken: tenure audit --perhaps lists them" in page.render(found, colour=False)
    assert "Perhaps broken" in page.render(run.audit(repository.root, now=NOW, deep=True, perhaps=True), colour=False)


def test_a_memory_keeps_its_answers(repository: Repository, tmp_path: Path) -> None:
    """Issue 17: the two lists rule instruction files; the memories of a store keep their recorded answers."""
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "a.md").write_text("---\nname: a\ntype: project\n---\n\nSee `other/never.py`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "other/never.py", store_dir=memory) == ("missing", False)


def test_a_name_is_gone_only_when_its_definition_was_here(repository: Repository) -> None:
    """Issue 17: a name that never had a definition in the history stays unchecked."""
    repository.write("src/loader.py", LOADER + "fetch(isDraft=1)\n")
    repository.write("CLAUDE.md", "Call `load_a()`. GitHub says `isDraft`.\n")
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER.replace("load_a", "read_a"))
    repository.commit("Rename")
    claim = claims_of(repository.root)["load_a"]
    assert (claim["status"], claim["sure"], claim["repair"]) == ("moved", True, "read_a")
    assert verdict(repository.root, "isDraft") == ("unchecked", False)


def test_a_name_told_of_a_file_that_lacks_it_is_broken(repository: Repository) -> None:
    """Issue 17: the page names a place that holds something else."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "| `src/loader.py` | has `WriterImpl` and `load_a` |\n\nAlso `ReaderImpl`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "WriterImpl") == ("missing", True)
    assert verdict(repository.root, "load_a") == ("ok", False)
    assert verdict(repository.root, "ReaderImpl") == ("unchecked", False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Do not write back to `old/`.",
        "Never use `old/`, it is broken.",
        "`old/` nicht mehr verwenden.",
        "Schreibe niemals nach `old/`.",
        "不要再写回 `old/`。",
        "禁止使用 `old/` 目录。",
        "The code went from `old/` to a new place.",
        "`old/` → `lib/`",
        "We renamed `old/`.",
        "Le code de `old/` a été déplacé.",
    ],
)
def test_a_sentence_that_forbids_or_tells_of_a_move_is_not_mended(repository: Repository, sentence: str) -> None:
    """Issue 17: --fix edits only affirmative sentences, in any language we read."""
    for name in "xyz":
        repository.write(f"old/{name}.py", LOADER.replace("load", name))
    repository.write("CLAUDE.md", f"{sentence}\n\nThe code lives in `old/`.\n")
    repository.commit("Begin")
    repository.git("mv", "old", "lib")
    repository.commit("Move")
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == f"{sentence}\n\nThe code lives in `lib/`.\n"


def test_no_byte_of_a_patch_passes_for_a_header(repository: Repository) -> None:
    """Issue 17: byte 0x01 in a file of the history was taken for the beginning of a commit."""
    repository.write("src/a.py", 'def load_a(): ...\nTEXT = "\x01{"http: 1\x02"\n')
    repository.write("\x01odd 12x name.txt", "x\n")
    repository.write("CLAUDE.md", "Call `load_a()`, see `src/b.py`.\n")
    repository.commit("Begin")
    repository.write("src/a.py", 'TEXT = "\x01zz yy xx"\n')
    repository.git("rm", "-q", "\x01odd 12x name.txt")
    repository.commit("Change")
    assert verdict(repository.root, "load_a") == ("missing", True)


def test_a_long_history_is_sampled_to_the_same_answer(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 17: cost. Only the patches of commits that lost a name are read."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "Call `load_a()` and `load_b()`.\n")
    repository.commit("Begin")
    for number in range(12):
        repository.write("src/other.py", f"x = {number}\n")
        if number == 3:
            repository.write("src/a.py", LOADER.replace("load_a", "read_a"))
        if number == 8:
            repository.write("src/a.py", LOADER.replace("load_a", "read_a").replace("load_b", "read_b"))
        repository.commit(f"Change {number}")
    whole = claims_of(repository.root)
    monkeypatch.setattr(renames.past, "FEW_COMMITS", 5)
    assert claims_of(repository.root) == whole
    assert whole["load_b"]["repair"] == "read_b"
    assert whole["load_b"]["since"]["subject"] == "Change 8"


def test_a_history_that_was_cut_is_told_and_not_kept(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 17: a cut answer must not be served as a whole one later."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "See `src/gone.py`.\n")
    repository.commit("Begin")
    monkeypatch.setattr("tenure.audit.history.SECONDS", -1.0)
    found = run.audit(repository.root, now=NOW, deep=True, cache_dir=tmp_path / "cache")
    assert any("not read to its end" in notice for notice in found.notices)
    assert not (tmp_path / "cache" / "history.msgpack").exists()
