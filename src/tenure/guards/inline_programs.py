"""The files that a program written on the line changes: `python - <<EOF` with `open("f", "w")`, `node -e` and others.

Agents edit files so when no editor's tool is at hand. The text is searched, not run and not parsed, so what is found
here is never certain.
"""

from __future__ import annotations

import re

from tenure.guards.shell import UNKNOWN, Simple

MOST_FILES = 24
MOST_CHARACTERS = 30_000
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|py")
_SCRIPT = re.compile(r"node|bun|deno|tsx|ts-node")
_TEXT = r"""[rbfu]{0,2}(?:'([^'\\\n]{1,240})'|"([^"\\\n]{1,240})")"""
# What a program calls a file, and then what is done with it: a text on the spot, or the name it was given before.
_NAMED = re.compile(rf"\b(\w+)\s*=\s*(?:await\s+)?(?:(?:[\w.]+\.)?Path\(\s*|path\.(?:join|resolve)\(\s*)?{_TEXT}")
# Names in a list, and what a loop over them, or over what a pattern finds, calls each one.
_LIST_ITEM = r"""\s*[rbu]?(?:'[^'\n]*'|"[^"\n]*")"""
_LISTS = re.compile(rf"\b(\w+)\s*=\s*[\[(]((?:{_LIST_ITEM}\s*,)*(?:{_LIST_ITEM})?)\s*[\])]")
_LITERAL = re.compile(r"""'([^'\n]*)'|"([^"\n]*)["]""")
_LOOPS = re.compile(rf"\bfor\s+(\w+)\s+in\s+(?:(?:\w+\.)?(?:(\w+)\s*:|(\w+)\.r?glob\(\s*{_TEXT}))")
_FILE = rf"(?:{_TEXT}|(\w+))"
_WRITING = {
    "python": (
        re.compile(rf"\bopen\(\s*{_FILE}\s*,\s*(?:mode\s*=\s*)?['\"][rbt]*[wax+]"),
        re.compile(rf"\bPath\(\s*{_FILE}\s*\)\.(?:write_\w+|unlink|touch|open\(\s*['\"][wax])"),
        re.compile(r"()()\b(\w+)\.(?:write_text|write_bytes|unlink|open\(\s*['\"][wax])"),
        re.compile(rf"\b(?:os\.(?:remove|unlink|rmdir|mkdir|makedirs)|shutil\.rmtree)\(\s*{_FILE}"),
        re.compile(rf"\b(?:shutil\.(?:copy\w*|move)|os\.(?:rename|replace))\([^,()]+,\s*{_FILE}"),
    ),
    "script": (
        re.compile(rf"\b(?:writeFile|appendFile|unlink|rm|createWriteStream)(?:Sync)?\(\s*{_FILE}"),
        re.compile(rf"\bBun\.write\(\s*{_FILE}"),
        re.compile(rf"\b(?:copyFile|rename|cp)(?:Sync)?\([^,()]+,\s*{_FILE}"),
    ),
}


def changed(simple: Simple) -> list[str]:
    """Return the files that the program on a command's line or in its input seems to change, as it names them."""
    kind = "python" if _PYTHON.fullmatch(simple.program) else "script" if _SCRIPT.fullmatch(simple.program) else ""
    text = _program(simple)[:MOST_CHARACTERS] if kind else ""
    if not text:
        return []
    names: dict[str, list[str]] = {}
    for found in _NAMED.finditer(text):
        names.setdefault(found[1], []).append(found[2] or found[3])
    for found in _LISTS.finditer(text):
        names.setdefault(found[1], []).extend(one or other for one, other in _LITERAL.findall(found[2]))
    for found in _LOOPS.finditer(text):
        folder = f"{names.get(found[3] or '', ['.'])[-1]}/" if found[3] and not found[2] else ""
        named = names.get(found[2] or "", []) if found[2] else [f"{folder}{found[4] or found[5]}"]
        names.setdefault(found[1], []).extend(named)
    files: dict[str, None] = {}
    for pattern in _WRITING[kind]:
        for found in pattern.finditer(text):
            one, other, name = found.groups()
            files.update(dict.fromkeys([one or other] if one or other else names.get(name or "", [])))
    return [file for file in files if UNKNOWN not in file and "{" not in file][:MOST_FILES]


def _program(simple: Simple) -> str:
    words = simple.words
    for n, word in enumerate(words[1:-1], 1):
        if word in ("-c", "-e", "--eval", "-p", "eval"):
            return words[n + 1]
        if not word.startswith("-"):
            return ""
    reads_input = len(words) == 1 or all(word == "-" or word.startswith("--") for word in words[1:2])
    return (simple.stdin or "") if reads_input else ""
