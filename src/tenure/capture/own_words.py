"""Whether a user's turn is the person's own words, judged by the text alone.

Clients, skills, slash commands, templates, plans, compactions and pastes all speak in the user's name. Nothing is
learned from text that is not the person's. A turn that mixes their words with a paste may teach something but proves
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tenure.capture.transcripts import Turn

# Longer turns prove nothing: a person rarely types so much, and a document does.
LONGEST_PROOF = 1500
# From here on a turn with headings and lists is a document, however it begins.
LONG_DOCUMENT = 2500
# A turn of so many words that stood in an earlier session was not typed again.
TEMPLATE_WORDS = 12
# A session shares this share of its turns with an earlier one: a fork, a resumption or a copy.
SAME_RUN_SHARE, SAME_RUN_TURNS = 0.6, 2

_CLIENT = (
    "<teammate-message", "<task-notification", "<local-command", "<bash-input", "<bash-stdout", "<bash-stderr",
    "<system-reminder", "<skill", "<command-", "<user-prompt-submit-hook",
    "<permissions", "<environment_context", "<user_instructions", "<state_snapshot", "<qwen:",
    "[Request interrupted by user", "[SYSTEM NOTIFICATION", "API Error", "Stop hook feedback:", "Caveat: The messages",
    "Base directory for this skill:", "# AGENTS.md instructions", "[[ ## ", "Your task is to create a detailed summary",
    # Cursor's review, when its "fix" is clicked.
    "Verify this issue exists and fix it:", "Verify these issues exist and fix them:",
)  # fmt: skip
_COMPACTION = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
)
_PLAN = re.compile(r"implement the (?:following )?(?:plan\b|.{0,30}plan as specified)", re.IGNORECASE)
_BY_CURSOR = "To-do's from the plan have already been created"
_COMMAND = re.compile(r"/[a-z][\w:-]{1,60}(?:\s|$)")
_TEMPLATE = re.compile(
    r"[\"'#\s]*(?:you are (?:the|a|an|taking over|working in|executing)\b|your name is\b|# (?:task|context|role)\b"
    r"|reply with (?:the )?exact|respond with exactly|<role>|role:)",
    re.IGNORECASE,
)
# Lines that a program printed: stack frames, log lines, prompts of shells, markup, diffs.
_MACHINE_LINE = re.compile(
    r"\s*(?:at .{1,120}[:(]\d+|File \".{1,200}\", line \d+|\d{1,2}:\d\d:\d\d\b|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|\[?(?:DEBUG|INFO|WARN|ERROR)\b|Traceback \(most recent|(?:\w+Error|\w+Exception)\b|Uncaught |npm (?:ERR|WARN)"
    r"|\$ |❯ |\+\+\+ |--- |@@ |<[!/a-zA-Z][^>]{0,200}>|[\w./-]+\.\w{1,5}:\d+|\w[\w.-]*@[\w.-]+:[~/]|\{\"|https?://\S+$"
    r"|\[plugin:|\S+ @ \S+:\d+|(?:fatal|error|hint|remote|warning): "
    r"|Please make sure you have the correct access rights)"
)
_FENCE = re.compile(r"```|~~~|^\s*\|.*\|\s*$|^diff --git", re.MULTILINE)
_MARKUP = re.compile(r"</?[a-zA-Z][\w-]*(?:\s[^<>]*)?>")
_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)
_LIST = re.compile(r"^\s*(?:[-*] |\d+[.)] )", re.MULTILINE)


def origin(text: str) -> str:
    """Return who put a turn there: client, command, plan, compaction, template or paste; empty for the person."""
    said = text.strip()
    head = said[:400]
    if said.startswith(_CLIENT):
        return "client"
    if said.startswith(_COMPACTION):
        return "compaction"
    if _PLAN.match(head) and (len(said) > 200 or "\n" in said or _BY_CURSOR in head):
        return "plan"
    if _COMMAND.match(head):
        return "command"
    if _TEMPLATE.match(head) and (len(said) > 400 or len(said.split()) < 16):
        return "template"
    headings, items = len(_HEADING.findall(said[:20_000])), len(_LIST.findall(said[:20_000]))
    if len(said) > LONG_DOCUMENT and (headings >= 2 or items >= 12):
        return "template"
    if _printed_share(said) >= 0.5:
        return "paste"
    return ""


def proves(text: str) -> bool:
    """Tell whether a quote from this turn is surely the person's: typed, short, without a paste, a log or markup."""
    if origin(text) or len(text) > LONGEST_PROOF or _FENCE.search(text) or _MARKUP.search(text):
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(bool(_MACHINE_LINE.match(line)) for line in lines) < 2


def own_turns(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that the person typed, in order."""
    return [turn for turn in turns if turn.role == "user" and turn.text.strip() and not origin(turn.text)]


def same_run(mine: Sequence[str], earlier: Iterable[str]) -> bool:
    """Tell whether a session repeats most of what an earlier one held, by the fingerprints of both."""
    known = set(earlier)
    shared = sum(one in known for one in mine)
    return shared >= SAME_RUN_TURNS and shared >= SAME_RUN_SHARE * len(mine)


def _printed_share(text: str) -> float:
    """Return the share of characters that stand in lines a program printed."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()]
    total = sum(map(len, lines))
    if len(lines) == 1 and lines[0].startswith(("❯", "$")):
        return 0.0  # a shell's prompt that was caught in front of what the person typed
    return sum(len(line) for line in lines if _MACHINE_LINE.match(line)) / total if total else 0.0
