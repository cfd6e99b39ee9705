"""Lending, returning, extending."""

from datetime import timedelta

from toolshed import dates, fees, holds, journal, money, opening, repairs, settings, storage, tables
from toolshed.errors import InputError, NotFoundError, RefusedError


def lend(root, member_id, tool_ids, days=None):
    """Lend tools to a member: all of them, or none."""
    rules = settings.read(root)
    members = storage.load(root, "members")
    tools = storage.load(root, "tools")
    loans = storage.load(root, "loans")
    queues = storage.load(root, "holds")
    member = storage.find("members", members, member_id)
    wanted = [storage.find("tools", tools, tool_id) for tool_id in tool_ids]
    if len({tool["id"] for tool in wanted}) < len(wanted):
        raise InputError("the same tool twice")
    today = dates.today()
    _check_member(root, rules, member, loans, len(wanted), today)
    for tool in wanted:
        _check_tool(rules, tool, member, queues, today)
    for tool in wanted:
        length = days or tool["days"] or rules["days"]
        loan = {
            "id": storage.next_id("loans", loans),
            "tool": tool["id"],
            "member": member["id"],
            "out": today.isoformat(),
            "due": opening.next_open(rules, today + timedelta(days=length)).isoformat(),
            "back": None,
            "extensions": 0,
        }
        loans.append(loan)
        tool["status"] = "lent"
        for hold in holds.queue(queues, tool["id"]):
            if hold["member"] == member["id"]:
                hold["state"] = "fulfilled"
        print(f"{loan['id']} {tool['name']} lent to {member['name']}, due {loan['due']}")
    storage.save(root, "loans", loans)
    storage.save(root, "tools", tools)
    storage.save(root, "holds", queues)
    journal.write(root, "lend", member["id"], *[tool["id"] for tool in wanted])


def _check_member(root, rules, member, loans, more, today):
    if member["closed"]:
        raise RefusedError(f"{member['id']} is closed")
    if dates.parse(member["until"]) < today:
        raise RefusedError(f"membership of {member['id']} ended on {member['until']}")
    owed = fees.owed_by(storage.load(root, "fees"), member["id"])
    if owed >= rules["block_at"] > 0:
        raise RefusedError(f"{member['id']} owes {money.shown(owed, rules)}")
    mine = [loan for loan in loans if loan["member"] == member["id"] and loan["back"] is None]
    overdue = [loan for loan in mine if dates.parse(loan["due"]) < today]
    if overdue:
        raise RefusedError(f"{member['id']} has to bring back {overdue[0]['tool']} first")
    if len(mine) + more > rules["limit"]:
        raise RefusedError(f"{member['id']} may have {rules['limit']} tools at a time")


def _check_tool(rules, tool, member, queues, today):
    if tool["status"] != "available":
        raise RefusedError(f"{tool['id']} {tool['name']} is not available ({tool['status']})")
    if tool["training"] and not member["trained"]:
        raise RefusedError(f"{tool['id']} {tool['name']} needs training")
    reserved = holds.reserved_for(rules, queues, tool["id"], today)
    if reserved is not None and reserved != member["id"]:
        raise RefusedError(f"{tool['id']} is set aside for {reserved}")


def give_back(root, tool_ids, damage=None, charge=None):
    """Take tools back; charge lateness and damage, serve who waits."""
    rules = settings.read(root)
    tools = storage.load(root, "tools")
    loans = storage.load(root, "loans")
    members = storage.load(root, "members")
    today = dates.today()
    if charge is not None and damage is None:
        raise InputError("a charge needs --damaged")
    returned = []
    for tool_id in tool_ids:
        tool = storage.find("tools", tools, tool_id)
        returned.append({"tool": tool, "loan": _open_loan(loans, tool["id"])})
    for item in returned:
        item["loan"]["back"] = today.isoformat()
        item["tool"]["status"] = "available" if damage is None else "repair"
    storage.save(root, "loans", loans)
    storage.save(root, "tools", tools)
    for item in returned:
        tool, loan = item["tool"], item["loan"]
        member = storage.find("members", members, loan["member"])
        journal.write(root, "return", tool["id"], member["id"])
        print(f"{tool['id']} {tool['name']} is back from {member['name']}")
        late = fees.late_fee(rules, member, loan, today)
        if late:
            fee = fees.charge(root, member["id"], "late", late, loan["id"])
            print(f"{fee['id']} late since {loan['due']}: {money.shown(late, rules)}")
        if damage is not None:
            repair = repairs.start(root, tool["id"], damage)
            print(f"{repair['id']} repair: {repair['note']}")
            if charge is not None and money.parse(charge):
                fee = fees.charge(root, member["id"], "damage", money.parse(charge), loan["id"])
                print(f"{fee['id']} damage: {money.shown(fee['amount'], rules)}")
            continue
        hold = holds.offer(root, tool["id"])
        if hold:
            until = holds.last_day(rules, hold)
            print(f"set aside for {hold['member']} until {dates.long(until)}")


def _open_loan(loans, tool_id):
    for loan in loans:
        if loan["tool"] == tool_id and loan["back"] is None:
            return loan
    raise NotFoundError(f"{tool_id} is not lent")


def extend(root, tool_id):
    """Move the day on which a tool is due."""
    rules = settings.read(root)
    tool = storage.find("tools", storage.load(root, "tools"), tool_id)
    loans = storage.load(root, "loans")
    loan = _open_loan(loans, tool["id"])
    today = dates.today()
    if loan["extensions"] >= rules["extensions"]:
        raise RefusedError(f"{tool['id']} was extended {loan['extensions']} times already")
    if dates.parse(loan["due"]) < today:
        raise RefusedError(f"{tool['id']} is overdue since {loan['due']}")
    if holds.queue(storage.load(root, "holds"), tool["id"]):
        raise RefusedError(f"somebody waits for {tool['id']}")
    length = timedelta(days=tool["days"] or rules["days"])
    loan["due"] = opening.next_open(rules, dates.parse(loan["due"]) + length).isoformat()
    loan["extensions"] += 1
    storage.save(root, "loans", loans)
    journal.write(root, "extend", tool["id"], loan["due"])
    print(f"{tool['id']} {tool['name']} is due {dates.long(dates.parse(loan['due']))} now")


def show_list(root, member_id=None, overdue=False, everything=False):
    """Print loans: open ones, unless all are wanted."""
    today = dates.today().isoformat()
    loans = storage.load(root, "loans")
    if member_id:
        member = storage.find("members", storage.load(root, "members"), member_id)
        loans = [loan for loan in loans if loan["member"] == member["id"]]
    if not everything:
        loans = [loan for loan in loans if loan["back"] is None]
    if overdue:
        loans = [loan for loan in loans if (loan["back"] or today) > loan["due"]]
    if not loans:
        print("no such loans")
        return
    rows = []
    for loan in sorted(loans, key=lambda loan: (loan["due"], loan["id"])):
        late = (dates.parse(loan["back"] or today) - dates.parse(loan["due"])).days
        rows.append(
            [
                loan["id"],
                loan["tool"],
                loan["member"],
                loan["out"],
                loan["due"],
                loan["back"],
                max(late, 0),
            ]
        )
    tables.print_table(["id", "tool", "member", "out", "due", "back", "days late"], rows)
