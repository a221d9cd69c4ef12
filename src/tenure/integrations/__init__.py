"""Adapters for other libraries; each needs its own extra and is imported by nothing else."""
