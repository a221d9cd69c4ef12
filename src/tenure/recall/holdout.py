"""Which memories are held back to learn whether they help: one coin per session and memory.

The coin is a keyed hash, so it needs no state, falls alike on every surface and in a resumed session, and cannot be
guessed by an agent. Hooks run this, so it imports next to nothing. How likely "held" is depends on what is known of
the memory already; the share of that moment is written down with the exposure, because the estimate needs it.
"""

from __future__ import annotations

from tenure.files import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

# Never held back, whatever the person asked for: missing one of these once may cost more than knowing is worth.
SPARED_KINDS = frozenset({"constraint", "guard"})
SPARED_TAG = "security"
STATED = "stated by the person"
# Under this name, which no memory can have, a block is held back as a whole.
BLOCK = "(block)"


class Known:
    """What the coin needs to know of a memory: whether it may be held at all, how often it was, its arm if it has one.

    `arm` is None before the memory's first exposure in the session, then True for shown and False for held.
    """

    __slots__ = ("arm", "exposures", "id", "kind", "secure", "state", "stated")

    def __init__(
        self,
        id: str,
        kind: str = "",
        state: str = "",
        stated: bool = False,
        secure: bool = False,
        exposures: int = 0,
        arm: bool | None = None,
    ) -> None:
        self.id, self.kind, self.state, self.stated = id, kind, state, bool(stated)
        self.secure, self.exposures, self.arm = bool(secure), exposures, None if arm is None else bool(arm)


class Tossed:
    """How the coins of one moment fell: the ids to hold back, and the exposures to write down."""

    __slots__ = ("exposures", "held")

    def __init__(self) -> None:
        self.held: set[str] = set()
        # Memory, whether shown, share held, surface, kind.
        self.exposures: list[tuple[str, bool, float, str, str]] = []


def draw(secret: bytes, session: str, id: str) -> float:
    """Return the number from 0 up to 1 that belongs to a session and a memory."""
    said = b"%d\0%b\0%b" % (len(session), session.encode("utf-8", "replace"), id.encode("utf-8", "replace"))
    # Hashed twice with the secret in front, as an HMAC does; `hmac` itself would load OpenSSL on every prompt.
    inner = sha256(b"effect\0inner\0" + secret + said).digest()
    return int.from_bytes(sha256(b"effect\0outer\0" + secret + inner).digest()[:7], "big") / 2**56


def is_held(secret: bytes, session: str, id: str, share: float) -> bool:
    """Tell whether this session goes without this memory."""
    return draw(secret, session, id) < share


def share_of(settings: Mapping[str, Any], id: str, exposures: int) -> float:
    """Return how likely a memory with so many earlier exposures is held back."""
    if id in settings["proven"]:
        return float(settings["proven_share"])
    return float(settings["first_share" if exposures < settings["first_exposures"] else "later_share"])


def spared(known: Known, *, top_state: str, with_stated: bool) -> str:
    """Return why a memory is never held back, empty when it may be."""
    if known.kind in SPARED_KINDS:
        return f"a {known.kind}"
    if top_state and known.state == top_state:
        return top_state
    if known.secure:
        return f"tagged {SPARED_TAG}"
    return STATED if known.stated and not with_stated else ""


def toss(
    settings: Mapping[str, Any],
    secret: bytes,
    session: str,
    memories: Iterable[Known],
    *,
    surface: str,
    block_arm: bool | None = None,
) -> Tossed:
    """Return which of the memories that would be shown now are held back in this session.

    `settings` are those that `tenure effect start` left. What has an arm in this session keeps it; `block_arm` is that
    of the whole block.
    """
    tossed = Tossed()
    top_state, with_stated = str(settings["top_state"]), bool(settings["stated"])
    subject = [known for known in memories if not spared(known, top_state=top_state, with_stated=with_stated)]
    share = float(settings["block_share"])
    if subject and block_arm is None and share > 0:
        block_arm = not is_held(secret, session, BLOCK, share)
        tossed.exposures.append((BLOCK, block_arm, share, surface, BLOCK))
    if block_arm is False:
        # Arms of single memories would not be drawn apart from each other here, so none are.
        tossed.held = {known.id for known in subject if known.arm is not True}
        return tossed
    for known in subject:
        shown = known.arm
        if shown is None:
            share = share_of(settings, known.id, known.exposures)
            shown = not is_held(secret, session, known.id, share)
            tossed.exposures.append((known.id, shown, share, surface, known.kind))
        if not shown:
            tossed.held.add(known.id)
    return tossed
