"""Memories checked against the real project: what is broken, since when, and what would mend it."""
