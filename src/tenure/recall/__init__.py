"""Finding the few memories that matter for a prompt, and rendering them as data within a budget."""

# Under which name the policy's limits of an injection are kept beside the memories, for hooks.
LIMITS_KEY = "inject_limits"
# And under which name the ids of what was learned from the person's words lately.
LEARNED_KEY = "learned"
# So long every start names what was learned, whoever began a session meanwhile.
LEARNED_DAYS = 3
# Memories of different layers were not captured side by side: their numbers lie so far apart.
LAYERS_APART = 1 << 40
