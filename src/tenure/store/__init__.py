"""Where memories live. The only package that knows SQL, and the only one that opens the database."""
