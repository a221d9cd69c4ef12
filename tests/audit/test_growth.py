"""S17: a hostile instruction file costs in proportion to its size, whatever it is full of."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tenure import workspace

# Four times as much may cost up to this: 4 is proportion, 16 is its square.
MOST = 9.0
SMALL = 120_000
FULL_OF = {
    "bullets": "- Use `src/mod/file.py` and never edit `gen/x.ts` by hand, run `make test`.\n",
    "one line": "Use `src/a.py` and never edit the files. ",
    "brackets": "[",
    "imports": "@a ",
    "paths": "src/a/b.py ",
    "ticks": "`a ",
    "comments": "<!--",
    "headings": "# Head\n\nSome prose about a thing and `cmd`.\n",
}


def cost(folder: Path, text: str) -> float:
    """Return the CPU time of an audit, the least of three."""
    (folder / "AGENTS.md").write_text(text)
    found = []
    for _ in range(3):
        start = time.process_time()
        workspace.audit(path=str(folder))
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", FULL_OF)
def test_four_times_the_file_costs_four_times_as_much(tmp_path: Path, name: str) -> None:
    """A 1.5 MB AGENTS.md took 25 seconds once."""
    (tmp_path / ".git").mkdir()
    piece = FULL_OF[name]
    text = piece * (4 * SMALL // len(piece) + 1)
    small, large = cost(tmp_path, text[:SMALL]), cost(tmp_path, text[: 4 * SMALL])
    assert large / small < MOST, (small, large)
