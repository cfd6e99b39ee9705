"""Customers: who is invoiced, where they are taxed and when they have to pay."""

import re
from dataclasses import dataclass, replace

from invoicebook import money
from invoicebook.errors import ApiError, conflict, not_found
from invoicebook.fields import Fields
from invoicebook.listing import Query, ordered

KNOWN = ("name", "email", "country", "vatId", "paymentDays")


@dataclass(frozen=True)
class Customer:
    id: str
    name: str
    email: str
    country: str
    vat_id: str | None
    payment_days: int
    version: int = 1

    def show(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "email": self.email,
            "country": self.country,
            "vatId": self.vat_id,
            "paymentDays": self.payment_days,
            "version": self.version,
        }

    @property
    def etag(self) -> str:
        return f'"{self.id}-{self.version}"'


class Customers:
    def __init__(self) -> None:
        self.by_id: dict[str, Customer] = {}
        self._last = 0

    def get(self, key: str) -> Customer:
        if key not in self.by_id:
            raise not_found("customer", key)
        return self.by_id[key]

    def add(self, body: object) -> Customer:
        read = self._read(body, None)
        self._last += 1
        made = replace(read, id=f"C{self._last:04}")
        self.by_id[made.id] = made
        return made

    def change(self, key: str, body: object, expected: str | None) -> Customer:
        old = self.get(key)
        if expected is not None and expected not in ("*", old.etag):
            raise ApiError(412, "changed", f"customer {key} is at {old.etag}, not at {expected}")
        new = self._read(body, old)
        if new != old:
            new = replace(new, version=old.version + 1)
            self.by_id[key] = new
        return new

    def remove(self, key: str) -> None:
        del self.by_id[self.get(key).id]

    def find(self, query: Query) -> list[Customer]:
        query.only("page", "perPage", "sort", "q", "country")
        wanted, country = (query.get("q") or "").lower(), query.get("country")
        found = [
            each
            for each in self.by_id.values()
            if (wanted in each.name.lower() or wanted in each.email.lower())
            and country in (None, each.country)
        ]
        return ordered(
            found,
            query,
            {
                "id": lambda each: each.id,
                "name": lambda each: each.name.lower(),
                "country": lambda each: each.country,
                "paymentDays": lambda each: each.payment_days,
            },
            "id",
        )

    def _read(self, body: object, old: Customer | None) -> Customer:
        fields = Fields(body, KNOWN)
        defaults = {"default": None} if old else {}
        name = fields.text("name", 60, **defaults)
        email = fields.email("email", **defaults)
        country = fields.choice("country", money.COUNTRIES, **defaults)
        days = fields.whole("paymentDays", 0, 120, old.payment_days if old else 30)
        if old:
            name = name if fields.has("name") else old.name
            email = email if fields.has("email") else old.email
            country = country if fields.has("country") else old.country
        vat_id = self._vat_id(fields, country, old)
        for each in self.by_id.values():
            if email == each.email and (old is None or each.id != old.id):
                fields.finish()
                raise conflict("duplicate", f"customer {each.id} has the address {email}")
        fields.finish()
        if old:
            return replace(
                old, name=name, email=email, country=country, vat_id=vat_id, payment_days=days
            )
        return Customer("", name, email, country, vat_id, days)

    def _vat_id(self, fields: Fields, country: str, old: Customer | None) -> str | None:
        value = fields.raw("vatId", old.vat_id if old else None)
        if value is None:
            return None
        if not isinstance(value, str):
            fields.wrong("vatId", "must be a text or null")
            return None
        value = value.replace(" ", "").upper() if value.isascii() else value
        if not re.fullmatch(country + "[0-9A-Z]{8,12}", value):
            fields.wrong("vatId", f"must be {country} and 8 to 12 letters or digits")
        return value
