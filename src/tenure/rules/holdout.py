"""Which memories are held back to learn whether they help: one coin per session and memory.

The coin is a keyed hash, so it needs no state, falls alike on every surface and in a resumed session, and cannot be
guessed by an agent. Hooks run this, so it imports next to nothing. How likely "held" is depends on what is known of
the memory already; the share of that moment is written down with the exposure, because the estimate needs it.
"""

from __future__ import annotations

from tenure.files.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# Never held back, whatever the person asked for: missing one of these once may cost more than knowing is worth.
SPARED_KINDS = frozenset({"constraint", "guard"})
SPARED_TAG = "security"
# The whole block is one more thing that can be held back, under a name that no memory can have.
BLOCK = "\0block"


class Shares:
    """How often a memory is held back: at first, later, once proven; and the whole block, 0 when it never is."""

    __slots__ = ("block", "first", "first_exposures", "later", "proven")

    def __init__(
        self,
        first: float = 0.5,
        later: float = 0.2,
        proven: float = 0.05,
        first_exposures: int = 10,
        block: float = 0.0,
    ) -> None:
        self.first, self.later, self.proven = first, later, proven
        self.first_exposures, self.block = first_exposures, block

    def of(self, exposures: int, is_proven: bool = False) -> float:
        """Return the share for a memory with so many earlier exposures."""
        if is_proven:
            return self.proven
        return self.first if exposures < self.first_exposures else self.later


def draw(secret: bytes, session: str, id: str) -> float:
    """Return the number from 0 up to 1 that belongs to a session and a memory."""
    said = b"%d\0%b\0%b" % (len(session), session.encode("utf-8", "replace"), id.encode("utf-8", "replace"))
    # Hashed twice with the secret in front, as an HMAC does; `hmac` itself would load OpenSSL on every prompt.
    inner = sha256(b"effect\0inner\0" + secret + said).digest()
    return int.from_bytes(sha256(b"effect\0outer\0" + secret + inner).digest()[:7], "big") / 2**56


def is_held(secret: bytes, session: str, id: str, share: float) -> bool:
    """Tell whether this session goes without this memory."""
    return draw(secret, session, id) < share


def spared(kind: str, state: str, tags: Collection[str], stated: bool, *, top_state: str, with_stated: bool) -> str:
    """Return why a memory is never held back, empty when it may be."""
    if kind in SPARED_KINDS:
        return f"a {kind}"
    if top_state and state == top_state:
        return top_state
    if any(tag.casefold() == SPARED_TAG for tag in tags):
        return f"tagged {SPARED_TAG}"
    if stated and not with_stated:
        return "stated by the person"
    return ""
