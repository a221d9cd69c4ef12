"""Where names stand in one file: by its grammar, or by the words around them where there is none."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections import defaultdict
from typing import Any

import msgspec

from tenure.audit import languages, names_without_parser

# Without a grammar nobody knows which class a definition is in.
UNKNOWN_CONTAINER = "?"
# Without a grammar: words that stand before a name where it is defined, or an assignment.
_DEFINED = re.compile(
    r"(?:\b(?:def|class|function|func|fn|struct|enum|trait|interface|type|const|let|var|val|module|static|macro|"
    r"record|object|protocol|extension|sub|proc|method|fun|defp|defmodule|defmacro)[ \t]+"
    r"(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?$)"
    r"|^[ \t]*$"
)
_AFTER = re.compile(r"[ \t]*(?:=(?!=)|:=|:[ \t]*\w[^=\n]{0,60}=|\(\)[ \t]*\{)")


class Occurrence(msgspec.Struct, frozen=True, array_like=True):
    """One place of a name; `role` is def, use (in code), text (in a string) or word (no grammar).

    A definition is `weak` when it is a function's own variable or the key of a literal.
    """

    name: str
    path: str
    line: int
    role: str
    container: str = ""
    weak: bool = False


class Parsers:
    """The grammars, each loaded when the first file needs it."""

    def __init__(self) -> None:
        self._get: Any = None
        self._loaded: dict[str, Any] = {}
        with contextlib.suppress(ImportError):
            # The optional extra `audit`, imported by name so that types are checked without it too.
            self._get = importlib.import_module("tree_sitter_language_pack").get_parser
        self.available = self._get is not None

    def hits(self, path: str, data: bytes, names: set[str]) -> list[Occurrence]:
        """Return where the names stand in the file, definitions first."""
        extension = path.rsplit(".", 1)[-1].lower()
        grammar = languages.GRAMMARS.get(extension)
        if grammar is None or not self.available:
            return _by_line(path, data, names, known=grammar is not None)
        if grammar not in self._loaded:
            try:
                self._loaded[grammar] = self._get(grammar)
            except (LookupError, OSError, ValueError, RuntimeError):
                self._loaded[grammar] = None
        parser = self._loaded[grammar]
        if parser is None:
            return _by_line(path, data, names, known=True)
        return _by_tree(path, data, names, parser.parse(data).root_node, languages.DEFINITIONS[grammar])


PARSERS = Parsers()


def _by_tree(path: str, data: bytes, names: set[str], root: Any, definitions: dict[str, str]) -> list[Occurrence]:
    found: list[Occurrence] = []
    uses: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    for at, name in names_without_parser.occurrences(data, names):
        if uses.get(name, 0) > languages.MAX_MENTIONS:
            continue
        node = root.descendant_for_byte_range(at, at + len(name))
        if node is None or "comment" in node.type:
            continue
        quoted = any(part in node.type for part in languages.QUOTED)
        defined = None if quoted else _definition(node, definitions)
        role = "text" if quoted else "use" if defined is None else "def"
        uses[name] = uses.get(name, 0) + 1
        if role != "def" and (name, role) in seen:
            continue
        seen.add((name, role))
        container = _container(defined) if defined is not None else ""
        weak = defined is not None and _is_weak(defined)
        found.append(Occurrence(name, path, node.start_point[0] + 1, role, container, weak))
    return found


def _definition(node: Any, definitions: dict[str, str]) -> Any:
    """Return the node that defines the name, or None where it is only used."""
    inner, parent = node, node.parent
    for _ in range(4):
        if parent is None:
            return None
        field = definitions.get(parent.type)
        if field is not None:
            named = inner.id in _named_by(parent, field)
            if named and (parent.type not in languages.NEEDS_BODY or parent.child_by_field_name("body")):
                return parent
            return None
        if parent.type in languages.SCOPED and parent.child_by_field_name("name") != inner:
            return None
        # `*name`, `Class::name`, `name[3]` and `a, b` wrap the name of a declaration.
        if "declarator" not in parent.type and parent.type not in (*languages.SCOPED, "pattern_list"):
            return None
        inner, parent = parent, parent.parent
    return None


def _named_by(node: Any, field: str) -> set[int]:
    """Return the children that name what the node defines; without a field, the first identifier does."""
    if field != languages.FIRST_IDENTIFIER:
        return {child.id for child in node.children_by_field_name(field)}
    return {child.id for child in node.named_children if "identifier" in child.type} and {
        next(child.id for child in node.named_children if "identifier" in child.type)
    }


def _is_weak(node: Any) -> bool:
    """Return whether what is defined is a function's own variable or the key of a literal."""
    if node.type == "pair":
        return True
    value = node.child_by_field_name("value")
    if node.type not in languages.VARIABLES or (value is not None and "function" in value.type):
        return False
    around = node.parent
    while around is not None:
        if any(word in around.type for word in languages.BODIES):
            return True
        if around.type in languages.CONTAINERS:
            return False
        around = around.parent
    return False


def _container(node: Any) -> str:
    """Return the names of the classes, modules and so on around a definition, outermost first, dotted."""
    names: list[str] = []
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        types = re.findall(r"[A-Za-z_]\w*", receiver.text.decode("utf-8", errors="replace"))
        names += types[-1:]
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "qualified_identifier":
        scope = declarator.child_by_field_name("scope")
        names += [scope.text.decode("utf-8", errors="replace")] if scope is not None else []
    named = node.child_by_field_name("name")
    if named is not None and named.type in languages.SCOPED:
        scope = named.child_by_field_name("scope")
        names += [scope.text.decode("utf-8", errors="replace").replace("::", ".")] if scope is not None else []
    around = node.parent
    while around is not None:
        field = languages.CONTAINERS.get(around.type)
        named = _container_name(around, field) if field else None
        if named is not None:
            names.insert(0, named.text.decode("utf-8", errors="replace").partition("<")[0])
        around = around.parent
    return ".".join(names)


def _container_name(node: Any, field: str) -> Any:
    named = node.child_by_field_name(field)
    if named is None and field == "name":
        named = next((child for child in node.named_children if child.type == "type_identifier"), None)
    return named


def _by_line(path: str, data: bytes, names: set[str], *, known: bool) -> list[Occurrence]:
    """Return where the names stand, by looking at the words around them."""
    found: list[Occurrence] = []
    seen: set[tuple[str, str]] = set()
    mentions: dict[str, int] = defaultdict(int)
    for at, name in names_without_parser.occurrences(data, names):
        mentions[name] += 1
        if (name, "def") in seen or mentions[name] > languages.MAX_MENTIONS:
            continue
        end = at + len(name)
        start = data.rfind(b"\n", 0, at) + 1
        before = data[max(start, at - 200) : at].decode("utf-8", errors="replace")
        after = data[end : end + 100].decode("utf-8", errors="replace")
        lead = _DEFINED.search(before)
        role = "def" if lead and (lead.group().strip() or _AFTER.match(after)) else "word"
        if role == "word":
            remark = ("#", "//", "*", "--", "/*") if known else ("# ", "// ", "* ", "-- ", "/* ", "<!-- ")
            if before.lstrip().startswith(remark):
                continue
            role = "use" if known else role
        if (name, role) not in seen:
            seen.add((name, role))
            found.append(Occurrence(name, path, data.count(b"\n", 0, at) + 1, role, UNKNOWN_CONTAINER))
    return found
