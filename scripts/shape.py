#!/usr/bin/env python3
"""Print the shape of the source: the longest functions and modules, and the size of each room.

Run it in a checkout: .venv/bin/python scripts/shape.py [NUMBER]. A mirror, not a gate: a long function that tells a
story from top to bottom is better than the same story scattered over five.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tenure"
LONG_FUNCTION, LONG_MODULE = 60, 400


def main(most: int) -> None:
    functions: list[tuple[int, str]] = []
    modules: list[tuple[int, str]] = []
    rooms: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        name, source = path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")
        lines = source.count("\n")
        modules.append((lines, name))
        room = name.split("/")[0] if "/" in name else "."
        rooms[room] += lines
        files[room] += 1
        functions += [
            ((node.end_lineno or node.lineno) - node.lineno + 1, f"{name}:{node.lineno} {node.name}")
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
    show(f"functions over {LONG_FUNCTION} lines", functions, LONG_FUNCTION, most)
    show(f"modules over {LONG_MODULE} lines", modules, LONG_MODULE, most)
    print(f"{sum(rooms.values())} lines in {len(modules)} modules; {len(functions)} functions")
    for room, lines in rooms.most_common():
        print(f"{lines:7} {files[room]:4}  {room}")


def show(what: str, found: list[tuple[int, str]], limit: int, most: int) -> None:
    over = [item for item in sorted(found, reverse=True) if item[0] > limit]
    print(f"{len(over)} {what}; the longest:")
    for lines, name in sorted(found, reverse=True)[:most]:
        print(f"{lines:7}  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
