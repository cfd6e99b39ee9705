"""Holds: members who wait for a tool, in order."""

from datetime import timedelta

from toolshed import dates, journal, settings, storage, tables
from toolshed.errors import RefusedError


def add(root, member_id, tool_id):
    """Put a member into the queue of a tool."""
    member = storage.find("members", storage.load(root, "members"), member_id)
    tool = storage.find("tools", storage.load(root, "tools"), tool_id)
    holds = storage.load(root, "holds")
    if member["closed"]:
        raise RefusedError(f"{member['id']} is closed")
    if tool["status"] == "retired":
        raise RefusedError(f"{tool['id']} is retired")
    if tool["status"] == "available" and not queue(holds, tool["id"]):
        raise RefusedError(f"{tool['id']} is on the shelf; lend it instead")
    for loan in storage.load(root, "loans"):
        if loan["tool"] == tool["id"] and loan["member"] == member["id"] and loan["back"] is None:
            raise RefusedError(f"{member['id']} has {tool['id']} already")
    if any(hold["member"] == member["id"] for hold in queue(holds, tool["id"])):
        raise RefusedError(f"{member['id']} waits for {tool['id']} already")
    hold = {
        "id": storage.next_id("holds", holds),
        "tool": tool["id"],
        "member": member["id"],
        "placed": dates.today().isoformat(),
        "ready": None,
        "state": "waiting",
    }
    holds.append(hold)
    storage.save(root, "holds", holds)
    journal.write(root, "hold-add", hold["id"], member["id"], tool["id"])
    place = len(queue(holds, tool["id"]))
    print(f"{hold['id']} {member['name']} waits for {tool['id']} {tool['name']}, place {place}")


def queue(holds, tool_id):
    """Holds on a tool that are still of interest, the first one first."""
    alive = [h for h in holds if h["tool"] == tool_id and h["state"] in ("waiting", "ready")]
    return sorted(alive, key=lambda hold: (hold["state"] != "ready", hold["placed"], hold["id"]))


def offer(root, tool_id):
    """Set a tool that came back aside for the first who waits; returns the hold, or None."""
    holds = storage.load(root, "holds")
    for hold in queue(holds, tool_id):
        if hold["state"] == "waiting":
            hold["state"] = "ready"
            hold["ready"] = dates.today().isoformat()
            storage.save(root, "holds", holds)
            journal.write(root, "hold-ready", hold["id"], hold["member"], tool_id)
            return hold
    return None


def last_day(rules, hold):
    """The day up to which a ready hold is kept."""
    return dates.parse(hold["ready"]) + timedelta(days=rules["hold_days"])


def reserved_for(rules, holds, tool_id, today):
    """The member for whom the tool is set aside now, or None."""
    for hold in queue(holds, tool_id):
        if hold["state"] == "ready" and last_day(rules, hold) >= today:
            return hold["member"]
    return None


def cancel(root, hold_id):
    """Take a hold back."""
    holds = storage.load(root, "holds")
    hold = storage.find("holds", holds, hold_id)
    if hold["state"] not in ("waiting", "ready"):
        raise RefusedError(f"{hold['id']} is {hold['state']} already")
    was_ready = hold["state"] == "ready"
    hold["state"] = "cancelled"
    storage.save(root, "holds", holds)
    journal.write(root, "hold-cancel", hold["id"])
    print(f"{hold['id']} cancelled")
    if was_ready:
        following = offer(root, hold["tool"])
        if following:
            print(f"{following['id']} of {following['member']} is ready now")


def show_list(root, everything=False):
    """Print the queues, tool by tool."""
    rules = settings.read(root)
    rows = []
    for hold in sorted(storage.load(root, "holds"), key=lambda h: (h["tool"], h["placed"], h["id"])):
        if hold["state"] not in ("waiting", "ready") and not everything:
            continue
        until = last_day(rules, hold).isoformat() if hold["state"] == "ready" else ""
        rows.append(
            [hold["id"], hold["tool"], hold["member"], hold["placed"], hold["state"], until]
        )
    if not rows:
        print("nobody waits")
        return
    tables.print_table(["id", "tool", "member", "placed", "state", "kept until"], rows)
