"""The command that adds an extra fits how this copy was installed."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import tenure
from tenure.files import extras
from tests.program import Program


class Wheel:
    """What `importlib.metadata` knows of an installed copy."""

    def __init__(self, url: dict[str, object] | None) -> None:
        self.url = url

    def read_text(self, name: str) -> str | None:
        return json.dumps(self.url) if name == "direct_url.json" and self.url else None


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "venv" / "bin" / "python"
    found.parent.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(found))
    return found


def installed(monkeypatch: pytest.MonkeyPatch, url: dict[str, object] | None) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Wheel(url))
    monkeypatch.setattr(
        metadata, "requires", lambda name: ["apsw>=3", 'mcp<3,>=2.3; extra == "mcp"', 'x; extra == "y"']
    )


def test_a_clone_names_its_folder(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 14: messages said `pip install 'tenure[mcp]'`, which no index has."""
    (python.parent / "pip").touch()
    installed(monkeypatch, {"url": "file:///my/clone%20of", "dir_info": {"editable": True}})
    assert shlex.split(extras.adding("mcp")) == [str(python), "-m", "pip", "install", "-e", "/my/clone of[mcp]"]


@pytest.mark.parametrize("url", [None, {"url": "file:///a.whl", "archive_info": {}}])
def test_a_wheel_names_what_the_extra_consists_of(
    python: Path, monkeypatch: pytest.MonkeyPatch, url: dict[str, object] | None
) -> None:
    (python.parent / "pip3").touch()
    installed(monkeypatch, url)
    assert shlex.split(extras.adding("mcp")) == [str(python), "-m", "pip", "install", "mcp<3,>=2.3"]


def test_an_environment_without_pip_is_uv_s(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, None)
    assert shlex.split(extras.adding("mcp")) == ["uv", "pip", "install", "--python", str(python), "mcp<3,>=2.3"]


def test_pipx_has_a_word_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "pipx" / "venvs" / "tenure" / "bin" / "python"))
    installed(monkeypatch, None)
    assert extras.adding("mcp") == "pipx inject tenure 'mcp<3,>=2.3'"


def test_no_message_names_an_extra_of_an_index() -> None:
    """Issue 14: no index has this package, so `pip install 'tenure[…]'` finds nothing or somebody else's."""
    source = Path(tenure.__file__).parent
    saying = [path for path in source.rglob("*.py") if "tenure[" in path.read_text("utf-8")]
    assert [path.name for path in saying] == ["extras.py"], "what it falls back on when it knows nothing else"


def test_a_store_without_its_driver_says_what_adds_it(program: Program) -> None:
    """The same, as a user sees it."""
    start = "import sys; sys.modules['psycopg'] = None; from tenure.__main__ import main; sys.exit(main(sys.argv[1:]))"
    words = ["--store", "postgresql://ana@db.example/memory", "status"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, *words],
        cwd=program.folder,
        env=program.variables(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5 and extras.adding("postgres") in done.stderr, done
