"""Effects of several people together, without a word of what any of their memories says.

A file holds counts by kind, host, arm and outcome, and the value of the bet on them. Capitals of people who know
nothing of each other multiply, so small projects together may prove what none of them can alone. A file is signed
with a key of its author's home; whoever knows that key's fingerprint knows whose counts they are. Anybody can write a
file and sign it with a key of their own, so only keys that the user named count.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from tenure.files import durable, signing, strict_json
from tenure.model.decoding import convert
from tenure.model.errors import BadRequest, InvalidInput, Refused
from tenure.recall import holdout
from tenure.rules import effect_proof
from tenure.rules.effect_proof import Rates
from tenure.usecases.answers import LeftOut
from tenure.usecases.answers.effects import ArmCount, Pooled
from tenure.usecases.effect_estimate import HELPS, HURTS, OPEN, estimate, troubled
from tenure.usecases.project import Project

FORMAT = "tenure-effect-1"
PURPOSE = "tenure-effect"
MAX_BYTES = 1024 * 1024
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
_Name = Annotated[str, msgspec.Meta(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*\Z")]


class Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many exposures of memories of one kind, in one host, went one way."""

    kind: _Name
    host: _Name
    shown: bool
    trouble: bool
    count: _Count


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one store says, in counts."""

    format: str
    # The same for every file of one store, and telling nothing else: a newer file takes the older one's place.
    origin: Annotated[str, msgspec.Meta(max_length=64)]
    sessions: _Count
    counts: tuple[Counted, ...]
    # The logarithm of the bet's capital, and the most it ever was worth: what multiplies is the first.
    log_e: Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
    digest: str = ""
    # Of OpenSSH, over everything but these last three.
    signature: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    # Files of earlier versions have it: an HMAC that nobody but the author could check.
    seal: str = ""


def publish(project: Project, target: Path) -> Published:
    """Write this store's counts to a file and return them."""
    store = project.store
    exposures, outcomes = store.effects.exposures(), {one.session: one for one in store.effects.outcomes()}
    found = estimate(exposures, list(outcomes.values()))
    if not found.sessions:
        raise Refused("Nothing was measured yet.", hint="`tenure effect start` begins.")
    counts: Counter[tuple[str, str, bool, bool]] = Counter()
    for one in exposures:
        outcome = outcomes.get(one.session)
        trouble = troubled(one, outcome) if outcome and one.memory != holdout.BLOCK else None
        if trouble is not None:
            # The session's own file says whose it was; the hook could only guess.
            counts[one.kind, outcomes[one.session].host or one.host, one.shown, trouble] += 1
    made = Published(
        format=FORMAT,
        origin=store.mark("effect").hex()[:32],
        sessions=found.sessions,
        counts=tuple(Counted(*names, count) for names, count in sorted(counts.items())),
        log_e=round(found.together.bet.log_e, 6),
    )
    body = _body(made)
    made = msgspec.structs.replace(
        made, digest=hashlib.sha256(body).hexdigest(), signature=signing.sign(body, PURPOSE) or ""
    )
    if store.owns(target):
        raise BadRequest(f"{str(target)!r} is the store itself.")
    if not target.parent.is_dir():
        raise BadRequest(f"There is no folder {str(target.parent)!r}.", hint="Make it, or name a file in another one.")
    if target.exists() and not _is_ours(target):
        raise BadRequest(f"{str(target)!r} is another file already.", hint="Name one that is not there yet.")
    durable.replace(target, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    return made


def _is_ours(target: Path) -> bool:
    try:
        return bool(_read(target))
    except InvalidInput:
        return False


def fingerprint(made: Published) -> str | None:
    """Return by which key a file was signed, or None when it was not, or this machine cannot tell."""
    return signing.signer(_body(made), made.signature, PURPOSE) if made.signature else None


def merge(paths: Sequence[Path], *, signers: Collection[str] = (), unsigned: bool = False) -> Pooled:
    """Return what several files say together; each store counts once, by the file with the most sessions.

    What was not signed, or by a key that is neither this home's nor among `signers`, counts only with `unsigned`.
    """
    known = {*signers, signing.own()} - {""}
    kept: dict[str, tuple[Published, str | None, Path]] = {}
    left_out = []
    for path in paths:
        try:
            one, by = _signed(path)
        except (InvalidInput, Refused) as error:
            left_out.append(LeftOut(id=str(path), why=error.message))
            continue
        if by not in known and not unsigned:
            left_out.append(LeftOut(id=str(path), why=_unknown(by)))
            continue
        before = kept.get(one.origin)
        wins = before is None or (by in known, one.sessions) > (before[1] in known, before[0].sessions)
        if before is not None:
            why = "another file of the same store is there too; a known signer's counts, then the longer one"
            left_out.append(LeftOut(id=str(before[2] if wins else path), why=why))
        if wins:
            kept[one.origin] = (one, by, path)
    unproved = sum(by not in known for _, by, _ in kept.values())
    files = [one for one, _, _ in kept.values()]
    rates, kinds = effect_proof.NOTHING, dict[str, dict[str, ArmCount]]()
    for counted in (each for one in files for each in one.counts):
        troubles = counted.count if counted.trouble else 0
        rates = rates.plus(
            Rates(counted.count, troubles, 0, 0) if counted.shown else Rates(0, 0, counted.count, troubles)
        )
        arm, arms = "shown" if counted.shown else "held", kinds.setdefault(counted.kind, {})
        seen = arms.get(arm, ArmCount(exposures=0, troubles=0))
        arms[arm] = ArmCount(exposures=seen.exposures + counted.count, troubles=seen.troubles + troubles)
    capital = sum(one.log_e for one in files)
    direction = HELPS if rates.difference < 0 else HURTS
    signed_by = sorted({by for _, by, _ in kept.values() if by})
    return Pooled(
        people=len(files),
        left_out=left_out,
        sessions=sum(one.sessions for one in files),
        verdict=direction if capital >= effect_proof.ENOUGH else OPEN,
        shown=ArmCount(exposures=rates.shown, troubles=int(rates.shown_troubles)),
        held=ArmCount(exposures=rates.held, troubles=int(rates.held_troubles)),
        change=round(rates.difference, 3) if rates.shown and rates.held else None,
        kinds=kinds,
        signers=signed_by,
        unproved=unproved,
        notes=_doubts(unproved),
    )


def _unknown(by: str | None) -> str:
    if by:
        return f"signed by {by}, which you did not name; if its author told you that key, add: --signer {by}"
    if not signing.possible():
        return "signatures cannot be checked here, as ssh-keygen (OpenSSH) is not installed; --unsigned counts it"
    return "not signed, so its author is unknown; --unsigned counts it anyway"


def _doubts(unproved: int) -> list[str]:
    if not unproved:
        return []
    files = "1 file" if unproved == 1 else f"{unproved} files"
    return [f"This counts {files} by unknown authors (--unsigned)."]


def _signed(path: Path) -> tuple[Published, str | None]:
    found = _read(path)
    by = fingerprint(found)
    if found.signature and by is None and signing.possible():
        raise InvalidInput(f"The signature of {str(path)!r} does not fit what it says.")
    return found, by


def _read(path: Path) -> Published:
    try:
        data = durable.read_bytes(path, limit=MAX_BYTES)
        found = convert(strict_json.decode(data, max_bytes=MAX_BYTES), Published)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{str(path)!r} was not written by `tenure effect --publish`: {error}.") from None
    if found.format != FORMAT:
        raise InvalidInput(f"{str(path)!r} has the format {found.format[:40]!r}; this Tenure reads {FORMAT!r}.")
    if found.digest != hashlib.sha256(_body(found)).hexdigest():
        raise InvalidInput(f"{str(path)!r} was changed after it was written.")
    # No arm is ever predicted with more than 0.98, so no exposure gains more than this.
    if found.log_e > sum(one.count for one in found.counts) * 4:
        raise InvalidInput(f"{str(path)!r} claims more than its counts can prove.")
    return found


def _body(made: Published) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(made, digest="", signature="", seal=""), order="sorted")
