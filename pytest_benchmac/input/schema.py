"""The JSON Schema of instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from pytest_benchmac.tracks.registry import get_track, track_names

DIALECT = "https://json-schema.org/draft/2020-12/schema"
INSTANCE_SCHEMA_FILE = Path(__file__).parents[1] / "tracks" / "instance.schema.json"


def instance_schema() -> dict[str, Any]:
    """Schema of instance.toml: one alternative per track of this package, told by `track`."""
    package = __name__.partition(".")[0]
    installed = {name: get_track(name).instance_type for name in track_names()}
    types = {n: t for n, t in installed.items() if t.__module__.partition(".")[0] == package}
    _, definitions = models_json_schema([(model, "validation") for model in types.values()])
    definitions = {"$defs": dict(definitions["$defs"])}
    alternatives = []
    for name, model in types.items():
        narrowed = definitions["$defs"].pop(model.__name__)
        for filled in model.filled:
            del narrowed["properties"][filled]
        narrowed["required"] = [key for key in narrowed["required"] if key not in model.filled]
        narrowed["properties"]["track"] = {"const": name}
        alternatives.append(narrowed)
    return {
        "$schema": DIALECT,
        "title": "Instance",
        "description": "instance.toml",
        "oneOf": alternatives,
        **definitions,
    }


def schema_part(schema: Mapping[str, Any], location: Sequence[str | int]) -> Mapping[str, Any]:
    """The part of a schema that describes the value at a location; empty where none does."""
    parts = list(_alternatives(schema, schema))
    for key in location:
        parts = [
            alternative
            for part in parts
            for child in _children(part, key)
            for alternative in _alternatives(child, schema)
        ]
    return parts[0] if parts else {}


def _children(part: Mapping[str, Any], key: str | int) -> Iterator[Mapping[str, Any]]:
    if isinstance(key, str) and key in part.get("properties", {}):
        yield part["properties"][key]
    elif isinstance(key, int) and isinstance(part.get("items"), dict):
        yield part["items"]
    elif isinstance(part.get("additionalProperties"), dict):
        yield part["additionalProperties"]


def _alternatives(
    part: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    if "$ref" in part:
        definition = schema["$defs"][part["$ref"].rpartition("/")[2]]
        yield from _alternatives(definition, schema)
    elif "anyOf" in part:
        for alternative in part["anyOf"]:
            yield from _alternatives(alternative, schema)
    else:
        yield part
