"""What differs between the agents that call us: how an event arrives, and the shape in which text goes back.

A table of facts, from runs of the real clients where docs/agents says so. In some agents an unknown key voids the
whole output, so only what the shape needs is written.
"""

from __future__ import annotations

import os
import sys

from tenure.files import quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, TextIO

# An agent cuts longer text away, or shows only a preview of it (10,000 characters in Claude Code).
MOST_CHARACTERS = 9000
MOST_BYTES_IN = 8 * 1024 * 1024
DEADLINE_SECONDS = {"session-start": 5.0, "prompt": 0.3, "pre-tool": 0.3, "guard": 0.3}
OTHER_DEADLINE_SECONDS = 1.0
DEADLINE_VARIABLE, MOST_DEADLINE_SECONDS = "TENURE_HOOK_SECONDS", 3600.0
# After so long the deadline is raised once more where nobody heard it.
AGAIN_SECONDS = 0.02

# Host -> variable it sets for its hooks, in the order to look.
MARKS = (
    ("cursor", "CURSOR_VERSION"),
    ("copilot", "COPILOT_CLI"),
    ("gemini", "GEMINI_SESSION_ID"),
    ("qwen", "QWEN_PROJECT_DIR"),
    ("claude-code", "CLAUDECODE"),
    ("claude-code", "CLAUDE_PROJECT_DIR"),
)
# Hosts whose context stands at the top of the answer, and under which key; elsewhere in hookSpecificOutput.
TOP_LEVEL = {"copilot": "additionalContext", "opencode": "additionalContext", "cursor": "additional_context"}
# Our event -> the name most hosts give it; their own name wins.
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "pre-tool": "PreToolUse",
    "guard": "PreToolUse",
    "post-tool": "PostToolUse",
    "post-tool-failure": "PostToolUseFailure",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
# Tools under other names -> ours.
TOOLS = {
    "run_shell_command": "Bash", "shell": "Bash", "bash": "Bash", "local_shell": "Bash",
    "write_file": "Write", "write": "Write", "create": "Write", "replace": "Edit", "edit": "Edit",
    "apply_patch": "Edit", "str_replace": "Edit", "read_file": "Read", "read": "Read", "view": "Read",
}  # fmt: skip


class HookEvent:
    """One event, the same for every host; `called` is the host's own name of it, which its answer must repeat."""

    __slots__ = (
        "called", "decision", "folder", "host", "name", "payload", "session", "to_person", "transcript",
    )  # fmt: skip

    def __init__(
        self, name: str, host: str, called: str, session: str, folder: str, transcript: str, payload: dict[str, Any]
    ) -> None:
        self.name, self.host, self.called, self.session = name, host, called, session
        self.folder, self.transcript, self.payload = folder, transcript, payload
        # One line that the person sees and the model does not; only Claude Code is known to show one.
        self.to_person = ""
        # What guards decided before a call: deny or ask, and why; empty for most.
        self.decision: tuple[str, str] = ("", "")

    @property
    def tool(self) -> str:
        """The tool at hand, by Claude Code's name for it."""
        name = self.text("tool_name") or self.text("toolName")
        return TOOLS.get(name, name)

    @property
    def tool_input(self) -> dict[str, Any]:
        found = self.payload.get("tool_input", self.payload.get("toolArgs"))
        if isinstance(found, str):
            # Copilot's own payloads carry the arguments as a text of JSON.
            try:
                found = quick_json.loads(found.encode("utf-8", "replace"))
            except (ValueError, RecursionError):
                return {}
        return found if isinstance(found, dict) else {}

    @property
    def tool_response(self) -> Any:
        """What came back, in the host's own shape."""
        names = ("tool_response", "tool_result", "toolResult")
        return next((self.payload[name] for name in names if name in self.payload), None)

    def text(self, key: str) -> str:
        """Return a text of the payload, empty when there is none."""
        found = self.payload.get(key)
        return _whole(found) if isinstance(found, str) else ""


def read(name: str, stream: BinaryIO) -> HookEvent:
    """Return the event on standard input; one that is no object of JSON is an empty one, and the log says so."""
    data = stream.read(MOST_BYTES_IN)
    try:
        payload, wrong = quick_json.loads(data), ""
    except (ValueError, RecursionError) as error:
        payload, wrong = {}, f"{type(error).__name__}: {error}"
    if not isinstance(payload, dict):
        payload, wrong = {}, f"a {type(payload).__name__}"
    if wrong and data.strip():
        from tenure.spool import log  # start-up: only when something is wrong

        log.write(name, f"the event is not a JSON object ({wrong}), so nothing was checked or said")
    roots = payload.get("workspace_roots")
    folders = [payload.get("cwd"), *(roots if isinstance(roots, list) else []), os.environ.get("CLAUDE_PROJECT_DIR")]
    folder = next((f for f in folders if isinstance(f, str) and os.path.isabs(f) and os.path.isdir(f)), os.getcwd())
    sessions = (payload.get(key) for key in ("session_id", "sessionId", "conversation_id"))
    session = next((s for s in sessions if isinstance(s, str) and s), "")
    transcript = payload.get("transcript_path", payload.get("transcriptPath"))
    called = payload.get("hook_event_name")
    return HookEvent(
        name,
        host(payload),
        called if isinstance(called, str) and called else NAMES.get(name, name),
        _whole(session)[:200],
        folder,
        transcript if isinstance(transcript, str) else "",
        payload,
    )


def _whole(text: str) -> str:
    """Return a text without halves of characters, which nothing can store."""
    return text.encode("utf-8", "replace").decode()


def host(payload: dict[str, Any]) -> str:
    """Return which agent calls: by the file it keeps of its session, by its variables, by what only Codex sends."""
    if named := os.environ.get("TENURE_HOST"):
        return named
    # An agent that another one started has inherited its variables, so the event's own word comes first.
    transcript = payload.get("transcript_path")
    kept = transcript.replace("\\", "/") if isinstance(transcript, str) else ""
    if "/.claude/projects/" in kept:
        return "claude-code"
    if "/.codex/" in kept or kept.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    for name, mark in MARKS:
        if os.environ.get(mark):
            return name
    # Codex sets no variable for its hooks; it names the turn, and the model at a session's start.
    return "codex" if "turn_id" in payload or "model" in payload else "claude-code"


def write(event: HookEvent, text: str, stream: TextIO) -> None:
    """Print the text in the host's shape; without a text nothing, or what the host reads as nothing."""
    answer = shaped(event, text)
    if answer:
        stream.write(answer)
        stream.flush()


def shaped(event: HookEvent, text: str) -> str:
    """Return what to print for a text: never more than a host takes, and never half of a block."""
    if event.decision[0]:
        from tenure.surfaces.hooks import guard_answers  # start-up: only where a guard stops a call

        decision, reason = event.decision
        return quick_json.dumps(guard_answers.refusal(event.host, event.called, decision, reason, text))
    if not text or len(text) > MOST_CHARACTERS:
        if event.to_person and event.host == "claude-code":
            return quick_json.dumps({"systemMessage": event.to_person})
        return "{}" if event.host == "gemini" else ""
    if event.name == "pre-compact":
        # Plain text is added to the instructions for the summary; only Claude Code does so.
        return text if event.host == "claude-code" else "{}" if event.host == "gemini" else ""
    before_submit = event.called == "beforeSubmitPrompt"  # Cursor's own, whatever its variables say
    if event.host in TOP_LEVEL or before_submit:
        document: dict[str, Any] = {TOP_LEVEL.get(event.host, TOP_LEVEL["cursor"]): text}
        if before_submit:
            document["continue"] = True
    else:
        document = {"hookSpecificOutput": {"hookEventName": event.called, "additionalContext": text}}
        if event.to_person and event.host == "claude-code":
            document["systemMessage"] = event.to_person
    return quick_json.dumps(document)


def seconds_for(name: str) -> float:
    """Return how long an event may take; a variable that makes no sense counts for nothing."""
    return named_seconds() or DEADLINE_SECONDS.get(name, OTHER_DEADLINE_SECONDS)


def named_seconds() -> float:
    """Return the deadline that the environment names, 0 when it names none that a clock can wait for."""
    try:
        seconds = float(os.environ.get(DEADLINE_VARIABLE) or 0)
    except ValueError:
        return 0
    return seconds if 0 < seconds <= MOST_DEADLINE_SECONDS else 0


class deadline:
    """Gives up after the time an event may take, so that nobody waits for a memory."""

    def __init__(self, name: str) -> None:
        self.seconds = seconds_for(name)

    def __enter__(self) -> None:
        sys.unraisablehook = self._unheard
        self._set(self.seconds)

    def __exit__(self, *_: object) -> None:
        self._set(0)
        sys.unraisablehook = sys.__unraisablehook__

    def _set(self, seconds: float) -> None:
        try:
            import _signal  # type: ignore[import-not-found]  # `signal` itself would bring enum along

            _signal.signal(_signal.SIGALRM, self._late)
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
        except (ImportError, AttributeError, ValueError):  # Windows, or not the main thread
            return

    def _late(self, *_: object) -> None:
        raise TimeoutError(f"not done after {self.seconds:g} seconds, so nothing was said")

    def _unheard(self, dropped: sys.UnraisableHookArgs) -> None:
        """Keep quiet about what Python drops, as in a callback of an import, and do not let the deadline go with it."""
        if isinstance(dropped.exc_value, TimeoutError):
            self._set(AGAIN_SECONDS)
