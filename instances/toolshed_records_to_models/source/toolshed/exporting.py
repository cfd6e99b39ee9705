"""Collections as CSV or JSON, for spreadsheets and other programs."""

import csv
import json
import sys
from pathlib import Path

from toolshed import schema, storage
from toolshed.errors import InputError, RefusedError


def run(root, name, form="csv", output=None, fields=None, force=False):
    """Write a collection to a file, or to standard output."""
    known = [field["name"] for field in schema.FIELDS[name]]
    wanted = [word.strip() for word in fields.split(",")] if fields else known
    for field in wanted:
        if field not in known:
            raise InputError(f"{name} have no field {field!r}; there are {', '.join(known)}")
    rows = [{field: record[field] for field in wanted} for record in storage.load(root, name)]
    if output is None:
        _write(sys.stdout, rows, wanted, form)
        return
    path = Path(output)
    if path.exists() and not force:
        raise RefusedError(f"{output} is there already; --force replaces it")
    with open(path, "w", encoding="utf-8", newline="") as stream:
        _write(stream, rows, wanted, form)
    print(f"{len(rows)} {name} written to {output}")


def _write(stream, rows, fields, form):
    if form == "json":
        json.dump(rows, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
        return
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(fields)
    for row in rows:
        writer.writerow(["" if row[field] is None else row[field] for field in fields])
