"""geas behaviour, against recorded cases and its documents."""
