"""What hooks leave for later: journals of sessions, and the log of silences. Standard library only."""
