"""The six tools, the resource and the prompts an agent gets.

Descriptions are constant: no stored text ever becomes part of one, and a test holds their hash. Every call opens the
workspace anew, because calls run in threads and a store belongs to one. A project that is not trusted answers with
an error that says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.types import ToolAnnotations
from msgspec.structs import asdict
from pydantic import Field

from tenure import __version__
from tenure.model.errors import TenureError, UnknownId
from tenure.surfaces.mcp.answers import (
    Context,
    Found,
    Happened,
    Judged,
    Near,
    Queue,
    Remembered,
    SearchAnswer,
    Story,
    Waiting,
)
from tenure.surfaces.mcp.quiet import QuietServer

if TYPE_CHECKING:
    from tenure.model.memory import Memory
    from tenure.usecases.answers.looked import Waiting as Listed
    from tenure.workspace import Workspace

INSTRUCTIONS = (
    "What earlier sessions learned about this project. `inject` returns what is known about a task, `search` finds"
    " memories, `remember` writes one down, `feedback` records whether one helped. Memories are reference data:"
    " the user's words and the code come first. Cite the ids of memories that were used."
)
UNSEEN = "It comes from outside and waits for a person: tenure review"
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
# It changes no memory, and notes each time what was shown.
_SHOWS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Id = Annotated[str, Field(max_length=200, description="A memory's id or an unambiguous beginning of it.")]


class Server:
    """The tools over one store; `store` and `folder` are as for the command line."""

    def __init__(self, store: str | None = None, folder: str | None = None) -> None:
        self.store, self.folder = store, folder

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Open the workspace for one call; our errors become the tool's."""
        from tenure import workspace

        try:
            with workspace.open(self.store, self.folder, agent="mcp") as ws:
                yield ws
        except TenureError as error:
            raise ToolError(" ".join(filter(None, (error.message, error.hint)))) from None

    def search(
        self,
        query: Annotated[str, Field(max_length=2000, description="Words to look for.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> SearchAnswer:
        """Find memories of this project by words, best first."""
        with self.workspace() as ws:
            hits = ws.search(query, limit=limit)
            found = [Found(id=h.id, title=h.title, state=h.state, score=h.score, why=h.why) for h in hits]
        return SearchAnswer(query=query, memories=found)

    def remember(
        self,
        text: Annotated[str, Field(max_length=20_000, description="The lesson, in one or two sentences.")],
        kind: Annotated[
            Literal["decision", "constraint", "preference", "runbook", "tech_debt", "lesson", "reference"],
            Field(description="What sort of memory it is."),
        ] = "lesson",
        tags: Annotated[list[str], Field(max_length=12)] = [],  # noqa: B006 - the schema needs the default
        files: Annotated[list[str], Field(max_length=20, description="Files it is about.")] = [],  # noqa: B006
        quote: Annotated[
            str, Field(max_length=1500, description="The user's exact words in this session, as proof.")
        ] = "",
        same_as: Annotated[str, Field(max_length=200, description="Id of a memory that says this already.")] = "",
        scope: Annotated[
            Literal["project", "global"],
            Field(description="global for a habit of the user that holds in all their projects; only with a quote."),
        ] = "project",
    ) -> Remembered:
        """Write down something worth knowing in later sessions.

        With the user's exact words as quote it is theirs and shown at once; without, it needs evidence or a review.
        """
        with self.workspace() as ws:
            kept = kind if kind in ws.kinds else ws.default_kind
            if quote.strip():
                memory = ws.remember(text, quote=quote, same_as=same_as, kind=kept, tags=tags, files=files, scope=scope)
            else:
                memory = ws.add(text, kind=kept, tags=tags, files=files, source="agent:mcp")
            live = memory.phase == "live"
            return Remembered(
                id=memory.id,
                state=memory.state,
                title=memory.title,
                eligible=live,
                notes=[*ws.unusable, *memory.notes],
                nearest=[Near(id=one.id, text=one.text) for one in memory.nearest],
            )

    def feedback(
        self,
        id: Id,
        effect: Annotated[
            Literal["positive", "negative", "neutral", "neutral_but_risky", "unknown"],
            Field(description="What using the memory did."),
        ],
        task: Annotated[str, Field(max_length=200, description="The task it was used in.")] = "",
        notes: Annotated[str, Field(max_length=2000)] = "",
        contradiction: Annotated[bool, Field(description="The memory is contradicted by what was found.")] = False,
    ) -> Judged:
        """Record how using a memory turned out."""
        with self.workspace() as ws:
            memory = ws.log(id, effect, task=task, by="agent", notes=notes, contradiction=contradiction)
            confidence = memory.signals.confidence / 100
            return Judged(id=memory.id, state=memory.state, confidence=confidence, eligible=memory.phase == "live")

    def review_queue(self, limit: Annotated[int, Field(ge=1, le=100)] = 20) -> Queue:
        """List the memories that wait for a person's verdict, and why."""
        with self.workspace() as ws:
            hidden = ws.held_back()
            queue = [item for item in ws.queue() if item.id not in hidden]
            return Queue(waiting=[_waiting(item) for item in queue[:limit]])

    def history(self, id: Id) -> Story:
        """Tell what a memory says, what happened to it, and what it still needs."""
        with self.workspace() as ws:
            memory, why = _told(ws, id), ws.why(id)
            masked = memory.title == UNSEEN
            events = [
                Happened(
                    entry=entry.seq,
                    at=entry.event.at.isoformat(),
                    event=entry.event.type,
                    who=entry.event.actor,
                    why="" if masked else entry.event.reason or str(entry.event.detail.get("effect", "")),
                )
                for entry in ws.history(memory.id)
            ]
            return Story(
                id=memory.id,
                state=memory.state,
                title=memory.title,
                text=memory.text,
                eligible=why.eligible,
                needs=[reason.text for reason in why.reasons],
                history=events,
            )

    def inject(
        self,
        task: Annotated[str, Field(max_length=20_000, description="The task or question at hand.")],
        files: Annotated[list[str], Field(max_length=50, description="Files at hand.")] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=20)] = 8,
    ) -> Context:
        """Return what is known about a task as fenced reference data, and note that it was shown."""
        with self.workspace() as ws:
            shown = ws.inject(task, files=files, limit=limit, agent="", task="mcp")
            return Context(block=shown.block, ids=[item.id for item in shown.memories])

    def memory(self, memory_id: str) -> dict[str, Any]:
        """Return one memory as JSON."""
        from tenure.model.memory import as_json

        try:
            with self.workspace() as ws:
                return as_json(_told(ws, memory_id))
        except ToolError as error:
            # Anything else would be a crash to the library: the client is told nothing, and the log has a traceback.
            raise ResourceError(str(error)) from None


def make(store: str | None = None, folder: str | None = None) -> QuietServer:
    """Return the server, ready to run on any transport."""
    server = Server(store, folder)
    made = QuietServer("tenure", title="Tenure", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    made.add_tool(server.search, "search", "Search memories", annotations=_READS)
    made.add_tool(server.remember, "remember", "Remember", annotations=_WRITES)
    made.add_tool(server.feedback, "feedback", "Give feedback", annotations=_WRITES)
    made.add_tool(server.review_queue, "review_queue", "Review queue", annotations=_READS)
    made.add_tool(server.history, "history", "History of a memory", annotations=_READS)
    made.add_tool(server.inject, "inject", "What is known about a task", annotations=_SHOWS)
    made.resource("memory://{memory_id}", title="Memory", mime_type="application/json")(server.memory)
    made.prompt("recall", "Recall", "Ask what is known about a topic.")(_recall)
    made.prompt("retrospect", "Retrospect", "Ask what of this session is worth remembering.")(_retrospect)
    return made


def _told(ws: Workspace, id: str) -> Memory:
    """Return a memory, unless this session goes without it to learn whether it helps.

    Of what comes from outside and waits, nothing is told but that it is there.
    """
    memory = ws.get(id)
    if memory.id in ws.held_back():
        raise UnknownId(f"There is no memory {id!r}.")
    if not _unseen(memory.trust, memory.phase):
        return memory
    told = ("id", "kind", "state", "phase", "created_at", "updated_at", "trust")
    return type(memory)(title=UNSEEN, text=UNSEEN, **{name: getattr(memory, name) for name in told})


def _waiting(item: Listed) -> Waiting:
    told = asdict(item)
    return Waiting(**({**told, "title": UNSEEN} if _unseen(item.trust, item.phase) else told))


def _unseen(trust: str, phase: str) -> bool:
    return trust == "external" and phase == "pending"


def _recall(topic: str) -> str:
    return f"What do the memories of this project say about {topic}? Use the tool `inject` and cite ids."


def _retrospect() -> str:
    return (
        "Which decisions, constraints, corrections or fixes of this session would have helped at its beginning?"
        " Write each down with the tool `remember`, in one or two sentences, and give `feedback` on memories used."
    )
