"""The MCP server: the workspace as tools, resources and prompts. Needs the `mcp` extra; nothing else imports this."""
