"""Letters to members: what is overdue, what is ready."""

import os
from datetime import date, datetime
from pathlib import Path

from toolshed import dates, fees, holds, money, settings, storage

OUTBOX = "outbox"


def _overdue_letters(root, rules, today):
    tools = {tool["id"]: tool for tool in storage.load(root, "tools")}
    late = {}
    for loan in storage.load(root, "loans"):
        if loan["back"] is None and date.fromisoformat(loan["due"]) < today:
            late.setdefault(loan["member"], []).append(loan)
    letters = []
    for member in storage.load(root, "members"):
        loans = sorted(late.get(member["id"], []), key=lambda loan: (loan["due"], loan["id"]))
        if not loans:
            continue
        lines = [f"Dear {member['name']},", "", "please bring back:"]
        total = 0
        for loan in loans:
            name = tools[loan["tool"]]["name"] if loan["tool"] in tools else loan["tool"]
            lines.append(f"- {name}, due {dates.long(date.fromisoformat(loan['due']))}")
            total += fees.late_fee(rules, member, loan, today)
        if total:
            lines += ["", f"Up to today the late fee is {money.shown(total, rules)}."]
        lines += ["", "Yours,", rules["name"]]
        letters.append({"member": member, "topic": "overdue", "text": "\n".join(lines)})
    return letters


def _ready_letters(root, rules, today):
    tools = {tool["id"]: tool for tool in storage.load(root, "tools")}
    members = {member["id"]: member for member in storage.load(root, "members")}
    letters = []
    for hold in storage.load(root, "holds"):
        if hold["state"] != "ready" or holds.last_day(rules, hold) < today:
            continue
        if hold["member"] not in members or hold["tool"] not in tools:
            continue
        member = members[hold["member"]]
        tool = tools[hold["tool"]]
        until = dates.long(holds.last_day(rules, hold))
        text = (
            f"Dear {member['name']},\n\n{tool['name']} ({tool['id']}) is waiting for you.\n"
            f"We keep it until {until}.\n\nYours,\n{rules['name']}"
        )
        letters.append({"member": member, "topic": f"ready-{hold['id']}", "text": text})
    return letters


def run(root, write=False, topic=None):
    """Print the letters of today, or leave them in the outbox."""
    rules = settings.read(root)
    stamp = os.environ.get("TOOLSHED_NOW")
    today = datetime.fromisoformat(stamp).date() if stamp else datetime.now().date()
    letters = []
    if topic in (None, "overdue"):
        letters += _overdue_letters(root, rules, today)
    if topic in (None, "ready"):
        letters += _ready_letters(root, rules, today)
    if not letters:
        print("nobody has to be told anything")
        return
    for number, letter in enumerate(letters):
        member = letter["member"]
        if write:
            folder = Path(root) / OUTBOX
            folder.mkdir(exist_ok=True)
            name = f"{today.isoformat()}-{member['id']}-{letter['topic']}.txt"
            with open(folder / name, "w", encoding="utf-8") as stream:
                stream.write(f"To: {member['email']}\n\n{letter['text']}\n")
            print(f"{OUTBOX}/{name}")
        else:
            if number:
                print("-" * 40)
            print(f"To: {member['email']}")
            print()
            print(letter["text"])
