from decimal import Decimal

from invoicebook import days, money
from invoicebook.invoices import Totals


def test_tax_is_rounded_once_per_rate_to_the_even_cent() -> None:
    totals = Totals.of("EUR", [(Decimal(25), Decimal("0.10")), (Decimal(25), Decimal("0.40"))])
    assert totals.vat == Decimal("0.12")


def test_a_line_is_rounded_up_at_half_a_cent() -> None:
    assert money.half_up(Decimal("0.125"), "EUR") == Decimal("0.13")


def test_the_last_quarter_ends_with_the_year() -> None:
    assert [day.isoformat() for day in days.parse_quarter("2024Q4") or ()] == [
        "2024-10-01",
        "2024-12-31",
    ]
