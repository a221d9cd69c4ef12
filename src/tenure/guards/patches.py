"""The files that a patch changes, as its lines name them: Codex's `*** Update File:`, and `+++` of diff and git."""

from __future__ import annotations

PATCH_BEGIN = "*** Begin Patch"
_FILES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def patched_files(patch: str) -> list[str]:
    """Return the files a patch names, in its order."""
    found = []
    for line in patch.splitlines():
        if line.startswith(_FILES):
            found.append(line.partition(": ")[2].strip())
        elif line.startswith(("+++ ", "--- ")) and not line.startswith(("+++ /dev/null", "--- /dev/null")):
            path = line[4:].partition("\t")[0].strip()
            found.append(path[2:] if path.startswith(("a/", "b/")) else path)
    return list(dict.fromkeys(found))
