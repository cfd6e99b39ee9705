"""Validation problems in plain words: what is wrong, what was wanted, what is near."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.input.schema import schema_part
from pytest_benchmac.model.errors import InstanceError

#: pydantic's names of problems, as what was expected instead.
_EXPECTATIONS = {
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
}
_EXPECTATIONS_IN_JSON = _EXPECTATIONS | {
    "string_too_short": "at least one character",
    "string_too_long": "at most 512 characters",
    "string_unicode": "text that UTF-8 can hold",
    "model_type": "an object with keys",
    "model_attributes_type": "an object with keys",
    "missing": "keys instance_id, model_name_or_path and model_patch",
    "json_invalid": "lists and objects nested at most 200 deep",
}
_EXPECTATIONS_IN_TOML = _EXPECTATIONS | {
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
#: Likewise for bounds: the phrase, and the bound's name in the problem's context.
_BOUNDS = {
    "greater_than": ("a number above", "gt"),
    "greater_than_equal": ("a number of at least", "ge"),
    "less_than": ("a number below", "lt"),
    "less_than_equal": ("a number of at most", "le"),
}


def plain_problems(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Each of pydantic's problems in plain words: what is wrong, and what is expected."""
    for problem in error.errors(include_url=False):
        kind, context = problem["type"], problem.get("ctx", {})
        key = f"key `{problem['loc'][0]}` " if problem["loc"] else ""
        value = reprlib.repr(problem["input"])
        what = f"{key}is missing" if kind == "missing" else f"{key}is {value}"
        if kind in _BOUNDS:
            phrase, bound = _BOUNDS[kind]
            yield what, f"{phrase} {context[bound]:.15g}"
        else:
            yield what, _EXPECTATIONS_IN_JSON.get(kind, str(problem["msg"]))


def nearest(name: str, known: Sequence[str]) -> str:
    """A phrase that points out the known names most like this one; empty if none is."""
    matches = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(map(repr, matches))}?" if matches else ""


def in_plain_words(file: Path, problem: dict[str, Any], schema: dict[str, Any]) -> InstanceError:
    """One of pydantic's problems, without its jargon and addresses."""
    kind: str = problem["type"]
    loc: tuple[str | int, ...] = problem["loc"]
    context: dict[str, Any] = problem.get("ctx", {})
    part = schema_part(schema, loc)
    if kind == "extra_forbidden":
        return unknown_key(file, loc, schema_part(schema, loc[:-1]).get("properties", {}))
    if kind == "missing":
        remedy = f"Expected: {_described(part)}." if _described(part) else ""
        return InstanceError(f"key `{_dotted(loc)}` is missing", where=file, remedy=remedy)
    if kind == "value_error":
        key = f"`{_dotted(loc)}`: " if loc else ""
        return InstanceError(f"{key}{context['error']}", where=file)
    if kind == "literal_error":
        expected = str(context["expected"])
    elif kind in _BOUNDS:
        phrase, bound = _BOUNDS[kind]
        expected = f"{phrase} {context[bound]:.15g}"
    elif kind == "string_pattern_mismatch":
        expected = _described(part) or f"text that matches {context['pattern']}"
    else:
        expected = _EXPECTATIONS_IN_TOML.get(kind) or str(problem["msg"])
    return InstanceError(
        f"`{_dotted(loc)}` = {seen(problem['input'])}", where=file, remedy=f"Expected: {expected}."
    )


def unknown_key(file: Path, loc: Sequence[str | int], known: Mapping[str, object]) -> InstanceError:
    """The error about a key that there is none of, with the known ones most like it."""
    names = [name for name in known if name != "directory"]
    hint = nearest(str(loc[-1]), names) or f"Known keys here: {', '.join(sorted(names))}."
    return InstanceError(f"key `{_dotted(loc)}` is unknown", where=file, remedy=hint)


def _described(part: Mapping[str, Any]) -> str:
    """What a schema says about a value, for people."""
    if description := part.get("description"):
        return str(description).splitlines()[0].rstrip(".")
    words = {"string": "text", "number": "a number", "integer": "a whole number"}
    return words.get(str(part.get("type")), "")


def _dotted(loc: Sequence[str | int]) -> str:
    dotted = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return dotted.removeprefix(".")


def seen(value: object) -> str:
    """A value from TOML as its author may recognise it, cut when it is long."""
    shown = "true" if value is True else "false" if value is False else repr(value)
    return shown if len(shown) <= 120 else f"{shown[:117]}..."
