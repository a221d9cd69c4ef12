"""The library's server without tracebacks: a client's mistake is an answer, and a client that leaves is an end."""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, InputRequiredResult


class QuietServer(MCPServer[Any]):
    """A server whose log holds no trace of a client's mistake."""

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Any = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; one that is not there, or lacks an argument, is the client's mistake."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    def speak(self) -> None:
        """Serve standard input and output until either ends; a client that is killed closes both at once."""
        try:
            self.run("stdio")
        except* ConnectionError:
            pass
