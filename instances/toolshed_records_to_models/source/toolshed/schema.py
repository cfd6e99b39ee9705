"""Fields of the records, and the check that every record read from a file passes."""

from toolshed import dates
from toolshed.errors import StoreError

TOOL_STATUSES = ("available", "lent", "repair", "retired")
MEMBER_KINDS = ("standard", "supporter", "volunteer")
HOLD_STATES = ("waiting", "ready", "fulfilled", "cancelled")
FEE_KINDS = ("late", "damage", "membership")

#: Collection -> its fields in order. A field without a default has to be there.
FIELDS = {
    "tools": [
        {"name": "id", "type": "text"},
        {"name": "name", "type": "text"},
        {"name": "category", "type": "text"},
        {"name": "value", "type": "count"},
        {"name": "days", "type": "count", "default": None},
        {"name": "training", "type": "flag", "default": False},
        {"name": "status", "type": TOOL_STATUSES, "default": "available"},
        {"name": "added", "type": "date"},
    ],
    "members": [
        {"name": "id", "type": "text"},
        {"name": "name", "type": "text"},
        {"name": "email", "type": "text"},
        {"name": "kind", "type": MEMBER_KINDS, "default": "standard"},
        {"name": "trained", "type": "flag", "default": False},
        {"name": "joined", "type": "date"},
        {"name": "until", "type": "date"},
        {"name": "closed", "type": "flag", "default": False},
    ],
    "loans": [
        {"name": "id", "type": "text"},
        {"name": "tool", "type": "text"},
        {"name": "member", "type": "text"},
        {"name": "out", "type": "date"},
        {"name": "due", "type": "date"},
        {"name": "back", "type": "date", "default": None},
        {"name": "extensions", "type": "count", "default": 0},
    ],
    "holds": [
        {"name": "id", "type": "text"},
        {"name": "tool", "type": "text"},
        {"name": "member", "type": "text"},
        {"name": "placed", "type": "date"},
        {"name": "ready", "type": "date", "default": None},
        {"name": "state", "type": HOLD_STATES, "default": "waiting"},
    ],
    "fees": [
        {"name": "id", "type": "text"},
        {"name": "member", "type": "text"},
        {"name": "kind", "type": FEE_KINDS},
        {"name": "amount", "type": "count"},
        {"name": "paid", "type": "count", "default": 0},
        {"name": "charged", "type": "date"},
        {"name": "loan", "type": "text", "default": None},
        {"name": "waived", "type": "text", "default": None},
    ],
    "repairs": [
        {"name": "id", "type": "text"},
        {"name": "tool", "type": "text"},
        {"name": "note", "type": "text"},
        {"name": "opened", "type": "date"},
        {"name": "closed", "type": "date", "default": None},
        {"name": "cost", "type": "count", "default": 0},
    ],
}


def _complaint(kind, value):
    """What is wrong with a value of that type; empty where nothing is."""
    if isinstance(kind, tuple):
        return "" if value in kind else f"is not one of {', '.join(kind)}"
    if kind == "flag":
        return "" if isinstance(value, bool) else "is not true or false"
    if kind == "count":
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return "" if fits else "is not a whole number"
    if not isinstance(value, str):
        return "is not text"
    if kind == "date" and not dates.is_date(value):
        return "is not a date"
    return ""


def checked(name, record, where):
    """The record with its defaults filled in.

    Raises StoreError, which starts with `where`, for a field that is missing, wrong or unknown.
    """
    if not isinstance(record, dict):
        raise StoreError(f"{where} is not an object")
    full = {}
    for field in FIELDS[name]:
        key = field["name"]
        if key not in record:
            if "default" not in field:
                raise StoreError(f"{where} lacks {key!r}")
            full[key] = field["default"]
            continue
        value = record[key]
        optional = "default" in field and field["default"] is None
        if not (optional and value is None):
            complaint = _complaint(field["type"], value)
            if complaint:
                raise StoreError(f"{where}: {key!r} {complaint}: {value!r}")
        full[key] = value
    unknown = sorted(set(record) - set(full))
    if unknown:
        raise StoreError(f"{where} has an unknown field {unknown[0]!r}")
    return full
