"""Exact amounts: how they are read, rounded and written."""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

DIGITS = {"EUR": 2, "SEK": 2, "JPY": 0}

# The seller's country taxes its own customers; other members of the union have their own rates.
HOME = "NL"
RATES = {
    "NL": {"standard": "21", "reduced": "9"},
    "BE": {"standard": "21", "reduced": "6"},
    "DE": {"standard": "19", "reduced": "7"},
    "FR": {"standard": "20", "reduced": "5.5"},
    "FI": {"standard": "25.5", "reduced": "14"},
    "SE": {"standard": "25", "reduced": "12"},
}
ELSEWHERE = ("CH", "GB", "JP", "US")
COUNTRIES = sorted([*RATES, *ELSEWHERE])
VAT_CLASSES = ("standard", "reduced", "zero")


def parse(text: str, places: int) -> Decimal | None:
    """A plain number with at most that many decimal places and nine digits before them."""
    pattern = r"[0-9]{1,9}" + (rf"(\.[0-9]{{1,{places}}})?" if places else "")
    return Decimal(text) if re.fullmatch(pattern, text) else None


def quantum(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def half_up(amount: Decimal, currency: str) -> Decimal:
    return amount.quantize(quantum(DIGITS[currency]), ROUND_HALF_UP)


def half_even(amount: Decimal, currency: str) -> Decimal:
    return amount.quantize(quantum(DIGITS[currency]), ROUND_HALF_EVEN)


def show(amount: Decimal, currency: str) -> str:
    """With the places of its currency: 12.50, -3.00, 1200."""
    text = f"{amount:.{DIGITS[currency]}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def grouped(amount: Decimal, currency: str) -> str:
    """For people: 1,234,567.80."""
    text = f"{amount:,.{DIGITS[currency]}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def plain(number: Decimal) -> str:
    """Without zeros that say nothing: 2.50 is 2.5, 3.000 is 3."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rate_for(country: str, has_vat_id: bool, vat_class: str) -> Decimal:
    """Percent. Businesses elsewhere in the union pay the tax themselves; exports are free of it."""
    if vat_class == "zero" or country not in RATES or (has_vat_id and country != HOME):
        return Decimal(0)
    return Decimal(RATES[country][vat_class])
