"""Tools and members from CSV files."""

import csv
import sys
from pathlib import Path

from toolshed import catalog, dates, journal, members, money, schema, storage
from toolshed.errors import InputError

COLUMNS = {
    "tools": ("name", "category", "value", "days", "training"),
    "members": ("name", "email", "kind", "trained"),
}
REQUIRED = {"tools": ("name", "category", "value"), "members": ("name", "email")}


def run(root, name, source, dry_run=False, skip_bad=False):
    """Add what a CSV file, or standard input for `-`, holds."""
    if source == "-":
        text = sys.stdin.read()
    else:
        path = Path(source)
        if not path.is_file():
            raise InputError(f"no such file: {source}")
        text = path.read_text(encoding="utf-8")
    records = storage.load(root, name)
    good, bad = [], []
    for number, row in _rows(name, text):
        try:
            good.append(_record(name, row, records + good))
        except InputError as problem:
            bad.append({"line": number, "problem": str(problem)})
    for entry in bad:
        print(f"line {entry['line']}: {entry['problem']}", file=sys.stderr)
    if bad and not skip_bad:
        raise InputError(f"nothing imported: {len(bad)} bad of {len(bad) + len(good)} lines")
    if not dry_run and good:
        storage.save(root, name, records + good)
        journal.write(root, f"import-{name}", len(good))
    for record in good:
        print(f"{record['id']} {record['name']}")
    print(f"{len(good)} {name} {'would be ' if dry_run else ''}imported")


def _rows(name, text):
    """Line number and cells of every line below the heading."""
    reader = csv.reader(text.splitlines())
    heading = next(reader, None)
    if heading is None:
        raise InputError("the file is empty")
    heading = [cell.strip().lower() for cell in heading]
    for column in heading:
        if column not in COLUMNS[name]:
            raise InputError(f"unknown column {column!r}")
    for column in REQUIRED[name]:
        if column not in heading:
            raise InputError(f"the column {column!r} is missing")
    for cells in reader:
        if cells:
            yield reader.line_num, dict(zip(heading, (cell.strip() for cell in cells)))


def _record(name, row, others):
    for column in REQUIRED[name]:
        if not row.get(column):
            raise InputError(f"{column} is missing")
    if name == "tools":
        return {
            "id": storage.next_id("tools", others),
            "name": catalog.clean_name(row["name"]),
            "category": row["category"].lower(),
            "value": money.parse(row["value"]),
            "days": _count(row["days"]) if row.get("days") else None,
            "training": _flag(row.get("training", "")),
            "status": "available",
            "added": dates.today().isoformat(),
        }
    kind = row.get("kind") or "standard"
    if kind not in schema.MEMBER_KINDS:
        raise InputError(f"no such kind: {kind}")
    email = members.check_email(row["email"])
    if any(other["email"] == email for other in others):
        raise InputError(f"{email} is there already")
    today = dates.today()
    return {
        "id": storage.next_id("members", others),
        "name": catalog.clean_name(row["name"]),
        "email": email,
        "kind": kind,
        "trained": _flag(row.get("trained", "")),
        "joined": today.isoformat(),
        "until": dates.add_years(today, 1).isoformat(),
        "closed": False,
    }


def _count(text):
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"not a number of days: {text!r}")
    return int(text)


def _flag(text):
    if text.lower() in ("", "no", "n", "0"):
        return False
    if text.lower() in ("yes", "y", "1"):
        return True
    raise InputError(f"neither yes nor no: {text!r}")
