"""JSON files of others, read strictly, with problems that name file and line."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from pytest_benchmac.input.plain_words import plain_problems
from pytest_benchmac.input.staging import open_regular
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Metadata

_SIDECAR_BYTES = 1 * MIB
#: Of lists and objects in a sidecar. Readers of JSON give up at 200, and a record is nested too.
_SIDECAR_DEPTH = 100


def read_sidecar(path: Path, root: Path | None = None) -> Metadata:
    """What a SUT says about its patch, checked; `root` as of `open_regular`.

    Raises:
        SubmissionError: names every problem, with its line.
    """
    with open_regular(path, root) as file:
        content = file.read(_SIDECAR_BYTES + 1)
    if len(content) > _SIDECAR_BYTES:
        raise SubmissionError(
            f"sidecar is larger than {_SIDECAR_BYTES // MIB} MiB",
            where=path,
            remedy="Keep trajectories in files of their own; `trajectory` names one.",
        )
    data = parse_json(content, path)
    if _nested_deeper(data, _SIDECAR_DEPTH):
        raise SubmissionError(
            f"nests lists and objects more than {_SIDECAR_DEPTH} deep",
            where=path,
            remedy="Keep such data in a file of its own.",
        )
    try:
        metadata = Metadata.model_validate(data, strict=True)
        # What a record cannot hold has to be found now, not after hours of evaluating.
        Metadata.model_validate_json(metadata.model_dump_json())
    except ValidationError as error:
        locations = [problem["loc"] for problem in error.errors()]
        problems = [
            SubmissionError(
                what,
                where=f"{path}:{_line_of_key(content, str(loc[0])) if loc else 1}",
                remedy=f"Expected: {expected}.",
            )
            for loc, (what, expected) in zip(locations, plain_problems(error), strict=True)
        ]
        raise SubmissionError.join(problems, where=path) from None
    except PydanticSerializationError as error:
        raise SubmissionError(f"cannot be kept in a record: {error}", where=path) from None
    return metadata


def parse_json(content: bytes, path: Path, *, first_line: int = 1) -> object:
    """Parse strict JSON whose bytes need not all be UTF-8; `first_line` is where it begins.

    Raises:
        SubmissionError: it is not valid, with the line.
    """
    text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise SubmissionError(
            f"is not valid JSON: {error.msg}, column {error.colno}", where=f"{path}:{line}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"is not valid JSON: {error}", where=f"{path}:{first_line}") from None


def _nested_deeper(data: object, depth: int) -> bool:
    """Is a list or object of parsed JSON within more than `depth` others?"""
    level = [data]
    for _ in range(depth):
        if not level:
            return False
        level = [
            each
            for value in level
            if isinstance(value, list | dict)
            for each in (value.values() if isinstance(value, dict) else value)
        ]
    return any(isinstance(value, list | dict) for value in level)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _line_of_key(content: bytes, key: str) -> int:
    """Line of a key of the JSON object `content`, which is known to be valid."""
    text = content.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    position = text.index("{") + 1
    while True:
        start = _skip(text, position, ",")
        name, position = decoder.raw_decode(text, start)
        if name == key:
            return text.count("\n", 0, start) + 1
        _, position = decoder.raw_decode(text, _skip(text, position, ":"))


def _skip(text: str, position: int, separator: str) -> int:
    while text[position].isspace() or text[position] == separator:
        position += 1
    return position
