"""The store in one SQLite file: the only package that knows SQL."""
