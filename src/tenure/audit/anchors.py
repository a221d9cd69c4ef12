"""Lines and headings that pages point at: `worker.h:337` beside a class, `guide.md#set-up`."""

from __future__ import annotations

import difflib
import posixpath
import re
from urllib.parse import unquote

from tenure.audit.claim import Claim
from tenure.audit.findings import Finding
from tenure.audit.names import Names, parts
from tenure.audit.paths import Paths
from tenure.audit.project import Project

MAX_BYTES = 4 * 1024 * 1024
# A line that is so near the definition still shows it.
NEAR_LINES = 3
CLOSE = 0.8
# How sure a new line is: where a definition begins, and where some lines of it are.
START, PART = 0.95, 0.5
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$|^(.+)\n(?:=+|-{2,})[ \t]*$", re.M)
_OWN_ID = re.compile(r"(?:\bid|\bname)=[\"']([^\"']+)[\"']|\{#([\w-]+)\}")


class Anchors:
    """The rules for claims about lines and headings."""

    def __init__(self, project: Project, paths: Paths, names: Names) -> None:
        self.project = project
        self.paths = paths
        self.names = names

    def line(self, claim: Claim, beside: str) -> Finding:
        """Check a line: the file is that long, and the name told beside it stands there."""
        path, _, numbers = claim.text.rpartition(":")
        first, _, last = numbers.partition("-")
        low, high = int(first), int(last or first)
        here = self.paths.now_at(path, beside) or (self.paths.now_at(claim.beside, beside) if claim.beside else None)
        text = self.project.read_text(here, MAX_BYTES) if here and here in self.project.files else ""
        if not text:
            return Finding(claim, "unchecked", why="the file is not here")
        lines = text.split("\n")
        sure = not (claim.mood.denied or claim.mood.elsewhere or claim.mood.gone)
        *owners, name = parts(claim.within) or [""]
        hits = [hit for hit in self.names.hits.get(name, ()) if hit.role == "def" and hit.path == here]
        if owners:
            # The class itself, not its constructor of the same name.
            hits = [hit for hit in hits if re.split(r"\W+", hit.container)[-1] == owners[-1]] or hits
        defined = sorted({hit.line for hit in hits})
        around = "\n".join(lines[max(0, low - 1 - NEAR_LINES) : high + NEAR_LINES])
        mentioned = not name or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", around) is not None
        if low > len(lines) and not defined:
            return Finding(claim, "missing", True, why=f"the file has {len(lines):,} lines", sure=sure)
        if any(low - NEAR_LINES <= each <= high + NEAR_LINES for each in defined) or (mentioned and not defined):
            return Finding(claim, "ok")
        if not defined:
            return Finding(claim, "unchecked", why="the line does not define what is said of it")
        why = f"{name} is on line {', '.join(map(str, defined[:3]))}"
        if len(defined) > 1:
            return Finding(claim, "missing", False, why=why, sure=sure)
        new = f"{path}:{defined[0]}" + (f"-{defined[0] + high - low}" if last else "")
        # Several lines tell a part of the body, which need not be its beginning.
        return Finding(claim, "moved", False, new, PART if last else START, why=why, sure=sure)

    def heading(self, claim: Claim, beside: str, page: str) -> Finding:
        """Check that the page linked to, or this one, has such a heading."""
        path, _, anchor = claim.text.partition("#")
        # A link leads from the page's own folder first: most folders have a README.md.
        near = posixpath.normpath(posixpath.join(beside, unquote(path)))
        here = (near if near in self.project.files else self.project.find(unquote(path), beside)) if path else page
        text = self.project.read_text(here, MAX_BYTES) if here and here in self.project.files else ""
        if not text:
            return Finding(claim, "unchecked", why="the page is not here")
        headings = [_plain(next(filter(None, match.groups()))) for match in _HEADING.finditer(_without_fences(text))]
        own = {each for pair in _OWN_ID.findall(text) for each in pair if each}
        wanted = unquote(anchor)
        known = {_letters(each) for each in [*headings, *own]}
        if _letters(wanted) in known or _letters(re.sub(r"-\d+$", "", wanted)) in known or not headings:
            return Finding(claim, "ok")
        sure = not (claim.mood.denied or claim.mood.elsewhere)
        slugs = [_slug(each) for each in headings]
        close = difflib.get_close_matches(wanted, slugs, 1, CLOSE)
        why = f"{posixpath.basename(here or page)} has no such heading"
        if close:
            share = round(difflib.SequenceMatcher(None, wanted, close[0]).ratio(), 2)
            return Finding(claim, "moved", False, f"{path}#{close[0]}", share, why=why, sure=sure)
        return Finding(claim, "missing", False, why=why, sure=sure)


def _without_fences(text: str) -> str:
    return re.sub(r"^[ \t]*(```|~~~)[^\n]*\n(?:[^\n]*\n)*?[ \t]*\1[ \t]*$", "", text, flags=re.M)


def _plain(heading: str) -> str:
    """Return a heading as it is read: links and code as their text."""
    return re.sub(r"[`*]|<[^>]*>", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading))


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _letters(text: str) -> str:
    """Return letters and digits alone: how renderers treat the rest of a heading differs."""
    return re.sub(r"[\W_]", "", text.lower())
