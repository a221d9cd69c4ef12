"""The long tier: each torture by its name, with one line that says how it went. `scripts/torture` runs this.

Every torture is a test marked slow; the quick tour runs its short sibling. Exit status 1 when one fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import promises

CRASHES, DAMAGE, STORE = "tests/store/test_crashes.py::", "tests/store/test_damage.py::", "tests/store/"
_ANY_TWO = "test_of_edits_between_any_two_calls_none_is_lost"
_SWAPPED = "test_a_folder_swapped_for_a_link_takes_nothing_outside"
_STORES = ("geas:.geas", "archeflow:.archeflow", "claude-memory:.claude/memory", "claude-code:memory")
# `scripts/torture promises [R3 S5 …]`: the source is broken on purpose, and the tests must notice.
PROMISES = "promises"
# Name: what it does, the tests that do it, those of the quick tour.
TORTURES: dict[str, tuple[str, list[str], list[str]]] = {
    "team": (
        "eight clients of a database that is killed 50 times",
        [
            f"{STORE}postgres/test_torture.py::test_nothing_is_lost_or_done_twice_while_the_database_is_killed_fifty_times"
        ],
        [f"{STORE}postgres/test_torture.py::test_nothing_is_lost_while_the_database_is_killed_a_few_times"],
    ),
    "tenants": (
        "100,000 random reads over 50 projects, 200 verdicts of an agent",
        [
            f"{STORE}postgres/test_isolation.py::test_a_hundred_thousand_random_reads_over_fifty_projects_bring_no_foreign_row",
            f"{STORE}postgres/test_isolation.py::test_of_two_hundred_verdicts_tried_as_the_agents_role_none_passes",
        ],
        [f"{STORE}postgres/test_isolation.py"],
    ),
    "crash-points": (
        "killed at every system call that touches the disk",
        [f"{CRASHES}test_a_life_cut_at_every_point_is_whole_up_to_there"],
        [f"{CRASHES}test_a_life_cut_at_any_of_thirty_points_is_whole_up_to_there"],
    ),
    "kills": (
        "200 writers killed, 5,000 acknowledged writes",
        [f"{CRASHES}test_of_five_thousand_acknowledged_writes_none_is_lost_to_two_hundred_kills"],
        [f"{STORE}sqlite/test_flipped_bits.py::test_writers_killed_at_work_leave_nothing_to_be_alarmed_at"],
    ),
    "power-cuts": (
        "60 power cuts each on ext4 and xfs (root)",
        [f"{STORE}test_power.py::test_no_success_is_lost_to_a_power_cut[{kind}-sixty]" for kind in ("ext4", "xfs")],
        [f"{STORE}test_power.py::test_no_success_is_lost_to_a_power_cut[{kind}-two]" for kind in ("ext4", "xfs")],
    ),
    "writers": (
        "16 processes write at once; a backup while 8 do",
        [
            f"{STORE}test_concurrency.py::test_sixteen_processes_write_at_once_and_nothing_is_lost",
            f"{STORE}test_links.py::test_a_backup_made_while_eight_write_passes_every_check",
        ],
        [f"{STORE}test_concurrency.py::test_eight_processes_write_at_once_and_nothing_is_lost"],
    ),
    "full-disk": (
        "a disk that fills up at any operation (root)",
        [f"{CRASHES}test_a_disk_that_fills_up_at_any_operation_loses_nothing", f"{STORE}sqlite/test_reserve.py"],
        [f"{STORE}sqlite/test_reserve.py"],
    ),
    "failing-flush": (
        "a flush that fails at every k, once and for ever (strace)",
        [f"{CRASHES}test_a_flush_that_fails_at_any_point_is_never_acknowledged"],
        [f"{CRASHES}test_a_failed_flush_is_never_acknowledged"],
    ),
    "clocks": (
        "clocks that jump, run away and run backwards (faketime)",
        [f"{STORE}test_clocks.py"],
        [f"{STORE}test_clocks.py::test_a_clock_that_jumps_by_decades_breaks_nothing"],
    ),
    "turned-bits": (
        "1,000 turned bits",
        [f"{DAMAGE}test_of_a_thousand_turned_bits_most_are_found_and_none_is_served"],
        [f"{DAMAGE}test_turned_bits_are_never_served"],
    ),
    "links": (
        "a folder swapped for a link for 60 seconds, and in 400 writes on each of four systems",
        [
            f"{STORE}test_links.py::test_a_folder_swapped_for_a_link_lets_no_text_out[minute]",
            *(f"tests/systems/test_links.py::{_SWAPPED}[{store}-long]" for store in _STORES),
        ],
        [
            f"{STORE}test_links.py::test_a_folder_swapped_for_a_link_lets_no_text_out[short]",
            *(f"tests/systems/test_links.py::{_SWAPPED}[{store}-short]" for store in _STORES),
        ],
    ),
    "sessions": (
        "200 killed sessions and 200 killed commands",
        [
            "tests/surfaces/hooks/test_kills.py::test_killed_sessions_leave_nothing_behind[200]",
            f"{CRASHES}test_two_hundred_killed_sessions_leave_nothing_behind",
        ],
        ["tests/surfaces/hooks/test_kills.py::test_killed_sessions_leave_nothing_behind[8]"],
    ),
    "migrations": (
        "an upgrade killed at every statement",
        [f"{STORE}sqlite/test_migrate.py"],
        [f"{STORE}sqlite/test_migrate.py"],
    ),
    "neighbours": (
        "1,000 writes on each of four systems through kills, beside a program that edits the same files",
        ["tests/systems/test_foreign_writers.py::test_of_a_thousand_writes_through_kills_none_is_lost"],
        ["tests/systems/test_foreign_writers.py::test_of_edits_made_beside_our_writes_none_is_lost"],
    ),
    "interleavings": (
        "a neighbour's steps between any two system calls of ours, 3,900 orders",
        [f"tests/files/test_interleavings.py::{_ANY_TWO}[{which}]" for which in ("slow-writers", "patient")],
        [f"tests/files/test_interleavings.py::{_ANY_TWO}[short]"],
    ),
    "fuzz": (
        "60 minutes (TENURE_FUZZ_MINUTES) of spoilt input at every edge: commands, hooks, tools, files, settings",
        ["tests/security/test_fuzz.py::test_minutes_of_spoilt_inputs_are_refused_or_taken"],
        ["tests/security/test_fuzz.py::test_a_few_spoilt_inputs_are_refused_or_taken"],
    ),
    "laws": ("every law with many more examples", ["tests", "-n", "auto", "-m", "hypothesis and not slow"], []),
}


def main(words: list[str]) -> int:
    """Run the tortures named, or all; return 1 when one of them failed."""
    quick = "--quick" in words
    names = [word for word in words if word != "--quick"]
    if names[:1] == [PROMISES]:
        return promises.main(names[1:])
    if unknown := [name for name in names if name not in TORTURES]:
        print(f"{', '.join(unknown)}: not a torture. There are: {', '.join([*TORTURES, PROMISES])}.", file=sys.stderr)
        return 2
    failed = [name for name in names or TORTURES if not passes(name, quick)]
    if not names and not quick and promises.main([]):
        failed.append(PROMISES)
    print(f"Failed: {', '.join(failed)}." if failed else "All held.")
    return 1 if failed else 0


def passes(name: str, quick: bool) -> bool:
    """Run one torture and print its line; what went wrong follows it."""
    what, long, short = TORTURES[name]
    tests = short if quick else long
    if not tests:
        return True
    print(f"{name:14} {what} ...", end=" ", flush=True)
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-s", "-rs", *tests],
        env={**os.environ, "HYPOTHESIS_PROFILE": "suite" if quick else "torture"},
        capture_output=True,
        text=True,
        check=False,
    )
    skipped = [line.split(": ", 1)[-1] for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    told = [line.lstrip(".s") for line in done.stdout.splitlines() if line.lstrip(".s")[:1].isdigit()]
    result = "FAILED" if done.returncode else f"left out: {skipped[0]}" if skipped else "held"
    print(
        f"{result} ({time.monotonic() - start:.0f} s)",
        *(f"\n{'':14} {line}" for line in told if " in " not in line[-12:]),
    )
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-2000:])
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
