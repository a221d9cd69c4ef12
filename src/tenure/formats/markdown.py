"""Plain Markdown: the bullets of an instruction file such as AGENTS.md, and memories as bullets under their kinds.

Only a list item that is a sentence of its own is taken: a heading, a link alone, code and a table say nothing a memory
could keep. The headings above an item are its title's context and become tags; an item that does not stand alone
begins with the nearest one. What we wrote ourselves says the same when it is read: a line that ends with a backslash is
a line of its own, tags stand in a comment behind the item, and no text is a link or an element (`inert`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tenure.files import durable
from tenure.formats import ForeignRecord, Unread, files, inert, yaml_subset
from tenure.model.errors import StoreUnusable
from tenure.model.kinds import KINDS
from tenure.model.memory import Memory
from tenure.text.redact import redact
from tenure.text.words import one_line, slug

_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_LINK_ALONE = re.compile(r"^(?:\[[^\]]*\]\([^)]*\)|<[^>]*>|https?://\S+|@\S+)[.;]?$")
LEAST_WORDS = 4
OWN = "Memories"
# Not one that the text itself holds: that has a backslash.
_TAGS = re.compile(r"(?<!\\)\s*<!-- tags: (\[.*\]) -->$")
_BOX = re.compile(r"\\?\[")
# What points at something said before: "It needs docker", "Never edit them by hand", "otherwise the build fails".
_POINTS_BACK = re.compile(
    r"(?:it|its|it['’]s|they|them|their|this|these|those|that|same|both|otherwise|then|also|else|instead)\b"
    r"|(?:[\w'’-]+\s+){1,3}(?:it|them|this|these|those)\b",
    re.IGNORECASE,
)
# A fragment begins small, unless it begins as an order does.
_ORDERS = frozenset(
    """
    use run never always do don't dont avoid prefer keep add write make put read check test call set no not only
    when if before after build commit push install create update follow ensure name format document
    """.split()
)
_KIND_OF = {f"{kind.replace('_', ' ')}{plural}": kind for kind in KINDS for plural in ("", "s")} | {
    "tech debt": "tech_debt",
    "summaries": "session_summary",
}


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the list items of a file, or of the Markdown files below a folder."""
    for each in files.texts(path, ".md"):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        for number, says in bullets(text):
            yield ForeignRecord(f"{where}:{number}", says)


def bullets(text: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield each item that is a sentence, with its line; an item's further lines belong to it."""
    try:
        head, _ = yaml_subset.split(text)
        start = text.splitlines().index(yaml_subset.FENCE, 1) + 1 if head else 0
    except ValueError:
        start = 0
    headings: dict[int, str] = {}
    item: tuple[int, int, list[str]] | None = None
    fenced = False
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if number <= start:
            continue
        if _FENCE.match(line):
            fenced = not fenced
        found, heading = (None, None) if fenced or _FENCE.match(line) else (_ITEM.match(line), _HEADING.match(line))
        goes_on = item is not None and not found and not heading and line.strip() and line[: item[1] + 1].isspace()
        if item and goes_on and not fenced and not _FENCE.match(line):
            item[2].append(line.strip())
            continue
        if item:
            if (says := _says(_joined(item[2]), headings)) is not None:
                yield item[0], says
            item = None
        if heading:
            level = len(heading[1])
            headings = {depth: name for depth, name in headings.items() if depth < level} | {level: heading[2]}
        elif found:
            item = (number, len(found[1]), [found[2]])


def write(path: Path, memories: Sequence[Memory]) -> int:
    """Write memories as one Markdown file, a heading for each kind and an item for each memory; return how many."""
    parts = []
    for kind in dict.fromkeys(memory.kind for memory in memories):
        listed = [f"- {_item(memory)}" for memory in memories if memory.kind == kind]
        parts.append(f"## {kind.replace('_', ' ').capitalize()}\n\n" + "\n".join(listed) + "\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.replace(path, (f"# {OWN}\n\n" + "\n".join(parts)).encode())
    except OSError as error:
        raise StoreUnusable(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    return len(memories)


def _item(memory: Memory) -> str:
    """Return a memory as one item; further lines are indented below it."""
    text = inert.inert(redact(memory.text)[0].strip())
    lines = (f"\\{text}" if _BOX.match(text) else text).splitlines()
    # A tag can hold what ends a comment.
    tags = json.dumps([redact(tag)[0] for tag in memory.tags], ensure_ascii=False).replace(">", "\\u003e")
    return "\\\n  ".join(lines) + (f" <!-- tags: {tags} -->" if memory.tags else "")


def _joined(lines: list[str]) -> str:
    """Return the lines of an item as one, but for those that end with a backslash."""
    text = lines[0]
    for line in lines[1:]:
        text = f"{text[:-1]}\n{line}" if text.endswith("\\") else f"{text} {line}"
    return text


def _says(text: str, headings: dict[int, str]) -> dict[str, object] | None:
    text, given = _without_tags(text.strip())
    above = [headings[level] for level in sorted(headings)]
    kind = next((_KIND_OF[name.lower()] for name in reversed(above) if name.lower() in _KIND_OF), "")
    ours = bool(kind) and above[0] == OWN
    if not ours and (len(re.findall(r"\w+", text)) < LEAST_WORDS or _LINK_ALONE.match(text)):
        return None
    if text.startswith("\\["):
        text = text[1:]
    text = inert.read(text) if ours else text
    tags = [slug(name) for name in above[-1:] if slug(name) and name.lower() not in (*_KIND_OF, OWN.lower())]
    if tags and not ours and not _stands_alone(text):
        text = f"{above[-1].strip('*_ :')}: {text}"
    return {"text": text, "title": one_line(text, 100), "tags": [*tags, *given], **({"kind": kind} if kind else {})}


def _without_tags(text: str) -> tuple[str, list[str]]:
    match = _TAGS.search(text)
    try:
        found = json.loads(match[1]) if match else []
    except (ValueError, RecursionError):
        found = []
    if match is None or not found or not all(isinstance(tag, str) for tag in found):
        return text, []
    return text[: match.start()].rstrip(), found


def _stands_alone(text: str) -> bool:
    """Return whether an item can be understood without the heading it stands under."""
    first = re.match(r"[\w'’]+", text)
    is_fragment = first is not None and first[0].islower() and first[0].lower().replace("’", "'") not in _ORDERS
    return not is_fragment and _POINTS_BACK.match(text) is None
