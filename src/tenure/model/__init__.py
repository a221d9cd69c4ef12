"""The model: a memory, what can happen to it, how it changes, the policy's shape, errors and the clock."""
