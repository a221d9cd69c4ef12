"""One folder engine: what it refuses, what it never loses, what it mends. Choices of our own after R16 and S9."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tenure.files import exchange
from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder, united
from tenure.model.errors import Conflict, InvalidInput, Refused


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "memory").mkdir()
    return Folder(tmp_path / "memory", lines=["list.md"])


def written(folder: Folder, place: str, data: bytes) -> str:
    folder.replace(place, data, expected=None)
    return fingerprint(data)


def left(folder: Folder) -> list[str]:
    return sorted(path.name for path in folder.root.rglob("*"))


def test_a_file_is_made_read_replaced_moved_and_removed(folder: Folder) -> None:
    mark = written(folder, "a/b.json", b"one")
    assert (folder.read("a/b.json"), folder.mark("a/b.json")) == (b"one", mark)
    folder.replace("a/b.json", b"two", expected=mark)
    folder.move("a/b.json", "c/d.json")
    assert (folder.names("a"), folder.names("c"), folder.folders()) == ([], ["d.json"], ["a", "c"])
    folder.remove("c/d.json", expected=fingerprint(b"two"))
    assert left(folder) == ["a", "c"]


@pytest.mark.parametrize("place", ["../outside", "a/../../b", "/etc/passwd", "a/b\0c"])
def test_a_place_outside_is_refused(folder: Folder, place: str) -> None:
    with pytest.raises(Refused):
        folder.read(place)


def test_a_linked_folder_is_never_entered(folder: Folder, tmp_path: Path) -> None:
    """S9: a category folder that a clone ships as a link writes nothing outside the project."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.json").write_bytes(b"theirs")
    (folder.root / "linked").symlink_to(outside)
    actions: list[Callable[[], object]] = [
        lambda: folder.read("linked/x.json"),
        lambda: folder.replace("linked/new.json", b"ours", expected=None),
        lambda: folder.append("linked/log.jsonl", b"{}\n"),
        lambda: folder.remove("linked/x.json"),
        lambda: folder.move("linked/x.json", "x.json"),
        lambda: folder.make("linked/inner"),
        lambda: folder.names("linked"),
        lambda: folder.sweep(["linked"]),
    ]
    for action in actions:
        with pytest.raises(Refused, match="symbolic link"):
            action()
    assert [(path.name, path.read_bytes()) for path in outside.iterdir()] == [("x.json", b"theirs")]


def test_a_linked_root_and_a_linked_file_are_refused(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder.root)
    with pytest.raises(Refused):
        Folder(tmp_path / "alias").names()
    (tmp_path / "secret").write_bytes(b"theirs")
    (folder.root / "x.json").symlink_to(tmp_path / "secret")
    actions: tuple[Callable[[], object], ...] = (
        lambda: folder.read("x.json"),
        lambda: folder.append("x.json", b"ours"),
        lambda: folder.replace("x.json", b"ours", expected=fingerprint(b"theirs")),
    )
    for action in actions:
        with pytest.raises((Refused, Conflict)):
            action()
    assert (tmp_path / "secret").read_bytes() == b"theirs"
    assert (folder.root / "x.json").is_symlink()


def test_links_above_the_guarded_parts_are_followed(tmp_path: Path) -> None:
    """A home folder on another disk is the user's affair."""
    (tmp_path / "disk" / "project").mkdir(parents=True)
    (tmp_path / "alias").symlink_to(tmp_path / "disk")
    folder = Folder(tmp_path / "alias" / "project" / "memory")
    written(folder, "a.json", b"one")
    assert (tmp_path / "disk/project/memory/a.json").read_bytes() == b"one"


def test_what_is_no_plain_file_or_too_large_is_refused(folder: Folder) -> None:
    os.mkfifo(folder.root / "pipe.json")
    with pytest.raises(Refused, match="regular"):
        folder.read("pipe.json")
    folder.limit = 4
    (folder.root / "big.json").write_bytes(b"12345")
    with pytest.raises(InvalidInput, match="at most 4"):
        folder.read("big.json")
    assert str(folder.mark("pipe.json")).startswith("unreadable: ")


def test_permissions_stay(folder: Folder) -> None:
    mark = written(folder, "a.json", b"one")
    (folder.root / "a.json").chmod(0o600)
    folder.replace("a.json", b"two", expected=mark)
    assert (folder.root / "a.json").stat().st_mode & 0o777 == 0o600


def test_an_edit_older_than_the_write_is_a_conflict_and_stays(folder: Folder) -> None:
    mark = written(folder, "a.json", b"one")
    (folder.root / "a.json").write_bytes(b"theirs")
    actions: tuple[Callable[[], object], ...] = (
        lambda: folder.replace("a.json", b"ours", expected=mark),
        lambda: folder.remove("a.json", expected=mark),
        lambda: folder.replace("a.json", b"ours", expected=None),
    )
    for action in actions:
        with pytest.raises(Conflict, match="someone else"):
            action()
    assert (left(folder), folder.read("a.json")) == (["a.json"], b"theirs")


def during_the_exchange(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> None:
    """Let each step happen just before one exchange, where no check can see it coming."""
    real, waiting = exchange.exchange, list(steps)

    def meddled(handle: int, one: str, other: str) -> None:
        if waiting:
            waiting.pop(0)()
        real(handle, one, other)

    monkeypatch.setattr(exchange, "exchange", meddled)


def test_an_edit_in_the_last_instant_goes_back_where_it_was(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = written(folder, "a.json", b"one")
    during_the_exchange(monkeypatch, lambda: (folder.root / "a.json").write_bytes(b"theirs"))
    with pytest.raises(Conflict):
        folder.replace("a.json", b"ours", expected=mark)
    assert (left(folder), folder.read("a.json")) == (["a.json"], b"theirs")


def test_a_rule_starts_again_from_an_edit_in_the_last_instant(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, "list.md", b"one\n")
    theirs = folder.root / "theirs"
    theirs.write_bytes(b"one\ntheirs\n")
    during_the_exchange(monkeypatch, lambda: os.replace(theirs, folder.root / "list.md"))
    folder.change("list.md", lambda data: (data or b"") + b"ours\n")
    assert (left(folder), folder.read("list.md")) == (["list.md"], b"one\ntheirs\nours\n")


def test_two_edits_around_one_exchange_are_both_kept(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Theirs came out, and while it goes back somebody edits what was ours: lines join, a whole file is copied."""
    for name, kept in (("list.md", False), ("a.json", True)):
        mark = written(folder, name, b"one\n")
        path = folder.root / name
        with monkeypatch.context() as patched:
            during_the_exchange(
                patched,
                partial(path.write_bytes, b"one\nfirst\n"),
                partial(path.write_bytes, b"one\nsecond\n"),
            )
            with pytest.raises(Conflict):
                folder.replace(name, b"one\nours\n", expected=mark)
        copies = [copy.read_bytes() for copy in (folder.root.parent / ".tenure/kept").glob(f"{name}*")]
        texts = [path.read_bytes(), *copies]
        assert any(b"first" in text for text in texts) and any(b"second" in text for text in texts)
        assert bool(copies) is kept
    assert "kept as" in folder.notes[0]


def seen_for_a_moment(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Let somebody's edit come out of an exchange; return what could be read before it went back."""
    path, seen = folder.root / "a.json", list[bytes]()
    mark = written(folder, "a.json", b'{\n"body": [\n"one"\n]\n}\n')
    with monkeypatch.context() as patched:
        during_the_exchange(
            patched,
            lambda: path.write_bytes(b'{\n"body": [\n"one",\n"theirs"\n]\n}\n'),
            lambda: seen.append(path.read_bytes()),
        )
        with pytest.raises(Conflict):
            folder.replace("a.json", b'{\n"body": [\n"one"\n],\n"ours": 1\n}\n', expected=mark)
    assert b"theirs" in path.read_bytes() and b"theirs" not in seen[0]
    return seen[0]


def test_an_edit_is_not_lost_to_a_program_that_read_what_we_withdrew(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two or three of 1,500 edits of a geas entry went this way: the program wrote over its own edit."""
    seen = seen_for_a_moment(folder, monkeypatch)
    (folder.root / "a.json").write_bytes(seen.replace(b'"one"', b'"one",\n"second"'))
    folder.sweep([""])
    (copy,) = folder.copies()
    assert b"theirs" in copy.read_bytes()


def test_a_precaution_is_no_kept_copy_and_goes_with_time(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows our own writes; what another program adds beside the edit is no loss."""
    seen_for_a_moment(folder, monkeypatch)
    path = folder.root / "a.json"
    ours = path.read_bytes().replace(b"{\n", b'{\n"ours": 2,\n', 1)
    folder.replace("a.json", ours, expected=fingerprint(path.read_bytes()))
    path.write_bytes(ours.replace(b'"theirs"', b'"theirs",\n"third"'))
    folder.sweep([""])
    kept = folder.root.parent / ".tenure" / "kept"
    assert folder.copies() == [] and len(list(kept.glob("a.json*"))) == 1
    for copy in kept.glob("a.json*"):
        os.utime(copy, (1, 1))
    folder.sweep([""])
    assert list(kept.glob("a.json*")) == []


def test_a_writer_that_holds_the_file_open_keeps_its_words(folder: Folder) -> None:
    """An editor that truncates and then writes in place is waited for; its handle stays the file's."""
    mark = written(folder, "a.json", b"one")
    editor = os.fdopen(os.open(folder.root / "a.json", os.O_RDWR), "r+b", buffering=0)

    def finish() -> None:
        editor.truncate()
        editor.write(b"theirs")
        editor.close()

    timer = threading.Timer(0.2, finish)
    timer.start()
    with pytest.raises(Conflict):
        folder.replace("a.json", b"ours", expected=mark)
    timer.join()
    assert (left(folder), folder.read("a.json")) == (["a.json"], b"theirs")


def test_without_the_system_call_the_same_holds(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_looked", True)
    monkeypatch.setattr(exchange, "_rename", None)
    mark = written(folder, "a.json", b"one")
    folder.replace("a.json", b"two", expected=mark)
    folder.move("a.json", "b.json")
    during_the_exchange(monkeypatch, lambda: (folder.root / "b.json").write_bytes(b"theirs"))
    with pytest.raises(Conflict):
        folder.replace("b.json", b"ours", expected=fingerprint(b"two"))
    assert (left(folder), folder.read("b.json")) == (["b.json"], b"theirs")


def test_a_file_that_vanished_or_appeared_is_a_conflict(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = written(folder, "a.json", b"one")
    during_the_exchange(monkeypatch, lambda: (folder.root / "a.json").unlink())
    with pytest.raises(Conflict, match="is gone"):
        folder.replace("a.json", b"ours", expected=mark)
    written(folder, "b.json", b"one")
    with pytest.raises(Conflict, match="cannot be moved"):
        folder.move("b.json", "b.json")
    assert left(folder) == ["b.json"]


def test_appended_lines_follow_a_torn_one_and_a_replaced_file(folder: Folder) -> None:
    (folder.root / "log.jsonl").write_bytes(b'{"torn"')
    folder.append("log.jsonl", b'{"ours":1}\n')
    assert folder.read("log.jsonl") == b'{"torn"\n{"ours":1}\n'


def leave(folder: Folder, name: str, new: bytes | str, old: bytes | str, holds: bytes) -> None:
    new_mark, old_mark = (mark if isinstance(mark, str) else fingerprint(mark)[:12] for mark in (new, old))
    (folder.root / f".{name}.{new_mark}-{old_mark}.tmp").write_bytes(holds)


def test_a_sweep_removes_what_was_never_finished_and_what_was_replaced(folder: Folder) -> None:
    written(folder, "a.json", b"one")
    (folder.root / ".a.json.0123456789ab.tmp").write_bytes(b"half of a forgot")
    leave(folder, "a.json", b"two", b"one", b"two")
    leave(folder, "a.json", b"three", b"one", b"one")
    folder.sweep([""])
    assert (left(folder), folder.read("a.json")) == (["a.json"], b"one")


def test_a_sweep_gives_back_what_a_killed_exchange_took(folder: Folder) -> None:
    (folder.root / "a.json").write_bytes(b"ours")
    leave(folder, "a.json", b"ours", b"one", b"theirs")
    leave(folder, "b.json", "removed", b"two", b"two")
    folder.sweep([""])
    assert (left(folder), folder.read("a.json"), folder.read("b.json")) == (["a.json", "b.json"], b"theirs", b"two")


def test_a_sweep_keeps_both_when_the_file_was_edited_again(folder: Folder) -> None:
    (folder.root / "list.md").write_bytes(b"again\n")
    (folder.root / "a.json").write_bytes(b"again")
    leave(folder, "list.md", b"ours", b"one", b"theirs\n")
    leave(folder, "a.json", b"ours", b"one", b"theirs")
    folder.sweep([""])
    assert folder.read("list.md") == b"again\ntheirs\n"
    assert [copy.read_bytes() for copy in (folder.root.parent / ".tenure/kept").glob("a.json*")] == [b"theirs"]
    assert left(folder) == ["a.json", "list.md"]


def test_the_folder_itself_can_be_the_lock(folder: Folder) -> None:
    from tenure.model.errors import StoreBusy

    with folder.locked():
        with pytest.raises(StoreBusy), Folder(folder.root).locked(wait_seconds=0):
            pass
        with folder.locked(), Folder(folder.root).locked("sub/own.lock"):
            pass
    assert left(folder) == ["own.lock", "sub"]


def test_united_lines_are_added_once() -> None:
    assert united(b"a\nb\n", b"a\nc\n") == b"a\nb\nc\n"
    assert united(b"a", b"b") == b"a\nb\n"
    assert united(b"a\n", b"a\n") == b"a\n"
