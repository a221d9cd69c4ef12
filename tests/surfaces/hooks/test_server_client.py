"""A running server answers prompt hooks with meaning; whatever is wrong with it, they answer alone. Real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenure.files import sockets, trust
from tenure.usecases import prompt_server
from tests.program import Program

pytest.importorskip("mcp")
pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the system has no such sockets")

# The real server with an encoder that knows two meanings and offers no related words.
SERVER = """
import sys
from tenure.usecases import embeddings, prompt_server

class Toy:
    name = "toy"
    def encode(self, texts):
        groups = (("money", "cents", "amounts", "pennies"), ("images", "thumbnails", "pictures"))
        return [[float(any(word in text.lower() for word in group)) for group in groups] + [0.1] for text in texts]

embeddings.encoder = lambda: Toy()
prompt_server.BEGIN_SECONDS = prompt_server.WARM_SECONDS = 0.0
prompt_server.RETRY_SECONDS = 0.05
from tenure.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
# Shares no word with the memory it is about.
PARAPHRASE = "which type for amounts or pennies"
WORDS = "is money kept in integer cents?"


@pytest.fixture
def stored(program: Program) -> Program:
    program.ok("add", "Money is kept in integer cents", "--id", "money")
    program.ok("add", "Images are resized on demand", "--id", "images")
    run(program, "upkeep").communicate()
    return program


def run(program: Program, *words: str) -> subprocess.Popen[bytes]:
    """Start the program with the encoder."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, *words], stdin=pipe, stdout=pipe, cwd=program.folder, env=program.variables()
    )


def place(program: Program) -> str:
    return trust.socket_of(str(program.database))


def waited(condition: Callable[[], bool]) -> None:
    """Wait for another process; a safety net against a hang, never a measurement."""
    for _ in range(600):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it did not happen")


@pytest.fixture
def server(stored: Program) -> Iterator[subprocess.Popen[bytes]]:
    """A server that has listened and loaded its model."""
    process = run(stored, "mcp")
    waited(lambda: os.path.lexists(place(stored)))
    waited(lambda: "with meaning" in told(stored))
    yield process
    process.kill()
    process.communicate()


def ask(program: Program, prompt: str, session: str = "", **environment: str) -> str:
    document = json.dumps({"prompt": prompt, "cwd": str(program.folder), "session_id": session}).encode()
    done = program("hook", "prompt", stdin=document, **{"TENURE_HOOK_SECONDS": "30", **environment})
    assert (done.status, done.err) == (0, b"")
    return str(done.json["hookSpecificOutput"]["additionalContext"]) if done.out else ""


def told(program: Program) -> str:
    return prompt_server.description(os.path.realpath(program.database))


def doctor(program: Program) -> str:
    checks = program.ok("doctor")["checks"]
    return next(str(check["detail"]) for check in checks if check["name"] == "socket")


def test_a_server_finds_by_meaning_what_the_hook_alone_cannot(stored: Program, server: subprocess.Popen[bytes]) -> None:
    """Issue 7: full ranking with a server, words without; the trace says what the score was made of."""
    assert "integer cents" in ask(stored, PARAPHRASE, "s1")
    assert stored.ok("why", "money")["injections"][0]["run"] == "s1"
    assert ask(stored, PARAPHRASE, "s1") == "", "shown once per session, whoever ranks"
    assert ask(stored, "write a haiku about autumn") == "", "silence is the same"
    server.kill()
    server.wait()
    assert ask(stored, PARAPHRASE, "s2") == ""
    assert "integer cents" in ask(stored, WORDS, "s2")
    assert "socket stale" in doctor(stored) and "dead 2x" in doctor(stored)


def test_a_server_that_hangs_costs_a_moment_and_nothing_else(stored: Program, server: subprocess.Popen[bytes]) -> None:
    """The hook gives the server a part of its deadline and keeps enough of it to answer alone."""
    server.send_signal(signal.SIGSTOP)
    try:
        assert "integer cents" in ask(stored, WORDS, TENURE_HOOK_SECONDS="5")
        assert sockets.missed(place(stored)) == {"late": 1}
    finally:
        server.send_signal(signal.SIGCONT)
    assert "integer cents" in ask(stored, PARAPHRASE)


def test_the_socket_goes_with_its_server_and_the_next_in_line_takes_over(
    stored: Program, server: subprocess.Popen[bytes]
) -> None:
    """The first server on a store wins; another replaces it when it is gone, however it ended."""
    second = run(stored, "mcp")
    try:
        server.send_signal(signal.SIGKILL)
        server.wait()
        waited(lambda: f"process {second.pid} answers (with meaning)" in told(stored))
        assert "integer cents" in ask(stored, PARAPHRASE)
        second.communicate()  # closes the stream, as a client does
        assert second.returncode == 0
        assert not os.path.lexists(place(stored))
    finally:
        second.kill()
        second.wait()


def test_a_server_that_is_told_to_end_takes_its_socket_away(stored: Program, server: subprocess.Popen[bytes]) -> None:
    """Clients end their servers with a signal when closing the stream does not."""
    server.terminate()
    assert server.wait() == -signal.SIGTERM
    assert not os.path.lexists(place(stored))


def test_the_socket_is_for_its_owner_only(stored: Program, server: subprocess.Popen[bytes]) -> None:
    """0700 and 0600, in the user's own folder or, where that is too deep, one of the system's."""
    path = Path(place(stored))
    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    assert len(os.fsencode(path)) <= trust.LONGEST_SOCKET


def test_a_server_of_another_store_is_never_asked(
    stored: Program, server: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """Never another project's memories: another store has another socket, and the ids must be in the hook's own."""
    other = Program(tmp_path / "other", stored.home)
    other.folder.mkdir()
    other.ok("add", "Prefer tabs in Makefiles", "--id", "tabs")
    assert place(other) != place(stored)
    os.makedirs(os.path.dirname(place(other)), exist_ok=True)
    os.link(place(stored), place(other))
    assert ask(other, PARAPHRASE) == ""
    os.unlink(place(other))


ANSWERS = {
    "garbage": b"\xff\xfe{{{\n",
    "no end": b"{",
    "an empty object": b"{}\n",
    "other types": b'{"version": 1, "file": "FILE", "words": "", "ranked": [{"id": 5, "score": "x"}]}\n',
    "too long": b"x" * (2 * sockets.MOST_BYTES),
}


@pytest.mark.parametrize("said", ANSWERS)
def test_whatever_a_socket_says_the_hook_answers(stored: Program, said: str) -> None:
    """One JSON line of a known shape, or it is as if nobody had answered; and it is counted."""
    identity = sockets.identity(str(stored.database)).encode()
    with speaking(place(stored), ANSWERS[said].replace(b"FILE", identity)):
        assert "integer cents" in ask(stored, WORDS)
    assert sum(sockets.missed(place(stored)).values()) == 1


def test_an_answer_can_only_order_what_is_in_the_store(stored: Program) -> None:
    """What is shown is read from the hook's own store: ids from elsewhere are nothing, texts are never taken over."""
    terms = {"text": 0.5, "evil words": "evil", "nested": {"evil": 1.0}, "much": float("1e300"), "many": 7}
    ranked = [{"id": id, "score": 1, "evidence": 9, "terms": terms, "text": "evil"} for id in ("elsewhere", "images")]
    file = sockets.identity(str(stored.database))
    answer = json.dumps({"version": 1, "file": file, "words": "", "ranked": ranked}).encode() + b"\n"
    with speaking(place(stored), answer):
        block = ask(stored, PARAPHRASE)
    assert "resized on demand" in block and "evil" not in block and "elsewhere" not in block
    (shown,) = stored.ok("inject", "--replay")["memories"]
    assert shown["terms"] == {"text": 0.5, "much": 1e300} and shown["exact"]


def test_a_link_an_open_folder_and_a_plain_file_are_refused(stored: Program, tmp_path: Path) -> None:
    """What others could have put there is not connected to."""
    path = Path(place(stored))
    with speaking(str(path), b"{}\n"):
        path.rename(path.with_suffix(".real"))
        path.symlink_to(path.with_suffix(".real"))
        assert "integer cents" in ask(stored, WORDS)
        path.unlink()
        path.with_suffix(".real").rename(path)
        path.parent.chmod(0o755)
        assert "integer cents" in ask(stored, WORDS)
        path.parent.chmod(0o700)
    path.unlink()
    path.write_text("not a socket")
    assert "integer cents" in ask(stored, WORDS)
    assert sockets.missed(str(path)) == {"foreign file": 2, "foreign folder": 1}


class speaking:
    """A socket that answers whoever connects with the same bytes."""

    def __init__(self, path: str, answer: bytes) -> None:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listening.bind(path)
        self.listening.listen(4)
        self.answer = answer

    def __enter__(self) -> None:
        threading.Thread(target=self.speak, daemon=True).start()

    def speak(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
                with client:
                    client.recv(65536)
                    client.sendall(self.answer)
            except OSError:
                return

    def __exit__(self, *_: object) -> None:
        self.listening.close()


def test_the_end_waits_for_a_thread_that_is_still_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 13, fuzzing: on a busy machine the server ended while a thread was inside of SQLite, and crashed."""
    entered, leave = threading.Event(), threading.Event()

    def busy(_: prompt_server.Listener) -> None:
        entered.set()
        leave.wait()

    monkeypatch.setattr(prompt_server.Listener, "_run", busy)
    listener = prompt_server.Listener(f"sqlite:{tmp_path / 'memory.db'}")
    listener.start()
    entered.wait()
    # Longer than the server used to wait.
    threading.Timer(2.5 * prompt_server.CLIENT_SECONDS, leave.set).start()
    listener.stop()
    assert leave.is_set() and not listener._thread.is_alive()
