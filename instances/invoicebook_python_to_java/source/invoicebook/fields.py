"""Reads the fields of a body and remembers everything that is wrong with them."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from invoicebook import days, money
from invoicebook.errors import ApiError, invalid

EMAIL = re.compile(r"[A-Za-z0-9._+-]{1,40}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
MISSING = object()


class Fields:
    """`finish` raises when a field was missing, wrong or unknown; until then reading goes on."""

    def __init__(self, body: object, known: Sequence[str], prefix: str = "") -> None:
        if not isinstance(body, dict):
            raise ApiError(400, "bad-body", "the body must be a JSON object")
        self.body: dict[str, object] = body
        self.prefix = prefix
        self.problems: list[tuple[str, str]] = []
        for name in sorted(body):
            if name not in known:
                self.wrong(name, "is unknown")

    def wrong(self, name: str, message: str) -> None:
        self.problems.append((self.prefix + name, message))

    def has(self, name: str) -> bool:
        return name in self.body

    def finish(self) -> None:
        if self.problems:
            raise invalid(self.problems)

    def raw(self, name: str, default: object = MISSING) -> object:
        value = self.body.get(name, MISSING)
        if value is not MISSING:
            return value
        if default is MISSING:
            self.wrong(name, "is missing")
            return None
        return default

    def given(self, name: str, default: object) -> bool:
        """Whether there is a value to look at; says so if one should be there and is not."""
        if self.has(name):
            return True
        if default is MISSING:
            self.wrong(name, "is missing")
        return False

    def text(self, name: str, longest: int, default: object = MISSING) -> str:
        if not self.given(name, default):
            return "" if default is MISSING else str(default)
        value = self.body[name]
        if not isinstance(value, str):
            self.wrong(name, "must be a text")
            return ""
        value = value.strip(" \t\r\n")
        if not value:
            self.wrong(name, "must not be empty")
        elif len(value) > longest:
            self.wrong(name, f"must not be longer than {longest} characters")
        return value

    def email(self, name: str, default: object = MISSING) -> str:
        if not self.given(name, default):
            return "" if default is MISSING else str(default)
        value = self.text(name, 80)
        if value and not EMAIL.fullmatch(value) and len(value) <= 80:
            self.wrong(name, "must be an e-mail address")
        return value

    def choice(self, name: str, allowed: Sequence[str], default: object = MISSING) -> str:
        if not self.given(name, default):
            return allowed[0] if default is MISSING else str(default)
        value = self.body[name]
        if not isinstance(value, str) or value not in allowed:
            self.wrong(name, f"must be one of {', '.join(allowed)}")
            return allowed[0]
        return value

    def whole(self, name: str, low: int, high: int, default: object = MISSING) -> int:
        if not self.given(name, default):
            return default if isinstance(default, int) else low
        value = self.body[name]
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(name, "must be a whole number")
            return low
        if not low <= value <= high:
            self.wrong(name, f"must be between {low} and {high}")
        return value

    def decimal(
        self, name: str, places: int, low: str, high: str, default: object = MISSING
    ) -> Decimal:
        """A text such as "12.50", or a whole number."""
        if not self.given(name, default):
            return default if isinstance(default, Decimal) else Decimal(low)
        value = self.body[name]
        written = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
        number = money.parse(str(value), places) if written else None
        if number is None:
            example = "12.50" if places == 2 else "1.125" if places == 3 else "12"
            self.wrong(name, f'must be a number as text, such as "{example}"')
            return Decimal(low)
        if not Decimal(low) <= number <= Decimal(high):
            self.wrong(name, f"must be between {low} and {high}")
        return number

    def day(self, name: str, default: date) -> date:
        if not self.has(name):
            return default
        value = self.body[name]
        found = days.parse(value) if isinstance(value, str) else None
        if found is None:
            self.wrong(name, "must be a day between 2000-01-01 and 2099-12-31")
            return default
        return found
