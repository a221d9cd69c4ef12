"""The second interface: the tool names of the reference memory server, so that switching to Tenure changes one line.

An observation is a memory whose tags name its entity; a relation is a memory too. Deleting retires, so everything can
come back. An entity is nothing but the memories that carry its name.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from tenure import __version__
from tenure.surfaces.mcp.quiet import QuietServer
from tenure.surfaces.mcp.server import _READS, _WRITES, Server
from tenure.text.redact import redact
from tenure.text.words import clean, folded, one_line

if TYPE_CHECKING:
    from tenure.model.memory import Memory
    from tenure.workspace import Workspace

KIND = "reference"
SOURCE = "agent:mcp"
MOST_LINES = 100_000


class Entity(BaseModel):
    name: str = Field(max_length=200)
    entityType: str = Field(max_length=200)
    observations: list[str] = []


class Relation(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    source: str = Field(alias="from", max_length=200)
    to: str = Field(max_length=200)
    relationType: str = Field(max_length=200)


class Observations(BaseModel):
    entityName: str = Field(max_length=200)
    contents: list[str]


class Deletion(BaseModel):
    entityName: str = Field(max_length=200)
    observations: list[str]


class Graph(BaseModel):
    entities: list[Entity]
    relations: list[dict[str, str]]


class Face(Server):
    """The reference server's nine tools over a workspace."""

    def create_entities(self, entities: list[Entity]) -> list[Entity]:
        """Create multiple new entities in the knowledge graph"""
        with self.workspace() as ws:
            known = {entity.name for entity in graph(ws).entities}
            new = [entity for entity in map(_entity, entities) if entity.name not in known]
            add(ws, new, [])
        return new

    def create_relations(self, relations: list[Relation]) -> list[dict[str, str]]:
        """Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"""
        with self.workspace() as ws:
            known = graph(ws).relations
            new = [relation for relation in map(_relation, relations) if _plain(relation) not in known]
            add(ws, [], new)
        return [_plain(relation) for relation in new]

    def add_observations(self, observations: list[Observations]) -> list[dict[str, Any]]:
        """Add new observations to existing entities in the knowledge graph"""
        answers = []
        with self.workspace() as ws:
            by_name = {entity.name: entity for entity in graph(ws).entities}
            for item in observations:
                given = _entity(Entity(name=item.entityName, entityType="entity", observations=item.contents))
                entity = by_name.get(given.name)
                kind, known = (entity.entityType, entity.observations) if entity else ("entity", [])
                new = [text for text in given.observations if text not in known]
                if new or entity is None:
                    add(ws, [Entity(name=given.name, entityType=kind, observations=new)], [])
                answers.append({"entityName": given.name, "addedObservations": new})
        return answers

    def delete_entities(self, entityNames: list[str]) -> str:
        """Delete multiple entities and their associated relations from the knowledge graph"""
        names = {_name(name) for name in entityNames}
        with self.workspace() as ws:
            for memory, parts in _records(ws):
                if names & {parts.get("name"), parts.get("from"), parts.get("to")}:
                    ws.retire(memory.id, reason="deleted by an agent")
        return "Entities deleted successfully"

    def delete_observations(self, deletions: list[Deletion]) -> str:
        """Delete specific observations from entities in the knowledge graph"""
        gone = {
            (_name(item.entityName), _observed(item.entityName, text))
            for item in deletions
            for text in item.observations
        }
        with self.workspace() as ws:
            for memory, parts in _records(ws):
                if (parts.get("name"), parts.get("observation")) in gone:
                    ws.retire(memory.id, reason="deleted by an agent")
        return "Observations deleted successfully"

    def delete_relations(self, relations: list[Relation]) -> str:
        """Delete multiple relations from the knowledge graph"""
        gone = [_plain(_relation(relation)) for relation in relations]
        with self.workspace() as ws:
            for memory, parts in _records(ws):
                if "from" in parts and {key: parts[key] for key in ("from", "to", "relationType")} in gone:
                    ws.retire(memory.id, reason="deleted by an agent")
        return "Relations deleted successfully"

    def read_graph(self) -> Graph:
        """Read the entire knowledge graph"""
        with self.workspace() as ws:
            return graph(ws)

    def search_nodes(self, query: str) -> Graph:
        """Search for nodes in the knowledge graph based on a query"""
        asked = folded(query)
        with self.workspace() as ws:
            whole = graph(ws)
            hits = {
                parts["name"]
                for memory, parts in _records(ws, [h.id for h in ws.search(query, limit=50)])
                if "name" in parts
            }
        return _only(whole, {e.name for e in whole.entities if e.name in hits or asked in folded(e.name)})

    def open_nodes(self, names: list[str]) -> Graph:
        """Open specific nodes in the knowledge graph by their names"""
        with self.workspace() as ws:
            return _only(graph(ws), {_name(name) for name in names})


def add(ws: Workspace, entities: Sequence[Entity], relations: Sequence[Relation]) -> None:
    """Write entities and relations down as memories."""
    for entity in entities:
        for text in entity.observations or [""]:
            content = {"name": entity.name, "entityType": entity.entityType, "observation": text}
            said = f"{entity.name}: {text}" if text else f"{entity.name} is a {entity.entityType}"
            _add(ws, said, content, [entity.name, entity.entityType])
    for relation in relations:
        said = f"{relation.source} {relation.relationType} {relation.to}"
        _add(ws, said, _plain(relation), [relation.source, relation.to])


def graph(ws: Workspace) -> Graph:
    """Return all memories of this face as the reference server's graph."""
    entities: dict[str, Entity] = {}
    relations = []
    for _, parts in _records(ws):
        if "from" in parts:
            relations.append({key: parts[key] for key in ("from", "to", "relationType")})
            continue
        entity = entities.setdefault(parts["name"], Entity(name=parts["name"], entityType=parts["entityType"]))
        if parts["observation"]:
            entity.observations.append(parts["observation"])
    return Graph(entities=list(entities.values()), relations=relations)


def load(ws: Workspace, lines: Iterator[bytes]) -> tuple[int, int]:
    """Read the reference server's JSONL; return how many lines were used and how many were not understood."""
    known = graph(ws)
    names = {entity.name: set(entity.observations) for entity in known.entities}
    used = skipped = 0
    for number, line in enumerate(lines):
        if not line.strip() or number >= MOST_LINES:
            continue
        with contextlib.suppress(ValueError, RecursionError):
            record = json.loads(line)
            if isinstance(record, dict) and record.get("type") == "entity":
                entity = _entity(Entity.model_validate(record))
                new = [text for text in entity.observations if text not in names.get(entity.name, set())]
                if new or entity.name not in names:
                    add(ws, [Entity(name=entity.name, entityType=entity.entityType, observations=new)], [])
                used += 1
                continue
            if isinstance(record, dict) and record.get("type") == "relation":
                relation = _relation(Relation.model_validate(record))
                if _plain(relation) not in known.relations:
                    add(ws, [], [relation])
                used += 1
                continue
        skipped += 1
    return used, skipped


def make(store: str | None = None, folder: str | None = None) -> QuietServer:
    """Return a server with the reference server's tools."""
    face = Face(store, folder)
    made = QuietServer("memory", version=__version__, log_level="WARNING")
    for name in ("create_entities", "create_relations", "add_observations"):
        made.add_tool(getattr(face, name), name, annotations=_WRITES)
    for name in ("delete_entities", "delete_observations", "delete_relations"):
        made.add_tool(getattr(face, name), name, annotations=_WRITES)
    for name in ("read_graph", "search_nodes", "open_nodes"):
        made.add_tool(getattr(face, name), name, annotations=_READS)
    return made


def _add(ws: Workspace, text: str, content: dict[str, str], tags: list[str]) -> None:
    kind = KIND if KIND in ws.kinds else ws.default_kind
    graph = json.dumps(content, sort_keys=True, ensure_ascii=False)
    ws.add(text, kind=kind, content={"graph": graph}, tags=tags, source=SOURCE)


def _records(ws: Workspace, ids: Sequence[str] | None = None) -> Iterator[tuple[Memory, dict[str, str]]]:
    """Yield the memories of this face with their parts, cleaned again: earlier versions escaped before they cleaned.

    Only what is in use or what this face wrote: agents are shown nothing from outside that waits for a person.
    """
    for memory in ws.memories() if ids is None else map(ws.get, ids):
        own = memory.source == SOURCE and memory.trust != "external"
        if own or memory.phase == "live":
            parts = _parts(memory, own=own)
            if parts:
                yield memory, parts


def _parts(memory: Memory, *, own: bool) -> dict[str, str]:
    """Return what a memory says of the graph; empty when its text, which people decide about, says something else."""
    try:
        parts = json.loads(memory.content["graph"]) if "graph" in memory.content else None
    except (ValueError, TypeError, RecursionError):
        return {}
    if not isinstance(parts, dict) or not all(isinstance(value, str) for value in parts.values()):
        return {}
    said = _squeezed(memory.text)
    if {"from", "to", "relationType"} <= parts.keys():
        found = {key: _name(parts[key]) for key in ("from", "to", "relationType")}
        whole = f"{found['from']} {found['relationType']} {found['to']}"
        return found if said == _squeezed(redact(whole)[0]) else {}
    if {"name", "entityType", "observation"} <= parts.keys():
        name, kind = _name(parts["name"]), _name(parts["entityType"])
        text = _observed(parts["name"], parts["observation"])
        whole = f"{name}: {text}" if text else f"{name} is a {kind}"
        # An observation does not say the type in words, so only this face's own counts.
        known = kind if own or not text else "entity"
        same = said == _squeezed(redact(whole)[0])
        return {"name": name, "entityType": known, "observation": text} if same else {}
    return {}


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _name(text: str) -> str:
    """Return a name as it is stored: cleaned and redacted before it becomes JSON, whose escapes would hide both."""
    return redact(one_line(clean(text)))[0]


def _observed(name: str, text: str) -> str:
    """Return an observation as it is stored; the name of its entity may announce a secret."""
    before = f"{_name(name)}: "
    whole = redact(before + clean(text))[0]
    return whole.removeprefix(before) if whole.startswith(before) else redact(clean(text))[0]


def _entity(given: Entity) -> Entity:
    texts = [_observed(given.name, text) for text in given.observations]
    return Entity(name=_name(given.name), entityType=_name(given.entityType), observations=texts)


def _relation(given: Relation) -> Relation:
    parts = {"from": _name(given.source), "to": _name(given.to), "relationType": _name(given.relationType)}
    return Relation.model_validate(parts)


def _plain(relation: Relation) -> dict[str, str]:
    return {"from": relation.source, "to": relation.to, "relationType": relation.relationType}


def _only(whole: Graph, names: set[str]) -> Graph:
    kept = [relation for relation in whole.relations if relation["from"] in names or relation["to"] in names]
    return Graph(entities=[entity for entity in whole.entities if entity.name in names], relations=kept)
