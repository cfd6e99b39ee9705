"""JSON Schemas of the files that others read and write, as the package ships them.

`benchmac schema` prints them. They are generated from the models:
`python -m pytest_benchmac.cli.schemas` writes them anew; with a folder as argument, there instead.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchmac.input.schema import DIALECT, INSTANCE_SCHEMA_FILE, instance_schema
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.tracks.extras import Subparsers

EVALUATION_SCHEMA_FILE = Path(__file__).parents[1] / "model" / "schemas" / "evaluation.schema.json"
LEADERBOARD_SCHEMA_FILE = (
    Path(__file__).parents[1] / "model" / "schemas" / "leaderboard.schema.json"
)


def evaluation_schema() -> dict[str, Any]:
    """Schema of an evaluation record, with every key that a record is written with."""
    return {"$schema": DIALECT, **Evaluation.model_json_schema(mode="serialization")}


def leaderboard_schema() -> dict[str, Any]:
    """Schema of `leaderboard.json`, by `benchmac aggregate` or by a session, which adds `run`."""
    schema = Leaderboard.model_json_schema(mode="serialization")
    counts = ("cases", "resolved", "unchecked", "failed", "errors", "skipped", "missing")
    names = {"type": "array", "items": {"type": "string"}}
    asked = {
        "type": "object",
        "properties": {"instances": names, "suts": names},
        "required": ["instances", "suts"],
        "additionalProperties": False,
    }
    schema["properties"]["run"] = {
        "type": "object",
        "properties": {
            **{name: {"type": "integer", "minimum": 0} for name in counts},
            "error_messages": {"type": "object", "additionalProperties": {"type": "string"}},
            "asked": {"type": "object", "additionalProperties": asked},
        },
        "required": [*counts, "error_messages", "asked"],
        "additionalProperties": False,
    }
    return {"$schema": DIALECT, **schema}


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


SCHEMAS: Mapping[str, Path] = {
    "instance": INSTANCE_SCHEMA_FILE,
    "evaluation": EVALUATION_SCHEMA_FILE,
    "leaderboard": LEADERBOARD_SCHEMA_FILE,
}


def add_parser(subparsers: Subparsers) -> None:
    """Add `benchmac schema`."""
    parser = subparsers.add_parser(
        "schema",
        help="print the JSON Schema of a file",
        description="Print the JSON Schema (2020-12) of instance.toml, of an evaluation record, or "
        "of leaderboard.json, for editors and other tools.",
        epilog="examples:\n  benchmac schema > instance.schema.json\n  benchmac schema evaluation",
    )
    parser.add_argument(
        "file", choices=list(SCHEMAS), nargs="?", default="instance", help="default: %(default)s"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    sys.stdout.write(SCHEMAS[args.file].read_text(encoding="utf-8"))
    return 0


if __name__ == "__main__":
    for file, content in schema_files().items():
        target = Path(sys.argv[1]) / file.name if len(sys.argv) > 1 else file
        target.write_text(content, encoding="utf-8")
