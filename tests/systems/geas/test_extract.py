"""From retrospective sentences to candidates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.systems.geas import extract, schemas
from tenure.systems.geas.artifacts import MEMORY_TYPES
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()
NOW = datetime(2026, 4, 1, 9, 30, 15, tzinfo=UTC)
SOURCE = ".geas/missions/mission-a/tasks/task-001/retrospective.json"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Retry loops without a limit hang the integration job", "failure_lesson"),
        ("The build broke because the lock file was stale", "failure_lesson"),
        ("Architecture: keep the parser in its own module", "architecture_precedent"),
        ("We decided on SQLite instead of a server", "decision_precedent"),
        ("Security finding: tokens were logged in clear text", "security_pattern"),
        ("User passwords must be hashed before they are stored", "security_pattern"),
        ("Caching the index cut latency by half", "performance_tip"),
        ("Test the parser with recorded fixtures", "test_strategy"),
        ("Integration issue: the upstream webhook sends events twice", "integration_pattern"),
        ("The UI needs a visible focus on every button", "ux_pattern"),
        ("Process: plan the migration before the workflow starts", "process_improvement"),
        ("Risk: the vendor's SDK is a single point of failure", "risk_pattern"),
        ("Project convention: naming of branches follows the ticket", "project_rule"),
        ("The qa_engineer agent should read the contract first", "agent_rule"),
        ("performance_tip: security checks", "performance_tip"),
        ("Zebra", "failure_lesson"),
    ],
)
def test_the_type_follows_from_the_words(text: str, expected: str) -> None:
    """Spec 1.2: the left sides of the skill's type table; the words are a choice of ours."""
    assert extract.memory_type(text, TABLES) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Only for this task: the fixture is broken", "task"),
        ("In this mission the API is frozen", "mission"),
        ("Retry loops need a limit", "project"),
        ("The qa_engineer should read the contract first", "agent"),
        ("In every project, back up before a migration", "global"),
    ],
)
def test_the_scope_follows_from_the_words(text: str, expected: str) -> None:
    """Spec 1.2: the left sides of the skill's scope table."""
    assert extract.scope(text, extract.memory_type(text, TABLES), TABLES) == expected


def test_every_type_and_scope_of_the_tables_is_one_geas_has() -> None:
    """Spec 1.4: twelve types."""
    assert set(TABLES.type_words) == set(MEMORY_TYPES) == set(TABLES.reviewers)
    assert set(TABLES.scope_words) < {"task", "mission", "project", "agent", "global"}


def test_a_retrospective_becomes_the_candidates_of_the_skill() -> None:
    """Seed: the candidate document; the first sentence is that of the recorded cases."""
    text = "Retry loops without a limit hang the integration job"
    retrospective = samples.retrospective("task-001", memory_candidates=[text, "  ", "Test the parser twice"])
    first, second = extract.candidates(retrospective, source=SOURCE, taken=(), confidence=0.4, now=NOW, tables=TABLES)
    assert first == samples.candidate(title=text)
    assert (second["memory_id"], second["memory_type"]) == ("mem-task-001-3", "test_strategy")


def test_a_number_in_use_is_not_given_again() -> None:
    """Seed: N is sequential within the task; triggers use the same series."""
    retrospective = samples.retrospective("t1", memory_candidates=["One lesson", "Another lesson"])
    taken = {"mem-t1-1", "mem-t1-2"}
    found = extract.candidates(retrospective, source=SOURCE, taken=taken, confidence=0.4, now=NOW, tables=TABLES)
    assert [candidate["memory_id"] for candidate in found] == ["mem-t1-3", "mem-t1-4"]


def test_a_long_sentence_gets_a_title_cut_at_a_word() -> None:
    """Seed: short title from the candidate string."""
    made = extract.title("word " * 60, TABLES)
    assert made.endswith("word…")
    assert len(made) <= TABLES.extraction.title_characters


def test_a_title_is_the_first_sentence() -> None:
    """Seed: short title from the candidate string."""
    assert extract.title("Retry loops need a limit. Otherwise they hang.", TABLES) == "Retry loops need a limit"


@pytest.mark.parametrize("task", ["../x", "", None, "a/b"])
def test_a_task_that_cannot_name_a_file_is_refused(task: str) -> None:
    """GUARANTEES 3: path ids from task ids."""
    retrospective = samples.retrospective(task, memory_candidates=["a lesson"])
    with pytest.raises(InvalidInput, match="task_id"):
        extract.candidates(retrospective, source=SOURCE, taken=(), confidence=0.4, now=NOW, tables=TABLES)


@given(texts=st.lists(st.text(), max_size=5))
def test_whatever_the_sentences_the_candidates_are_valid(texts: list[str]) -> None:
    """Issue: every file written validates."""
    retrospective = samples.retrospective("t1", memory_candidates=texts)
    found = extract.candidates(retrospective, source=SOURCE, taken=(), confidence=0.4, now=NOW, tables=TABLES)
    assert len({candidate["memory_id"] for candidate in found}) == len(found)
    for candidate in found:
        assert schemas.problems(candidate, "memory-candidate") == []
        assert candidate["title"].isprintable()
        assert candidate["summary"] in texts


def test_a_label_weighs_more_than_the_words_after_it() -> None:
    """Skill: a leading label names the topic; the sentence may speak of something else."""
    assert extract.memory_type("Risk: the tests and their fixtures", TABLES) == "risk_pattern"
    assert extract.memory_type("The risk lies in tests and their fixtures", TABLES) == "test_strategy"


def test_a_title_is_cut_at_the_last_word_that_fits_and_never_empty() -> None:
    """The schema wants a title of one character or more."""
    limit = TABLES.extraction.title_characters
    words = "abcd " * limit
    cut = extract.title(words, TABLES)
    assert cut.endswith("abcd\u2026") and limit - 6 < len(cut) <= limit
    assert extract.title("...", TABLES) == "..."
