"""A model stand-in on loopback that speaks as much of five protocols as the real clients need: no account, no network.

It asks for the calls in `script`, one per turn, and then says `says`. What it was sent is kept, so that a test can look
at what a model would really have seen.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Json = dict[str, Any]


class Call(NamedTuple):
    """A tool call that the model asks for."""

    name: str
    given: Json
    id: str


class Model(ThreadingHTTPServer):
    """The stand-in: Messages (Claude Code), Responses (Codex), chat completions, generateContent (Gemini CLI)."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[Json] = []
        self.script: list[tuple[str, Json]] = []
        self.says = "done"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def seen(self) -> str:
        """Everything the model was really sent."""
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)

    def answer(self, request: Json) -> Call | str:
        """Return the next call of the script, or what the model says; a request without tools is an aside."""
        self.requests.append(request)
        done = _results(request)
        if done >= len(self.script) or not request.get("tools"):
            return self.says
        name, given = self.script[done]
        return Call(name, given, f"toolu_{uuid.uuid4().hex[:16]}")


@contextmanager
def model() -> Iterator[Model]:
    """Run a model stand-in."""
    server = Model()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: Any) -> None:
        return

    def _send(self, body: bytes, kind: str = "application/json", code: int = 200) -> None:
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self._send(b"{}", code=404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith(("count_tokens", "countTokens")):
            return self._send(b'{"input_tokens": 10, "totalTokens": 10}')
        speak = next((speak for ending, speak in _PROTOCOLS.items() if path.endswith(ending)), None)
        if speak is None:
            return self._send(b"{}", code=404)
        whole, events = speak(self.server.answer(body), body)
        if not (body.get("stream") or path.endswith("streamGenerateContent")):
            return self._send(json.dumps(whole).encode())
        return self._send("".join(map(_line, events)).encode(), "text/event-stream")


def _line(event: Json | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    named = f"event: {event['type']}\n" if "type" in event else ""
    return f"{named}data: {json.dumps(event)}\n\n"


def _messages(said: Call | str, body: Json) -> tuple[Json, list[Json | str]]:
    block: Json = {"type": "text", "text": said}
    start, delta = {**block, "text": ""}, {"type": "text_delta", "text": said}
    if isinstance(said, Call):
        block = {"type": "tool_use", "id": said.id, "name": said.name, "input": said.given}
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said.given)}
    stop = {"stop_reason": "tool_use" if isinstance(said, Call) else "end_turn", "stop_sequence": None}
    head = {"id": f"msg_{uuid.uuid4().hex[:16]}", "type": "message", "role": "assistant", "model": body.get("model")}
    whole = {**head, "content": [block], **stop, "usage": {"input_tokens": 1, "output_tokens": 1}}
    return whole, [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _responses(said: Call | str, _: Json) -> tuple[Json, list[Json | str]]:
    item: Json = {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": said}]}
    if isinstance(said, Call):
        arguments = json.dumps(said.given)
        item = {"type": "function_call", "id": "f", "call_id": said.id, "name": said.name, "arguments": arguments}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    whole = {"id": "r", "output": [item], "usage": usage}
    return whole, [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


def _completions(said: Call | str, body: Json) -> tuple[Json, list[Json | str]]:
    message: Json = {"role": "assistant", "content": said}
    if isinstance(said, Call):
        function = {"name": said.name, "arguments": json.dumps(said.given)}
        call = {"index": 0, "id": said.id, "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    stop = "tool_calls" if isinstance(said, Call) else "stop"
    head = {"id": "c", "created": 0, "model": body.get("model")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {**head, "object": "chat.completion", "usage": usage}
    piece = {**head, "object": "chat.completion.chunk"}
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": stop}]}, [
        {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}], "usage": usage},
        "[DONE]",
    ]


def _contents(said: Call | str, _: Json) -> tuple[Json, list[Json | str]]:
    part: Json = {"text": said}
    if isinstance(said, Call):
        part = {"functionCall": {"id": said.id, "name": said.name, "args": said.given}}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    whole: Json = {"candidates": [candidate], "usageMetadata": usage}
    return whole, [whole]


# How the path of a request ends -> the protocol of the answer.
_PROTOCOLS: dict[str, Callable[[Call | str, Json], tuple[Json, list[Json | str]]]] = {
    "/v1/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _completions,
    ":generateContent": _contents,
    ":streamGenerateContent": _contents,
}


def _results(request: Json) -> int:
    """Return how many results of tools the request brings."""
    found = 0
    for message in request.get("messages") or request.get("input") or request.get("contents") or []:
        found += message.get("role") == "tool" or message.get("type") == "function_call_output"
        content = message.get("content") or message.get("parts")
        for block in content if isinstance(content, list) else []:
            found += block.get("type") == "tool_result" or "functionResponse" in block
    return found
