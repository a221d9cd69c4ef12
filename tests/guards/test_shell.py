"""Issue 19: command lines are parsed, not searched."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tenure.guards.shell import UNKNOWN, parse

BASH = shutil.which("bash")


def words(line: str) -> list[list[str]]:
    return [simple.words for simple in parse(line).commands if simple.words]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git push --force", [["git", "push", "--force"]]),
        ("git push # --force", [["git", "push"]]),
        ("echo 'git push; rm x' \"a b\"", [["echo", "git push; rm x", "a b"]]),
        ("git \\\n push", [["git", "push"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("cat <<'EOF' > f\ngit push\nEOF\nls", [["cat"], ["ls"]]),
        ("cat <<EOF\n$(git push)\nEOF", [["cat"], ["git", "push"]]),
        ("cat <<-EOF\n\tx\n\tEOF\nls", [["cat"], ["ls"]]),
        ("echo $(git push) `rm x`", [["git", "push"], ["rm", "x"], ["echo", UNKNOWN, UNKNOWN]]),
        ('echo "now $(git push "a b")"', [["git", "push", "a b"], ["echo", f"now {UNKNOWN}"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while read x; do rm $x; done < list", [["read", "x"], ["rm", UNKNOWN]]),
        ("for f in a b; do rm $f; done", [["rm", "a"], ["rm", "b"]]),
        ("for f in *.py; do rm $f; done", [["rm", "*.py"]]),
        ("case $x in a|b) ls;; (*) rm y;; esac", [["ls"], ["rm", "y"]]),
        ("f() { rm x; }; f", [["rm", "x"], ["f"]]),
        ("(cd a && rm x); rm y", [["cd", "a"], ["rm", "x"], ["rm", "y"]]),
        ("X='git push'; $X -f", [["git", "push", "-f"]]),
        ("A=b C=d git push", [["git", "push"]]),
        ("cp {a,b}.txt out", [["cp", "a.txt", "b.txt", "out"]]),
        ("echo {1..3} {x}", [["echo", UNKNOWN, "{x}"]]),
        ("diff <(ls a) <(ls b)", [["ls", "a"], ["ls", "b"], ["diff", UNKNOWN, UNKNOWN]]),
        ("[[ -f x && $y =~ ^(a|b)$ ]] && rm z", [["rm", "z"]]),
        ("a=(1 2); echo ${a[@]} $((1 + (2)))", [["echo", "1", "2", UNKNOWN]]),
        ('a=(1); a+=(2 $x); echo "${a[@]}" ${b[@]}', [["echo", "1", "2", UNKNOWN, UNKNOWN]]),
        ("! time git push", [["git", "push"]]),
        ("git commit -m \"$(cat <<'EOF'\nit's (done)\nEOF\n)\"", [["cat"], ["git", "commit", "-m", UNKNOWN]]),
    ],
)
def test_a_line_is_read_as_the_shell_reads_it(line: str, commands: list[list[str]]) -> None:
    """A choice of our own: each row is what bash runs, in the order the parser meets it."""
    assert parse(line).whole
    assert words(line) == commands


def test_a_folder_is_followed_through_cd_and_left_with_a_subshell() -> None:
    """A relative path means something only with the folder it is seen from."""
    found = parse("cd gen && (cd sub && rm a); rm b; cd - && rm c", "/p").commands
    assert [simple.folder for simple in found if simple.program == "rm"] == ["/p/gen/sub", "/p/gen", UNKNOWN]


@pytest.mark.parametrize("line", ["if true; then", "echo )", "ls &&", 'echo "x', "echo $(", "a | | b", "{ ls", "fi"])
def test_what_a_shell_would_not_take_is_not_valid(line: str) -> None:
    """What cannot be parsed is reminded of at most."""
    assert not parse(line).valid
    assert not parse(line).whole


def test_a_line_that_is_too_large_is_given_up() -> None:
    """A hook waits for nobody."""
    assert not parse("echo " + "a" * 100_000).whole
    assert not parse("$(" * 200 + ")" * 200).whole


_NAME = st.sampled_from(["ls", "git", "rm", "echo", "make", "x"])
_WORD = st.sampled_from(
    [
        "a",
        "-f",
        "'q r'",
        '"s $x"',
        "$x",
        "${x:-y}",
        "$(ls)",
        "`ls`",
        "a\\ b",
        "{a,b}",
        "*.py",
        "#c",
        "--x=1",
        "$((1+2))",
    ]
)
_END = st.sampled_from(["", " > out", " 2>&1", " < in", " >> 'o p'", " &> all", " <<< text"])


@st.composite
def _simple(draw: st.DrawFn) -> str:
    return " ".join([draw(_NAME), *draw(st.lists(_WORD, max_size=3))]) + draw(_END)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: f"{p[0]} && {p[1]}"),
        two.map(lambda p: f"{p[0]} | {p[1]}"),
        two.map(lambda p: f"{p[0]}\n{p[1]}"),
        two.map(lambda p: f"if {p[0]}\nthen {p[1]}\nfi"),
        two.map(lambda p: f"for f in a b; do {p[0]}\n{p[1]}\ndone"),
        two.map(lambda p: f"while {p[0]}\ndo {p[1]}\ndone"),
        # The blank keeps two of them from being arithmetic.
        inner.map(lambda p: f"( {p}\n)"),
        inner.map(lambda p: f"{{ {p}\n}}"),
        inner.map(lambda p: f"case x in a) {p}\n;; esac"),
        inner.map(lambda p: f"cat <<EOF\n{p}\nEOF"),
    )


_SCRIPT = st.recursive(_simple(), _compound, max_leaves=6)
_BREAKS = st.sampled_from(
    [
        "",
        "&&",
        "||",
        ";",
        "|",
        "(",
        ")",
        "{",
        "}",
        "$(",
        '"',
        "'",
        "if",
        "then",
        "fi",
        "do",
        "done",
        ";;",
        "\n",
        "<",
        ">",
    ]
)


@pytest.mark.skipif(BASH is None, reason="needs bash")
@given(script=_SCRIPT, cut=st.integers(0, 200), put=_BREAKS, whole=st.booleans())
@example(script="ls && in && ls", cut=0, put="", whole=True)
def test_validity_agrees_with_bash(script: str, cut: int, put: str, whole: bool) -> None:
    """Issue 19: a small lexer of our own, agreeing with `bash -n`; also on lines that something was put into."""
    line = script if whole else script[:cut] + put + script[cut + 1 :]
    assume("[[" not in line)
    done = subprocess.run([BASH or "", "-n"], input=line.encode(), capture_output=True, check=False)
    assert parse(line).valid == (done.returncode == 0), (line, done.stderr)
