"""Reports on the whole shed."""

import os
from collections import Counter
from datetime import datetime

from toolshed import dates, fees, money, settings, storage, tables

KINDS = ("overdue", "popular", "balance", "inventory")


def overdue_rows(root, today):
    """Open loans past their day, the latest first."""
    rules = settings.read(root)
    members = {member["id"]: member for member in storage.load(root, "members")}
    tools = {tool["id"]: tool for tool in storage.load(root, "tools")}
    rows = []
    for loan in storage.load(root, "loans"):
        if loan["back"] is not None or dates.parse(loan["due"]) >= today:
            continue
        if loan["member"] not in members or loan["tool"] not in tools:
            continue
        member = members[loan["member"]]
        rows.append(
            {
                "tool": f"{loan['tool']} {tools[loan['tool']]['name']}",
                "member": member["name"],
                "email": member["email"],
                "due": loan["due"],
                "days_late": (today - dates.parse(loan["due"])).days,
                "fee": money.plain(fees.late_fee(rules, member, loan, today)),
            }
        )
    return sorted(rows, key=lambda row: (-row["days_late"], row["tool"]))


def popular_rows(root, since=None, until=None):
    """Tools by number of loans that began in the period."""
    first = dates.parse(since) if since else None
    last = dates.parse(until) if until else None
    counts = Counter()
    days_out = Counter()
    for loan in storage.load(root, "loans"):
        begun = dates.parse(loan["out"])
        if (first and begun < first) or (last and begun > last):
            continue
        counts[loan["tool"]] += 1
        if loan["back"] is not None:
            days_out[loan["tool"]] += (dates.parse(loan["back"]) - begun).days
    rows = [
        {
            "id": tool["id"],
            "name": tool["name"],
            "loans": counts[tool["id"]],
            "days_out": days_out[tool["id"]],
        }
        for tool in storage.load(root, "tools")
        if counts[tool["id"]]
    ]
    return sorted(rows, key=lambda row: (-row["loans"], -row["days_out"], row["id"]))


def balance_rows(root):
    """Members who owe, the highest sum first."""
    owing = {}
    for fee in storage.load(root, "fees"):
        if fees.open_amount(fee):
            entry = owing.setdefault(fee["member"], {"late": 0, "damage": 0, "membership": 0})
            entry[fee["kind"]] += fees.open_amount(fee)
    rows = []
    for member in storage.load(root, "members"):
        if member["id"] in owing:
            sums = owing[member["id"]]
            rows.append(
                {
                    "member": f"{member['id']} {member['name']}",
                    "late": money.plain(sums["late"]),
                    "damage": money.plain(sums["damage"]),
                    "membership": money.plain(sums["membership"]),
                    "total": money.plain(sum(sums.values())),
                    "cents": sum(sums.values()),
                }
            )
    return sorted(rows, key=lambda row: (-row["cents"], row["member"]))


def inventory_rows(root):
    """What there is, category by category; retired tools do not count."""
    groups = {}
    spent = Counter()
    for repair in storage.load(root, "repairs"):
        spent[repair["tool"]] += repair["cost"]
    for tool in storage.load(root, "tools"):
        if tool["status"] == "retired":
            continue
        group = groups.setdefault(
            tool["category"], {"tools": 0, "lent": 0, "repair": 0, "value": 0, "repairs": 0}
        )
        group["tools"] += 1
        group["lent"] += tool["status"] == "lent"
        group["repair"] += tool["status"] == "repair"
        group["value"] += tool["value"]
        group["repairs"] += spent[tool["id"]]
    return [
        {
            "category": category,
            "tools": group["tools"],
            "lent": group["lent"],
            "repair": group["repair"],
            "value": money.plain(group["value"]),
            "repair_costs": money.plain(group["repairs"]),
        }
        for category, group in sorted(groups.items())
    ]


def show(root, kind, form="text", since=None, until=None):
    """Print one of the reports."""
    rules = settings.read(root)
    stamp = os.environ.get("TOOLSHED_NOW")
    today = datetime.fromisoformat(stamp).date() if stamp else datetime.now().date()
    if kind == "overdue":
        rows = overdue_rows(root, today)
        fields = ["tool", "member", "email", "due", "days_late", "fee"]
    elif kind == "popular":
        rows = popular_rows(root, since, until)
        fields = ["id", "name", "loans", "days_out"]
    elif kind == "balance":
        rows = balance_rows(root)
        fields = ["member", "late", "damage", "membership", "total"]
    else:
        rows = inventory_rows(root)
        fields = ["category", "tools", "lent", "repair", "value", "repair_costs"]
    if form == "text":
        print(f"{rules['name']}: {kind}, {dates.long(today)}")
        print()
    tables.print_rows(rows, fields, form)
    if form == "text" and kind == "balance":
        print()
        print(f"owed altogether: {money.shown(sum(row['cents'] for row in rows), rules)}")
