"""What a person said in a session as proposals: drafted, verified against what was said, and counted as one run.

A drafter of the user's own, where one is configured, sees only the person's turns with a little of what preceded them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tenure.capture import drafter, drafting, hosts, own_words, sessions
from tenure.capture.drafting import Draft
from tenure.capture.reading import Session
from tenure.capture.transcripts import Turn
from tenure.capture.verify import Source
from tenure.files import locate
from tenure.model.errors import InvalidInput
from tenure.model.kinds import CONTENT, content_problems
from tenure.model.policy import Policy
from tenure.store import opencode
from tenure.text.redact import redact, redact_value
from tenure.text.words import one_line
from tenure.usecases import intake

SOURCE = "model:transcript"
# Under this title stands why a drafter of the user's own gave nothing.
DRAFTER = "drafter"
# So much of what preceded a turn the drafter sees.
CONTEXT_CHARACTERS = 300


def read(session: str, host: str, transcript: str) -> Session:
    """Return one session as its file, or OpenCode's database, tells it; without turns when neither does."""
    stored = host == "opencode" and not transcript.endswith(".json")
    rows = opencode.parts(transcript or hosts.opencode_database(), session) if stored else ()
    found = sessions.read(transcript, host, rows) if transcript or rows else []
    held = found[-1] if found else Session(session, host, transcript, [], left_out=[])
    return held._replace(id=session or held.id, host=host or held.host)


def drafts(session: Session, policy: Policy, kinds: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return what a session suggests as proposals, and what was left out with the reason."""
    # Secrets go before anything else sees the words.
    spoken = [turn._replace(text=redact(turn.text)[0]) for turn in session.turns if turn.text]
    path = session.transcript
    found, left = drafting.draft(spoken)
    skipped = [{"path": path, "kind": kind, "title": title, "why": why} for kind, title, why in left]
    if asked := drafter.configured(locate.read_settings(locate.home() / "config.toml")):
        try:
            found = [*found, *(_answer(item) for item in drafter.ask(asked, told_to_drafter(spoken), _typed(kinds)))]
        except InvalidInput as error:
            skipped.append({"path": path, "kind": "", "title": DRAFTER, "why": error.message})
    source = Source(spoken)
    good: dict[tuple[str, str], dict[str, Any]] = {}
    for draft in found:
        why = _faults(draft, source, kinds)
        if why:
            skipped.append({"path": path, "kind": draft.kind, "title": draft.title, "why": why})
        else:
            good.setdefault((draft.kind, draft.text), _proposal(draft, session.id, policy))
    return list(good.values()), skipped


def told_to_drafter(turns: Sequence[Turn]) -> list[Turn]:
    """Return the person's turns, each after the end of what the agent had said."""
    told, before = [], ""
    for turn in turns:
        if turn.role == "assistant":
            before = turn.text[-CONTEXT_CHARACTERS:]
        elif turn.role == "user" and not own_words.origin(turn.text):
            told += [Turn("assistant", before)] if before else []
            told.append(turn)
            before = ""
    return told


def _faults(draft: Draft, source: Source, kinds: Sequence[str]) -> str:
    if draft.kind not in kinds:
        return f"{draft.kind} is not a kind of this store"
    wrong = [f"{field} {message}" for field, message in content_problems(draft.kind, draft.content)]
    if not draft.content or not draft.title:
        wrong.append("it has no title or no content")
    return "; ".join(wrong or source.problems(draft.title, draft.content))


def _proposal(draft: Draft, run: str, policy: Policy) -> dict[str, Any]:
    return {
        "kind": draft.kind,
        "title": one_line(draft.title, policy.write.title_chars),
        "text": draft.text,
        "content": draft.content,
        "tags": list(draft.tags),
        "files": list(draft.files),
        "run": run,
        "evidence": [f"session:{run}"],
        "source": SOURCE,
    }


def _answer(item: Mapping[str, Any]) -> Draft:
    """Return a drafter's answer as a draft, whatever it holds; the checks decide."""
    content = item.get("content")
    content = intake.clean_value(redact_value(content)) if isinstance(content, dict) else {}
    tags = item.get("tags")
    texts = [text for text in content.values() if isinstance(text, str)]
    title = item.get("title")
    return Draft(
        kind=str(item.get("kind")),
        title=one_line(title) if isinstance(title, str) else "",
        text=" ".join(dict.fromkeys(texts)) or (title if isinstance(title, str) else ""),
        content=content,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )


def _typed(kinds: Sequence[str]) -> list[str]:
    return [kind for kind in kinds if kind in CONTENT]
