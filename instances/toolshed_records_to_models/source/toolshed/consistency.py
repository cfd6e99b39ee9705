"""Whether the records agree with each other."""

from toolshed import dates, journal, storage


def problems(root):
    """What does not fit, as records: collection, id, text, and the status that would fit."""
    tools = storage.load(root, "tools")
    members = {member["id"] for member in storage.load(root, "members")}
    loans = storage.load(root, "loans")
    known = {tool["id"] for tool in tools}
    found = []
    for name in storage.COLLECTIONS:
        seen = set()
        for record in storage.load(root, name):
            if record["id"] in seen:
                found.append(_problem(name, record, "is there twice"))
            seen.add(record["id"])
            if "tool" in record and record["tool"] not in known:
                found.append(_problem(name, record, f"names no tool {record['tool']}"))
            if "member" in record and record["member"] not in members:
                found.append(_problem(name, record, f"names no member {record['member']}"))
    for loan in loans:
        out, due = dates.parse(loan["out"]), dates.parse(loan["due"])
        if due < out:
            found.append(_problem("loans", loan, "is due before it began"))
        if loan["back"] is not None and dates.parse(loan["back"]) < out:
            found.append(_problem("loans", loan, "came back before it began"))
    for fee in storage.load(root, "fees"):
        if fee["paid"] > fee["amount"]:
            found.append(_problem("fees", fee, "is overpaid"))
    lent = {loan["tool"] for loan in loans if loan["back"] is None}
    broken = {r["tool"] for r in storage.load(root, "repairs") if r["closed"] is None}
    for tool in tools:
        expected = _expected_status(tool, lent, broken)
        if tool["status"] != expected:
            text = f"is {tool['status']}, should be {expected}"
            found.append({**_problem("tools", tool, text), "status": expected})
    return found


def _problem(name, record, text):
    return {"collection": name, "id": record["id"], "text": text, "status": None}


def _expected_status(tool, lent, broken):
    if tool["id"] in lent:
        return "lent"
    if tool["status"] == "retired":
        return "retired"
    return "repair" if tool["id"] in broken else "available"


def run(root, fix=False):
    """Print the problems; with `fix`, correct statuses. Returns the exit status."""
    found = problems(root)
    fixable = {problem["id"]: problem["status"] for problem in found if problem["status"]}
    for problem in found:
        mended = fix and problem["status"] is not None
        print(f"{problem['collection']} {problem['id']} {problem['text']}", end="")
        print(" (corrected)" if mended else "")
    if fix and fixable:
        tools = storage.load(root, "tools")
        for tool in tools:
            if tool["id"] in fixable:
                tool["status"] = fixable[tool["id"]]
        storage.save(root, "tools", tools)
        journal.write(root, "check-fix", *sorted(fixable))
    left = len(found) - (len(fixable) if fix else 0)
    print("all records agree" if not left else f"{left} problems")
    return 1 if left else 0
