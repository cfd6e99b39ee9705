"""An invoice as text, 72 columns wide."""

from invoicebook import money
from invoicebook.invoices import Invoice, Line

WIDTH = 72


def render(invoice: Invoice) -> str:
    title = f"INVOICE {invoice.number}" if invoice.number else f"DRAFT {invoice.id}"
    if invoice.cancelled is not None:
        title += " (CANCELLED)"
    out = [title, "=" * len(title), ""]
    out.append(f"To:       {invoice.customer.name} ({invoice.customer.country})")
    if invoice.customer.vat_id is not None:
        out.append(f"VAT id:   {invoice.customer.vat_id}")
    if invoice.issued is not None and invoice.due is not None:
        out.append(f"Date:     {invoice.issued.isoformat()}")
        out.append(f"Due:      {invoice.due.isoformat()}")
    out += ["", row("#", "Description", "Quantity", "Price", "Net"), "-" * WIDTH]
    for index, line in enumerate(invoice.lines, start=1):
        out.extend(render_line(invoice, index, line))
    out.append("-" * WIDTH)
    totals = invoice.totals
    out.append(amount("Net", money.grouped(totals.net, invoice.currency)))
    for rate, base in totals.bases:
        vat = money.grouped(totals.vat_of(rate, base), invoice.currency)
        out.append(
            amount(f"VAT {money.plain(rate)} % of {money.grouped(base, invoice.currency)}", vat)
        )
    out.append(amount(f"Total {invoice.currency}", money.grouped(totals.total, invoice.currency)))
    if invoice.fees:
        out.append(amount("Reminders", money.grouped(invoice.fees, invoice.currency)))
    if invoice.credits:
        out.append(amount("Credited", money.grouped(-invoice.credited, invoice.currency)))
    if invoice.payments:
        out.append(amount("Paid", money.grouped(-invoice.paid, invoice.currency)))
    if invoice.fees or invoice.credits or invoice.payments:
        out.append(amount("Open", money.grouped(invoice.open, invoice.currency)))
    if invoice.reverse_charge:
        out += ["", "VAT reverse charged: the customer accounts for the tax."]
    if invoice.note is not None:
        out += ["", *wrap(invoice.note)]
    return "\n".join(out) + "\n"


def render_line(invoice: Invoice, index: int, line: Line) -> list[str]:
    currency = invoice.currency
    quantity = f"{money.plain(line.quantity)} {line.unit}"
    price = money.grouped(line.unit_price, currency)
    out = [
        row(
            str(index),
            line.description,
            quantity,
            price,
            money.grouped(line.net(currency), currency),
        )
    ]
    if line.discount:
        out.append(f"    less {money.plain(line.discount)} %")
    return out


def row(number: str, description: str, quantity: str, price: str, net: str) -> str:
    if len(description) > 28:
        description = description[:27] + "…"
    return f"{number:>2}  {description:<28}{quantity:>14}{price:>12}{net:>14}"


def amount(label: str, value: str) -> str:
    return f"{label:>{WIDTH - 16}}{value:>16}"


def wrap(text: str) -> list[str]:
    """At spaces; a word that is longer than a line stands alone."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines
