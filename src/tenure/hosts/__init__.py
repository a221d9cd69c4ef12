"""Wiring coding agents: what `tenure install` adds to their settings, and how it is taken out again."""
