"""What each agent understands before a tool runs, as data: questions to a person, reminders, the shape of a refusal.

The facts come from runs of the real clients; docs/guards.md has the table. In some agents an unknown key voids the
whole answer, so nothing else is printed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Agents that can put a question to a person; elsewhere the call is stopped and the agent told to ask.
ASKS = frozenset(("claude-code", "copilot", "qwen", "cursor"))
# Agents that hand on what is said before a call; elsewhere a call is stopped once, and passes the second time.
REMINDS = frozenset(("claude-code", "codex", "copilot"))
# Agents whose decision stands at the top of the answer.
_TOP_LEVEL = frozenset(("copilot", "opencode"))


def refusal(host: str, called: str, decision: str, reason: str, context: str = "") -> dict[str, Any]:
    """Return the answer that stops a call (`deny`) or puts it to a person (`ask`)."""
    if host == "gemini":
        return {"decision": decision, "reason": reason}
    if host == "cursor":
        return {"permission": decision, "user_message": reason, "agent_message": reason}
    stated = {"permissionDecision": decision, "permissionDecisionReason": reason}
    if host in _TOP_LEVEL:
        return stated
    more = {"additionalContext": context} if context and host == "claude-code" else {}
    return {"hookSpecificOutput": {"hookEventName": called, **stated, **more}}
