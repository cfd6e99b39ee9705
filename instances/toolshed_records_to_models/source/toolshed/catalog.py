"""The tools that the shed lends."""

from toolshed import dates, journal, money, settings, storage, tables
from toolshed.errors import InputError, RefusedError

SORTS = ("id", "name", "value")


def add(root, name, category, value, days=None, training=False):
    """Put a tool into the catalogue."""
    tools = storage.load(root, "tools")
    tool = {
        "id": storage.next_id("tools", tools),
        "name": clean_name(name),
        "category": category.strip().lower(),
        "value": money.parse(value),
        "days": days,
        "training": training,
        "status": "available",
        "added": dates.today().isoformat(),
    }
    tools.append(tool)
    storage.save(root, "tools", tools)
    journal.write(root, "tool-add", tool["id"], tool["name"])
    print(f"{tool['id']} {tool['name']} added")


def clean_name(name):
    """The name without needless blanks; an empty one is an error."""
    words = name.split()
    if not words:
        raise InputError("a name cannot be empty")
    return " ".join(words)


def show_list(root, category=None, status=None, sort="id"):
    """Print the tools that fit."""
    tools = storage.load(root, "tools")
    if category:
        tools = [tool for tool in tools if tool["category"] == category.lower()]
    if status:
        tools = [tool for tool in tools if tool["status"] == status]
    elif not category:
        tools = [tool for tool in tools if tool["status"] != "retired"]
    if sort == "value":
        tools = sorted(tools, key=lambda tool: (-tool["value"], tool["id"]))
    elif sort == "name":
        tools = sorted(tools, key=lambda tool: (tool["name"].lower(), tool["id"]))
    else:
        tools = sorted(tools, key=lambda tool: tool["id"])
    if not tools:
        print("no such tools")
        return
    rows = [
        [tool["id"], tool["name"], tool["category"], money.plain(tool["value"]), tool["status"]]
        for tool in tools
    ]
    tables.print_table(["id", "name", "category", "value", "status"], rows)


def show(root, tool_id):
    """Print all that is known of a tool, with its history."""
    rules = settings.read(root)
    tool = storage.find("tools", storage.load(root, "tools"), tool_id)
    print(f"{tool['id']}  {tool['name']}")
    print(f"category   {tool['category']}")
    print(f"value      {money.shown(tool['value'], rules)}")
    print(f"status     {tool['status']}")
    print(f"loan days  {tool['days'] or rules['days']}")
    print(f"training   {'needed' if tool['training'] else 'not needed'}")
    print(f"since      {dates.long(dates.parse(tool['added']))}")
    loans = [loan for loan in storage.load(root, "loans") if loan["tool"] == tool["id"]]
    members = {member["id"]: member for member in storage.load(root, "members")}
    print(f"loans      {len(loans)}")
    for loan in sorted(loans, key=lambda loan: loan["out"], reverse=True)[:3]:
        name = members[loan["member"]]["name"] if loan["member"] in members else loan["member"]
        print(f"  {loan['out']} to {loan['back'] or '...':<10}  {name}")
    waiting = [
        hold
        for hold in storage.load(root, "holds")
        if hold["tool"] == tool["id"] and hold["state"] == "waiting"
    ]
    if waiting:
        print(f"waiting    {', '.join(hold['member'] for hold in waiting)}")


def edit(root, tool_id, name=None, category=None, value=None, days=None, training=None):
    """Change what is given, leave the rest."""
    tools = storage.load(root, "tools")
    tool = storage.find("tools", tools, tool_id)
    before = dict(tool)
    if name is not None:
        tool["name"] = clean_name(name)
    if category is not None:
        tool["category"] = category.strip().lower()
    if value is not None:
        tool["value"] = money.parse(value)
    if days is not None:
        tool["days"] = days
    if training is not None:
        tool["training"] = training
    changed = [key for key in tool if tool[key] != before[key]]
    if not changed:
        print("nothing to change")
        return
    storage.save(root, "tools", tools)
    journal.write(root, "tool-edit", tool["id"], *changed)
    print(f"{tool['id']} changed: {', '.join(changed)}")


def retire(root, tool_id, sure=False):
    """Take a tool out of the catalogue for good; its history stays."""
    tools = storage.load(root, "tools")
    tool = storage.find("tools", tools, tool_id)
    if tool["status"] == "lent":
        raise RefusedError(f"{tool['id']} is lent; it has to come back first")
    if tool["status"] == "retired":
        raise RefusedError(f"{tool['id']} is retired already")
    if not sure:
        answer = input(f"Retire {tool['id']} {tool['name']}? [y/N] ")
        if answer.strip().lower() not in ("y", "yes"):
            print("left as it is")
            return
    tool["status"] = "retired"
    storage.save(root, "tools", tools)
    holds = storage.load(root, "holds")
    dropped = [h for h in holds if h["tool"] == tool["id"] and h["state"] in ("waiting", "ready")]
    for hold in dropped:
        hold["state"] = "cancelled"
    if dropped:
        storage.save(root, "holds", holds)
    journal.write(root, "tool-retire", tool["id"])
    print(f"{tool['id']} {tool['name']} retired")
    for hold in dropped:
        print(f"hold {hold['id']} of {hold['member']} cancelled")
