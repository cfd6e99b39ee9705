"""What the tax office, the bank and the owner want to see."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from invoicebook import days, money
from invoicebook.book import Book
from invoicebook.invoices import Invoice, Totals
from invoicebook.listing import Query, bad

BUCKETS = (("notDue", 0), ("days1to30", 30), ("days31to60", 60), ("days61to90", 90))
OLDEST = "over90"


def entries(book: Book) -> Iterator[tuple[str, str, date, Invoice, int, Totals]]:
    """Kind, number, day, invoice, sign and totals of all that was ever booked, by day and number."""
    found: list[tuple[str, str, date, Invoice, int, Totals]] = []
    for invoice in book.invoices.values():
        if invoice.number is None or invoice.issued is None or invoice.cancelled is not None:
            continue
        found.append(("invoice", invoice.number, invoice.issued, invoice, 1, invoice.totals))
        for credit in invoice.credits:
            found.append(("credit", credit.number, credit.day, invoice, -1, credit.totals))
    yield from sorted(found, key=lambda each: (each[2], each[1]))


def vat(book: Book, query: Query) -> dict[str, object]:
    query.only("quarter")
    period = days.parse_quarter(query.get("quarter") or "")
    if period is None:
        raise bad("quarter must be written as 2024Q1")
    first, last = period
    sums: dict[tuple[str, str, Decimal], tuple[Decimal, Decimal]] = {}
    for _, _, day, invoice, sign, totals in entries(book):
        if not first <= day <= last:
            continue
        for rate, base in totals.bases:
            key = (invoice.currency, invoice.customer.country, rate)
            old_base, old_vat = sums.get(key, (Decimal(0), Decimal(0)))
            sums[key] = (old_base + sign * base, old_vat + sign * totals.vat_of(rate, base))
    rows = [
        {
            "currency": currency,
            "country": country,
            "rate": money.plain(rate),
            "base": money.show(base, currency),
            "vat": money.show(amount, currency),
        }
        for (currency, country, rate), (base, amount) in sorted(sums.items())
    ]
    return {"from": first.isoformat(), "to": last.isoformat(), "rows": rows}


def aging(book: Book, query: Query, today: date) -> dict[str, object]:
    query.only("asOf", "currency")
    text = query.get("asOf")
    as_of = days.parse(text) if text is not None else today
    if as_of is None:
        raise bad("asOf must be a day such as 2024-03-05")
    currency = query.get("currency") or "EUR"
    if currency not in money.DIGITS:
        raise bad(f"the currency {currency} is unknown")
    names = [name for name, _ in BUCKETS] + [OLDEST]
    rows: dict[str, dict[str, Decimal]] = {}
    for invoice in book.invoices.values():
        if invoice.currency != currency or invoice.status not in ("issued", "partly-paid"):
            continue
        late = invoice.overdue_days(as_of)
        bucket = next((name for name, most in BUCKETS if late <= most), OLDEST)
        row = rows.setdefault(invoice.customer.id, dict.fromkeys(names, Decimal(0)))
        row[bucket] += invoice.open
    shown: list[dict[str, object]] = []
    for key in sorted(rows, key=lambda key: (-sum(rows[key].values()), key)):
        shown.append({"customer": key, **_amounts(rows[key], currency)})
    sums = {name: sum((row[name] for row in rows.values()), Decimal(0)) for name in names}
    return {
        "asOf": as_of.isoformat(),
        "currency": currency,
        "customers": shown,
        "totals": _amounts(sums, currency),
    }


def _amounts(row: dict[str, Decimal], currency: str) -> dict[str, object]:
    amounts = {name: money.show(value, currency) for name, value in row.items()}
    return {**amounts, "sum": money.show(sum(row.values(), Decimal(0)), currency)}


def journal(book: Book, query: Query) -> str:
    query.only("year")
    year = query.get("year") or ""
    if not re.fullmatch("20[0-9]{2}", year):
        raise bad("year must be written as 2024")
    lines = ["type;number;date;customer;country;currency;net;vat;total"]
    for kind, number, day, invoice, sign, totals in entries(book):
        if day.year != int(year):
            continue
        amounts = [totals.net, totals.vat, totals.total]
        cells = [kind, number, day.isoformat(), _cell(invoice.customer.name)]
        cells += [invoice.customer.country, invoice.currency]
        cells += [money.show(sign * amount, invoice.currency) for amount in amounts]
        lines.append(";".join(cells))
    return "\r\n".join(lines) + "\r\n"


def _cell(text: str) -> str:
    if any(mark in text for mark in ';"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
