"""The words of a command told apart: its own arguments, and its options with short ones taken out of their cluster."""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

from tenure.guards.shell_script import Simple

# Options before a program's own first word that take a value, so that `git -C there push` is a push.
GLOBAL_VALUES: dict[str, frozenset[str]] = {
    "git": frozenset("-C -c --git-dir --work-tree --namespace --exec-path".split()),
    "docker": frozenset("-H --host --context -c --config -l --log-level".split()),
    "docker-compose": frozenset("-f --file -p --project-name --env-file --profile".split()),
    "kubectl": frozenset("-n --namespace --context --kubeconfig --cluster --user -s --server".split()),
    "helm": frozenset("-n --namespace --kube-context --kubeconfig".split()),
    "npm": frozenset("--prefix -w --workspace -C --loglevel --registry".split()),
    "pnpm": frozenset("-C --dir --filter -F --prefix".split()),
    "yarn": frozenset("--cwd --modules-folder".split()),
    "bun": frozenset("--cwd --filter".split()),
    "make": frozenset("-C -f -I -o -W --directory --file".split()),
    "cargo": frozenset("--manifest-path --config -Z --color".split()),
    "go": frozenset(("-C",)),
    "uv": frozenset("--project --directory --config-file --python -p --with --extra --group --package --env-file".split()),
    "gh": frozenset("-R --repo".split()),
    "aws": frozenset("--profile --region --output --endpoint-url".split()),
    "gcloud": frozenset("--project --account --configuration".split()),
    "bundle": frozenset(("--gemfile",)),
    "poetry": frozenset("-C --directory -P --project".split()),
    "conda": frozenset("-n --name -p --prefix".split()),
    "fnm": frozenset(("--using",)),
    "systemctl": frozenset("-H -M --host --machine".split()),
}  # fmt: skip
# Options by which an interpreter is given a program on the line.
PROGRAM_OPTIONS = frozenset(("-c", "-e", "--eval", "-p", "eval"))
# Short options that take the rest of their cluster, or the next word, as a value.
_SHORT_VALUES: dict[tuple[str, str], str] = {
    ("git", "commit"): "mFCct", ("git", "tag"): "mFu", ("git", "log"): "nSGL", ("git", "push"): "o",
    ("git", "checkout"): "bB", ("git", "switch"): "cC", ("git", "merge"): "mFsX", ("git", "clean"): "e",
}  # fmt: skip


# Options that mean the same, of a program or of one of its words.
_SAME_OPTIONS: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    ("rm", ""): (("-r", "-R", "--recursive"), ("-f", "--force")), ("git", "push"): (("-f", "--force"),),
    ("git", "commit"): (("-n", "--no-verify"),), ("git", "clean"): (("-f", "--force"),),
}  # fmt: skip


def arguments(simple: Simple) -> list[str]:
    """Return a command's arguments without options, as far as their values are known."""
    words = simple.words[1:]
    if simple.program == "cargo" and words and words[0].startswith("+"):
        # The toolchain, which stands before everything else.
        words = words[1:]
    return operands(words, GLOBAL_VALUES.get(simple.program, frozenset()), first_only=True)


def operands(words: list[str], valued: frozenset[str], *, first_only: bool = False) -> list[str]:
    """Return the words that are no options and no values of `valued` ones; with `first_only`, of those at the start."""
    kept: list[str] = []
    skip = False
    for n, word in enumerate(words, 1):
        if skip:
            skip = False
        elif word == "--":
            return kept + words[n:]
        elif word.startswith("-") and len(word) > 1:
            skip = word in valued and not (first_only and kept)
        else:
            kept.append(word)
    return kept


def options(simple: Simple) -> set[str]:
    """Return the options of a command, `--name=value` as `--name` and `-rf` as `-r` and `-f` as well."""
    subcommand = next(iter(arguments(simple)), "")
    valued = _SHORT_VALUES.get((simple.program, subcommand), "")
    found: set[str] = set()
    skip = False
    for word in simple.words[1:]:
        if skip:
            skip = False
            continue
        if word == "--":
            break
        if word.startswith("--"):
            found.add(word.partition("=")[0])
            found.add(word)
        elif word.startswith("-") and len(word) > 1:
            found.add(word)
            for n, letter in enumerate(word[1:], 1):
                found.add(f"-{letter}")
                if letter in valued:
                    skip = n == len(word) - 1
                    break
    if (simple.program, subcommand) == ("git", "push") and any(word.startswith("+") for word in arguments(simple)[1:]):
        # `+main` forces one branch as `--force` does all.
        found.add("--force")
    same = _SAME_OPTIONS.get((simple.program, subcommand)) or _SAME_OPTIONS.get((simple.program, ""), ())
    for names in same:
        if found.intersection(names):
            found.update(names)
    return found
