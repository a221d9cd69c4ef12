"""The audit on real repositories: what it prints as broken, laid next to verdicts that people gave by hand.

`scripts/data/audit_real.json` keeps repository, commit, place and claim of every verdict, and no text of others. The
repositories themselves are fetched by whoever runs this, into a folder that holds `owner+name` each, as a work tree or
as a bare repository `owner+name/repo`. `docs`: it was judged with the documentation.
`first_sight` names the commit whose first answers a row's verdicts judge; rows
that share it were judged in one round. It may be a commit that never landed (ec35298, 657ded6, 19ef76e and b9c052b are
in no history): then the round cannot be played again.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenure.audit import run

VERDICTS = Path(__file__).parent / "data" / "audit_real.json"
# A checkout starts no program that the repository or its attributes name.
SAFE: tuple[str, ...] = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "filter.lfs.process=")
SAFE += ("-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false")
# An anchor, a line or a link that is reported as the file it is in is found all the same.
FAMILY = {"link": "file", "anchor": "file", "line": "file", "option": "symbol", "default": "symbol"}
NEAR_LINES = 3


def measure(folder: Path, verdicts: Path = VERDICTS, only: str = "", verbose: bool = False) -> int:
    """Print the table for every repository that lies in the folder; return how many were not found there."""
    # Rows judged with the documentation are summed apart.
    totals = {(tuned, docs): Tally() for docs in (False, True) for tuned in (True, False)}
    absent = []
    for row in _rows(verdicts):
        if only and only.lower() not in row["repository"].lower():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            tree = _checked_out(folder, row, Path(scratch))
            if tree is None:
                absent.append(row["repository"])
                continue
            began = time.perf_counter()
            printed, unsure = _printed(tree, Path(scratch) / "home", docs=bool(row.get("docs")))
            seconds = time.perf_counter() - began
        tally = compare(row, printed, unsure)
        print(f"{row['repository']:44} {tally.line()}  {seconds:6.1f} s", flush=True)
        if verbose:
            print(*tally.told, sep="\n")
        totals[bool(row.get("tune")), bool(row.get("docs"))].add(tally)
    for (tuned, docs), tally in totals.items():
        if tally.repositories:
            what = "Tuned on" if tuned else "Untuned"
            print(f"\n{what}{', with documentation' * docs}: {tally.repositories} repositories\n{tally.table()}")
    if absent:
        print(f"\nNot in {folder}: {', '.join(absent)}")
    return len(absent)


class Tally:
    """Counts per kind: verdicts on what was printed, broken claims found and missed, repairs shown and right."""

    def __init__(self) -> None:
        self.repositories = 0
        self.verdicts: dict[str, Counter[str]] = defaultdict(Counter)
        self.known: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        # Found as broken or on the second list, which `--perhaps` prints.
        self.listed: Counter[str] = Counter()
        self.repairs: Counter[str] = Counter()
        self.told: list[str] = []

    def add(self, other: Tally) -> None:
        """Add another repository's counts."""
        self.repositories += 1
        for kind, counts in other.verdicts.items():
            self.verdicts[kind].update(counts)
        pairs = ((self.known, other.known), (self.found, other.found), (self.listed, other.listed))
        for mine, theirs in (*pairs, (self.repairs, other.repairs)):
            mine.update(theirs)

    def line(self) -> str:
        """Return the counts in one line."""
        sums: Counter[str] = sum(self.verdicts.values(), Counter())
        printed = ", ".join(f"{sums[name]} {name}" for name in ("true", "false alarm", "noise", "unjudged"))
        found, listed = sum(self.found.values()), sum(self.listed.values())
        return f"{printed}; {found} of {sum(self.known.values())} broken found, {listed} on either list"

    def table(self) -> str:
        """Return one row per kind; precision leaves out what nobody judged."""
        head = f"{'kind':10} {'printed':>8} {'true':>5} {'false':>6} {'noise':>6} {'unjudged':>9} {'precision':>10}"
        rows = [f"{head} {'found':>12} {'either list':>12}"]
        for kind in [*sorted(set(self.verdicts) | set(self.known)), "all"]:
            counts = sum(self.verdicts.values(), Counter()) if kind == "all" else self.verdicts[kind]
            known = sum(self.known.values()) if kind == "all" else self.known[kind]
            found = sum(self.found.values()) if kind == "all" else self.found[kind]
            judged = counts["true"] + counts["false alarm"] + counts["noise"]
            precision = f"{counts['true'] / judged:.0%}" if judged else "-"
            listed = sum(self.listed.values()) if kind == "all" else self.listed[kind]
            share, either = (f"{count} of {known}" if known else "-" for count in (found, listed))
            rows.append(
                f"{kind:10} {counts.total():8} {counts['true']:5} {counts['false alarm']:6} {counts['noise']:6} "
                f"{counts['unjudged']:9} {precision:>10} {share:>12} {either:>12}"
            )
        shown, right = self.repairs["shown"], self.repairs["right"]
        rows.append(f"repairs: {shown} shown, {right} right, {self.repairs['wrong']} wrong, the rest unjudged")
        return "\n".join(rows)


def compare(row: dict[str, Any], printed: list[dict[str, Any]], unsure: Sequence[dict[str, Any]] = ()) -> Tally:
    """Return what the verdicts say about the printed claims, and which broken claims are not among them.

    `unsure` is what only `--perhaps` prints: of that nothing is counted but which broken claims are there.
    """
    tally = Tally()
    judged = {_key(each): each for each in row["findings"]}
    broken = row["broken"]
    for claim in printed:
        verdict = _judged(claim, judged, broken)
        tally.verdicts[claim["kind"]][verdict] += 1
        repair = claim["repair"]
        if repair is not None and verdict == "true":
            tally.repairs["shown"] += 1
            right = _repair_verdict(claim, judged, broken)
            if right is not None:
                tally.repairs["right" if right else "wrong"] += 1
        tally.told.append(
            f"   {verdict:11} {claim['page']}:{claim['line']} {claim['kind']} {claim['claim']} -> {repair}"
        )
    for each in broken:
        if not each.get("checkable", True):
            continue
        tally.known[each["kind"]] += 1
        found, perhaps = (any(_same(each, claim) for claim in claims) for claims in (printed, unsure))
        tally.found[each["kind"]] += found
        tally.listed[each["kind"]] += found or perhaps
        if not found:
            state = "PERHAPS" if perhaps else "MISSED"
            tally.told.append(f"   {state:11} {each['page']}:{each['line']} {each['kind']} {each.get('claim')}")
    return tally


def _judged(claim: dict[str, Any], judged: dict[Any, dict[str, Any]], broken: list[dict[str, Any]]) -> str:
    if any(_same(each, claim) for each in broken):
        return "true"
    found = judged.get(_key(claim)) or next((each for each in judged.values() if _same(each, claim)), None)
    return str(found["verdict"]) if found else "unjudged"


def _repair_verdict(
    claim: dict[str, Any], judged: dict[Any, dict[str, Any]], broken: list[dict[str, Any]]
) -> bool | None:
    folder = posixpath.dirname(claim["page"])
    wanted = [each["now_at"] for each in broken if "now_at" in each and _same(each, claim)]
    if wanted and claim["kind"] == "version":
        number = re.sub(r"[^\d.]", "", claim["repair"])
        return any(re.sub(r"[^\d.]", "", each).startswith(number) for each in wanted)
    if wanted:
        shown = {_plain(claim["repair"]), _plain(posixpath.normpath(posixpath.join(folder, claim["repair"])))}
        return any(_plain(each) in shown or _plain(each).endswith("/" + _plain(claim["repair"])) for each in wanted)
    found = judged.get(_key(claim))
    if found and found.get("repair_shown") == claim["repair"]:
        return found.get("repair_right")
    return None


def _same(verdict: dict[str, Any], claim: dict[str, Any]) -> bool:
    places = [(verdict["page"], verdict["line"]), *map(tuple, verdict.get("also", ()))]
    near = any(page == claim["page"] and abs(line - claim["line"]) <= NEAR_LINES for page, line in places)
    if not near:
        return False
    if "claim_sha256" in verdict:
        return bool(verdict["claim_sha256"] == hashlib.sha256(claim["claim"].encode()).hexdigest())
    said, shown = _plain(verdict["claim"]), _plain(claim["claim"])
    if said == shown or said.split("(")[0] == shown or shown.split("#")[0] == said or said.endswith(" " + shown):
        return True
    # `config.Reset` on a list is found by the member alone.
    return claim["kind"] == "symbol" and said.split("(")[0].endswith("." + shown)


def _plain(text: str) -> str:
    return text.strip("`()").removeprefix("./").rstrip("/")


def _key(row: dict[str, Any]) -> tuple[str, int, str, str]:
    return row["page"], row["line"], FAMILY.get(row["kind"], row["kind"]), _plain(row.get("claim", ""))


def _rows(verdicts: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(verdicts.glob("*.json")) if verdicts.is_dir() else [verdicts]:
        found = json.loads(path.read_text("utf-8"))
        yield from found if isinstance(found, list) else [found]


def _checked_out(folder: Path, row: dict[str, Any], scratch: Path) -> Path | None:
    """Return a work tree at the row's commit: the one that lies there, or one made from a bare repository."""
    name = str(row["repository"]).replace("/", "+")
    tree, bare = folder / name, folder / name / "repo"
    if (tree / ".git").exists():
        head = subprocess.run(
            ["git", "-C", str(tree), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
        )
        if head.stdout.strip() == row["commit"]:
            return tree
        bare = tree
    if not bare.exists():
        return None
    made = scratch / name
    clone = ["git", *SAFE, "clone", "-q", "--no-checkout", "--shared", str(bare), str(made)]
    subprocess.run(clone, check=True, capture_output=True)
    checkout = ["git", *SAFE, "-C", str(made), "checkout", "-q", "--detach", row["commit"]]
    if subprocess.run(checkout, check=False, capture_output=True).returncode == 0:
        return made
    # The largest contents may be absent from a snapshot: what is there is checked out, the rest is left empty.
    git = ["git", *SAFE, "-C", str(made)]
    if subprocess.run([*git, "read-tree", row["commit"]], check=False, capture_output=True).returncode:
        return None
    subprocess.run([*git, "update-ref", "--no-deref", "HEAD", row["commit"]], check=True, capture_output=True)
    subprocess.run([*git, "checkout-index", "-a", "-f", "-q"], check=False, capture_output=True)
    absent = subprocess.run([*git, "ls-files", "-d", "-z"], check=True, capture_output=True, text=True).stdout
    for path in filter(None, absent.split("\0")):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).touch()
    return made


def _printed(tree: Path, home: Path, *, docs: bool = False) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what the audit prints as broken, and what it would print with `--perhaps` alone."""
    found = run.audit(tree, now=datetime.now(UTC), deep=True, docs=docs, home=home)
    printed, unsure = [], []
    for memory in found.memories:
        for each in memory.findings:
            claim = each.claim
            row = {"page": memory.source.path, "claim": claim.text, "line": claim.line, "kind": claim.kind}
            row["repair"] = each.repair
            if each.status in ("missing", "moved") and each.sure:
                printed.append(row)
            elif each.perhaps or each.status in ("missing", "moved"):
                unsure.append(row)
    return printed, unsure
