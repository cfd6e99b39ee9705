"""Amounts of money, kept as whole cents."""

import re

from toolshed.errors import InputError

_AMOUNT = re.compile(r"(\d{1,7})(?:\.(\d{2}))?")


def parse(text):
    """Cents of an amount like `12` or `12.50`."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise InputError(f"not an amount: {text!r} (write 12 or 12.50)")
    return int(match[1]) * 100 + int(match[2] or 0)


def plain(cents):
    """`12.50`, and `-0.05` below zero."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def shown(cents, settings):
    """An amount with the currency of the shed."""
    return f"{plain(cents)} {settings['currency']}"
