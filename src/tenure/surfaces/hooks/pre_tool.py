"""Before a tool runs: what guards say of the call, and what is known about the file or the command at hand.

The event `guard` is for agents that drop what is said before a call: there guards alone are asked, and the rest is
said with the call's result.
"""

from __future__ import annotations

import os

from tenure.surfaces.hooks import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tenure.guards.calls import ToolCall
    from tenure.surfaces.hooks.host import HookEvent
    from tenure.surfaces.hooks.showing import ShowingContext

MOST_MEMORIES = 3
MOST_CHARACTERS = 1500
# Of so many of the weightiest those that this session has not seen may be shown.
CANDIDATES = 20
# Commands that say nothing about what is being done, and those that only carry another one.
EVERYDAY = frozenset(
    "cd ls cat echo pwd head tail grep rg find sed awk mkdir cp mv rm touch sleep true wc sort export which tee printf"
    " test".split()
)
CARRIERS = frozenset("sudo env time python python3 node bash sh xargs npx uvx exec".split())
# A first word that means little without the second.
TOOLBOXES = frozenset(
    "git npm pnpm yarn make cargo go docker kubectl uv pip poetry just terraform gh rake bundle".split()
)
SEPARATORS = ("&&", "||", ";", "|", "\n")
MOST_PARTS = 6


def answer(event: HookEvent) -> str:
    """Return the memories about the file or command; what guards decided is in the event."""
    from tenure.surfaces.hooks import guard_decision

    # Where reminders arrive with the result, the call was guarded before it ran.
    made = guard_decision.call(event) if not event.called.startswith(("After", "Post")) else None
    names, phrases = subjects(event) if event.name == "pre-tool" else ([], [])
    if made is None and not names and not phrases:
        return ""
    from tenure.surfaces.hooks import place

    database, trusted_as, named = place.database(event.folder)
    if not os.path.exists(database):
        return ""
    from tenure.files import trust
    from tenure.store import open_for_hook
    from tenure.surfaces.hooks.showing import ShowingContext

    store = open_for_hook(database, lambda: False)
    try:
        if not named and not trust.trusted(trusted_as, store.identity()):
            return ""
        moment = ShowingContext(store, event.session, event.host)
        said = ""
        if made is not None:
            said = _guarded(moment, event, made)
        wanted = (names or phrases) and not event.decision[0]
        block, ids = reminder(moment, names, phrases, _folders(event) if names else []) if wanted else ("", [])
    finally:
        store.close()
    if ids and event.session:
        from tenure.spool import journal

        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    return "\n".join(part for part in (said, block) if part)


def _guarded(moment: ShowingContext, event: HookEvent, made: ToolCall) -> str:
    """Put into the event what guards decide, and return what they only remind of; a guard that fails says nothing."""
    from tenure.files import project_root
    from tenure.surfaces.hooks import guard_decision

    try:
        verdict = guard_decision.decide(moment.store, event, made, project_root(event.folder), moment.limits)
    except TimeoutError:
        raise
    except Exception as error:
        from tenure.spool import log  # start-up: only when something is wrong

        log.write("guard", f"{type(error).__name__}: {error}")
        return ""
    event.decision = (verdict.decision, verdict.reason)
    return verdict.reminder


def reminder(
    moment: ShowingContext, names: list[str], phrases: list[str], folders: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return the block about file names, phrases and the packages files lie in, and the ids in it."""
    from tenure.recall.block import TOOL
    from tenure.surfaces.hooks import showing

    about = moment.store.find(CANDIDATES, files=names) if names else []
    said = moment.store.find(CANDIDATES, phrases=phrases) if phrases else []
    beside = moment.store.find(CANDIDATES, files=folders) if folders else []
    items, rows = showing.weighed(moment, (*about, *said, *beside))
    found = {row.id for row in about}
    known = found | {row.id for row in said}
    # Of what else is about a folder here, only what is bound to the folder as a whole.
    within = {f"{folder}/" for folder in folders}
    items = moment.fresh([item for item in items if item.id in known or within.intersection(item.files)], rows)
    found |= {row.id for row in beside}
    reasons = {id: {"why": "about the file at hand" if id in found else "about the command at hand"} for id in rows}
    query = " ".join([*names[:1], *phrases])[:200]
    block, ids, untraced = showing.show(
        moment,
        items,
        rows,
        query,
        reasons,
        limit=MOST_MEMORIES,
        budget_chars=MOST_CHARACTERS,
        shape=TOOL,
        surface="tool",
    )
    if untraced:
        from tenure.spool import log

        log.write("pre-tool", untraced)
    return block, ids


def subjects(event: HookEvent) -> tuple[list[str], list[str]]:
    """Return the file names and the phrases that tell what the tool is about to touch."""
    if line := tools.command(event):
        return [], command_phrases(line)
    paths = (path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for path in tools.files(event))
    return list(dict.fromkeys(name for name in paths if name)), []


def _folders(event: HookEvent) -> list[str]:
    """Return the folders of the project that the files at hand lie in."""
    from tenure.files import project_root

    root, found = project_root(event.folder), dict[str, None]()
    for path in tools.files(event):
        relative = os.path.relpath(tools.whole(event, path), root).replace(os.sep, "/")
        while "/" in relative and not relative.startswith(".."):
            relative = relative.rpartition("/")[0]
            found[relative] = None
    return list(found)


def command_phrases(command: str) -> list[str]:
    """Return the leading words of each part of a command line that says what is done."""
    text = command[:2000]
    for separator in SEPARATORS:
        text = text.replace(separator, "\0")
    phrases = []
    for part in text.split("\0")[:MOST_PARTS]:
        words = [word for word in part.split() if "=" not in word and not word.startswith("-")]
        while words and words[0].rsplit("/", 1)[-1] in CARRIERS:
            words.pop(0)
        if not words or words[0].rsplit("/", 1)[-1] in EVERYDAY:
            continue
        first = words[0].rsplit("/", 1)[-1]
        phrase = " ".join([first, *words[1:2]]) if first in TOOLBOXES else first
        if len(phrase) > 2 and any(character.isalnum() for character in phrase):
            phrases.append(phrase)
    return list(dict.fromkeys(phrases))
