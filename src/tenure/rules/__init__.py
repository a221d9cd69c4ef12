"""The rules: pure functions of memories, a policy and the time. Nothing here reads, writes or asks the clock."""
