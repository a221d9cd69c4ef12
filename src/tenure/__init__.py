"""Tenure: agent memory that has to earn its place.

>>> import tenure
>>> ws = tenure.open()
>>> memory = ws.add("Run the migrations before the tests", kind="runbook")
>>> print(ws.inject("how do I run the tests?").block)
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["Memory", "Workspace", "open"]

# As `typing.TYPE_CHECKING`, without the cost of importing typing in every hook.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.model.memory import Memory
    from tenure.workspace import Workspace, open


def __getattr__(name: str) -> object:
    # Hooks import this package on every prompt; the API is loaded when it is asked for.
    if name in ("Workspace", "open"):
        import tenure.workspace

        return getattr(tenure.workspace, name)
    if name == "Memory":
        import tenure.model.memory

        return tenure.model.memory.Memory
    raise AttributeError(f"module 'tenure' has no attribute {name!r}")
