"""The coding agents Tenure can be wired to; adding one is a module beside this one and a row here.

What a command or a hook must know at start-up is in two flat tables instead, because modules cost time:
`agent_detection` has the variables and programs by which an agent is recognised, `surfaces.hooks.host` the shape of
its hooks.
"""

from __future__ import annotations

from tenure.hosts import claude_code, cline, codex, copilot, cursor, gemini, opencode, qwen, windsurf
from tenure.hosts.api import Host
from tenure.model.errors import BadRequest
from tenure.text.words import nearest

_MODULES = (claude_code, codex, copilot, gemini, qwen, cursor, opencode, windsurf, cline)
HOSTS: dict[str, Host] = {module.HOST.name: module.HOST for module in _MODULES}


def host(name: str) -> Host:
    """Return the agent of that name; raise `BadRequest` with the nearest ones."""
    if name in HOSTS:
        return HOSTS[name]
    close = nearest(name, HOSTS)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"Known agents: {', '.join(HOSTS)}."
    raise BadRequest(f"{name[:60]!r} is not an agent Tenure can be wired to.", hint=hint)
