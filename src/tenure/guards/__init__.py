"""Guards: a memory as a check at tool calls. Pure; what stores, hooks and commands do with it stands with them."""
