"""Installing and uninstalling: changes are computed first, shown, and only then written.

Uninstalling restores the exact original bytes when nobody touched the file since; otherwise it removes our entries
and leaves the rest. The one rule: a file we cannot read is reported and left as it is.
"""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from tenure.files import durable
from tenure.hosts import api, jsonc, receipts, settings_entries
from tenure.hosts.api import Host, Settings
from tenure.model.errors import InvalidInput, Refused, TenureError

MARK = "Made by `tenure install`"


class FileChange(NamedTuple):
    """What would happen to one file: its bytes now and then, None for no file."""

    agent: str
    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        then, now = ((data or b"").decode("utf-8", "replace").splitlines() for data in (self.before, self.after))
        old, new = (str(self.path) if data is not None else "/dev/null" for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(then, now, old, new, lineterm=""))


def program(scope: str) -> list[str]:
    """Return how an agent starts Tenure: by name in a project's shared file, by its full path in the user's own."""
    if scope == "project":
        # A path of this machine means nothing on another.
        return ["tenure"]
    beside = Path(sys.executable).with_name("tenure")
    named = shutil.which("tenure")
    # An agent started from a menu has another search path than a shell. A link that pipx or uv made outlives updates.
    if named and os.path.realpath(named) == os.path.realpath(beside):
        return [os.path.abspath(named)]
    # -P: the agent starts this in the project's folder, which may hold a package named like ours.
    return [str(beside)] if beside.exists() else [sys.executable, "-P", "-m", "tenure"]


def installing(agent: Host, scope: str, project: Path) -> list[FileChange]:
    """Return the changes that wire an agent; none for files that are right already."""
    changes = []
    for settings in getattr(agent, scope):
        path = _real(api.place(settings, agent, project), scope, project)
        before = _read(path)
        after = _with_us(settings, before, program(scope), path)
        if after != before:
            changes.append(FileChange(agent.name, path, before, after))
    return changes


def uninstalling(agent: Host, scope: str, project: Path) -> list[FileChange]:
    """Return the changes that take out exactly what installing added."""
    changes = []
    # Backwards, so that the folder made for the first file is empty when its turn comes.
    for settings in reversed(getattr(agent, scope)):
        path = _real(api.place(settings, agent, project), scope, project)
        now = _read(path)
        receipt = receipts.read(agent.name, path)
        if now is None:
            continue
        if receipt and receipt.after == durable.fingerprint(now):
            after = receipt.before
        else:
            after = _without_us(settings, now, path)
        if after != now:
            changes.append(FileChange(agent.name, path, now, after))
    return changes


def apply(changes: Sequence[FileChange], *, removing: bool = False) -> list[Path]:
    """Write the changes and return the copies kept of the files as they were."""
    kept = []
    for change in changes:
        if _read(change.path) != change.before:
            raise TenureError(f"{str(change.path)!r} was changed by somebody else just now.", hint="Run it again.")
        if not removing:
            kept.append(receipts.write(change.agent, change.path, change.before, change.after or b""))
        if change.after is None:
            durable.remove(change.path)
            receipts.drop_folders(change.agent, change.path)
        else:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            durable.replace(change.path, change.after)
        if removing:
            receipts.drop(change.agent, change.path)
    return kept


def wired(agent: Host, scope: str, project: Path) -> bool:
    """Tell whether any file of the agent holds an entry of ours."""
    return any(_holds_us(settings, api.place(settings, agent, project)) for settings in getattr(agent, scope))


def _holds_us(settings: Settings, path: Path) -> bool:
    try:
        data = _read(path)
        return data is not None and _without_us(settings, data, path) != data
    except TenureError:
        return False


def _with_us(settings: Settings, before: bytes | None, command: list[str], path: Path) -> bytes:
    if settings.form == "whole":
        return _own_file(settings.source, command)
    if settings.form == "toml":
        return _toml_with_us(settings, before or b"", command, path)
    text = _text(before, path) if before and before.strip() else _fresh(settings)
    line = shlex.join(command)
    try:
        for keys, entries in _by_keys(settings_entries.hooks(settings, line)):
            held = jsonc.find(jsonc.parse(text), keys)
            ours = [item for item in (held.value if held and isinstance(held.value, list) else []) if _is_ours(item)]
            if ours != entries:
                text = jsonc.remove(text, keys, _is_ours) if ours else text
                for entry in entries:
                    text = jsonc.append(text, keys, entry)
        if settings.server:
            text = jsonc.put(text, settings.server, settings_entries.server(settings, command))
    except InvalidInput as error:
        raise _unreadable(path, error) from None
    return text.encode()


def _by_keys(entries: list[tuple[tuple[str, ...], dict[str, Any]]]) -> list[tuple[tuple[str, ...], list[Any]]]:
    """Return the entries of each list together: one of the host's events may stand for two of ours."""
    lists: dict[tuple[str, ...], list[Any]] = {}
    for keys, entry in entries:
        lists.setdefault(keys, []).append(entry)
    return list(lists.items())


def _without_us(settings: Settings, now: bytes, path: Path) -> bytes | None:
    if settings.form == "whole":
        return None if MARK.encode() in now else now
    if settings.form == "toml":
        return _toml_without_us(settings, now, path)
    text = _text(now, path)
    try:
        for event, _, _ in settings.events.values():
            text = jsonc.remove(text, ("hooks", event), _is_ours)
        if settings.server:
            text = jsonc.remove(text, settings.server)
    except InvalidInput as error:
        raise _unreadable(path, error) from None
    return text.encode()


def _is_ours(entry: Any) -> bool:
    """Tell our entry from the user's: its commands end in `hook EVENT` and start our program."""
    if not isinstance(entry, dict):
        return False
    inside = entry.get("hooks", [entry])
    commands = [hook.get("command") for hook in inside if isinstance(hook, dict)] if isinstance(inside, list) else []
    return bool(commands) and all(is_our_command(command) for command in commands)


def is_our_command(command: Any) -> bool:
    """Tell whether a command line starts one of our hooks."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return len(words) >= 3 and words[-2] == "hook" and Path(words[-3]).name == "tenure"


def _fresh(settings: Settings) -> str:
    text = "{}\n"
    for key, value in settings.preset.items():
        text = jsonc.put(text, (key,), value)
    return text


def _own_file(source: str, command: list[str]) -> bytes:
    text = resources.files("tenure.hosts").joinpath("files", source).read_text(encoding="utf-8")
    import json  # only for files of our own

    return text.replace("{mark}", MARK).replace("{program}", json.dumps(command)).encode()


def _toml_with_us(settings: Settings, before: bytes, command: list[str], path: Path) -> bytes:
    text = _text(before, path)
    known = _table(text, path)
    for key in settings.server:
        known = known.get(key, {}) if isinstance(known, dict) else {}
    entry = settings_entries.server(settings, command)
    if known == entry:
        return before
    if known:
        text = _text(_toml_without_us(settings, before, path), path)
    import json  # JSON's texts and lists are TOML's as well

    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(settings.server)}]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    text = f"{text}{gap}{newline.join(lines)}{newline}"
    _table(text, path)
    return text.encode()


def _toml_without_us(settings: Settings, now: bytes, path: Path) -> bytes:
    text = _text(now, path)
    header = f"[{'.'.join(settings.server)}]"
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            inside = line.strip().startswith((header, header[:-1] + "."))
            if inside and kept and not kept[-1].strip():
                kept.pop()
        if not inside:
            kept.append(line)
    after = "".join(kept)
    expected = _table(text, path)
    owner = expected.get(settings.server[0])
    if isinstance(owner, dict):
        owner.pop(settings.server[1], None)
        if not owner:
            expected.pop(settings.server[0])
    if _table(after, path) != expected:
        raise InvalidInput(
            f"{path}: {header} is where Tenure cannot remove it safely.", hint="Remove that table by hand."
        )
    return after.encode()


def _table(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, InvalidInput(f"not TOML: {error}.")) from None


def _real(path: Path, scope: str, project: Path) -> Path:
    """Follow a link in the user's own home, where people keep their settings elsewhere; never one in a project."""
    if scope == "user":
        return path.resolve()
    for folder in path.parents:
        if folder == project:
            break
        if folder.is_symlink():
            raise Refused(f"{str(folder)!r} is a symbolic link, and those are not followed here.")
    return path


def _read(path: Path) -> bytes | None:
    try:
        return durable.read_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.") from None


def _text(data: bytes | None, path: Path) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(path, InvalidInput(f"not UTF-8: {error.reason}.")) from None


def _unreadable(path: Path, error: InvalidInput) -> InvalidInput:
    return InvalidInput(f"{path}: {error.message}", hint="It was not changed. Correct it, then run this again.")
