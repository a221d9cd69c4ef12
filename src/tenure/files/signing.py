"""Signatures that others can check, made by OpenSSH with a key of this home.

`ssh-keygen` comes with git on every system we run on, and its keys and signatures are the ones people sign commits
with. Where it is missing nothing is signed, and the caller says so.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

from tenure.files import locate, search_path
from tenure.files.lock import exclusive

KEY = "signing_key"
SECONDS = 20.0


def sign(text: bytes, purpose: str) -> str | None:
    """Return a signature of the text for one purpose only, or None where nothing can be signed."""
    key = _key()
    done = key and _openssh("-Y", "sign", "-q", "-f", str(key), "-n", purpose, stdin=text)
    return done.decode() if done else None


def signer(text: bytes, signature: str, purpose: str) -> str | None:
    """Return the fingerprint of the key that signed this text, or None when the signature is not one of it."""
    with tempfile.NamedTemporaryFile(prefix="tenure-", suffix=".sig") as file:
        file.write(signature.encode())
        file.flush()
        done = _openssh("-Y", "check-novalidate", "-n", purpose, "-s", file.name, stdin=text)
    words = (done or b"").decode(errors="replace").split()
    return words[-1] if words and words[0] == "Good" and words[-1].startswith("SHA256:") else None


def own() -> str:
    """Return the fingerprint of this home's key, empty where it has none yet."""
    public = locate.home() / f"{KEY}.pub"
    words = (_openssh("-l", "-f", str(public)) or b"").decode(errors="replace").split() if public.exists() else []
    return next((word for word in words if word.startswith("SHA256:")), "")


def possible() -> bool:
    """Return whether this machine can sign and check signatures."""
    return _program() is not None


def _key() -> Path | None:
    path = locate.home() / KEY
    if path.exists():
        return path
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(path.with_name(f"{KEY}.lock")), tempfile.TemporaryDirectory(dir=path.parent) as made:
            if not path.exists():
                # Made aside and moved: a process that is killed half-way leaves no half key behind.
                made_key = Path(made) / KEY
                if _openssh("-q", "-t", "ed25519", "-N", "", "-C", "tenure", "-f", str(made_key)) is None:
                    return None
                made_key.with_suffix(".pub").rename(path.with_suffix(".pub"))
                made_key.rename(path)
            return path
    return None


def _openssh(*arguments: str, stdin: bytes = b"") -> bytes | None:
    program = _program()
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            cwd=os.path.dirname(program),
            env={"PATH": "", "LC_ALL": "C", "HOME": str(locate.home())},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _program() -> str | None:
    return search_path.find("ssh-keygen")
