"""The journal: one line for every change, never rewritten."""

import os
from datetime import datetime
from pathlib import Path

FILE = "journal.log"


def write(root, action, *details):
    """Append a line: when, who, what."""
    stamp = os.environ.get("TOOLSHED_NOW")
    now = datetime.fromisoformat(stamp) if stamp else datetime.now()
    user = os.environ.get("TOOLSHED_USER") or "desk"
    words = " ".join(str(detail) for detail in details)
    line = f"{now.isoformat(timespec='seconds')} {user} {action} {words}".rstrip()
    with open(Path(root) / FILE, "a", encoding="utf-8") as stream:
        stream.write(line + "\n")


def show(root, last=None, word=None, user=None):
    """Print the newest lines, oldest first."""
    path = Path(root) / FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    entries = [_entry(line) for line in lines]
    if user:
        entries = [entry for entry in entries if entry["user"] == user]
    if word:
        entries = [entry for entry in entries if word.lower() in entry["text"].lower()]
    if last is not None:
        entries = entries[len(entries) - min(last, len(entries)) :]
    if not entries:
        print("the journal has no such line")
    for entry in entries:
        print(f"{entry['when'].replace('T', ' ')}  {entry['user']:<8}  {entry['text']}")


def _entry(line):
    when, user, text = (line.split(" ", 2) + ["", ""])[:3]
    return {"when": when, "user": user, "text": text}
