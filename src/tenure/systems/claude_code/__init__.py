"""Claude Code's Markdown memory files: `memory/*.md` with front matter, and the index `MEMORY.md`."""
