"""What came with a commit: git's index, read without git, beside git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tenure.files.git_index import Index, keeper

GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run([*GIT, "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "memory" / "deep").mkdir(parents=True)
    for name in ("memory/a.md", "memory/deep/b.md", "memory-notes.txt", "README"):
        (project / name).write_text(f"{name}\n")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    return project


FORMS = {
    "version 2": (),
    "version 4": ("update-index", "--index-version=4"),
    "a split index": ("update-index", "--split-index"),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_git_keeps(form: str, repository: Path) -> None:
    """Our own choice: every form of the index that git writes."""
    if FORMS[form]:
        git(repository, *FORMS[form])
    if form == "a split index":
        (repository / "memory" / "later.md").write_text("later\n")
        git(repository, "add", "memory/later.md")
    (repository / "memory" / "mine.md").write_text("mine\n")
    index = Index(repository)
    for name in git(repository, "ls-files").splitlines():
        assert index.keeps(repository / name) and index.brought(repository / name), name
    assert index.keeps(repository / "memory") and index.keeps(repository / "memory" / "deep")
    assert not index.keeps(repository / "memory" / "mine.md") and not index.brought(repository / "memory" / "mine.md")
    assert not index.keeps(repository / "mem") and not index.keeps(repository.parent / "elsewhere")


def test_hashes_of_the_longer_kind(tmp_path: Path) -> None:
    """git init --object-format=sha256."""
    project = tmp_path / "project"
    project.mkdir()
    try:
        git(project, "init", "-q", "--object-format=sha256")
    except subprocess.CalledProcessError:
        pytest.skip("this git knows one kind of hash")
    for name in ("a.md", "longer-name.md"):
        (project / name).write_text("a\n")
    git(project, "add", ".")
    index = Index(project)
    assert index.brought(project / "a.md") and index.brought(project / "longer-name.md")
    os.utime(project / "a.md", (1, 1))
    assert index.brought(project / "a.md"), "by its content"


def test_a_folder_that_a_sparse_index_collapses_is_kept_whole(repository: Path) -> None:
    """git sparse-checkout --sparse-index: one entry stands for a folder and all below it."""
    (repository / "top").mkdir()
    (repository / "top" / "t.md").write_text("t\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two")
    git(repository, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(repository, "sparse-checkout", "set", "top")
    if "memory/\n" not in git(repository, "ls-files", "--sparse"):
        pytest.skip("this git writes no sparse index")
    deep = repository / "memory" / "deep" / "b.md"
    deep.parent.mkdir(parents=True)
    deep.write_text("memory/deep/b.md\n")
    index = Index(repository)
    assert index.keeps(repository / "memory") and index.keeps(deep.parent) and index.keeps(deep)
    assert index.brought(deep) and keeper(deep.parent) == str(repository)
    assert not index.keeps(repository / "memor") and not index.brought(repository / "memory-notes.txt" / "x")
    ((place, name),) = index.blobs(deep)
    assert place == repository and git(repository, "cat-file", "blob", name) == "memory/deep/b.md\n"


def test_a_changed_file_is_the_users(repository: Path) -> None:
    """Issue 13: local, untracked or modified files are the user's."""
    (repository / "memory" / "a.md").write_text("changed\n")
    assert not Index(repository).brought(repository / "memory" / "a.md")
    assert Index(repository).keeps(repository / "memory" / "a.md")


def test_a_file_that_was_only_touched_is_not(repository: Path) -> None:
    """A copy or an unpacked archive has other times."""
    os.utime(repository / "memory" / "a.md", (1, 1))
    assert Index(repository).brought(repository / "memory" / "a.md")


def test_a_filter_does_not_make_a_file_the_users(repository: Path, tmp_path: Path) -> None:
    """The repository's own `.gitattributes` decide how a file is written, and must not decide whose it is."""
    (repository / ".gitattributes").write_text("*.md text eol=crlf\nREADME ident\n")
    (repository / "README").write_text("$Id$\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two")
    clone = tmp_path / "clone"
    subprocess.run([*GIT, "clone", "-q", str(repository), str(clone)], check=True, capture_output=True)
    assert (clone / "memory" / "a.md").read_bytes().endswith(b"\r\n")
    assert b"$Id: " in (clone / "README").read_bytes()
    index = Index(clone)
    assert index.brought(clone / "memory" / "a.md") and index.brought(clone / "README")
    os.utime(clone / "memory" / "a.md", (1, 1))
    assert Index(clone).brought(clone / "memory" / "a.md")


def test_a_submodule_has_an_index_of_its_own(repository: Path, tmp_path: Path) -> None:
    """Its `.git` is a file that names the folder."""
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository), "inner")
    assert (outer / "inner" / ".git").is_file()
    assert Index(outer / "inner").brought(outer / "inner" / "memory" / "a.md")


def test_what_was_only_announced_is_the_users(repository: Path) -> None:
    """`git add -N` keeps the name alone."""
    (repository / "new.md").write_text("")
    git(repository, "add", "-N", "new.md")
    assert not Index(repository).brought(repository / "new.md")


def test_without_a_repository_nothing_came(tmp_path: Path) -> None:
    """As `tenure inject` does today: a folder that no repository tracks is the person's own."""
    (tmp_path / "a.md").write_text("a")
    assert not Index(tmp_path).keeps(tmp_path / "a.md")
    (tmp_path / ".git").mkdir()
    assert not Index(tmp_path).keeps(tmp_path / "a.md"), "a repository without a commit"


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x05" + b"\xff" * 90, b"x" * 200])
def test_in_doubt_it_came_with_the_repository(data: bytes, repository: Path) -> None:
    """Gates fail closed (S19)."""
    (repository / ".git" / "index").write_bytes(data)
    index = Index(repository)
    assert index.keeps(repository / "memory") and index.brought(repository / "memory" / "a.md")


@pytest.mark.parametrize("form", ["chain", "pipe"])
def test_an_index_that_would_never_end_holds_everything(form: str, repository: Path) -> None:
    """An archive can bring any `.git`: a shared index that names itself ended in status 70, a pipe in no answer."""
    place = repository / ".git" / "index"
    if form == "pipe":
        place.unlink()
        os.mkfifo(place)
    else:
        name = b"\x11" * 20
        looped = b"DIRC\0\0\0\x02\0\0\0\0" + b"link\0\0\0\x14" + name + b"\0" * 20
        place.write_bytes(looped)
        place.with_name(f"sharedindex.{name.hex()}").write_bytes(looped)
    assert Index(repository).brought(repository / "memory" / "a.md")


@pytest.fixture
def with_submodule(repository: Path, tmp_path: Path) -> Path:
    """The repository with another one as its submodule, and a link that a commit brought."""
    other = tmp_path / "other"
    (other / "deep").mkdir(parents=True)
    (other / "deep" / "a.md").write_text("a\n")
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-qm", "one")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    (repository / "link").symlink_to("memory")
    git(repository, "add", "link")
    git(repository, "commit", "-qm", "two")
    return repository


def test_what_lies_below_a_submodule_or_a_link_that_git_keeps_came_with_it(with_submodule: Path) -> None:
    """Issue 13: a clone's folder of memories, settings or a home may be either, and the index has one entry for it."""
    index = Index(with_submodule)
    for name in ("sub", "sub/deep", "sub/deep/a.md", "link", "link/a.md", "link/deep"):
        assert index.keeps(with_submodule / name), name
        assert keeper(with_submodule / name), name
    assert index.brought(with_submodule / "sub" / "deep" / "a.md")
    assert index.brought(with_submodule / "link" / "a.md"), "wherever it leads"
    (with_submodule / "sub" / "deep" / "mine.md").write_text("mine\n")
    assert not index.brought(with_submodule / "sub" / "deep" / "mine.md"), "the person's own"
    (with_submodule / "sub" / "deep" / "a.md").write_text("changed here\n")
    assert not index.brought(with_submodule / "sub" / "deep" / "a.md")


def test_the_root_of_a_repository_is_kept_by_it(with_submodule: Path, tmp_path: Path) -> None:
    """Issue 13: a submodule named as the home opened a clone's own drafter; an empty repository keeps nothing."""
    assert Index(with_submodule / "sub").keeps(with_submodule / "sub")
    assert keeper(with_submodule / "sub") and keeper(with_submodule)
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    assert not keeper(tmp_path / "empty") and not keeper(tmp_path)


def test_a_path_that_hides_behind_a_link_is_asked_for_where_it_leads(repository: Path, tmp_path: Path) -> None:
    """Issue 13: `/proc/self/cwd/memory` is no path of the repository as it is written."""
    (tmp_path / "aside").symlink_to(repository)
    assert keeper(tmp_path / "aside" / "memory")
    assert not keeper(tmp_path / "aside" / "mine")


def test_an_unfinished_merge_keeps_both_sides(repository: Path) -> None:
    """git's index has an entry for each side of a conflict: a merge brings the third, a rebase the second."""
    git(repository, "checkout", "-q", "-b", "theirs")
    (repository / "memory" / "a.md").write_text("theirs\n")
    git(repository, "commit", "-qam", "theirs")
    git(repository, "checkout", "-q", "-")
    (repository / "memory" / "a.md").write_text("mine\n")
    git(repository, "commit", "-qam", "mine")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "theirs")
    found = Index(repository).blobs(repository / "memory" / "a.md")
    assert {"mine\n", "theirs\n"} < {git(repository, "cat-file", "blob", name) for _, name in found}
