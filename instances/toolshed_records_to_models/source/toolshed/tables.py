"""Rows as text in columns, as CSV and as JSON."""

import csv
import json
import sys

from toolshed.errors import InputError

FORMATS = ("text", "csv", "json")


def print_table(headings, rows):
    """Print columns as wide as their widest cell; numbers stand on the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [
        max([len(heading)] + [len(row[column]) for row in cells])
        for column, heading in enumerate(headings)
    ]
    right = [
        bool(rows) and all(isinstance(row[column], int) for row in rows)
        for column in range(len(headings))
    ]
    print(_line(headings, widths, right))
    print("  ".join("-" * width for width in widths))
    for row in cells:
        print(_line(row, widths, right))


def print_rows(rows, fields, form):
    """Print dicts as a table, as CSV with a heading, or as a JSON list."""
    if form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(fields)
        for row in rows:
            writer.writerow([_cell(row[field]) for field in fields])
    elif form == "json":
        wanted = [{field: row[field] for field in fields} for row in rows]
        print(json.dumps(wanted, indent=2, ensure_ascii=False))
    elif form == "text":
        if not rows:
            print("nothing to show")
            return
        headings = [field.replace("_", " ") for field in fields]
        print_table(headings, [[row[field] for field in fields] for row in rows])
    else:
        raise InputError(f"no such format: {form}")


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _line(cells, widths, right):
    padded = [
        cell.rjust(width) if number else cell.ljust(width)
        for cell, width, number in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(padded).rstrip()
