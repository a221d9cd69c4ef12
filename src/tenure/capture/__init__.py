"""From what happened in a session to what may be worth remembering: transcripts and triage."""
