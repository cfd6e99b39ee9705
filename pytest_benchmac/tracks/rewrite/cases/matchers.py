"""Does one field of an answer meet what is expected of it? Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.tracks.rewrite.cases.models import Matcher

#: Longer texts meet no pattern: one that backtracks would never come to its end.
MAX_PATTERN_BYTES = 64 * 1024
_SHOWN = 80
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_MATCHER = TypeAdapter(Matcher)
_DEEPEST = 200
#: Of U+DC80 to U+DCFF, which no JSON takes.
_PRIVATE = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}


def text_of(content: bytes) -> str:
    """As text; bytes that are no UTF-8 become private characters, other ones for other bytes."""
    text = content.decode("utf-8", "surrogateescape")
    return text.translate(_PRIVATE) if not text.isascii() else text


def text_difference(wanted: Matcher, seen: bytes) -> str:
    """How a stream, a file or a body differs; empty where it does not."""
    text = text_of(seen)
    match wanted.match:
        case "ignored":
            return ""
        case "json":
            parsed, problem = parse_json(text)
            return problem or json_difference(wanted.value, parsed)
        case "number":
            return _number_difference(str(wanted.value), text, wanted.tolerance)
        case "whitespace":
            return "" if str(wanted.value).split() == text.split() else _lines(wanted.value, text)
        case "regex":
            return _pattern_difference(str(wanted.value), text)
    return "" if wanted.value == text else _lines(wanted.value, text)


def value_difference(wanted: Matcher, seen: JsonValue) -> str:
    """How a number, such as an exit status, or a header differs; empty where it does not."""
    match wanted.match:
        case "ignored":
            return ""
        case "number":
            return _number_difference(str(wanted.value), str(seen), wanted.tolerance)
        case "regex":
            return _pattern_difference(str(wanted.value), str(seen))
        case "whitespace":
            same = str(wanted.value).split() == str(seen).split()
            return "" if same else f"{_told(seen)}, expected: {_told(wanted.value)}"
    return json_difference(wanted.value, seen)


def parse_json(text: str) -> tuple[JsonValue, str]:
    """The value of a text, or why there is none."""
    try:
        parsed: JsonValue = json.loads(
            text, parse_constant=_refuse, object_pairs_hook=_without_doubles
        )
    except (ValueError, RecursionError) as error:
        return None, f"no JSON: {shown(str(error), _SHOWN)}"
    return parsed, ""


def json_difference(wanted: JsonValue, seen: JsonValue, where: str = "", depth: int = 0) -> str:
    """The first difference of two values, and its place; matchers may stand in `wanted`."""
    if depth > _DEEPEST:
        return f"{where}: nested deeper than {_DEEPEST}"
    if (matcher := _as_matcher(wanted)) is not None:
        inner = matcher.match in ("json", "exact")
        if inner:
            return json_difference(matcher.value, seen, where, depth + 1)
        found = value_difference(matcher, seen)
        return f"{where}: {found}" if found else ""
    if isinstance(wanted, dict) and isinstance(seen, dict):
        for key in wanted.keys() | seen.keys():
            if key not in seen:
                return f"{where}/{key} is not there"
            if key not in wanted:
                return f"{where}/{key} is there"
        for key, value in wanted.items():
            if found := json_difference(value, seen[key], f"{where}/{key}", depth + 1):
                return found
        return ""
    if isinstance(wanted, list) and isinstance(seen, list):
        if len(wanted) != len(seen):
            return f"{where or 'the list'} has {len(seen)} items, expected: {len(wanted)}"
        for number, (one, other) in enumerate(zip(wanted, seen, strict=True)):
            if found := json_difference(one, other, f"{where}/{number}", depth + 1):
                return found
        return ""
    # True equals 1 in Python, and does not in JSON.
    same = isinstance(wanted, bool) == isinstance(seen, bool) and wanted == seen
    place = f"{where}: " if where else ""
    return "" if same else f"{place}{_told(seen)}, expected: {_told(wanted)}"


def _as_matcher(value: JsonValue) -> Matcher | None:
    if not isinstance(value, dict) or "match" not in value:
        return None
    if not value.keys() <= {"match", "value", "tolerance"}:
        return None
    try:
        return _MATCHER.validate_python(value)
    except ValidationError:
        return None


def _number_difference(wanted: str, seen: str, tolerance: float) -> str:
    if _NUMBER.split(wanted) != _NUMBER.split(seen):
        return _lines(wanted, seen)
    for one, other in zip(_NUMBER.findall(wanted), _NUMBER.findall(seen), strict=True):
        if not math.isclose(float(one), float(other), rel_tol=tolerance, abs_tol=tolerance):
            return f"{other}, expected: {one}"
    return ""


def _pattern_difference(pattern: str, text: str) -> str:
    if len(text) > MAX_PATTERN_BYTES:
        return f"{len(text)} characters are too many for a pattern"
    if re.fullmatch(pattern, text, re.DOTALL):
        return ""
    return f"{_told(text)} does not match {_told(pattern)}"


def _lines(wanted: object, text: str) -> str:
    """The first line that is another."""
    before, after = str(wanted).split("\n"), text.split("\n")
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one != other:
            return f"line {number} is {_told(other)}, expected: {_told(one)}"
    return f"{len(after)} lines, expected: {len(before)}"


def _told(value: object) -> str:
    return (
        repr(shown(value, _SHOWN)) if isinstance(value, str) else shown(json.dumps(value), _SHOWN)
    )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _without_doubles(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found
