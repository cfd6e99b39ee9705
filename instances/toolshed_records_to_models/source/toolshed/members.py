"""The people who borrow."""

import re

from toolshed import catalog, dates, fees, journal, money, settings, storage, tables
from toolshed.errors import InputError, RefusedError

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def check_email(text):
    """The address in lower case, if it looks like one."""
    if not _EMAIL.fullmatch(text.strip()):
        raise InputError(f"not an e-mail address: {text!r}")
    return text.strip().lower()


def add(root, name, email, kind="standard", trained=False):
    """Admit a member for a year and charge the membership."""
    rules = settings.read(root)
    members = storage.load(root, "members")
    address = check_email(email)
    for other in members:
        if other["email"] == address and not other["closed"]:
            raise RefusedError(f"{address} belongs to {other['id']} {other['name']}")
    today = dates.today()
    member = {
        "id": storage.next_id("members", members),
        "name": catalog.clean_name(name),
        "email": address,
        "kind": kind,
        "trained": trained,
        "joined": today.isoformat(),
        "until": dates.add_years(today, 1).isoformat(),
        "closed": False,
    }
    members.append(member)
    storage.save(root, "members", members)
    journal.write(root, "member-add", member["id"], member["name"])
    print(f"{member['id']} {member['name']} added, member until {member['until']}")
    _charge_membership(root, rules, member)


def _charge_membership(root, rules, member):
    amount = rules["membership"][member["kind"]]
    if amount:
        fee = fees.charge(root, member["id"], "membership", amount)
        print(f"{fee['id']} membership {money.shown(amount, rules)}")


def show_list(root, current=False):
    """Print the members; with `current`, those alone whose membership runs."""
    today = dates.today().isoformat()
    rows = []
    for member in sorted(storage.load(root, "members"), key=lambda member: member["name"].lower()):
        state = state_of(member, today)
        if current and state != "current":
            continue
        rows.append([member["id"], member["name"], member["kind"], member["until"], state])
    if not rows:
        print("no such members")
        return
    tables.print_table(["id", "name", "kind", "until", "state"], rows)


def state_of(member, today):
    """`closed`, `expired` or `current`."""
    if member["closed"]:
        return "closed"
    return "expired" if member["until"] < today else "current"


def show(root, member_id):
    """Print a member with open loans and fees."""
    rules = settings.read(root)
    member = storage.find("members", storage.load(root, "members"), member_id)
    tools = {tool["id"]: tool for tool in storage.load(root, "tools")}
    print(f"{member['id']}  {member['name']} <{member['email']}>")
    print(f"{member['kind']}, {state_of(member, dates.today().isoformat())}", end="")
    print(f", {'trained' if member['trained'] else 'not trained'}")
    print(f"from {member['joined']} until {member['until']}")
    for loan in storage.load(root, "loans"):
        if loan["member"] == member["id"] and loan["back"] is None:
            name = tools[loan["tool"]]["name"] if loan["tool"] in tools else "?"
            print(f"  has {loan['tool']} {name} until {loan['due']}")
    for hold in storage.load(root, "holds"):
        if hold["member"] == member["id"] and hold["state"] in ("waiting", "ready"):
            print(f"  {hold['state']} {hold['tool']} ({hold['id']})")
    owed = fees.owed_by(storage.load(root, "fees"), member["id"])
    print(f"owes {money.shown(owed, rules)}")


def renew(root, member_id, years=1):
    """Lengthen a membership from its end, or from today where it has ended."""
    rules = settings.read(root)
    members = storage.load(root, "members")
    member = storage.find("members", members, member_id)
    if member["closed"]:
        raise RefusedError(f"{member['id']} is closed")
    if not 1 <= years <= 5:
        raise InputError("renew for 1 to 5 years")
    start = max(dates.parse(member["until"]), dates.today())
    member["until"] = dates.add_years(start, years).isoformat()
    storage.save(root, "members", members)
    journal.write(root, "member-renew", member["id"], member["until"])
    print(f"{member['id']} {member['name']} is member until {member['until']}")
    for _ in range(years):
        _charge_membership(root, rules, member)


def close(root, member_id):
    """End a membership; refused while something is lent or owed."""
    rules = settings.read(root)
    members = storage.load(root, "members")
    member = storage.find("members", members, member_id)
    if member["closed"]:
        raise RefusedError(f"{member['id']} is closed already")
    for loan in storage.load(root, "loans"):
        if loan["member"] == member["id"] and loan["back"] is None:
            raise RefusedError(f"{member['id']} still has {loan['tool']}")
    owed = fees.owed_by(storage.load(root, "fees"), member["id"])
    if owed:
        raise RefusedError(f"{member['id']} still owes {money.shown(owed, rules)}")
    member["closed"] = True
    storage.save(root, "members", members)
    holds = storage.load(root, "holds")
    for hold in holds:
        if hold["member"] == member["id"] and hold["state"] in ("waiting", "ready"):
            hold["state"] = "cancelled"
    storage.save(root, "holds", holds)
    journal.write(root, "member-close", member["id"])
    print(f"{member['id']} {member['name']} closed")
