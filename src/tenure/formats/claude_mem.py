"""claude-mem's observations: what a session found out, with facts, concepts and the files it changed.

One observation is one memory: its narrative, else its text, with its facts below. The database is the user's, not a
project's: `claude-mem:FILE#PROJECT` takes one project's, and without a name each is tagged with its project.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import strict_json
from tenure.formats import ForeignRecord, Unread
from tenure.model.errors import TenureError
from tenure.store import claude_mem
from tenure.text.words import one_line, slug

# claude-mem's type -> our kind; anything else is a lesson.
_KINDS = {"decision": "decision", "preference": "preference"}
MOST_LIST_BYTES = 1024 * 1024


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the observations of a database, of one project where the path names it behind `#`."""
    file, _, project = (str(path), "", "") if path.is_file() else str(path).rpartition("#")
    for row in claude_mem.observations(file or str(path), project=project if file else ""):
        where = f"observation {row['id']}"
        said = str(row["narrative"] or row["text"] or "").strip()
        facts = "\n".join(f"- {fact}" for fact in _list(row["facts"]))
        title = one_line(str(row["title"] or said), 200)
        if not (said or facts or title):
            yield Unread(where, "it says nothing")
            continue
        sort = str(row["type"] or "")
        yield ForeignRecord(
            where,
            {
                "title": title,
                "text": "\n\n".join(part for part in (said, facts) if part) or title,
                "kind": _KINDS.get(sort, "lesson"),
                "tags": [slug(tag) for tag in (sort, *_list(row["concepts"]), str(row["project"] or "")) if tag],
                "files": _list(row["files_modified"]),
            },
        )


def _list(value: Any) -> list[str]:
    """Return a list that is stored as a text of JSON; empty when it is not one."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        found: Any = strict_json.decode(value.encode("utf-8", "replace"), max_bytes=MOST_LIST_BYTES)
    except TenureError:
        return []
    return [str(each).strip() for each in found if str(each).strip()] if isinstance(found, list) else []
