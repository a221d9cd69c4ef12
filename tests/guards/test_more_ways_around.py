"""Lines that an attack with fresh eyes got past a guard on `gen/`, and lines beside them that must stay silent."""

from __future__ import annotations

import pytest

from tenure.guards import match
from tenure.guards.calls import FirstLook, call_of

GEN = {"tool": "edit", "paths": ["gen/"]}


def outcome(line: str) -> str:
    """Return what the hook makes of a line: stopped, reminded of or silent."""
    call = call_of("Bash", {"command": line}, "/home/u/p")
    if not FirstLook(call).may_mean(match.needles(GEN), is_command=False):
        return "silent"
    seen = match.Seen(call, "/home/u/p", "/home/u")
    if not seen.may_mean(match.needles(GEN), is_command=False):
        return "silent"
    fire = match.fires(GEN, seen)
    return "silent" if fire is None else "stopped" if fire.certain else "reminded"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo x > g\\en/a.txt", "stopped"),
        ('echo x > ge""n/a.txt', "stopped"),
        ("rm -rf ./g*n", "stopped"),
        ("rm -rf *", "stopped"),
        ("rm -rf */a.txt", "reminded"),
        ("cp src/b.txt ge?/a.txt", "stopped"),
        ("rm *", "silent"),
        ("rm -rf build/*", "silent"),
        ("cd build && rm -rf *", "silent"),
        ("cat *", "silent"),
        ("cp -r other/* .", "silent"),
        ("find . -path '*/tests/*' -delete", "silent"),
        ("find . -path '*/gen/*' -delete", "stopped"),
    ],
)
def test_a_name_that_is_quoted_in_part_or_fits_a_glob_is_seen(line: str, expected: str) -> None:
    assert outcome(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git checkout .", "reminded"),
        ("git checkout HEAD~1 -- .", "reminded"),
        ("git restore .", "reminded"),
        ("git reset --hard", "reminded"),
        ("git clean -fdx", "reminded"),
        ("git clone x gen/x", "stopped"),
        ("git restore --staged .", "silent"),
        ("git checkout main", "silent"),
        ("git reset HEAD", "silent"),
        ("git clean -nfdx", "silent"),
        ("git clean -fdx src", "silent"),
        ("cd src && git checkout .", "silent"),
        ("echo 'git reset --hard'", "silent"),
    ],
)
def test_git_that_changes_the_whole_tree_is_reminded_of(line: str, expected: str) -> None:
    assert outcome(line) == expected


def test_git_puts_back_nothing_that_projects_ignore() -> None:
    """`dist/` and its like are not tracked, so `git reset --hard` leaves them alone; `git clean -x` does not."""
    dist = {"tool": "edit", "paths": ["dist/"]}
    found = {
        line: match.fires(dist, match.Seen(call_of("Bash", {"command": line}, "/p"), "/p")) is not None
        for line in ("git reset --hard", "git clean -fdx")
    }
    assert found == {"git reset --hard": False, "git clean -fdx": True}


def test_a_glob_in_another_folder_is_no_file_that_a_pattern_names() -> None:
    """Sessions read `docs/*.md` all the time, and no AGENTS.md lies there."""
    read = {"tool": "read", "paths": ["AGENTS.md"]}
    found = {
        line: match.fires(read, match.Seen(call_of("Bash", {"command": line}, "/p"), "/p")) is not None
        for line in ("cat docs/*.md", "cat *.md")
    }
    assert found == {"cat docs/*.md": False, "cat *.md": True}


@pytest.mark.parametrize(
    "line",
    [
        "git grep -l foo -- gen | xargs sed -i s/a/b/",
        "rg -l foo gen | xargs -I{} sh -c 'sed -i s/a/b/ {}'",
        "find src -type f | xargs -I{} cp {} gen/",
        "trap 'rm gen/a.txt' EXIT",
        "busybox cp a gen/a",
        "ruff check --fix gen",
        "sd a b gen/a.txt",
        "dos2unix gen/a.txt",
        "gzip gen/a.txt",
        "xz -d gen/a.xz",
        "split -l 10 f gen/part",
        "install -d gen/sub",
        "mktemp -p gen",
        "wget -P gen https://example.org/a",
        "patch -d gen -p1 < x.patch",
        "bsdtar -xf a.tgz -C gen",
    ],
)
def test_programs_that_write_and_lists_that_are_handed_on_are_seen(line: str) -> None:
    assert outcome(line) == "stopped"


@pytest.mark.parametrize(
    "line",
    [
        "git grep foo -- gen | xargs echo",
        "find gen -type f | xargs -I{} cp {} src/",
        "trap 'cat gen/a.txt' EXIT",
        "trap - EXIT",
        "ruff check gen",
        "gzip -c gen/a.txt > /tmp/a.gz",
        "gzip -l gen/a.gz",
        "xz -dc gen/a.xz",
        "sd -p a b",
        "split -l 10 gen/a.txt /tmp/part",
        "mktemp",
        "busybox cat gen/a",
        "install gen/a /tmp/a",
    ],
)
def test_the_same_programs_are_let_alone_where_they_only_read(line: str) -> None:
    assert outcome(line) == "silent"


def test_a_folder_that_a_program_in_python_makes_is_reminded_of() -> None:
    assert outcome("python -c 'import os; os.makedirs(\"gen/sub\")'") == "reminded"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rm $(ls gen/*.txt)", "stopped"),
        ("rm -f $(find gen -name '*.txt' | head -3)", "stopped"),
        ("sed -i s/a/b/ $(grep -rl old gen)", "stopped"),
        ("for f in $(git ls-files gen); do rm $f; done", "stopped"),
        ('files=(gen/a.txt src/b.txt); rm "${files[@]}"', "stopped"),
        ('set -- gen/a.txt; rm "$@"', "stopped"),
        ("awk '{print $1 > \"gen/a.txt\"}' in.txt", "reminded"),
        ("sed -n '/x/w gen/a.txt' in.txt", "reminded"),
        ("sed 's/a/b/w gen/a.txt' in.txt", "reminded"),
        ("7z x a.7z -ogen", "stopped"),
        ("cat $(ls gen/*.txt)", "silent"),
        ("echo $(ls gen) > out.txt", "silent"),
        ('files=(gen/a.txt); wc -l "${files[@]}"; rm b.txt', "silent"),
        ('set -- gen/a.txt; f() { rm "$@"; }; f b.txt', "silent"),
        ("awk '$1 > \"gen/a.txt\"' in.txt", "silent"),
        ("sed 's/now gen/x/' in.txt", "silent"),
        ("git push origin $(git branch --show-current)", "silent"),
        ('rm "$(ls gen/*.txt)"', "silent"),
    ],
)
def test_names_that_are_listed_kept_in_arrays_or_written_by_a_script_are_seen(line: str, expected: str) -> None:
    assert outcome(line) == expected
