"""JSON Schemas of the files that others read and write; the package ships them beside this module.

They are generated from the models: `python -m pytest_benchmac.schemas` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from pytest_benchmac.model import Evaluation
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.tracks import TRACK_NAMES, get_track

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

EVALUATION_SCHEMA_FILE = Path(__file__).with_name("evaluation.schema.json")
INSTANCE_SCHEMA_FILE = Path(__file__).with_name("instance.schema.json")
LEADERBOARD_SCHEMA_FILE = Path(__file__).with_name("leaderboard.schema.json")


def evaluation_schema() -> dict[str, Any]:
    """Schema of an evaluation record, with every key that a record is written with."""
    return {"$schema": _DIALECT, **Evaluation.model_json_schema(mode="serialization")}


def leaderboard_schema() -> dict[str, Any]:
    """Schema of `leaderboard.json`, by `benchmac aggregate` or by a session, which adds `run`."""
    schema = Leaderboard.model_json_schema(mode="serialization")
    counts = ("cases", "resolved", "failed", "errors", "skipped")
    schema["properties"]["run"] = {
        "type": "object",
        "properties": {
            **{name: {"type": "integer", "minimum": 0} for name in counts},
            "error_messages": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": [*counts, "error_messages"],
        "additionalProperties": False,
    }
    return {"$schema": _DIALECT, **schema}


def instance_schema() -> dict[str, Any]:
    """Schema of instance.toml: one alternative per track, told apart by `track`."""
    types = {name: get_track(name).instance_type for name in TRACK_NAMES}
    _, definitions = models_json_schema([(model, "validation") for model in types.values()])
    definitions = {"$defs": dict(definitions["$defs"])}
    alternatives = []
    for name, model in types.items():
        narrowed = definitions["$defs"].pop(model.__name__)
        # The reader fills `directory` in; a file that has it is refused.
        del narrowed["properties"]["directory"]
        narrowed["required"].remove("directory")
        narrowed["properties"]["track"] = {"const": name}
        alternatives.append(narrowed)
    return {
        "$schema": _DIALECT,
        "title": "Instance",
        "description": "instance.toml",
        "oneOf": alternatives,
        **definitions,
    }


def schema_files() -> dict[Path, str]:
    """What the shipped files have to hold."""
    schemas = {
        EVALUATION_SCHEMA_FILE: evaluation_schema(),
        INSTANCE_SCHEMA_FILE: instance_schema(),
        LEADERBOARD_SCHEMA_FILE: leaderboard_schema(),
    }
    return {
        file: json.dumps(schema, indent=2, sort_keys=True) + "\n"
        for file, schema in schemas.items()
    }


def schema_node(schema: Mapping[str, Any], location: Sequence[str | int]) -> Mapping[str, Any]:
    """The part of a schema that describes the value at a location; empty where none does."""
    nodes = list(_alternatives(schema, schema))
    for part in location:
        nodes = [
            alternative
            for node in nodes
            for child in _children(node, part)
            for alternative in _alternatives(child, schema)
        ]
    return nodes[0] if nodes else {}


def _children(node: Mapping[str, Any], part: str | int) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, str) and part in node.get("properties", {}):
        yield node["properties"][part]
    elif isinstance(part, int) and isinstance(node.get("items"), dict):
        yield node["items"]
    elif isinstance(node.get("additionalProperties"), dict):
        yield node["additionalProperties"]


def _alternatives(
    node: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    if "$ref" in node:
        definition = schema["$defs"][node["$ref"].rpartition("/")[2]]
        yield from _alternatives(definition, schema)
    elif "anyOf" in node:
        for alternative in node["anyOf"]:
            yield from _alternatives(alternative, schema)
    else:
        yield node
