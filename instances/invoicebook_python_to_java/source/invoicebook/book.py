"""The book: all resources together, and what may be done to an invoice when."""

from datetime import date
from decimal import Decimal

from invoicebook import days, money
from invoicebook.customers import Customers
from invoicebook.errors import ApiError, conflict, invalid, not_found
from invoicebook.fields import Fields
from invoicebook.invoices import METHODS, Credit, Invoice, Line, Payment, Totals
from invoicebook.listing import Query, bad, ordered
from invoicebook.products import UNITS, Products

STATUSES = ("draft", "issued", "partly-paid", "paid", "credited", "cancelled")
LINE_FIELDS = ("sku", "description", "unit", "quantity", "unitPrice", "vatClass", "discountPercent")
MOST_LINES = 20


class Book:
    def __init__(self) -> None:
        self.customers = Customers()
        self.products = Products()
        self.invoices: dict[str, Invoice] = {}
        self.credits: dict[str, Credit] = {}
        self._last_invoice = 0
        self._last_payment = 0
        self._numbers: dict[tuple[str, int], int] = {}
        self._last_day: dict[tuple[str, int], date] = {}
        self._keys: dict[str, tuple[str, object, Payment]] = {}

    def invoice(self, key: str) -> Invoice:
        if key not in self.invoices:
            raise not_found("invoice", key)
        return self.invoices[key]

    def credit(self, number: str) -> Credit:
        if number not in self.credits:
            raise not_found("credit note", number)
        return self.credits[number]

    def remove_customer(self, key: str) -> None:
        self.customers.get(key)
        count = sum(each.customer.id == key for each in self.invoices.values())
        if count:
            raise conflict(
                "in-use", f"customer {key} has {count} invoice{'' if count == 1 else 's'}"
            )
        self.customers.remove(key)

    # Drafts

    def add_invoice(self, body: object) -> Invoice:
        fields = Fields(body, ("customer", "currency", "note", "lines"))
        key = fields.text("customer", 10)
        currency = fields.choice("currency", list(money.DIGITS), "EUR")
        note = fields.text("note", 200) if fields.raw("note", None) is not None else None
        given = fields.raw("lines", [])
        if not isinstance(given, list):
            fields.wrong("lines", "must be a list")
            given = []
        if len(given) > MOST_LINES:
            fields.wrong("lines", f"must not have more than {MOST_LINES} entries")
            given = []
        if key and key not in self.customers.by_id:
            fields.wrong("customer", "does not exist")
        lines = []
        for index, each in enumerate(given):
            if not isinstance(each, dict):
                fields.wrong(f"lines[{index}]", "must be an object")
                continue
            reader = Fields(each, LINE_FIELDS, f"lines[{index}].")
            lines.append(self._read_line(reader, currency, index + 1))
            fields.problems.extend(reader.problems)
        fields.finish()
        self._last_invoice += 1
        made = Invoice(f"I{self._last_invoice:04}", self.customers.get(key), currency, note, lines)
        made.last_line = len(lines)
        self.invoices[made.id] = made
        return made

    def change_invoice(self, key: str, body: object) -> Invoice:
        invoice = self._draft(key)
        fields = Fields(body, ("customer", "note"))
        customer, note = invoice.customer, invoice.note
        if fields.has("customer"):
            wanted = fields.text("customer", 10)
            if wanted in self.customers.by_id:
                customer = self.customers.get(wanted)
            elif wanted:
                fields.wrong("customer", "does not exist")
        if fields.has("note"):
            note = fields.text("note", 200) if fields.body["note"] is not None else None
        fields.finish()
        invoice.customer, invoice.note = customer, note
        return invoice

    def remove_invoice(self, key: str) -> None:
        del self.invoices[self._draft(key).id]

    def add_line(self, key: str, body: object) -> Line:
        invoice = self._draft(key)
        if len(invoice.lines) == MOST_LINES:
            raise conflict("full", f"invoice {key} has {MOST_LINES} lines already")
        fields = Fields(body, LINE_FIELDS)
        made = self._read_line(fields, invoice.currency, invoice.last_line + 1)
        fields.finish()
        invoice.last_line += 1
        invoice.lines.append(made)
        return made

    def change_line(self, key: str, number: str, body: object) -> Line:
        invoice = self._draft(key)
        line = self._line(invoice, number)
        fields = Fields(body, ("quantity", "discountPercent", "description"))
        quantity = fields.decimal("quantity", 3, "0.001", "99999", line.quantity)
        discount = fields.decimal("discountPercent", 2, "0", "100", line.discount)
        description = fields.text("description", 80, line.description)
        fields.finish()
        line.quantity, line.discount, line.description = quantity, discount, description
        return line

    def remove_line(self, key: str, number: str) -> None:
        invoice = self._draft(key)
        invoice.lines.remove(self._line(invoice, number))

    def _draft(self, key: str) -> Invoice:
        invoice = self.invoice(key)
        if invoice.status != "draft":
            raise conflict("not-draft", f"invoice {key} is {invoice.status}, no draft any more")
        return invoice

    def _line(self, invoice: Invoice, number: str) -> Line:
        for each in invoice.lines:
            if str(each.line) == number:
                return each
        raise not_found(f"line in invoice {invoice.id}:", number)

    def _read_line(self, fields: Fields, currency: str, number: int) -> Line:
        """A line of a product, or one that says itself what it is."""
        quantity = fields.decimal("quantity", 3, "0.001", "99999")
        discount = fields.decimal("discountPercent", 2, "0", "100", Decimal(0))
        if fields.has("sku"):
            sku = fields.text("sku", 16)
            product = self.products.by_sku.get(sku)
            for name in ("unit", "vatClass"):
                if fields.has(name):
                    fields.wrong(name, "comes from the product")
            if product is None:
                if sku:
                    fields.wrong("sku", "does not exist")
                return Line(number, sku, "", "", quantity, Decimal(0), "zero", discount)
            if product.currency != currency:
                fields.wrong("sku", f"is priced in {product.currency}, not in {currency}")
            price = fields.decimal(
                "unitPrice", money.DIGITS[currency], "0", "999999", product.unit_price
            )
            description = fields.text("description", 80, product.name)
            return Line(
                number, sku, description, product.unit, quantity, price, product.vat_class, discount
            )
        description = fields.text("description", 80)
        unit = fields.choice("unit", UNITS, "piece")
        price = fields.decimal("unitPrice", money.DIGITS[currency], "0", "999999")
        vat_class = fields.choice("vatClass", money.VAT_CLASSES, "standard")
        return Line(number, None, description, unit, quantity, price, vat_class, discount)

    # What happens to an invoice

    def issue(self, key: str, body: object, today: date) -> Invoice:
        invoice = self._draft(key)
        fields = Fields(body, ("date",))
        day = fields.day("date", today)
        fields.finish()
        if not invoice.lines:
            raise conflict("empty", f"invoice {key} has no lines")
        customer = self.customers.get(invoice.customer.id)
        invoice.number = self._next_number("INV", day)
        invoice.customer = customer
        invoice.issued = day
        invoice.due = days.after(day, customer.payment_days)
        return invoice

    def _next_number(self, kind: str, day: date) -> str:
        """Numbers of a year have no gaps, and their days never go back."""
        series = (kind, day.year)
        last = self._last_day.get(series)
        if last is not None and day < last:
            raise conflict(
                "date-order", f"{day.isoformat()} is before {last.isoformat()}, the last day in use"
            )
        self._last_day[series] = day
        self._numbers[series] = self._numbers.get(series, 0) + 1
        return f"{kind}-{day.year}-{self._numbers[series]:04}"

    def cancel(self, key: str, body: object) -> Invoice:
        invoice = self.invoice(key)
        fields = Fields(body, ("reason",))
        reason = fields.text("reason", 100)
        fields.finish()
        if invoice.status != "issued" or invoice.credits:
            raise conflict("not-cancellable", f"invoice {key} is {invoice.status}")
        invoice.cancelled = reason
        return invoice

    def pay(
        self, key: str, body: object, today: date, idempotency: str | None
    ) -> tuple[Payment, bool]:
        """The payment, and whether it is new: a key that was used before answers as it did."""
        invoice = self.invoice(key)
        if idempotency is not None and idempotency in self._keys:
            used_for, used_body, payment = self._keys[idempotency]
            if (used_for, used_body) != (key, body):
                raise conflict("key-reused", f"the key {idempotency} was used for another payment")
            return payment, False
        fields = Fields(body, ("amount", "date", "method"))
        amount = fields.decimal("amount", money.DIGITS[invoice.currency], "0", "999999999")
        day = fields.day("date", today)
        method = fields.choice("method", METHODS, "bank")
        if not fields.problems and amount == 0:
            fields.wrong("amount", "must be more than nothing")
        fields.finish()
        if invoice.issued is None or invoice.status not in ("issued", "partly-paid"):
            raise conflict("not-payable", f"invoice {key} is {invoice.status}")
        if day < invoice.issued:
            raise invalid(
                [("date", f"is before {invoice.issued.isoformat()}, the day of the invoice")]
            )
        if amount > invoice.open:
            raise conflict(
                "overpaid",
                f"only {money.show(invoice.open, invoice.currency)} {invoice.currency} is open",
            )
        self._last_payment += 1
        payment = Payment(f"P{self._last_payment:04}", day, amount, method)
        invoice.payments.append(payment)
        if idempotency is not None:
            self._keys[idempotency] = (key, body, payment)
        return payment, True

    def remind(self, key: str, today: date) -> dict[str, object]:
        invoice = self.invoice(key)
        possible = invoice.next_reminder(today)
        if possible is None:
            raise conflict("no-reminder", f"no reminder can be sent for invoice {key} today")
        level, fee = possible
        invoice.reminders.append((today, fee))
        return {
            "level": level,
            "date": today.isoformat(),
            "fee": money.show(Decimal(fee), invoice.currency),
            "open": money.show(invoice.open, invoice.currency),
        }

    def add_credit(self, key: str, body: object, today: date) -> Credit:
        invoice = self.invoice(key)
        fields = Fields(body, ("date", "lines"))
        day = fields.day("date", today)
        given = fields.raw("lines", None)
        wanted: list[tuple[Line, Decimal]] = []
        if given is None:
            wanted = [
                (e, e.quantity - e.credited) for e in invoice.lines if e.credited < e.quantity
            ]
        elif not isinstance(given, list) or not given:
            fields.wrong("lines", "must be a list, and not empty")
        else:
            for index, each in enumerate(given):
                wanted.extend(self._read_credit_line(fields, invoice, index, each))
        if not fields.problems and len({line.line for line, _ in wanted}) < len(wanted):
            fields.wrong("lines", "must name each line once")
        fields.finish()
        if invoice.issued is None or invoice.status in ("cancelled", "credited"):
            raise conflict("not-creditable", f"invoice {key} is {invoice.status}")
        if day < invoice.issued:
            raise invalid(
                [("date", f"is before {invoice.issued.isoformat()}, the day of the invoice")]
            )
        number = self._next_number("CRN", day)
        lines = tuple(
            (line.line, count, line.net(invoice.currency, count)) for line, count in wanted
        )
        parts = [
            (invoice.rate(line.vat_class), line.net(invoice.currency, count))
            for line, count in wanted
        ]
        credit = Credit(number, key, day, lines, Totals.of(invoice.currency, parts))
        for line, count in wanted:
            line.credited += count
        invoice.credits.append(credit)
        self.credits[number] = credit
        return credit

    def _read_credit_line(
        self, fields: Fields, invoice: Invoice, index: int, body: object
    ) -> list[tuple[Line, Decimal]]:
        if not isinstance(body, dict):
            fields.wrong(f"lines[{index}]", "must be an object")
            return []
        reader = Fields(body, ("line", "quantity"), f"lines[{index}].")
        number = reader.whole("line", 1, 999)
        line = next((each for each in invoice.lines if each.line == number), None)
        if line is None and not reader.problems:
            reader.wrong("line", "does not exist")
        left = line.quantity - line.credited if line else Decimal(0)
        quantity = reader.decimal("quantity", 3, "0.001", "99999", left)
        if line and not reader.problems and (quantity > left or left == 0):
            reader.wrong("quantity", f"is more than {money.plain(left)}, which is left")
        fields.problems.extend(reader.problems)
        return [(line, quantity)] if line else []

    # Lists

    def find_invoices(self, query: Query, today: date) -> list[Invoice]:
        query.only("page", "perPage", "sort", "status", "customer", "from", "to", "overdue")
        statuses = query.get("status")
        wanted = statuses.split(",") if statuses is not None else list(STATUSES)
        for each in wanted:
            if each not in STATUSES:
                raise bad(f"the status {each} is unknown")
        overdue = query.get("overdue")
        if overdue not in (None, "true", "false"):
            raise bad("overdue must be true or false")
        first, last = self._day(query, "from"), self._day(query, "to")
        found = [
            each
            for each in self.invoices.values()
            if each.status in wanted
            and query.get("customer") in (None, each.customer.id)
            and (first is None or (each.issued is not None and each.issued >= first))
            and (last is None or (each.issued is not None and each.issued <= last))
            and (overdue is None or (each.overdue_days(today) > 0) == (overdue == "true"))
        ]
        return ordered(
            found,
            query,
            {
                "id": lambda each: each.id,
                "number": lambda each: each.number or "",
                "issued": lambda each: each.issued or days.FIRST,
                "total": lambda each: each.totals.total,
                "customer": lambda each: each.customer.name.lower(),
            },
            "id",
        )

    def _day(self, query: Query, name: str) -> date | None:
        text = query.get(name)
        if text is None:
            return None
        day = days.parse(text)
        if day is None:
            raise bad(f"{name} must be a day such as 2024-03-05")
        return day


def today_of(header: str | None) -> date:
    day = days.parse(header if header is not None else "2024-01-01")
    if day is None:
        raise ApiError(400, "bad-header", "X-Today must be a day such as 2024-03-05")
    return day
