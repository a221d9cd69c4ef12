"""Which store a command works on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tenure.files import locate
from tenure.model.errors import BadRequest, InvalidInput, StoreUnusable
from tests.program import Program


def test_the_default_is_at_the_root_of_the_repository(tmp_path: Path) -> None:
    """CONTRACT: `.tenure/memory.db` at the root of the main worktree."""
    (tmp_path / ".git").mkdir()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    place = locate.locate(None, deep)
    assert (place.path, place.project, place.origin) == (tmp_path / ".tenure" / "memory.db", tmp_path, "default")


def test_outside_a_repository_it_is_the_current_folder(tmp_path: Path) -> None:
    assert locate.project_of(tmp_path) == tmp_path


@pytest.mark.parametrize("relative", ["false", "true"])
def test_all_worktrees_share_the_main_ones_store(tmp_path: Path, relative: str) -> None:
    """CONTRACT: all worktrees of a repository share one store; git may write their paths relative to each other."""
    main, linked = tmp_path / "main", tmp_path / "linked"
    person = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", f"worktree.useRelativePaths={relative}")
    for words in (
        ["init", "-q", str(main)],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", str(linked)],
    ):
        where = tmp_path if words[0] == "init" else main
        subprocess.run(["git", *person, *words], cwd=where, check=True, capture_output=True)
    assert locate.project_of(linked) == main
    (linked / "deep").mkdir()
    assert locate.project_of(linked / "deep") == main


@pytest.mark.parametrize("how", ["of its own", "of the user"])
def test_a_git_file_cannot_claim_the_memory_of_another_repository(tmp_path: Path, how: str) -> None:
    """S20: an archive may bring a `.git` file; without this check its folder got the memory of the project it named."""
    users, archive = tmp_path / "users", tmp_path / "archive"
    theirs = users / ".git" / "worktrees" / "theirs"
    mine = archive / "fake"
    for folder, common in ((theirs, "../.."), (mine, str(users / ".git"))):
        folder.mkdir(parents=True)
        (folder / "commondir").write_text(f"{common}\n")
        (folder / "gitdir").write_text(f"{tmp_path / 'elsewhere' / '.git'}\n")
    if how == "of its own":
        (mine / "gitdir").write_text(f"{archive / '.git'}\n")
    (archive / ".git").write_text(f"gitdir: {mine if how == 'of its own' else theirs}\n")
    assert locate.project_of(archive) == archive


@pytest.mark.parametrize("content", ["", "nonsense", "gitdir: /nowhere", "gitdir: \x00"])
def test_a_git_file_that_leads_nowhere_marks_its_own_folder(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert locate.project_of(tmp_path) == tmp_path


def test_the_order_of_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRACT: --store > TENURE_STORE > config > found > default."""
    (tmp_path / ".geas").mkdir()
    assert locate.locate(None, tmp_path).scheme == "geas"
    settings = tmp_path / ".tenure"
    settings.mkdir()
    (settings / "config.toml").write_text('store = "sqlite:mine.db"\n')
    assert locate.locate(None, tmp_path).path == tmp_path / "mine.db"
    monkeypatch.setenv("TENURE_STORE", f"sqlite:{tmp_path}/env.db")
    assert locate.locate(None, tmp_path).path == tmp_path / "env.db"
    assert locate.locate("sqlite:asked.db", tmp_path).path == tmp_path / "asked.db"


def test_a_store_of_our_own_wins_over_what_is_found(tmp_path: Path) -> None:
    (tmp_path / ".geas").mkdir()
    (tmp_path / ".tenure").mkdir()
    (tmp_path / ".tenure" / "memory.db").write_bytes(b"")
    assert locate.locate(None, tmp_path).scheme == "sqlite"


@pytest.mark.parametrize("store", ["sqlite:../other.db", "sqlite:/tmp/other.db"])
def test_a_project_cannot_name_a_store_outside_itself(tmp_path: Path, store: str) -> None:
    """GUARANTEES S20: a cloned project's configuration is not trusted."""
    (tmp_path / ".tenure").mkdir()
    (tmp_path / ".tenure" / "config.toml").write_text(f'store = "{store}"\n')
    with pytest.raises(InvalidInput, match="outside the project"):
        locate.locate(None, tmp_path)


@pytest.mark.parametrize("url", ["", "mine.db", "mysql:x", "sqlite:", ":x"])
def test_what_is_no_store_is_refused(tmp_path: Path, url: str) -> None:
    if not url:
        assert locate.locate(url, tmp_path).origin == "default"
        return
    with pytest.raises(BadRequest, match="is not a store"):
        locate.locate(url, tmp_path)


@pytest.mark.parametrize("command", ["status", "list", "add hi", "trust --yes"])
@pytest.mark.parametrize("store", ["sqlite:~nouser/x", "geas:~nouser", "postgresql://[::", "sqlite:a\\u0000b"])
def test_a_projects_address_that_makes_no_sense_is_named(program: Program, store: str, command: str) -> None:
    """A breaker's finding: four addresses ended as a bug of ours, in every command of a clone."""
    (program.folder / ".tenure").mkdir()
    (program.folder / ".tenure" / "config.toml").write_text(f'store = "{store}"\n')
    done = program("--json", *command.split())
    assert done.status == 2 and done.error["hint"], done


@pytest.mark.parametrize("store", ["sqlite:/", "sqlite:~nouser/x", "postgresql://[::", "geas:~nouser"])
def test_an_address_that_makes_no_sense_is_refused(program: Program, store: str) -> None:
    for command in ("list", "add hi", "check"):
        done = program("--json", "--store", store, *command.split())
        assert done.status == 2 and done.error["hint"], done


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="Linux has such a file")
@pytest.mark.parametrize("command", ["import", "capture"])
@pytest.mark.parametrize("path", ["/proc/self/mem", "~nouser/x"])
def test_a_file_that_cannot_be_read_is_refused(program: Program, command: str, path: str) -> None:
    """A breaker's finding: a file without an end or a beginning ended as a bug of ours."""
    done = program("--json", command, path)
    assert done.status == 2 and "read" in done.error["message"], done


@pytest.mark.parametrize("content", [b"store = ", b"\xff"])
def test_settings_that_cannot_be_read_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".tenure").mkdir()
    (tmp_path / ".tenure" / "config.toml").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        locate.locate(None, tmp_path)


@pytest.mark.parametrize("url", ["okf:folder"])
def test_an_address_that_does_not_work_yet_says_so_and_names_those_that_do(url: str, tmp_path: Path) -> None:
    """HOUSE: `locate` offers only schemes that work."""
    with pytest.raises(StoreUnusable) as refused:
        locate.locate(url, tmp_path)
    scheme = url.partition(":")[0]
    assert f"cannot work on {scheme} stores yet" in refused.value.message
    assert "sqlite:PATH" in refused.value.hint and scheme not in refused.value.hint


@pytest.mark.parametrize("url", ["mysql:x", "sqlite:", "nothing", ":x"])
def test_what_is_no_address_is_answered_with_those_that_work(url: str, tmp_path: Path) -> None:
    """The same list, and nothing that is only planned."""
    with pytest.raises(BadRequest) as refused:
        locate.locate(url, tmp_path)
    assert "sqlite:PATH" in refused.value.message and "okf" not in refused.value.message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:hunter2@db.example/memory#billing",
        "postgresql://ana@db.example/memory?password=hunter2&sslmode=require#billing",
        "postgresql://ana:hunter2@db.example:5433/memory?sslpassword=hunter2",
    ],
)
def test_the_password_of_an_address_is_shown_nowhere(url: str, tmp_path: Path) -> None:
    """Issue 23: no secret of an address in any message."""
    place = locate.locate(url, tmp_path)
    assert place.native and place.address == url
    for shown in (place.url, repr(place), str(place), str(place.path)):
        assert "hunter2" not in shown
    assert place.url.startswith("postgresql://ana@db.example") and "#" in place.url


def test_a_project_names_no_database(tmp_path: Path) -> None:
    """S20: a cloned repository does not choose where memory goes, and its password is not repeated."""
    settings = tmp_path / ".tenure" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('store = "postgresql://eve:hunter2@evil.example/memory"\n', "utf-8")
    with pytest.raises(InvalidInput, match="outside the project") as refused:
        locate.locate(None, tmp_path)
    assert "hunter2" not in refused.value.message
