"""A stub of a model's service, which speaks OpenAI's protocol on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-made-up-key-0123456789"


@dataclass
class Service:
    """Answers in order, or as a test has it; keeps what it was asked."""

    url: str = ""
    answers: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    #: Makes an answer of a request, where `answers` has none.
    respond: Callable[[dict[str, Any]], str] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)


@contextmanager
def serving() -> Iterator[Service]:
    """On loopback, at a port of its own."""
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.requests.append(json.loads(body))
            state.keys.add(self.headers["Authorization"])
            if state.respond is not None and not state.answers:
                status, answer = says(state.respond(state.requests[-1]))
            else:
                status, answer = state.answers.pop(0)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Not on the test's output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def says(text: str, *commands: str) -> tuple[int, dict[str, Any]]:
    """An answer with calls of the tool."""
    calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        for n, command in enumerate(commands)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return 200, {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "made-up",
        "choices": [choice],
        "usage": usage,
    }


def fails(status: int, message: str, code: str = "") -> tuple[int, dict[str, Any]]:
    return status, {"error": {"message": message, "type": "error", "code": code or None}}
