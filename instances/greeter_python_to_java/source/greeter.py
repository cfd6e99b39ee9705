"""Greeter: says hello over HTTP, in four languages."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

WORDS = {"en": "Hello", "nl": "Hallo", "fr": "Bonjour", "eo": "Saluton"}
AND = {"en": "and", "nl": "en", "fr": "et", "eo": "kaj"}
MAX_NAME = 40


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Greeter:
    """What is remembered between requests: the number of greetings."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = Lock()

    def greet(self, names: list[str], language: str) -> dict[str, str]:
        if language not in WORDS:
            raise Refused(400, f"unknown language: {language}")
        cleaned = [name.strip(" ") for name in names]
        for name in cleaned:
            if not name:
                raise Refused(400, "a name is empty")
            if len(name) > MAX_NAME:
                raise Refused(400, f"a name is longer than {MAX_NAME} characters")
        with self._lock:
            self.count += 1
        return {"message": f"{WORDS[language]}, {join(cleaned, language)}!", "language": language}


def join(names: list[str], language: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {AND[language]} {names[-1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    greeter: Greeter

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def answer(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urlsplit(self.path)
        try:
            status, value = 200, self.route(method, url.path, url.query, body)
        except Refused as refused:
            status, value = refused.status, {"error": str(refused)}
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def route(self, method: str, path: str, query: str, body: bytes) -> dict[str, object]:
        known = {"/health": ("GET",), "/hello": ("GET", "POST"), "/count": ("GET",)}
        if path not in known:
            raise Refused(404, f"no such page: {path}")
        if method not in known[path]:
            raise Refused(405, f"{method} is not allowed on {path}")
        if path == "/health":
            return {"status": "ok"}
        if path == "/count":
            return {"count": self.greeter.count}
        if method == "GET":
            fields = parse_qs(query, keep_blank_values=True)
            name = fields.get("name", ["world"])[-1]
            return dict(self.greeter.greet([name], fields.get("lang", ["en"])[-1]))
        names, language = read(body)
        return dict(self.greeter.greet(names, language))

    def log_message(self, format: str, *args: object) -> None:
        pass


def read(body: bytes) -> tuple[list[str], str]:
    try:
        asked = json.loads(body.decode())
    except ValueError:
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(asked, dict):
        raise Refused(400, "the body is not an object")
    names = asked.get("names")
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise Refused(400, "names must be a list of texts, and not empty")
    language = asked.get("lang", "en")
    if not isinstance(language, str):
        raise Refused(400, "lang must be a text")
    return names, language


def main() -> None:
    Handler.greeter = Greeter()
    port = int(os.environ.get("PORT") or 8080)
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
