"""JSON with comments and trailing commas, as the Angular CLI and TypeScript read it.

Unlike those readers, which carry on after errors and take the last of two equal keys, this one
says what is ambiguous.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MAX_DEPTH = 100
_BLANK = re.compile(r"[ \t\r\n\ufeff]+|//[^\r\n]*|/\*(?s:.*?)\*/")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"')
_ATOM = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?|[a-z]+")
_WORDS: Mapping[str, object] = {"true": True, "false": False, "null": None}
#: Ends of lines for some readers of JSON with comments, and for others not.
_MAYBE_LINE_ENDS = re.compile("[\u2028\u2029\u0085\v\f]")

Key = tuple[str | int, ...]


class JsoncError(ValueError):
    """The text is not JSON with comments. `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class JsoncDocument:
    """A value, and where its keys stand."""

    value: Any = None
    #: The line of every key, by its path; of a key that comes twice, the last.
    lines: dict[Key, int] = field(default_factory=dict)
    #: Keys that come twice in one object.
    duplicates: list[Key] = field(default_factory=list)

    def line(self, *path: str | int) -> int | None:
        """The line of the key, or of the nearest one around it that is known."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return None


def parse(text: str) -> JsoncDocument:
    """Read a document.

    Raises:
        JsoncError: malformed, nested too deep, or with a comment that readers end differently.
    """
    return _Parser(text).document


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.line, self._counted = 1, 0
        self.document = JsoncDocument()
        self.document.value = self._value((), 0)
        self._skip()
        if self.position < len(text):
            raise self._error("text after the end of the value")

    def _error(self, message: str) -> JsoncError:
        return JsoncError(message, self._line())

    def _line(self) -> int:
        self.line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self.line

    def _skip(self) -> None:
        while match := _BLANK.match(self.text, self.position):
            if match[0][0] == "/" and _MAYBE_LINE_ENDS.search(match[0]):
                raise self._error("a comment with a line separator that readers treat differently")
            self.position = match.end()

    def _take(self, character: str) -> bool:
        self._skip()
        if self.text.startswith(character, self.position):
            self.position += 1
            return True
        return False

    def _string(self) -> str:
        self._skip()
        match = _STRING.match(self.text, self.position)
        if match is None:
            raise self._error("a string is expected here")
        self.position = match.end()
        value: str = json.loads(match[0])
        return value

    def _value(self, path: Key, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise self._error(f"nested deeper than {_MAX_DEPTH}")
        if self._take("{"):
            return self._object(path, depth)
        if self._take("["):
            return self._array(path, depth)
        if self.text.startswith('"', self.position):
            return self._string()
        match = _ATOM.match(self.text, self.position)
        if match is None:
            raise self._error("a value is expected here")
        self.position = match.end()
        if match[0][0].isalpha():
            if match[0] not in _WORDS:
                raise self._error(f"{match[0]!r} is no value")
            return _WORDS[match[0]]
        return json.loads(match[0])

    def _object(self, path: Key, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        while not self._take("}"):
            if value and not self._take(","):
                raise self._error("a comma is missing")
            if value and self._take("}"):
                break
            key = self._string()
            here = (*path, key)
            if key in value:
                self.document.duplicates.append(here)
            self.document.lines[here] = self._line()
            if not self._take(":"):
                raise self._error("a colon is missing")
            value[key] = self._value(here, depth + 1)
        return value

    def _array(self, path: Key, depth: int) -> list[Any]:
        value: list[Any] = []
        while not self._take("]"):
            if value and not self._take(","):
                raise self._error("a comma is missing")
            if value and self._take("]"):
                break
            value.append(self._value((*path, len(value)), depth + 1))
        return value
