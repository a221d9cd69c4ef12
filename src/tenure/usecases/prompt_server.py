"""A running server answers prompt hooks: it has the model of meaning loaded, which a hook has no time for.

One thread with its own workspace listens on the store's socket. The first server on a store wins; the lock is the
kernel's, so another one takes over when it dies. Whatever goes wrong here, the hooks carry on without it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tenure.files import locate, sockets, strict_json, trust
from tenure.files.lock import exclusive
from tenure.model import clock
from tenure.model.decoding import convert
from tenure.model.errors import StoreBusy, TenureError
from tenure.recall import rank
from tenure.systems.api import opened
from tenure.usecases import embeddings, search
from tenure.usecases.project import Project

MOST_RANKED = 24
# The server's own first answers come first; the model is loaded when nothing else is likely to be going on.
BEGIN_SECONDS, WARM_SECONDS = 0.3, 2.0
# How often a second server looks whether the first is gone, and how often a server looks whether it should end.
RETRY_SECONDS, LOOK_SECONDS = 2.0, 0.25
CLIENT_SECONDS = 1.0
# How long the end waits for the threads: one that is still inside of a library when the interpreter goes crashes it.
END_SECONDS = 30.0


class Question(msgspec.Struct, frozen=True):
    """What a hook asks."""

    version: int
    store: str
    file: str
    now: str
    prompt: str


class Listener:
    """Answers the hooks of one store from a thread, until it is stopped."""

    def __init__(self, store: str | None) -> None:
        place = locate.locate(store, Path().absolute())
        self._place = place
        self.database = database(place)
        self.path = trust.socket_of(self.database)
        self._stop, self._warm, self._warming = threading.Event(), threading.Event(), False
        self._mine, self._file = False, ""
        self._thread = threading.Thread(target=self._run, name="tenure-hooks", daemon=True)
        self._loading: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen, soon."""
        self._thread.start()

    def stop(self) -> None:
        """End, and take the socket away."""
        self._stop.set()
        for thread in (self._thread, self._loading):
            if thread is not None:
                thread.join(timeout=END_SECONDS)
        self.remove()

    def remove(self) -> None:
        """Take the socket away when it is ours."""
        if self._mine:
            self._mine = False
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def _run(self) -> None:
        self._stop.wait(BEGIN_SECONDS)
        while not self._stop.is_set():
            with contextlib.suppress(OSError, StoreBusy):
                make_private(os.path.dirname(self.path))
                with exclusive(f"{self.path}.lock", wait_seconds=0):
                    self._serve()
            self._stop.wait(RETRY_SECONDS)

    def _serve(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            for left in (self.path, self.path + sockets.MISSED):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(left)
            listening.bind(self.path)
            self._mine = True
            os.chmod(self.path, 0o600)
            listening.listen(8)
            listening.settimeout(LOOK_SECONDS)
            warm_at = clock.within(WARM_SECONDS)
            project, _ = opened(self._place)
            with contextlib.closing(project.store):
                while not self._stop.is_set() and os.path.lexists(self.path):
                    with contextlib.suppress(TimeoutError):
                        self._meet(listening.accept()[0], project)
                    if not warm_at():
                        self._prepare(project)

    def _meet(self, client: socket.socket, project: Project) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(CLIENT_SECONDS)
            if not sockets.is_ours(client):
                return
            data = bytearray()
            while not data.endswith(b"\n") and len(data) <= sockets.MOST_BYTES:
                piece = client.recv(65536)
                if not piece:
                    return
                data += piece
            try:
                told = self.answer(bytes(data), project)
            except Exception as error:
                told = {"alone": f"{type(error).__name__}: {error}"[:200]}
            client.sendall(msgspec.json.encode({"version": sockets.VERSION, "pid": os.getpid(), **told}) + b"\n")

    def answer(self, data: bytes, project: Project) -> dict[str, Any]:
        """Return the ranking for a question, or why the hook should do without."""
        asked = convert(strict_json.decode(data, max_bytes=sockets.MOST_BYTES), Question)
        if asked.version != sockets.VERSION:
            return {"alone": "another version"}
        if asked.store != self.database or asked.file != sockets.identity(self.database):
            return {"alone": "another store"}
        if self._file != asked.file:
            # Another file has taken the place of the store: open that one.
            project.store.close()
            self._file = asked.file
        project.store.refresh()
        self._prepare(project)
        if not self._warm.is_set():
            return {"alone": "warming up" if self._warming else "no meaning at hand"}
        model = embeddings.encoder()
        if model is None or embeddings.made_by(model) != project.store.vectors.encoder():
            return {"alone": "no meaning at hand"}
        found, query, _ = search.eligible(project, asked.prompt, now=clock.parse(asked.now))
        ranked = [
            {"id": item.id, "score": item.score, "evidence": round(item.evidence, 4), "terms": rank.terms(item)}
            for item in found[:MOST_RANKED]
        ]
        return {"file": asked.file, "words": " ".join(term.word for term in query.terms), "ranked": ranked}

    def _prepare(self, project: Project) -> None:
        """Load the model once there are vectors to compare with, without keeping a hook waiting."""
        if not self._warming and project.store.vectors.encoder():
            self._warming = True
            self._loading = threading.Thread(target=self._load, name="tenure-model", daemon=True)
            self._loading.start()

    def _load(self) -> None:
        with contextlib.suppress(TenureError, OSError, ImportError):
            model = embeddings.encoder()
            if model is not None:
                model.encode(["ready"])
                self._warm.set()
                return
        self._warming = False


def database(place: locate.Place) -> str:
    """Return the file by which hooks and server know that they mean the same store."""
    return os.path.realpath(place.path if place.native else locate.companion(place))


@contextlib.contextmanager
def listening(store: str | None) -> Iterator[None]:
    """Answer hooks while a server runs; where there are no such sockets, nothing is different."""
    if not hasattr(socket, "AF_UNIX"):
        yield
        return
    listener = Listener(store)
    with _ended_cleanly(listener):
        listener.start()
        try:
            yield
        finally:
            listener.stop()


@contextlib.contextmanager
def _ended_cleanly(listener: Listener) -> Iterator[None]:
    """Take the socket away also when the client ends us with a signal."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def end(number: int, _: object) -> None:
        listener.remove()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def make_private(folder: str) -> None:
    """Make the folder of the sockets for its owner only; raises OSError for one that is somebody else's."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{folder!r} is not a folder of yours")
    if found.st_mode & 0o077:
        os.chmod(folder, 0o700)


def description(database: str) -> str:
    """Return how prompts are answered, for `tenure doctor`."""
    path = trust.socket_of(database)
    alone = sum(sockets.missed(path).values())
    why = "; ".join(f"{reason} {count}x" for reason, count in sorted(sockets.missed(path).items()))
    said = f"; {alone} prompts were answered without it since ({why})" if alone else ""
    if not os.path.lexists(path):
        return f"no Tenure server running; hooks search by words only{said}"
    try:
        question = Question(sockets.VERSION, database, sockets.identity(database), clock.stamp(clock.now()), "doctor")
        answer = msgspec.json.decode(sockets.ask(path, msgspec.json.encode(question), CLIENT_SECONDS))
        return f"process {answer['pid']} answers ({answer.get('alone') or 'with meaning'}){said}"
    except ConnectionError:
        return f"socket stale: {path} was left by a dead server; the next `tenure mcp` replaces it{said}"
    except (OSError, ValueError, KeyError, msgspec.DecodeError) as error:
        return f"socket stale: {path} does not answer ({error}); it goes with its server, or remove it{said}"
