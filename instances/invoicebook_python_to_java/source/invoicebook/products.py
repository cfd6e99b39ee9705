"""Products: what is sold, by its stock keeping unit."""

import re
from dataclasses import dataclass
from decimal import Decimal

from invoicebook import money
from invoicebook.errors import ApiError, not_found
from invoicebook.fields import Fields
from invoicebook.listing import Query, bad, ordered

KNOWN = ("name", "unit", "currency", "unitPrice", "vatClass")
UNITS = ("piece", "hour", "kg", "month")


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    unit: str
    currency: str
    unit_price: Decimal
    vat_class: str

    def show(self) -> dict[str, object]:
        return {
            "sku": self.sku,
            "name": self.name,
            "unit": self.unit,
            "currency": self.currency,
            "unitPrice": money.show(self.unit_price, self.currency),
            "vatClass": self.vat_class,
        }


class Products:
    def __init__(self) -> None:
        self.by_sku: dict[str, Product] = {}

    def get(self, sku: str) -> Product:
        if sku not in self.by_sku:
            raise not_found("product", sku)
        return self.by_sku[sku]

    def put(self, sku: str, body: object) -> tuple[Product, bool]:
        """The product, and whether it is new."""
        if not re.fullmatch("[A-Z0-9]+(-[A-Z0-9]+)*", sku) or not 3 <= len(sku) <= 16:
            raise ApiError(
                400, "bad-sku", "a SKU has 3 to 16 capitals and digits, with single hyphens between"
            )
        fields = Fields(body, KNOWN)
        name = fields.text("name", 60)
        unit = fields.choice("unit", UNITS, "piece")
        currency = fields.choice("currency", list(money.DIGITS), "EUR")
        price = fields.decimal("unitPrice", money.DIGITS[currency], "0", "999999")
        vat_class = fields.choice("vatClass", money.VAT_CLASSES, "standard")
        fields.finish()
        new = sku not in self.by_sku
        self.by_sku[sku] = Product(sku, name, unit, currency, price, vat_class)
        return self.by_sku[sku], new

    def remove(self, sku: str) -> None:
        del self.by_sku[self.get(sku).sku]

    def find(self, query: Query) -> list[Product]:
        query.only("page", "perPage", "sort", "vatClass", "currency", "minPrice", "maxPrice")
        low, high = self._bound(query, "minPrice"), self._bound(query, "maxPrice")
        if low is not None and high is not None and low > high:
            raise bad("minPrice must not be above maxPrice")
        found = [
            each
            for each in self.by_sku.values()
            if query.get("vatClass") in (None, each.vat_class)
            and query.get("currency") in (None, each.currency)
            and (low is None or each.unit_price >= low)
            and (high is None or each.unit_price <= high)
        ]
        return ordered(
            found,
            query,
            {
                "sku": lambda each: each.sku,
                "name": lambda each: each.name.lower(),
                "unitPrice": lambda each: each.unit_price,
            },
            "sku",
        )

    def _bound(self, query: Query, name: str) -> Decimal | None:
        text = query.get(name)
        if text is None:
            return None
        number = money.parse(text, 2)
        if number is None:
            raise bad(f"{name} must be a number such as 12.50")
        return number
