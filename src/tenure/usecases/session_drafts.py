"""What a person said in a session as proposals: drafted, verified against what was said, and counted as one run.

A drafter of the user's own, where one is configured, sees only the person's turns with a little of what preceded them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tenure.capture import drafter, drafting, own_words, quote_gate, repeated_from_tools, session_formats, sessions
from tenure.capture.draft_check import Source
from tenure.capture.drafter import Drafter
from tenure.capture.drafting import Draft
from tenure.capture.session_builder import Session
from tenure.capture.transcripts import Turn
from tenure.model.errors import InvalidInput
from tenure.model.kinds import CONTENT, content_problems
from tenure.model.policy import Policy
from tenure.store import opencode
from tenure.text.redact import redact, redact_value
from tenure.text.suspicion import suspicious
from tenure.text.words import one_line
from tenure.usecases import agreed_drafter, intake
from tenure.usecases.project import Project

SOURCE = "model:transcript"
# Under this title stands why a drafter of the user's own gave nothing.
DRAFTER = "drafter"
# So much of what preceded a turn the drafter sees.
CONTEXT_CHARACTERS = 300


def read(session: str, host: str, transcript: str) -> Session:
    """Return one session as its file, or OpenCode's database, tells it; without turns when neither does."""
    stored = host == "opencode" and not transcript.endswith(".json")
    rows = opencode.parts(transcript or session_formats.opencode_database(), session) if stored else ()
    found = sessions.read(transcript, host, rows) if transcript or rows else []
    held = found[-1] if found else Session(session, host, transcript, [], left_out=[])
    return held._replace(id=session or held.id, host=host or held.host)


class Drafts(NamedTuple):
    """What a session suggests as proposals, what the user's drafter proposes with a proof, and what was left out."""

    proposals: list[dict[str, Any]]
    quoted: list[tuple[dict[str, Any], str]]
    skipped: list[dict[str, str]]


def drafts(session: Session, project: Project, kinds: Sequence[str]) -> Drafts:
    """Return what a session suggests, and what was left out with the reason."""
    policy = project.policy
    # Secrets go before anything else sees the words.
    spoken = [turn._replace(text=redact(turn.text)[0]) for turn in session.turns if turn.text]
    path = session.transcript
    found, left = drafting.draft(spoken)
    skipped = [{"path": path, "kind": kind, "title": title, "why": why} for kind, title, why in left]
    quoted = []
    asked, waits = _drafter(project)
    if waits:
        skipped.append({"path": path, "kind": "", "title": DRAFTER, "why": waits})
    if asked is not None:
        try:
            places = (project.place.project, project.place.tree)
            for item in drafter.ask(asked, told_to_drafter(spoken), _typed(kinds), places):
                draft, quote = _answer(item), item.get("quote")
                if not isinstance(quote, str) or not quote.strip():
                    # Without the person's words it is a candidate at most.
                    found.append(draft)
                elif why := _unproved(draft, quote, session._replace(turns=spoken), kinds):
                    skipped.append({"path": path, "kind": draft.kind, "title": draft.title, "why": why})
                else:
                    scope = "global" if item.get("scope") == "global" else "project"
                    quoted.append((_proposal(draft, session.id, policy) | {"scope": scope}, redact(quote)[0]))
        except InvalidInput as error:
            skipped.append({"path": path, "kind": "", "title": DRAFTER, "why": error.message})
    source = Source(spoken)
    good: dict[tuple[str, str], dict[str, Any]] = {}
    for draft in found:
        why = _faults(draft, source, kinds)
        if why:
            skipped.append({"path": path, "kind": draft.kind, "title": draft.title, "why": why})
        else:
            proposal = _proposal(draft, session.id, policy)
            # A drafter may repeat what an agent repeated; what the person typed is theirs.
            proposal |= {"source": intake.REPEATED} if repeated_from_tools.repeats(draft.text, session) else {}
            good.setdefault((draft.kind, draft.text), proposal)
    return Drafts(list(good.values()), quoted, skipped)


def _drafter(project: Project) -> tuple[Drafter | None, str]:
    """Return the drafter that may run, or why the one that is configured may not."""
    try:
        return agreed_drafter.in_force(project.store), ""
    except InvalidInput as error:
        return None, error.message


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


def _unproved(draft: Draft, quote: str, session: Session, kinds: Sequence[str]) -> str:
    """Return why a draft is not the person's word, by the gate that an agent's proposals pass."""
    if draft.kind not in kinds:
        return f"{draft.kind} is not a kind of this store"
    wrong = quote_gate.problems(draft.text, quote, session)
    wrong += [f"it reads like an instruction ({flag})" for flag in suspicious(f"{draft.text}\n{quote}")]
    wrong += ["it repeats what a tool brought back"] if repeated_from_tools.repeats(draft.text, session) else []
    return "; ".join(wrong)


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
    title, text = (item.get(name) if isinstance(item.get(name), str) else "" for name in ("title", "text"))
    said = redact(intake.safe(str(text or " ".join(dict.fromkeys(texts)) or title)))[0]
    return Draft(
        kind=str(item.get("kind")),
        title=one_line(str(title or said)),
        text=said,
        content=content,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )


def _typed(kinds: Sequence[str]) -> list[str]:
    return [kind for kind in kinds if kind in CONTENT]
