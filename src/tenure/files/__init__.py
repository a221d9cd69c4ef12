"""Files and what is beside them: durable writes, locks, JSON, sockets, the list of trusted stores.

SHA-256 stands here because hooks need it and pay for every module; the interpreter's own, because `hashlib` would load
OpenSSL on every prompt.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256"]
