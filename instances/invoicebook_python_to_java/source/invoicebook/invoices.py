"""Invoices: from a draft to a number, to payments and credit notes."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from invoicebook import days, money
from invoicebook.customers import Customer

METHODS = ("bank", "card", "cash")
REMINDER_FEES = ("0.00", "5.00", "15.00")
DAYS_BETWEEN_REMINDERS = 7


@dataclass
class Line:
    line: int
    sku: str | None
    description: str
    unit: str
    quantity: Decimal
    unit_price: Decimal
    vat_class: str
    discount: Decimal
    credited: Decimal = Decimal(0)

    def net(self, currency: str, quantity: Decimal | None = None) -> Decimal:
        count = self.quantity if quantity is None else quantity
        return money.half_up(count * self.unit_price * (100 - self.discount) / 100, currency)

    def show(self, currency: str) -> dict[str, object]:
        return {
            "line": self.line,
            "sku": self.sku,
            "description": self.description,
            "unit": self.unit,
            "quantity": money.plain(self.quantity),
            "unitPrice": money.show(self.unit_price, currency),
            "vatClass": self.vat_class,
            "discountPercent": money.plain(self.discount),
            "net": money.show(self.net(currency), currency),
        }


@dataclass(frozen=True)
class Totals:
    """Amounts by rate; tax is rounded once per rate, to the even cent."""

    currency: str
    bases: tuple[tuple[Decimal, Decimal], ...]

    @classmethod
    def of(cls, currency: str, parts: list[tuple[Decimal, Decimal]]) -> "Totals":
        sums: dict[Decimal, Decimal] = {}
        for rate, net in parts:
            sums[rate] = sums.get(rate, Decimal(0)) + net
        return cls(currency, tuple(sorted(sums.items(), reverse=True)))

    def vat_of(self, rate: Decimal, base: Decimal) -> Decimal:
        return money.half_even(base * rate / 100, self.currency)

    @property
    def net(self) -> Decimal:
        return sum((base for _, base in self.bases), Decimal(0))

    @property
    def vat(self) -> Decimal:
        return sum((self.vat_of(rate, base) for rate, base in self.bases), Decimal(0))

    @property
    def total(self) -> Decimal:
        return self.net + self.vat

    def show(self) -> dict[str, object]:
        return {
            "net": money.show(self.net, self.currency),
            "vat": [
                {
                    "rate": money.plain(rate),
                    "base": money.show(base, self.currency),
                    "amount": money.show(self.vat_of(rate, base), self.currency),
                }
                for rate, base in self.bases
            ],
            "total": money.show(self.total, self.currency),
        }


@dataclass(frozen=True)
class Payment:
    id: str
    day: date
    amount: Decimal
    method: str

    def show(self, currency: str) -> dict[str, object]:
        return {
            "id": self.id,
            "date": self.day.isoformat(),
            "amount": money.show(self.amount, currency),
            "method": self.method,
        }


@dataclass(frozen=True)
class Credit:
    number: str
    invoice: str
    day: date
    lines: tuple[tuple[int, Decimal, Decimal], ...]
    totals: Totals

    def show(self) -> dict[str, object]:
        currency = self.totals.currency
        return {
            "number": self.number,
            "invoice": self.invoice,
            "date": self.day.isoformat(),
            "currency": currency,
            "lines": [
                {"line": line, "quantity": money.plain(quantity), "net": money.show(-net, currency)}
                for line, quantity, net in self.lines
            ],
            "total": money.show(-self.totals.total, currency),
        }


@dataclass
class Invoice:
    id: str
    customer: Customer
    currency: str
    note: str | None
    lines: list[Line] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    credits: list[Credit] = field(default_factory=list)
    reminders: list[tuple[date, str]] = field(default_factory=list)
    number: str | None = None
    issued: date | None = None
    due: date | None = None
    cancelled: str | None = None
    last_line: int = 0

    @property
    def reverse_charge(self) -> bool:
        buyer = self.customer
        return buyer.vat_id is not None and buyer.country in money.RATES and buyer.country != "NL"

    def rate(self, vat_class: str) -> Decimal:
        return money.rate_for(self.customer.country, self.customer.vat_id is not None, vat_class)

    @property
    def totals(self) -> Totals:
        return Totals.of(
            self.currency,
            [(self.rate(each.vat_class), each.net(self.currency)) for each in self.lines],
        )

    @property
    def paid(self) -> Decimal:
        return sum((each.amount for each in self.payments), Decimal(0))

    @property
    def credited(self) -> Decimal:
        return sum((each.totals.total for each in self.credits), Decimal(0))

    @property
    def fees(self) -> Decimal:
        return sum((Decimal(fee) for _, fee in self.reminders), Decimal(0))

    @property
    def open(self) -> Decimal:
        """What has still to be paid; less than nothing if money has to go back."""
        return self.totals.total + self.fees - self.paid - self.credited

    @property
    def status(self) -> str:
        if self.cancelled is not None:
            return "cancelled"
        if self.number is None:
            return "draft"
        if self.credits and all(each.credited == each.quantity for each in self.lines):
            return "credited"
        if self.open <= 0:
            return "paid"
        return "partly-paid" if self.payments else "issued"

    def overdue_days(self, today: date) -> int:
        if self.due is None or self.status not in ("issued", "partly-paid"):
            return 0
        return max(0, (today - self.due).days)

    def show(self, today: date) -> dict[str, object]:
        return {
            "id": self.id,
            "number": self.number,
            "status": self.status,
            "customer": self.customer.id,
            "currency": self.currency,
            "note": self.note,
            "issued": self.issued.isoformat() if self.issued else None,
            "due": self.due.isoformat() if self.due else None,
            "overdueDays": self.overdue_days(today),
            "reverseCharge": self.reverse_charge,
            "cancelReason": self.cancelled,
            "lines": [each.show(self.currency) for each in self.lines],
            "totals": self.totals.show(),
            "fees": money.show(self.fees, self.currency),
            "paid": money.show(self.paid, self.currency),
            "credited": money.show(self.credited, self.currency),
            "open": money.show(self.open, self.currency),
            "credits": [each.number for each in self.credits],
        }

    def summary(self, today: date) -> dict[str, object]:
        return {
            "id": self.id,
            "number": self.number,
            "status": self.status,
            "customer": self.customer.id,
            "issued": self.issued.isoformat() if self.issued else None,
            "overdueDays": self.overdue_days(today),
            "currency": self.currency,
            "total": money.show(self.totals.total, self.currency),
            "open": money.show(self.open, self.currency),
        }

    def next_reminder(self, today: date) -> tuple[int, str] | None:
        """Level and fee of the reminder that may be sent now."""
        level = len(self.reminders)
        if level == len(REMINDER_FEES) or self.overdue_days(today) == 0:
            return None
        if self.reminders and today < days.after(self.reminders[-1][0], DAYS_BETWEEN_REMINDERS):
            return None
        return level + 1, REMINDER_FEES[level] if self.currency == "EUR" else "0"
