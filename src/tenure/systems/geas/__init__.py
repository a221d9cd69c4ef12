"""geas: the governed memory lifecycle on `.geas/` folders.

Everything in this package is either a pure rule over geas documents or the edge that reads and writes them.
Reading is lenient, writing is strict: a file leaves here with exactly the fields of its schema.
"""
