"""Session transcripts as proposals: drafted, verified against what was said, and counted as one run each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tenure.capture import drafter, drafting, transcripts
from tenure.capture.drafting import Draft
from tenure.capture.transcripts import Turn
from tenure.capture.verify import Source
from tenure.model.errors import InvalidInput
from tenure.model.kinds import CONTENT, content_problems
from tenure.model.policy import Policy
from tenure.text.redact import redact, redact_value
from tenure.text.words import one_line
from tenure.usecases import intake, locate

SOURCE = "model:transcript"
# Under this title stands why a drafter of the user's own gave nothing.
DRAFTER = "drafter"
# A longer session is judged by its last part.
MAX_SPOKEN_CHARACTERS = 4_000_000


def drafts(
    path: str, policy: Policy, kinds: Sequence[str], *, run: str = "", turns: Iterable[Turn] | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return what a session suggests as proposals, and what was left out with the reason.

    `turns` are those of another agent's session, whose transcript `path` names but does not have our shape.
    """
    spoken = _spoken(transcripts.turns(path) if turns is None else turns)
    session = next((turn.session for turn in spoken if turn.session), "") or Path(path).stem
    found, left = drafting.draft(spoken)
    skipped = [{"path": path, "kind": kind, "title": title, "why": why} for kind, title, why in left]
    if asked := drafter.configured(locate.read_settings(locate.home() / "config.toml")):
        try:
            found = [*found, *(_answer(item) for item in drafter.ask(asked, spoken, _typed(kinds)))]
        except InvalidInput as error:
            skipped.append({"path": path, "kind": "", "title": DRAFTER, "why": error.message})
    source = Source(spoken)
    good: dict[tuple[str, str], dict[str, Any]] = {}
    for draft in found:
        why = _faults(draft, source, kinds)
        if why:
            skipped.append({"path": path, "kind": draft.kind, "title": draft.title, "why": why})
        else:
            good.setdefault((draft.kind, draft.text), _proposal(draft, run or session, policy))
    return list(good.values()), skipped


def _spoken(turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns with their secrets taken out before anything else sees them."""
    kept, weight = [], 0
    for turn in turns:
        kept.append(turn._replace(text=redact(turn.text)[0]))
        weight += len(turn.text)
        while weight > MAX_SPOKEN_CHARACTERS and len(kept) > 1:
            weight -= len(kept.pop(0).text)
    return kept


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
