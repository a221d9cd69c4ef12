"""The shapes of the MCP tools' answers; clients get them as schemas."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Found(BaseModel):
    id: str
    title: str
    state: str
    score: float
    why: str = Field(description="What the score is made of.")


class SearchAnswer(BaseModel):
    query: str
    memories: list[Found]


class Near(BaseModel):
    id: str
    text: str


class Remembered(BaseModel):
    id: str
    state: str
    title: str
    eligible: bool = Field(description="Whether it may be shown to agents already.")
    notes: list[str]
    nearest: list[Near] = Field(description="What may say the same; if one does, call again with its id as same_as.")


class Judged(BaseModel):
    id: str
    state: str
    confidence: float
    eligible: bool


class Waiting(BaseModel):
    id: str
    title: str
    state: str
    needs: str
    reviewer: str
    why: str


class Queue(BaseModel):
    waiting: list[Waiting]


class Happened(BaseModel):
    entry: int
    at: str
    event: str
    who: str
    why: str


class Story(BaseModel):
    id: str
    state: str
    title: str
    text: str
    eligible: bool
    needs: list[str] = Field(description="What it still needs for its next state.")
    history: list[Happened]


class Context(BaseModel):
    block: str = Field(description="Fenced reference data; empty when nothing is known.")
    ids: list[str]
