"""`export` and `import`: every memory with its history, one JSON line each, without loss.

A line carries a seal made with the user's own key. A sealed line is restored as it was; an unsealed one could come
from anybody, so it arrives as a candidate with its state and counters reset, unless the person says it is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from tenure import strictjson
from tenure.errors import BadRequest, InvalidInput, Refused, StoreUnusable, TenureError
from tenure.events import Event, EventType
from tenure.evolve import born, fold
from tenure.lifecycle.verdict import normalised
from tenure.memory import Memory
from tenure.store.sqlite import SqliteStore
from tenure.workspace import capturing, intake, locate, writing
from tenure.workspace.batch import Batch

FORMAT = "tenure/1"
MAX_LINE_BYTES = 64 * 1024 * 1024
Progress = Callable[[int, int], None]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of an export."""

    format: str
    memory: Memory
    events: list[Event]
    seal: str = ""


_encoder = msgspec.json.Encoder()
_line_decoder = msgspec.json.Decoder(Line)


def export(store: SqliteStore, target: str, progress: Progress | None) -> dict[str, Any]:
    """Write every memory to a JSON Lines file, or to standard output for `-`."""
    path = _path(target)
    key = seal_key()
    rows = store.rows()
    with _output(path) as write:
        for done, row in enumerate(rows, start=1):
            events = [recorded.event for recorded in store.history(row.memory.id)]
            line = Line(format=FORMAT, memory=row.memory, events=events)
            body = _encoder.encode(line)
            seal = hmac.digest(key, body, "sha256").hex()
            write(_encoder.encode(msgspec.structs.replace(line, seal=seal)) + b"\n")
            if progress and done % 500 == 0:
                progress(done, len(rows))
    return {"written": len(rows), "skipped": [], "target": str(path) if path else "-"}


def import_(batch: Batch, source: str, *, trusted: bool, progress: Progress | None) -> dict[str, Any]:
    """Read an export or plain proposals; a file with a line that cannot be read is refused as a whole."""
    path = _path(source)
    data = sys.stdin.buffer.read() if path is None else _read(path)
    key = seal_key()
    restored: list[Line] = []
    plain: list[tuple[int, dict[str, Any]]] = []
    problems = []
    lines = data.splitlines()
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            line = _sealed(raw, key, trusted)
            if line is None:
                plain.append((number, _as_proposal(raw)))
            else:
                restored.append(line)
        except TenureError as error:
            problems.append(f"line {number}: {error.message}")
        if progress and number % 500 == 0:
            progress(number, len(lines))
    if problems:
        raise InvalidInput(
            f"{source}: {'; '.join(problems[:5])}" + (f" and {len(problems) - 5} more" if len(problems) > 5 else ""),
            hint="Nothing was imported. Correct these lines and try again.",
        )
    return _write(batch, restored, plain, f"import-{hashlib.sha256(data).hexdigest()[:12]}")


def seal_key() -> bytes:
    """Return the user's key for sealing exports, made on first use and readable only by them."""
    path = locate.home() / "seal.key"
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return path.read_bytes()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    except OSError as error:
        raise StoreUnusable(
            f"The folder {str(path.parent)!r} cannot be written ({error.strerror}).",
            hint="Set TENURE_HOME to a folder of yours.",
        ) from None
    with os.fdopen(handle, "wb") as file:
        key = secrets.token_bytes(32)
        file.write(key)
    return key


def _write(batch: Batch, restored: list[Line], plain: list[tuple[int, dict[str, Any]]], run: str) -> dict[str, Any]:
    skipped: list[dict[str, str]] = []
    written = 0
    known = set(batch.store.ids(limit=10_000_000))
    for line in restored:
        memory = line.memory
        if memory.id in known or batch.store.history(memory.id):
            skipped.append({"id": memory.id, "why": "a memory of this id is here already"})
        elif batch.store.is_forgotten(normalised(memory.text)):
            skipped.append({"id": memory.id, "why": "it was forgotten on request"})
        else:
            events = line.events or [born(memory, type=EventType.IMPORTED)]
            batch.record(None, events, version=0)
            written += 1
    for number, item in plain:
        try:
            writing.refuse_return(batch, _drafted(batch, item))
            decisions, _ = capturing.capture(batch, [item], run=run)
        except Refused as refusal:
            skipped.append({"id": f"line {number}", "why": refusal.message})
            continue
        for decision in decisions:
            if decision.action == "create":
                written += 1
            else:
                skipped.append({"id": decision.id or f"line {number}", "why": "; ".join(decision.reasons)})
    return {"written": written, "skipped": skipped}


def _drafted(batch: Batch, item: dict[str, Any]) -> Memory:
    proposal = intake.proposal(item, batch.policy)
    return writing.draft(batch, proposal, id="draft", trust="external", stated=False)


def _sealed(raw: bytes, key: bytes, trusted: bool) -> Line | None:
    """Return the line when its seal is this user's, or it is trusted; None when it is not an export of ours."""
    if not raw.startswith(b'{"format":"tenure/'):
        return None
    try:
        line = _line_decoder.decode(raw)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise InvalidInput(f"not a line of an export: {error}") from None
    if line.format != FORMAT:
        raise InvalidInput(f"format {line.format!r} is not {FORMAT!r}; a newer Tenure wrote it")
    body = _encoder.encode(msgspec.structs.replace(line, seal=""))
    if not trusted and not hmac.compare_digest(hmac.digest(key, body, "sha256").hex(), line.seal):
        return None
    if line.events and fold(line.events) != line.memory:
        raise InvalidInput(f"{line.memory.id}: its history does not make it what it says it is")
    return line


def _as_proposal(raw: bytes) -> dict[str, Any]:
    """Return what an unsealed line says, without anything only the engine may set."""
    value = strictjson.decode(raw, max_bytes=MAX_LINE_BYTES)
    if isinstance(value, dict) and str(value.get("format", "")).startswith("tenure/"):
        value = value.get("memory")
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, found {value!r:.60}")
    names = ("kind", "title", "text", "content", "tags", "files", "scope", "domain", "agent")
    return {**{name: value[name] for name in names if value.get(name)}, "source": "external:import"}


def _path(url: str) -> Path | None:
    if url == "-":
        return None
    scheme, separator, rest = url.partition(":")
    if separator and scheme in locate.SCHEMES:
        raise BadRequest(
            f"{url!r}: stores of other systems cannot be read or written by this version.",
            hint="Name a JSON Lines file: jsonl:PATH.",
        )
    return Path(rest if scheme == "jsonl" and separator else url).expanduser()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None


@contextlib.contextmanager
def _output(path: Path | None) -> Iterator[Callable[[bytes], object]]:
    if path is None:
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise StoreUnusable(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    finally:
        temporary.unlink(missing_ok=True)
