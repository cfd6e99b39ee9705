"""A shed with a little in it, and a way to run commands on it."""

import io
import json

import pytest

from toolshed.cli import main

SETTINGS = """\
[shed]
name = Mill Lane Toolshed
currency = EUR

[loans]
days = 7
limit = 3
extensions = 1
hold_days = 5

[fees]
late_per_day = 0.50
late_cap = 6.00
block_at = 15.00
standard = 20.00
supporter = 40.00
volunteer = 0.00

[opening]
days = tue, thu, sat
closed = 2025-03-13
"""

RECORDS = {
    "tools": [
        {"id": "T001", "name": "Cordless drill", "category": "drilling", "value": 8900,
         "status": "lent", "added": "2024-01-09"},
        {"id": "T002", "name": "Hedge trimmer", "category": "garden", "value": 7450,
         "added": "2024-01-09"},
        {"id": "T003", "name": "Chainsaw", "category": "garden", "value": 21900, "days": 2,
         "training": True, "added": "2024-02-20"},
        {"id": "T004", "name": "Drill press", "category": "drilling", "value": 16000,
         "status": "repair", "added": "2024-03-12"},
        {"id": "T005", "name": "Hand plane", "category": "wood", "value": 3300,
         "status": "retired", "added": "2024-01-09"},
        {"id": "T006", "name": "Tile cutter", "category": "masonry", "value": 5600,
         "added": "2024-05-02"},
        {"id": "T007", "name": "Belt sander", "category": "wood", "value": 6100,
         "status": "lent", "added": "2024-05-02"},
    ],
    "members": [
        {"id": "M001", "name": "Ada Brook", "email": "ada@example.org", "trained": True,
         "joined": "2024-01-16", "until": "2026-01-16"},
        {"id": "M002", "name": "Ben Dale", "email": "ben@example.org", "kind": "volunteer",
         "joined": "2024-01-16", "until": "2025-12-31"},
        {"id": "M003", "name": "Cleo Marsh", "email": "cleo@example.org", "kind": "supporter",
         "joined": "2024-02-20", "until": "2025-02-20"},
        {"id": "M004", "name": "Dan Heath", "email": "dan@example.org", "joined": "2024-03-01",
         "until": "2025-03-31"},
        {"id": "M005", "name": "Eve Ford", "email": "eve@example.org", "joined": "2024-03-01",
         "until": "2025-09-30", "closed": True},
    ],
    "loans": [
        {"id": "L001", "tool": "T002", "member": "M002", "out": "2025-01-07",
         "due": "2025-01-14", "back": "2025-01-14"},
        {"id": "L002", "tool": "T001", "member": "M004", "out": "2025-02-18",
         "due": "2025-02-25"},
        {"id": "L003", "tool": "T007", "member": "M002", "out": "2025-02-27",
         "due": "2025-03-06"},
        {"id": "L004", "tool": "T002", "member": "M001", "out": "2025-02-01",
         "due": "2025-02-08", "back": "2025-02-11"},
    ],
    "holds": [
        {"id": "H001", "tool": "T001", "member": "M001", "placed": "2025-02-20"},
        {"id": "H002", "tool": "T001", "member": "M002", "placed": "2025-02-22"},
        {"id": "H003", "tool": "T006", "member": "M002", "placed": "2025-02-20",
         "ready": "2025-03-01", "state": "ready"},
    ],
    "fees": [
        {"id": "F001", "member": "M001", "kind": "late", "amount": 50, "paid": 50,
         "charged": "2025-02-11", "loan": "L004"},
        {"id": "F002", "member": "M004", "kind": "membership", "amount": 2000, "paid": 1500,
         "charged": "2024-03-01"},
        {"id": "F003", "member": "M004", "kind": "damage", "amount": 400,
         "charged": "2024-06-01"},
    ],
    "repairs": [
        {"id": "R001", "tool": "T004", "note": "chuck is stuck", "opened": "2025-02-22"},
        {"id": "R002", "tool": "T002", "note": "blunt", "opened": "2024-10-01",
         "closed": "2024-10-12", "cost": 1250},
    ],
}


class Shed:
    """A folder of files, a clock, and the commands on them."""

    def __init__(self, folder, monkeypatch, capsys):
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.at("2025-03-04T10:00:00")

    def at(self, stamp):
        """Set the clock."""
        self._monkeypatch.setenv("TOOLSHED_NOW", stamp)

    def types(self, text):
        """What the next command reads from standard input."""
        self._monkeypatch.setattr("sys.stdin", io.StringIO(text))

    def run(self, *words):
        """Run a command; what it printed, on both streams, and its exit status."""
        self._capsys.readouterr()
        status = main(["--data", str(self.folder), *words])
        seen = self._capsys.readouterr()
        return status, seen.out, seen.err

    def ok(self, *words):
        """What a command printed that has to succeed."""
        status, out, err = self.run(*words)
        assert (status, err) == (0, "")
        return out

    def refused(self, status, *words):
        """What a command complained that has to fail."""
        seen, _, err = self.run(*words)
        assert seen == status
        return err

    def records(self, name):
        """A collection as its file has it now, by id."""
        with (self.folder / f"{name}.json").open(encoding="utf-8") as stream:
            return {row["id"]: row for row in json.load(stream)}

    def put(self, name, records):
        """Replace a collection's file."""
        self.write(f"{name}.json", json.dumps(records))

    def write(self, name, text):
        """Write a file of the shed."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def journal(self):
        """The lines of the journal."""
        path = self.folder / "journal.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def shed(tmp_path, monkeypatch, capsys):
    """A shed with seven tools and five members, on 4 March 2025, a Tuesday."""
    monkeypatch.delenv("TOOLSHED_USER", raising=False)
    monkeypatch.delenv("TOOLSHED_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "books"
    folder.mkdir()
    made = Shed(folder, monkeypatch, capsys)
    made.write("shed.ini", SETTINGS)
    for name, records in RECORDS.items():
        made.put(name, records)
    return made
