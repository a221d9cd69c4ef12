"""S12: stored text is text in exports for Markdown viewers, and says the same when it is read again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenure import formats
from tenure.formats import ForeignRecord, inert
from tests.specimens import specimen

# The `web` rows of our samples of attacks, and shapes that tell where code ends.
HOSTILE = [
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](javascript:alert(document.cookie))",
    "![a picture](https://evil.example/pixel.png)",
    "<script>fetch('/api/memories')</script>",
    "<style>@import'https://evil.example/a.css'</style>",
    "<img src=x onerror=alert(1)>",
    "<javascript:alert(1)>",
    "[later]\n[later]: javascript:alert(1)",
    "\\<img src=x>",
    "\\\\<img src=x>",
    "` <img src=x>",
    "\\` <img src=x> `",
    "`` ` <b> `` </b> `",
    "one ` two\nthree ` <img src=x> ` four",
    '<a href="`">`<img src=x>`',
    "[a]\\\\(javascript:x)",
    "<!-- a comment --> <!-- tags: [\"x\"] -->",
]  # fmt: skip
ACTIVE = re.compile(r"\]\(|\]:|<[A-Za-z/!?]")


def begins(text: str) -> list[str]:
    """Return what would begin an element or a link: not in code, and not behind an odd number of backslashes."""
    pieces, position = [], 0
    for start, end in inert._code(text):
        pieces += [text[position:start], " "]
        position = end
    plain = "".join([*pieces, text[position:]])
    unescaped = re.sub(r"\\[!-/:-@\[-`{-~]", "•", plain)
    return ACTIVE.findall(unescaped)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_begins_in_what_is_written(text: str) -> None:
    assert begins(inert.inert(text)) == [] and inert.read(inert.inert(text)) == text


@given(st.text("ab<>[]()!/\\`:\n ", max_size=60))
@example("`<a>` and ``<b>``")
def test_every_text_comes_back_and_begins_nothing(text: str) -> None:
    written = inert.inert(text)
    assert inert.read(written) == text and begins(written) == []


def test_code_and_formatting_stay_as_they_are() -> None:
    """What people write about code is the reason why not every sign is escaped."""
    for text in ("Use `<Suspense>` around **lists**", "a < b and c > d", "List[int] (see `[x](y)`)", "- one\n- two"):
        assert inert.inert(text) == text


def test_a_text_of_marks_alone_takes_no_longer_than_its_length() -> None:
    """Work is counted in steps of the scanner: one pass over the runs, whatever their number."""
    for piece in ("\\", "`", "` `` ", "]", "<a"):
        assert inert.read(inert.inert(piece * 100_000)) == piece * 100_000


@pytest.mark.parametrize("name", ["okf", "markdown"])
def test_exports_hold_no_link_and_no_element(tmp_path: Path, name: str) -> None:
    target = f"{name}:{tmp_path / 'out' if name == 'okf' else tmp_path / 'all.md'}"
    write, read = formats.writer(target), formats.reader(target)
    assert write is not None and read is not None
    write([specimen(id=f"m-{n}", kind="lesson", text=text, title=text) for n, text in enumerate(HOSTILE)])
    for path in tmp_path.rglob("*.md"):
        body = path.read_text().split("\n---\n", 1)[-1]
        for part in [body] if name == "okf" else body.split("\n- "):
            assert begins(part) == [], part
    back = [each.says["text"] for each in read[1]() if isinstance(each, ForeignRecord)]
    assert sorted(back) == sorted(HOSTILE)


def test_an_export_in_lines_is_json_and_nothing_else(tmp_path: Path) -> None:
    """A line of an export holds the text in a JSON string, whatever it says: no line begins with a formula."""
    import tenure

    with tenure.open(f"sqlite:{tmp_path / 'm.db'}") as workspace:
        for text in ('=HYPERLINK("https://evil.example")', "+1+1", *HOSTILE):
            workspace.add(text)
        workspace.export(f"jsonl:{tmp_path / 'out.jsonl'}")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert len(lines) > 2 and all(line.startswith('{"format":') and json.loads(line) for line in lines)
