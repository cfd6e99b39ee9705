"""What members owe: charged, paid, waived."""

import os
from datetime import date, datetime

from toolshed import journal, money, opening, settings, storage, tables
from toolshed.errors import InputError, RefusedError


def charge(root, member_id, kind, amount, loan_id=None):
    """Record a new fee and return it."""
    stamp = os.environ.get("TOOLSHED_NOW")
    now = datetime.fromisoformat(stamp) if stamp else datetime.now()
    fees = storage.load(root, "fees")
    fee = {
        "id": storage.next_id("fees", fees),
        "member": member_id,
        "kind": kind,
        "amount": amount,
        "paid": 0,
        "charged": now.date().isoformat(),
        "loan": loan_id,
        "waived": None,
    }
    fees.append(fee)
    storage.save(root, "fees", fees)
    journal.write(root, "fee-charge", fee["id"], member_id, kind, money.plain(amount))
    return fee


def open_amount(fee):
    """Cents that are still owed of a fee."""
    return 0 if fee["waived"] is not None else fee["amount"] - fee["paid"]


def owed_by(fees, member_id):
    """Cents that a member owes altogether."""
    return sum(open_amount(fee) for fee in fees if fee["member"] == member_id)


def late_fee(rules, member, loan, day):
    """Cents for bringing a loan back on that day.

    Open days alone count; volunteers pay half, rounded down; no more than the cap.
    """
    due = date.fromisoformat(loan["due"])
    late = opening.open_days_after(rules, due, day) if day > due else 0
    amount = min(late * rules["late_per_day"], rules["late_cap"])
    return amount // 2 if member["kind"] == "volunteer" else amount


def show_list(root, member_id=None, unpaid=False):
    """Print fees, and what of them is open."""
    rules = settings.read(root)
    fees = storage.load(root, "fees")
    if member_id:
        member = storage.find("members", storage.load(root, "members"), member_id)
        fees = [fee for fee in fees if fee["member"] == member["id"]]
    if unpaid:
        fees = [fee for fee in fees if open_amount(fee)]
    if not fees:
        print("no such fees")
        return
    rows = []
    for fee in fees:
        state = "waived" if fee["waived"] is not None else "open" if open_amount(fee) else "paid"
        rows.append(
            [
                fee["id"],
                fee["member"],
                fee["kind"],
                fee["charged"],
                money.plain(fee["amount"]),
                money.plain(open_amount(fee)),
                state,
            ]
        )
    tables.print_table(["id", "member", "kind", "charged", "amount", "open", "state"], rows)
    print(f"open: {money.shown(sum(open_amount(fee) for fee in fees), rules)}")


def pay(root, member_id, amount_text):
    """Take money from a member for the oldest fees first."""
    rules = settings.read(root)
    member = storage.find("members", storage.load(root, "members"), member_id)
    fees = storage.load(root, "fees")
    amount = money.parse(amount_text)
    owed = owed_by(fees, member["id"])
    if amount == 0:
        raise InputError("nothing to pay")
    if amount > owed:
        raise RefusedError(f"{member['id']} owes only {money.shown(owed, rules)}")
    left = amount
    mine = [fee for fee in fees if fee["member"] == member["id"] and open_amount(fee)]
    for fee in sorted(mine, key=lambda fee: (fee["charged"], fee["id"])):
        part = min(left, open_amount(fee))
        if part:
            fee["paid"] += part
            left -= part
            print(f"{fee['id']} {fee['kind']}: {money.plain(part)} of {money.plain(fee['amount'])}")
    storage.save(root, "fees", fees)
    journal.write(root, "fee-pay", member["id"], money.plain(amount))
    print(f"{member['name']} owes {money.shown(owed - amount, rules)}")


def waive(root, fee_id, reason):
    """Forgive what is open of a fee."""
    rules = settings.read(root)
    fees = storage.load(root, "fees")
    fee = storage.find("fees", fees, fee_id)
    rest = open_amount(fee)
    if not rest:
        raise RefusedError(f"nothing is open of {fee['id']}")
    if not reason.strip():
        raise InputError("a reason is needed")
    fee["waived"] = reason.strip()
    storage.save(root, "fees", fees)
    journal.write(root, "fee-waive", fee["id"], money.plain(rest))
    print(f"{fee['id']} waived: {money.shown(rest, rules)} ({fee['waived']})")
