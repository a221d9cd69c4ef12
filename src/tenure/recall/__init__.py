"""Finding the few memories that matter for a prompt, and rendering them as data within a budget."""
