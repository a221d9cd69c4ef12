"""Files and what is beside them: durable writes, locks, JSON, sockets, the list of trusted stores.

Where stores lie and SHA-256 stand here because hooks need them and pay for every module. The hash is the interpreter's
own: `hashlib` would load OpenSSL on every prompt.
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

# Where the native store lies in a project, and the folders of other systems by their scheme, in the order to look.
DATABASE = ".tenure/memory.db"
GEAS, CLAUDE_MEMORY, ARCHEFLOW = ".geas", ".claude/memory", ".archeflow"
FOUND = (("geas", GEAS), ("claude-memory", CLAUDE_MEMORY), ("archeflow", ARCHEFLOW))

__all__ = ["ARCHEFLOW", "CLAUDE_MEMORY", "DATABASE", "FOUND", "GEAS", "sha256"]
