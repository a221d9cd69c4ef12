"""Decoding into classes of ours: each class is read once, and by one thread at a time.

msgspec reads a class when something is first decoded into it, and a second thread that decodes into the same class
meanwhile crashes the interpreter. The servers have such threads, so nowhere else is a type handed to msgspec; a test
holds that. Encoding, and decoding without a type, need no class and may be called directly.
"""

from __future__ import annotations

from _thread import allocate_lock  # start-up: `threading` costs a command a millisecond
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_lock = allocate_lock()
# Types that msgspec has read, with all the classes they lead to.
_read: set[Any] = set()


def decode(data: bytes | str, into: type[T]) -> T:
    """Return the JSON text as a value of the type; raise msgspec's errors."""
    _prepare(into)
    return msgspec.json.decode(data, type=into)


def unpack(data: bytes, into: type[T]) -> T:
    """Return the MessagePack bytes as a value of the type; raise msgspec's errors."""
    _prepare(into)
    return msgspec.msgpack.decode(data, type=into)


def convert(value: object, into: type[T]) -> T:
    """Return plain data as a value of the type; raise msgspec's errors."""
    _prepare(into)
    return msgspec.convert(value, into)


def decoder(into: type[T], *, strict: bool = True) -> Callable[[bytes | str], T]:
    """Return what turns JSON text into values of one type, for those who do it often."""
    _prepare(into)
    return msgspec.json.Decoder(into, strict=strict).decode


def _prepare(into: Any) -> None:
    """Let msgspec read the type, while no other thread does so."""
    if into in _read:
        return
    with _lock:
        msgspec.msgpack.Decoder(into)
        _read.add(into)
