"""The collections of records, one JSON file each."""

import json
import os
from pathlib import Path

from toolshed import schema
from toolshed.errors import NotFoundError, StoreError

COLLECTIONS = tuple(schema.FIELDS)
PREFIXES = {"tools": "T", "members": "M", "loans": "L", "holds": "H", "fees": "F", "repairs": "R"}


def load(root, name):
    """All records of a collection, in the order of the file."""
    path = Path(root) / f"{name}.json"
    if not path.exists():
        raise StoreError(f"{path.name} is missing from {root}; run `toolshed init` first")
    text = path.read_text(encoding="utf-8")
    try:
        rows = json.loads(text)
    except ValueError as problem:
        raise StoreError(f"{path.name} is not JSON: {problem}") from problem
    return check_all(name, rows, path.name)


def check_all(name, rows, where):
    """The records, each checked and completed."""
    if not isinstance(rows, list):
        raise StoreError(f"{where} is not a list")
    return [
        schema.checked(name, row, f"{where}: record {number}")
        for number, row in enumerate(rows, start=1)
    ]


def save(root, name, records):
    """Write a collection; a reader sees the old file or the new one, never a half."""
    path = Path(root) / f"{name}.json"
    scratch = path.with_suffix(".json.tmp")
    text = json.dumps(records, indent=2, sort_keys=True, ensure_ascii=False)
    scratch.write_text(text + "\n", encoding="utf-8")
    os.replace(scratch, path)


def next_id(name, records):
    """The id after the highest one in use: `T007`."""
    prefix = PREFIXES[name]
    used = [int(r["id"][1:]) for r in records if r["id"][1:].isdigit()]
    return f"{prefix}{max(used, default=0) + 1:03d}"


def find(name, records, record_id):
    """The record of that id; upper and lower case are the same."""
    for record in records:
        if record["id"].lower() == record_id.lower():
            return record
    raise NotFoundError(f"no {name[:-1]} {record_id}")
