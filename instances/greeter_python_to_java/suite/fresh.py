"""More greetings for Greeter, from a seed."""

from typing import Any
from urllib.parse import urlencode

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

LANGUAGES = st.sampled_from(["en", "nl", "fr", "eo", "la", ""])
NAMES = st.text(alphabet='abcdeXYZ éöß"\\&=+%', max_size=44)


@st.composite
def asked(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["get", "get", "post", "count", "lost"]))
    if kind == "get":
        fields = {"name": draw(NAMES)}
        if draw(st.booleans()):
            fields["lang"] = draw(LANGUAGES)
        return {"method": "GET", "path": "/hello?" + urlencode(fields)}
    if kind == "post":
        body: dict[str, Any] = {"names": draw(st.lists(NAMES, max_size=4))}
        if draw(st.booleans()):
            body["lang"] = draw(st.one_of(LANGUAGES, st.integers(0, 3)))
        return {"method": "POST", "path": "/hello", "body": body}
    return {"method": "GET", "path": "/count" if kind == "count" else "/lost"}


def cases(seed: int, count: int) -> list[dict[str, Any]]:
    """Requests without expectations; the same for the same seed."""
    found: list[list[dict[str, Any]]] = []
    while len(found) < count:
        found += drawn(seed * 1000 + len(found), count - len(found))
    return [
        {"id": f"fresh-{number:04}", "area": "fresh", "steps": steps}
        for number, steps in enumerate(found, start=1)
    ]


def drawn(seed: int, count: int) -> list[list[dict[str, Any]]]:
    made: list[list[dict[str, Any]]] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(asked(), min_size=1, max_size=5))
    def collect(steps: list[dict[str, Any]]) -> None:
        made.append(steps)

    collect()
    return made[:count]
