"""A tool call in one shape, whatever its host calls the tool and its parts: run a line, edit files, read files.

The hook before a call and the reader of past sessions both come through here, so that a guard means the same in both.
"""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

from tenure.guards.patches import PATCH_BEGIN, patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

# Words of git that change every file without naming one.
_WHOLE_TREES = ("checkout", "restore", "reset", "clean")
RUN, EDIT, READ, OTHER = "run", "edit", "read", "other"
# Names of tools in lower case -> what they do. Names of hosts are looked up without their trailing version.
KINDS = {
    **dict.fromkeys(
        "bash shell local_shell local_shell_call exec_command run_shell_command run_terminal_cmd run_terminal_command"
        " execute_command shell_command terminal run_command container.exec powershell run_in_terminal execute_shell_command"
        " execute_terminal_command start_process run_shell execute_bash monitor".split(),
        RUN,
    ),
    **dict.fromkeys(
        "edit write multiedit notebookedit write_file replace apply_patch str_replace create edit_file search_replace"
        " str_replace_based_edit_tool str_replace_editor strreplace tabwrite delete_file write_to_file replace_in_file patch insert"
        " create_file insert_edit_into_file replace_string_in_file multi_replace_string_in_file edit_block move_file rename_file"
        " create_text_file create_new_file replace_text_in_file replace_content replace_regex replace_symbol_body"
        " insert_after_symbol insert_before_symbol fs_write".split(),
        EDIT,
    ),
    **dict.fromkeys("read read_file view notebookread read_many_files read_text_file read_multiple_files open_file".split(), READ),
}  # fmt: skip
_PATHS = (
    "file_path",
    "path",
    "notebook_path",
    "filePath",
    "absolute_path",
    "target_file",
    "targetFile",
    "relativeWorkspacePath",
    "relative_path",
    "pathInProject",
)
_MOVED = ("source", "destination")
_SEVERAL = ("paths", "file_paths", "files")
_ADDED = (
    "new_string",
    "new_str",
    "newString",
    "content",
    "file_text",
    "contents",
    "new_source",
    "code_edit",
    "insert_text",
)
_COMMANDS = ("command", "cmd", "script", "CommandLine")
_FOLDERS = ("workdir", "working_directory", "cwd", "dir_path", "directory")
_PATCHES = ("command", "input", "patch", "patchText")
MOST_TEXT = 400_000
# How Claude Code begins the name of a tool that an MCP server offers.
MCP = "mcp__"


class ToolCall:
    """One call: `kind`, the line with the folder it runs in, or the paths with the text added to them."""

    __slots__ = ("added", "command", "folder", "kind", "paths", "tool")

    def __init__(
        self, kind: str, *, tool: str = "", command: str = "", folder: str = "", paths: tuple[str, ...] = (),
        added: str = "",
    ) -> None:  # fmt: skip
        self.kind, self.tool, self.command, self.folder, self.paths = kind, tool, command, folder, paths
        self.added = added


def call_of(tool: str, given: Mapping[str, Any], folder: str = "") -> ToolCall:
    """Return the call a host reports; one whose tool is not known is `other`."""
    kind = kind_of(tool)
    if patch := _patch(given):
        return ToolCall(EDIT, tool=tool, folder=folder, paths=tuple(patched_files(patch)), added=_plus_lines(patch))
    if kind == RUN:
        line = _line(next((given[key] for key in _COMMANDS if key in given), ""))
        if "powershell" in tool.lower():
            from tenure.guards import powershell  # only for the tool that needs it

            line = powershell.as_shell(line)
        # A host's own parameter for the folder, relative to the session's.
        there = next((given[key] for key in _FOLDERS if isinstance(given.get(key), str) and given[key]), "")
        if there:
            folder = there if there.startswith("/") or not folder else f"{folder}/{there}"
        return ToolCall(RUN, tool=tool, command=line, folder=folder)
    paths = tuple(_paths(given))
    if kind in (EDIT, READ):
        if tool.lower() in ("str_replace_based_edit_tool", "str_replace_editor") and given.get("command") == "view":
            kind = READ
        return ToolCall(kind, tool=tool, folder=folder, paths=paths, added=_added(given) if kind == EDIT else "")
    return ToolCall(OTHER, tool=tool, folder=folder, paths=paths)


def kind_of(tool: str) -> str:
    """Return what a tool does by its name."""
    name = tool.lower()
    if name.startswith(MCP):
        # mcp__server__tool: what a server calls its tool tells what it does, as a host's own name would.
        name = name[len(MCP) :].partition("__")[2]
    name = name[:-3] if name[-3:-1] == "_v" else name
    return KINDS.get(name.rpartition(".")[2], OTHER) if name not in KINDS else KINDS[name]


def _line(found: Any) -> str:
    if isinstance(found, str):
        return found[:MOST_TEXT]
    words = [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
    if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):
        return words[2][:MOST_TEXT]
    return " ".join(_quoted(word) for word in words)[:MOST_TEXT]


def _quoted(word: str) -> str:
    plain = word and all(sign.isalnum() or sign in "_-./=:,@%+" for sign in word)
    return word if plain else "'" + word.replace("'", "'\\''") + "'"


def _paths(given: Mapping[str, Any]) -> Iterator[str]:
    for key in _PATHS:
        if isinstance(found := given.get(key), str) and found:
            yield found
            break
    yield from (found for key in _MOVED if isinstance(found := given.get(key), str) and found)
    for key in _SEVERAL:
        found = given.get(key)
        yield from (path for path in (found if isinstance(found, list) else ()) if isinstance(path, str))


def _added(given: Mapping[str, Any]) -> str:
    edits = given.get("edits")
    parts = [given, *(edit for edit in (edits if isinstance(edits, list) else ()) if isinstance(edit, dict))]
    texts = [found for part in parts for key in _ADDED if isinstance(found := part.get(key), str)]
    return "\n".join(texts)[:MOST_TEXT]


def _patch(given: Mapping[str, Any]) -> str:
    """Return the patch a tool applies; Codex's shell may get it behind `apply_patch <<EOF`."""
    for key in _PATCHES:
        found = given.get(key)
        text = _line(found).lstrip() if isinstance(found, str | list) else ""
        if text.startswith((PATCH_BEGIN, "apply_patch")) and PATCH_BEGIN in text:
            return text[text.find(PATCH_BEGIN) :]
    return ""


def _plus_lines(patch: str) -> str:
    return "\n".join(line[1:] for line in patch.splitlines() if line.startswith("+"))


class FirstLook:
    """The words of a call, put together once for every guard that asks whether it is worth a look."""

    __slots__ = ("_bare", "_unnamed", "_words")

    def __init__(self, call: ToolCall) -> None:
        self._words = f"{call.folder}\n{call.command}\n{chr(10).join(call.paths)}\n{call.added}"
        line = self._bare = call.command if call.kind == RUN else ""
        # A line may touch files without naming them: by a pattern, or by what git does to all it tracks.
        self._unnamed = any(sign in line for sign in "*?[") or (
            "git" in line and any(word in line for word in _WHOLE_TREES)
        )
        for sign in ("\\\n", "\\", "'", '"'):
            self._bare = self._bare.replace(sign, "")

    def may_mean(self, needles: Sequence[str], *, is_command: bool) -> bool:
        """Tell whether one of a guard's needles stands in the call, or the line may name a file of its unsaid."""
        if not needles or (self._unnamed and not is_command):
            return True
        return any(needle in self._words or needle in self._bare for needle in needles)
