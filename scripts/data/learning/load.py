#!/usr/bin/env python3
"""Resolve the positions in this folder: read the sessions named in sources.json out of fetched repositories.

    from load import Loader
    for source, turns in Loader("FETCHED", "tune/sources.json").sessions():
        for turn in turns: ...

FETCHED holds bare git directories as owner+name/repo.  SpecStory and aider text is read by tenure's own reader.

A turn is a dict: who ("human", "agent", "answer"), n (human turns count from 1 in the order of the file; answers count
apart), text, at, and for the agent's turns calls = [{tool, input}].  A human turn is every user record with text that
is not a tool result, not a side chain and not marked meta by the client; whether the person typed it is judged in
turns.json.  An answer is what the person chose or typed when the agent asked (AskUserQuestion), with its `question`.

usage: load.py FETCHED [sources.json ...] [--session KEY]   prints the turns (for reading, nothing is stored)
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.capture import markdown_sessions
from tenure.capture.session_builder import INTERRUPTED, Session
from tenure.capture.transcripts import Call, Turn
from tenure.capture.turn_surroundings import NOTHING, Around, around

HERE = Path(__file__).resolve().parent


def _lines(raw: bytes) -> Iterator[dict[str, Any]]:
    for line in raw.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))
    return ""


def _asked(result: object) -> Iterator[tuple[str, str]]:
    if isinstance(result, dict) and isinstance(result.get("answers"), dict):
        for question, answer in result["answers"].items():
            yield str(question), answer if isinstance(answer, str) else ", ".join(map(str, answer or []))


def claude(records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for r in records:
        if r.get("isSidechain") or r.get("isMeta") or r.get("type") not in ("user", "assistant"):
            continue
        if r.get("uuid") in seen:
            continue
        seen.add(r.get("uuid", ""))
        content = (r.get("message") or {}).get("content")
        blocks = content if isinstance(content, list) else []
        if r["type"] == "user":
            if any(isinstance(b, dict) and b.get("type") == "tool_result" for b in blocks):
                for question, answer in _asked(r.get("toolUseResult")):
                    yield {"who": "answer", "text": answer, "question": question, "at": r.get("timestamp")}
                continue
            text = _texts(content)
            if text.strip():
                yield {"who": "human", "text": text, "at": r.get("timestamp")}
        else:
            calls = [
                {"tool": b.get("name"), "input": b.get("input")}
                for b in blocks
                if isinstance(b, dict) and b.get("type") == "tool_use"
            ]
            yield {"who": "agent", "text": _texts(content), "calls": calls, "at": r.get("timestamp")}


def codex(raw: bytes) -> Iterator[dict[str, Any]]:
    for r in _lines(raw):
        # Until September 2025 an item stood in the record itself.
        p, at = r.get("payload") or r, r.get("timestamp")
        item = r.get("type") == "response_item" or p is r
        if r.get("type") == "event_msg" and p.get("type") == "user_message" and str(p.get("message", "")).strip():
            yield {"who": "human", "text": p["message"], "at": at}
        elif p is r and p.get("type") == "message" and p.get("role") == "user" and _texts(p.get("content")).strip():
            yield {"who": "human", "text": _texts(p.get("content")), "at": at}
        elif item and p.get("type") == "message" and p.get("role") == "assistant":
            yield {"who": "agent", "text": _texts(p.get("content")), "calls": [], "at": at}
        elif item and p.get("type") in ("function_call", "custom_tool_call"):
            calls = [{"tool": p.get("name"), "input": p.get("arguments") or p.get("input")}]
            yield {"who": "agent", "text": "", "calls": calls, "at": at}


def copilot(raw: bytes) -> Iterator[dict[str, Any]]:
    for r in _lines(raw):
        d = r.get("data") or {}
        if r.get("type") == "user.message" and str(d.get("content", "")).strip():
            yield {"who": "human", "text": d["content"], "at": r.get("timestamp")}
        elif r.get("type") == "assistant.message":
            yield {"who": "agent", "text": str(d.get("content") or ""), "calls": [], "at": r.get("timestamp")}
        elif r.get("type") == "tool.execution_start":
            yield {
                "who": "agent",
                "text": "",
                "calls": [{"tool": d.get("toolName"), "input": d.get("arguments")}],
                "at": r.get("timestamp"),
            }


def opencode(raw: bytes) -> Iterator[dict[str, Any]]:
    for m in json.loads(raw).get("messages", []):
        parts = m.get("parts", [])
        text = "\n".join(p["text"] for p in parts if p.get("type") == "text" and not p.get("synthetic"))
        if m.get("info", {}).get("role") == "user":
            if text.strip():
                yield {"who": "human", "text": text, "at": m["info"].get("time", {}).get("created")}
        else:
            calls = [
                {"tool": p.get("tool"), "input": (p.get("state") or {}).get("input")}
                for p in parts
                if p.get("type") == "tool"
            ]
            yield {"who": "agent", "text": text, "calls": calls, "at": m.get("info", {}).get("time", {}).get("created")}


def gemini(raw: bytes) -> Iterator[dict[str, Any]]:
    try:
        messages = json.loads(raw).get("messages", [])
    except ValueError:
        messages = list(_lines(raw))
    for m in messages:
        text = _texts(m.get("content"))
        if m.get("type") == "user" and text.strip():
            yield {"who": "human", "text": text, "at": m.get("timestamp")}
        elif m.get("type") in ("gemini", "qwen", "assistant"):
            calls = [{"tool": c.get("name"), "input": c.get("args")} for c in m.get("toolCalls") or []]
            yield {"who": "agent", "text": text, "calls": calls, "at": m.get("timestamp")}


def _plain(found: list[Session]) -> Iterator[dict[str, Any]]:
    for session in found:
        for turn in session.turns:
            if turn.role == "user":
                yield {"who": "human", "text": turn.text, "at": turn.at}
            else:
                calls = [{"tool": call.tool, "input": call.input} for call in turn.calls]
                yield {"who": "agent", "text": turn.text, "calls": calls, "at": turn.at}


def beside(turns: list[dict[str, Any]]) -> dict[int, Around]:
    """Return what stands around each human turn, by its number."""
    made = []
    for turn in turns:
        if turn["who"] == "agent":
            calls = tuple(Call(str(call["tool"]), call["input"]) for call in turn["calls"])
            made.append(Turn("assistant", turn["text"] or "", calls=calls))
        elif turn["who"] == "human" and turn["text"].startswith(INTERRUPTED):
            stopped = Call("")
            stopped.interrupted = True
            made.append(Turn("tool", "", calls=(stopped,)))
        elif turn["who"] == "human":
            made.append(Turn("user", turn["text"]))
    found = iter(around(made))
    return {
        turn["n"]: NOTHING if turn["text"].startswith(INTERRUPTED) else next(found)[1]
        for turn in turns
        if turn["who"] == "human"
    }


class Loader:
    def __init__(self, fetched: str, *lists: str) -> None:
        self.fetched = fetched
        self.sources = [s for path in lists for s in json.loads(Path(path).read_text("utf-8"))["sources"]]

    def raw(self, source: dict[str, Any]) -> bytes:
        path = source["path"].split("#")[0] if source["format"] == "aider" else source["path"]
        where = f"{self.fetched}/{source['repo'].replace('/', '+')}/repo"
        return subprocess.run(
            ["git", "--git-dir", where, "show", f"{source['commit']}:{path}"], capture_output=True
        ).stdout

    def turns(self, source: dict[str, Any]) -> list[dict[str, Any]]:
        raw, form = self.raw(source), source["format"]
        if not raw:
            return []
        if form == "specstory":
            lines = iter(raw.decode(errors="replace").splitlines(keepends=True))
            found = _plain([markdown_sessions.specstory(lines, "", source["session"])])
        elif form == "aider":
            lines = iter(raw.decode(errors="replace").splitlines(keepends=True))
            want = source["path"].split("#")[1]
            found = _plain([s for s in markdown_sessions.aider(lines, "") if s.id.endswith(want)])
        else:
            found = {
                "claude": lambda r: claude(_lines(r)),
                "codex": codex,
                "copilot": copilot,
                "opencode": opencode,
                "gemini": gemini,
            }[form](raw)
        out, count = [], {"human": 0, "answer": 0}
        for turn in found:
            if turn["who"] in count:
                count[turn["who"]] += 1
                turn["n"] = count[turn["who"]]
            out.append(turn)
        return out

    def sessions(self, only: set[str] | None = None) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        for source in self.sources:
            if only is None or source["key"] in only:
                yield source, self.turns(source)


def main(argv: list[str]) -> int:
    only = {argv[argv.index("--session") + 1]} if "--session" in argv else None
    rest = [a for i, a in enumerate(argv) if not a.startswith("--") and (i == 0 or argv[i - 1] != "--session")]
    lists = rest[1:] or [
        str(p) for p in (HERE / "sources.json", HERE / "tune/sources.json", HERE / "score/sources.json") if p.is_file()
    ]
    for source, turns in Loader(rest[0], *lists).sessions(only):
        print(f"== {source['key']} {source['repo']} {source['format']} {source['at']}")
        for turn in turns:
            if turn["who"] != "agent":
                print(f"-- {turn['who']} {turn['n']}: {turn['text']}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
