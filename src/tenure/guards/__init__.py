"""Guards: a memory as a check at tool calls. Pure; stores, hooks and commands each have their own part of it."""
