"""Codecs: the file layouts of other memory systems, read and written by their own rules."""
