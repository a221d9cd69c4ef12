"""Where people, agents and programs come in: the command line, hooks, MCP, Anthropic's memory tool."""
