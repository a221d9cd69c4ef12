"""A team with one database, played from beginning to end: two people, one agent, a share, a review, a forgery refused.

PostgreSQL comes from PyPI and runs in a temporary folder, which is removed at the end; nothing listens on the network.
Each step says what is expected, and the play stops with exit status 1 where something else happens.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from postgres_server import NoServer, Server

PEOPLE = {"ana": ("member", "reviewer"), "ben": ("member", "reviewer"), "ci-bot": ("agent",)}
PROJECT = "billing"
RULE = "Run make db before the integration tests of billing"
QUESTION = "why do the integration tests of billing fail?"


class Unexpected(Exception):
    """Something else happened than the play says."""


class Play:
    """The stage: a server, a home for each player, and what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = Server(folder / "pg")
        self.admin = ""
        self.sessions = 0

    def address(self, who: str) -> str:
        """Return the address with which a player logs in; the password is asked for as PostgreSQL always does."""
        return f"postgresql://{who}@/memory?host={self.server.folder}#{PROJECT}"

    def run(self, who: str, *words: str, refused: bool = False, stdin: str = "", quiet: bool = False) -> str:
        """Run a command as a player, show it, and return what it printed."""
        home = self.folder / who / "home"
        done = subprocess.run(
            [sys.executable, "-m", "tenure", *words],
            input=stdin.encode(),
            capture_output=True,
            cwd=self._workplace(who),
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": str(home.parent),
                "LC_ALL": "C.UTF-8",
                "TENURE_HOME": str(home),
                "TENURE_STORE": self.admin if who == "admin" else self.address(who),
                "PGPASSWORD": f"secret of {who}",
                # Nobody sits at a play, so nobody is asked to type a word before a verdict.
                "TENURE_UNATTENDED": "1",
                "TENURE_HOOK_SECONDS": "30",
            },
            check=False,
        )
        said = (done.stdout + done.stderr).decode().strip()
        for path in (str(self.server.folder), quote(str(self.server.folder), safe="")):
            said = said.replace(path, "…")
        if stdin and said:
            # The agent's program gets JSON; what the agent reads stands in it.
            said = json.loads(said)["hookSpecificOutput"]["additionalContext"]
        if not quiet:
            shown = " ".join(f"'{word}'" if " " in word else word for word in words)
            print(f"\n{who}$ tenure {shown}" + (f"   # the prompt: {QUESTION}" if stdin else ""))
            print("\n".join(f"    {line}" for line in (said or "(prints nothing)").splitlines()))
        if (done.returncode != 0) != refused:
            raise Unexpected(f"exit status {done.returncode}: {said}")
        return said

    def prompt(self, who: str) -> str:
        """Let a player's agent get a prompt, and return what memory adds to it."""
        self.sessions += 1
        event = json.dumps({"session_id": f"session {self.sessions}", "prompt": QUESTION})
        return self.run(who, "hook", "prompt", stdin=event)

    def sql(self, who: str, statement: str) -> None:
        """Try to change the database as a player without Tenure; it has to refuse."""
        import psycopg

        print(f'\n{who}$ psql -c "{statement}"')
        address = self.address(who).partition("#")[0]
        with psycopg.connect(address, password=f"secret of {who}", autocommit=True) as connection:
            try:
                connection.execute(statement.encode())
            except psycopg.Error as error:
                print(f"    ERROR: {str(error).splitlines()[0]}")
                return
        raise Unexpected(f"the database took it from {who}")

    def _workplace(self, who: str) -> Path:
        place = self.folder / who / PROJECT
        place.mkdir(parents=True, exist_ok=True)
        return place


def main() -> int:
    """Play it; return 1 when something else happened than it says."""
    folder = Path(tempfile.mkdtemp(prefix="tenure-team-"))
    folder.chmod(0o755)
    play = Play(folder)
    try:
        _play(play)
    except NoServer as error:
        print(f"PostgreSQL cannot be started here: {error}.", file=sys.stderr)
        return 1
    except Unexpected as error:
        print(f"\nThis was not expected: {error}", file=sys.stderr)
        return 1
    finally:
        play.server.remove()
        shutil.rmtree(folder, ignore_errors=True)
    print("\nThe server is stopped and its folder removed. docs/postgresql.md says how to set this up for your team.")
    return 0


def _play(play: Play) -> None:
    import psycopg

    say("A database", "PostgreSQL starts in a temporary folder. Its administrator makes a role for each player.")
    address = play.server.start()
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute("CREATE DATABASE memory")
        for who in PEOPLE:
            admin.execute(f"CREATE ROLE \"{who}\" LOGIN PASSWORD 'secret of {who}'".encode())
    play.admin = f"postgresql://postgres@/memory?host={play.server.folder}#{PROJECT}"
    play.run("admin", "team", "init", "--approvals", "1")
    for who, groups in PEOPLE.items():
        play.run("admin", "team", "grant", who, *groups, quiet=who != "ci-bot")

    say("A share", "Ana writes down what she learned. One other person has to agree before it is used.")
    id = play.run("ana", "add", RULE).split()[0]
    play.run("ana", "review", id, "--decision", "approve", "--by", "ana", refused=True)
    play.run("ben", "team", "pull")
    expect(id not in play.prompt("ben"), "the memory was shown before anybody agreed")

    say("A review", "Ben agrees.")
    play.run("ben", "review", id, "--decision", "approve", "--by", "ben")

    say("The next prompt", "Each machine has a copy; prompts read the copy and never wait for the network.")
    for who in ("ben", "ana"):
        play.run(who, "team", "pull", quiet=who == "ana")
        expect(id in play.prompt(who), f"the memory is not in the prompt of {who}")

    say("An agent forges a verdict", "It may propose. What it proposes is used when a person agreed, and not before.")
    theirs = play.run("ci-bot", "add", "Skip the tests of billing when they are slow").split()[0]
    play.run("ci-bot", "review", theirs, "--decision", "approve", "--by", "ana", refused=True)
    play.sql("ci-bot", f"UPDATE tenure.memory SET eligible = 1 WHERE id = '{theirs}'")
    play.sql(
        "ci-bot",
        "SELECT tenure.write_judged(NULL, '{}', '{}', '{}', '{}', '{}', '[]', '{}', '{}', '{}', '{}', '{}', '{}')",
    )
    play.sql("ci-bot", "SET SESSION AUTHORIZATION ana")
    play.run("ben", "team", "pull", quiet=True)
    expect(theirs not in play.prompt("ben"), "what the agent proposed is in a prompt")

    say("Who did what", "The database knows who logged in, so nobody's name can be borrowed.")
    told = play.run("ben", "history", id)
    expect("ana" in told and "ben" in told, "the history does not name who acted")
    play.run("ben", "check")


def say(title: str, what: str) -> None:
    """Print the head of a scene."""
    print(f"\n== {title}\n{what}")


def expect(holds: bool, otherwise: str = "") -> None:
    """Stop the play unless something holds."""
    if not holds:
        raise Unexpected(otherwise)


if __name__ == "__main__":
    sys.exit(main())
