"""Keeps the values of secrets out of everything that is written."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

#: What stands in place of a secret.
MARK = b"[redacted]"

#: A shorter value is no secret, and replacing every `1` would spoil the logs.
MIN_SECRET_BYTES = 6


class Redactor:
    """Replaces secrets in bytes and text.

    Known forms are the value itself, its lines when it has several, and both as they appear in
    JSON, in URLs and in base64. What a program encrypts, compresses or cuts up is not recognised.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        # Longest first: of a secret and its beginning, the whole is replaced.
        self._forms = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile(b"|".join(map(re.escape, self._forms)) or b"(?!)")
        #: A secret that began this many bytes before the end may not be complete yet.
        self.overlap = max(map(len, self._forms), default=1) - 1

    @classmethod
    def of_environment(
        cls, names: Iterable[str], environment: Mapping[str, str] = os.environ
    ) -> Redactor:
        """For the values that these variables have."""
        return cls(environment[name] for name in names if name in environment)

    def count(self, content: bytes) -> int:
        """Occurrences of secrets."""
        return sum(1 for _ in self._pattern.finditer(content))

    def content(self, content: bytes) -> bytes:
        """The content with every secret replaced."""
        return self._pattern.sub(MARK, content)

    def text(self, text: str) -> str:
        """The text with every secret replaced, and every lone surrogate escaped."""
        return self.content(text.encode("utf-8", "backslashreplace")).decode(errors="replace")

    def stream(self) -> RedactingStream:
        """For output that comes in pieces."""
        return RedactingStream(self)

    def split(self, content: bytes) -> tuple[bytes, bytes]:
        """What can be told from a piece: its redacted beginning, and the end to look at again."""
        safe = len(content) - self.overlap
        done: list[bytes] = []
        position = 0
        for match in self._pattern.finditer(content):
            if match.start() >= safe:
                break
            done += [content[position : match.start()], MARK]
            position = match.end()
        if position < safe:
            done.append(content[position:safe])
            position = safe
        return b"".join(done), content[position:]


class RedactingStream:
    """Redacts pieces of one stream, also where a secret lies across several of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What can be passed on so far."""
        passed, self._held = self._redactor.split(self._held + piece)
        return passed

    def finish(self) -> bytes:
        """The rest."""
        rest, self._held = self._redactor.content(self._held), b""
        return rest


def _forms(secret: str) -> set[bytes]:
    values = {secret, secret.strip(), *secret.splitlines()}
    forms: set[bytes] = set()
    for value in values:
        raw = value.encode("utf-8", "surrogateescape")
        if len(raw) < MIN_SECRET_BYTES:
            continue
        forms |= {raw, base64.b64encode(raw), base64.urlsafe_b64encode(raw)}
        if raw.isascii():
            forms |= {
                quote(value, safe="").encode(),
                json.dumps(value)[1:-1].encode(),
                json.dumps(value)[1:-1].replace("/", "\\/").encode(),
            }
    return forms
