"""The documentation that agents read when they need it: README, CONTRIBUTING, and the pages instruction files name.

A page is named by a link or by its path, from its page's folder or from the root. What such a page names in turn is
followed once more. Pages that tell of the past are left out, because what they name has gone on purpose.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator

# So many pages are read at the most, and so many steps from an instruction file.
MOST_PAGES = 100
MOST_STEPS = 2
ALWAYS = ("README.md", "CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md")
_PAGE = re.compile(r"(?<![\w./@:%-])[\w.-]+(?:/[\w.-]+)*\.mdx?(?!\w)")
_OF_THE_PAST = re.compile(
    r"(?:change(?:s|log)|history|releases?(?:[-_]notes)?|news|upgrad\w*|migrat\w*|licen[cs]e|code[-_]of[-_]conduct)"
    r"(?:[-_.].*)?\.mdx?",
    re.I,
)


def named(text: str, beside: str, files: Collection[str]) -> Iterator[str]:
    """Yield the project's pages that a text names; `beside` is its folder."""
    for match in _PAGE.finditer(text):
        for start in (beside, ""):
            path = posixpath.normpath(posixpath.join(start, match[0]))
            if path in files:
                if not _OF_THE_PAST.fullmatch(posixpath.basename(path)):
                    yield path
                break


def unread(texts: Iterable[tuple[str, str]], read: Collection[str], files: Collection[str]) -> list[str]:
    """Return what texts, each with its folder, name, and the project's README; what is read is left out."""
    found = dict.fromkeys(path for path in ALWAYS if path in files)
    found |= dict.fromkeys(path for text, beside in texts for path in named(text, beside, files))
    return [path for path in found if path not in read]
