"""More flows for Invoicebook, from a seed: some customers and products, then a month of business."""

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

Step = dict[str, Any]

NAMES = st.text(alphabet='abcdXYZ éß;"&', min_size=1, max_size=20).map(lambda name: name + "o")
COUNTRIES = st.sampled_from(["NL", "NL", "BE", "DE", "FR", "FI", "SE", "CH", "US"])
CURRENCIES = st.sampled_from(["EUR", "EUR", "EUR", "SEK", "JPY"])
VAT = st.sampled_from(["standard", "reduced", "zero"])
NUMBERS = ["1", "0.125", "2.5", 3, "0.001", "7.77", "12.345"]
WRONG = ["0", "x", "1000000", "-1", "1.0001", 2.5, None]


@st.composite
def amounts(draw: st.DrawFn, whole: bool = False) -> str:
    units = draw(st.integers(0, draw(st.sampled_from([9, 99, 2000, 50000]))))
    return str(units) if whole else f"{units}.{draw(st.integers(0, 99)):02}"


@st.composite
def quantities(draw: st.DrawFn) -> Any:
    return draw(st.sampled_from(NUMBERS if draw(st.integers(0, 15)) else WRONG))


@st.composite
def days(draw: st.DrawFn, first: int = 1, last: int = 12) -> str:
    return f"2024-{draw(st.integers(first, last)):02}-{draw(st.integers(1, 28)):02}"


@st.composite
def customer(draw: st.DrawFn, number: int) -> Step:
    country = draw(COUNTRIES)
    body: dict[str, Any] = {
        "name": draw(NAMES),
        "email": f"c{number}@example.org",
        "country": country,
        "paymentDays": draw(st.sampled_from([0, 7, 14, 30] * 5 + [121])),
    }
    if draw(st.integers(0, 3)) == 0:
        body["vatId"] = country + draw(
            st.sampled_from(["123456789", "12 34 56 78 90"] * 4 + ["12"])
        )
    return {"method": "POST", "path": "/customers", "body": body}


@st.composite
def line(draw: st.DrawFn, whole: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"quantity": draw(quantities())}
    if draw(st.integers(0, 3)) == 0:
        return {**made, "sku": draw(st.sampled_from(["SKU-1", "SKU-2"] * 5 + ["SKU-9"]))}
    made["description"] = draw(NAMES)
    made["unitPrice"] = draw(amounts(whole))
    made["vatClass"] = draw(VAT)
    if draw(st.booleans()):
        made["discountPercent"] = draw(st.sampled_from(["5", "12.5", "33.33"] * 4 + ["100", "101"]))
    return made


@st.composite
def invoice(draw: st.DrawFn, customers: int) -> Step:
    currency = draw(CURRENCIES)
    body = {
        "customer": f"C{draw(st.integers(1, customers)):04}",
        "currency": currency,
        "lines": draw(st.lists(line(currency == "JPY"), min_size=1, max_size=3)),
    }
    return {"method": "POST", "path": "/invoices", "body": body}


@st.composite
def deed(draw: st.DrawFn, invoices: int, month: int) -> Step:
    key = f"I{draw(st.integers(1, invoices)):04}"
    today = {"X-Today": draw(days(month, month))}
    kind = draw(
        st.sampled_from(
            ["issue"] * 4 + ["pay"] * 3 + ["remind", "credit", "cancel", "line", "text"]
        )
    )
    if kind == "text":
        return {"method": "GET", "path": f"/invoices/{key}/text"}
    body: dict[str, Any] = {}
    path = {"pay": "payments", "remind": "reminders", "credit": "credits", "line": "lines"}.get(
        kind, kind
    )
    if kind == "pay":
        body = {
            "amount": draw(amounts(draw(st.booleans()))),
            "method": draw(st.sampled_from(["bank", "card", "x"])),
        }
        if draw(st.integers(0, 2)) == 0:
            today["Idempotency-Key"] = draw(st.sampled_from(["a", "b"]))
    elif kind == "credit" and draw(st.booleans()):
        body = {"lines": [{"line": draw(st.integers(1, 3)), "quantity": draw(quantities())}]}
    elif kind == "cancel":
        body = {"reason": draw(NAMES)}
    elif kind == "line":
        body = draw(line(False))
    return {"method": "POST", "path": f"/invoices/{key}/{path}", "headers": today, "body": body}


@st.composite
def question(draw: st.DrawFn) -> Step:
    today = draw(days())
    path = draw(
        st.one_of(
            st.builds(
                "/invoices?sort={}&perPage={}&page={}".format,
                st.sampled_from(["id", "-total", "customer,-id", "-issued,number", "name"]),
                st.integers(1, 5),
                st.integers(1, 3),
            ),
            st.builds(
                "/customers?sort={}&q={}".format,
                st.sampled_from(["name", "-country,id"]),
                st.sampled_from(["", "a", "X", "c1"]),
            ),
            st.builds("/invoices/I000{}".format, st.integers(1, 5)),
            st.builds("/invoices/I000{}/text".format, st.integers(1, 5)),
            st.builds("/reports/vat?quarter=2024Q{}".format, st.integers(1, 4)),
            st.builds("/reports/aging?asOf={}&currency={}".format, days(), CURRENCIES),
            st.just("/reports/journal.csv?year=2024"),
            st.builds("/products?maxPrice={}&sort=-unitPrice".format, amounts()),
        )
    )
    return {"method": "GET", "path": path, "headers": {"X-Today": today}}


@st.composite
def flow(draw: st.DrawFn) -> list[Step]:
    customers = draw(st.integers(1, 3))
    steps = [draw(customer(number)) for number in range(1, customers + 1)]
    for number in (1, 2):
        body = {
            "name": draw(NAMES),
            "unitPrice": draw(amounts()),
            "vatClass": draw(VAT),
            "unit": "hour",
        }
        steps.append({"method": "PUT", "path": f"/products/SKU-{number}", "body": body})
    invoices = draw(st.integers(1, 4))
    steps += [draw(invoice(customers)) for _ in range(invoices)]
    for month in sorted(draw(st.lists(st.integers(1, 12), min_size=3, max_size=9))):
        steps.append(draw(deed(invoices, month)))
    return steps + draw(st.lists(question(), min_size=2, max_size=4))


def cases(seed: int, count: int) -> list[dict[str, Any]]:
    """Flows without expectations; the same for the same seed."""
    found: list[list[Step]] = []
    while len(found) < count:
        found += drawn(seed * 1000 + len(found), count - len(found))
    return [
        {"id": f"fresh-{number:04}", "area": "fresh", "steps": steps}
        for number, steps in enumerate(found, start=1)
    ]


def drawn(seed: int, count: int) -> list[list[Step]]:
    made: list[list[Step]] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(flow())
    def collect(steps: list[Step]) -> None:
        made.append(steps)

    collect()
    return made[:count]
