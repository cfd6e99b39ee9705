"""Tools on the workbench."""

from toolshed import catalog, dates, holds, journal, money, settings, storage, tables
from toolshed.errors import RefusedError


def start(root, tool_id, note):
    """Record that a tool is broken and return the repair."""
    repairs = storage.load(root, "repairs")
    repair = {
        "id": storage.next_id("repairs", repairs),
        "tool": tool_id,
        "note": catalog.clean_name(note),
        "opened": dates.today().isoformat(),
        "closed": None,
        "cost": 0,
    }
    repairs.append(repair)
    storage.save(root, "repairs", repairs)
    journal.write(root, "repair-open", repair["id"], tool_id)
    return repair


def open_for(root, tool_id, note):
    """Take a tool from the shelf to the workbench."""
    tools = storage.load(root, "tools")
    tool = storage.find("tools", tools, tool_id)
    if tool["status"] != "available":
        raise RefusedError(f"{tool['id']} is not on the shelf ({tool['status']})")
    repair = start(root, tool["id"], note)
    tool["status"] = "repair"
    storage.save(root, "tools", tools)
    print(f"{repair['id']} {tool['name']}: {repair['note']}")


def close(root, repair_id, cost="0"):
    """Put a mended tool back on the shelf, or aside for who waits."""
    rules = settings.read(root)
    repairs = storage.load(root, "repairs")
    repair = storage.find("repairs", repairs, repair_id)
    if repair["closed"] is not None:
        raise RefusedError(f"{repair['id']} was closed on {repair['closed']}")
    repair["closed"] = dates.today().isoformat()
    repair["cost"] = money.parse(cost)
    storage.save(root, "repairs", repairs)
    tools = storage.load(root, "tools")
    tool = storage.find("tools", tools, repair["tool"])
    tool["status"] = "available"
    storage.save(root, "tools", tools)
    journal.write(root, "repair-close", repair["id"], money.plain(repair["cost"]))
    days = (dates.parse(repair["closed"]) - dates.parse(repair["opened"])).days
    print(f"{tool['id']} {tool['name']} mended in {days} days", end="")
    print(f" for {money.shown(repair['cost'], rules)}")
    hold = holds.offer(root, tool["id"])
    if hold:
        print(f"set aside for {hold['member']}")


def show_list(root, everything=False):
    """Print the workbench; with `everything`, what was mended too."""
    rows = [
        [
            repair["id"],
            repair["tool"],
            repair["opened"],
            repair["closed"],
            money.plain(repair["cost"]),
            repair["note"],
        ]
        for repair in storage.load(root, "repairs")
        if everything or repair["closed"] is None
    ]
    if not rows:
        print("the workbench is empty")
        return
    tables.print_table(["id", "tool", "opened", "closed", "cost", "note"], rows)
