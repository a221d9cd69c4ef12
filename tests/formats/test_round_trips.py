"""Round trips are laws (issue 22): what we write says the same when it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenure import formats
from tenure.formats import ForeignRecord, markdown
from tenure.model.kinds import KINDS
from tenure.text.redact import redact
from tests.specimens import specimen

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)
LINES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
# A further line that is an item, a heading or a fence is one for every reader of Markdown.
FURTHER = st.one_of(st.just(""), LINES.map(lambda line: f"and {line}"))
TEXTS = st.tuples(LINES, st.lists(FURTHER, max_size=3)).map(lambda lines: "\n".join([lines[0], *lines[1]]).strip())
TAGS = st.lists(WORDS.map(str.lower), max_size=3, unique=True).map(tuple)
# What would be redacted comes back redacted.
SAID = st.tuples(st.sampled_from(sorted(KINDS)), TEXTS, TAGS).filter(
    lambda said: all(redact(each)[0] == each for each in (said[1], *said[2]))
)


@pytest.mark.parametrize("name", ["okf", "markdown"])
@given(said=st.lists(SAID, min_size=1, max_size=4))
@example(said=[("constraint", "a path that ends with \\", ("windows",))])
@example(said=[("lesson", "[x] is how a done task looks", ("-->", "a b"))])
@example(said=[("lesson", "\\\\[x]", ()), ("decision", "pnpm", ("#1",)), ("lesson", "one\\\\\n\ntwo", ())])
def test_text_kind_and_tags_come_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, said: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    folder = tmp_path_factory.mktemp(name)
    target = f"{name}:{folder if name == 'okf' else folder / 'all.md'}"
    write, read = formats.writer(target), formats.reader(target)
    assert write is not None and read is not None
    write([specimen(id=f"m-{at}", kind=kind, text=text, tags=tags) for at, (kind, text, tags) in enumerate(said)])
    back = [each.says for each in read[1]() if isinstance(each, ForeignRecord)]
    assert sorted((each["kind"], each["text"], tuple(each["tags"])) for each in back) == sorted(said)


def test_a_comment_of_another_kind_stays_in_its_item(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- Keep the queue short at night <!-- tags: [1, 2] -->\n")
    [(_, says)] = markdown.bullets((tmp_path / "a.md").read_text())
    assert says["text"] == "Keep the queue short at night <!-- tags: [1, 2] -->" and says["tags"] == []
