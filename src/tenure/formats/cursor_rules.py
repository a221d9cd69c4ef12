"""Cursor's rules: `.cursor/rules/*.mdc`, Markdown with `description`, `globs` and `alwaysApply` above it.

A rule is one memory; the files its globs name are the files it is about, so that it comes up beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenure.formats import Found, Unread, files, yaml_subset
from tenure.text.words import one_line


def read(path: Path) -> Iterator[Found | Unread]:
    """Yield the rules of a file or folder."""
    for each in files.texts(path, ".mdc"):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        try:
            head, body = yaml_subset.split(_quoted_globs(text))
        except ValueError as error:
            yield Unread(where, str(error))
            continue
        described = str(head.get("description") or "").strip()
        if not (body.strip() or described):
            yield Unread(where, "it says nothing")
            continue
        given = head.get("globs") or []
        globs = given if isinstance(given, list) else str(given).split(",")
        plain = [glob.strip() for glob in map(str, globs) if glob.strip() and not set("*?[{") & set(glob)]
        title = one_line(described or Path(where).stem, 200)
        yield Found(where, {"kind": "preference", "title": title, "text": body.strip() or described, "files": plain})


def _quoted_globs(text: str) -> str:
    """Return the rule with its globs in quotes: Cursor writes `globs: *.ts`, which is no YAML."""
    out = []
    for number, line in enumerate(text.splitlines()):
        name, separator, value = line.partition(":")
        if number < 20 and separator and name.strip() == "globs" and value.strip()[:1] in ("*", "!", "&", "@", "%"):
            line = f'{name}: "{value.strip()}"'
        out.append(line)
    return "\n".join(out)
