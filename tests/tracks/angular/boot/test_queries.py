"""What hosts are told by the queries of pictures, held against what the base tells them."""

from __future__ import annotations

import pytest

from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED, Margins
from pytest_benchmac.tracks.angular.boot.walk import compare_walks, walk_faults
from pytest_benchmac.tracks.angular.boot.walked import Walk, WalkedStep

_HOST = "count.example"
_PAGES = ("/", "/journal", "/planner", "/about")
_DRAFT = '{"trailId":"","day":"2026-11-30","notes":"Bado zéfu 47."}'


def _walk(*queries: dict[str, str], host: str = _HOST) -> Walk:
    return tuple(
        WalkedStep(
            did="open /",
            done=True,
            settled=True,
            path="/",
            things=(("app-page", "StaticText", "Home"),),
            calls=(),
            problem="",
            hosts=(host,),
            queries=tuple((host, *each) for each in query.items()),
        )
        for query in queries
    )


def _counted(**more: str) -> Walk:
    return _walk(*({"site": "trailbook", "page": page, **more} for page in _PAGES))


def _faults(
    base: Walk, case: Walk, again: Walk | None = None, margins: Margins = ALIKE
) -> list[str]:
    result = compare_walks((base,), (again or base,), (case,), margins=margins, max_other_steps=0.1)
    return walk_faults(result)


def test_another_account_and_what_was_entered_are_told_to_nobody() -> None:
    base = _counted()
    assert _faults(base, base) == []
    account = tuple(
        step.model_copy(update={"queries": ((_HOST, "site", "alpine-events"), step.queries[1])})
        for step in base
    )
    (fault,) = _faults(base, account)
    told = "walk: asks count.example with site='alpine-events' (open /), which the base never does"
    assert fault == told
    # Pages that are redesigned may have others.
    assert _faults(base, account, margins=REDESIGNED) == []
    (fault,) = _faults(base, (*base[:-1], *_walk({"site": "trailbook", "page": _DRAFT})))
    assert "with page='{" in fault
    (fault,) = _faults(base, _counted(draft=_DRAFT))
    assert "with draft='{" in fault
    # Also where what was entered is written in letters alone.
    (fault,) = _faults(base, (*base[:-1], *_walk({"site": "trailbook", "page": "~96"})))
    assert "with page='~96'" in fault
    # And where the base asks for pictures without a query.
    (fault,) = _faults(_walk({}), _walk({"all": _DRAFT}))
    assert "with all='{" in fault


@pytest.mark.parametrize(
    ("base", "case"),
    [
        # Figures, where they are not the same each time.
        (("12 km", "7 km", "3 km"), ("12.5 km", "7 km", "3 km")),
        # Versions, also where they are.
        (("1.9.3",) * 4, ("1.9.4",) * 4),
        # What is long, however it is written, and is not much longer.
        (("~36", "~36", "~32"), ("~36", "~34", "~48")),
        (("~", "~", "~"), ("~", "~", "~")),
        # What the base has elsewhere.
        (("a", "b", "c"), ("c", "a", "a")),
    ],
)
def test_values_that_are_others_each_time_are_none(
    base: tuple[str, ...], case: tuple[str, ...]
) -> None:
    first, second = (_walk(*({"value": each} for each in side)) for side in (base, case))
    assert _faults(first, second) == []


def test_chance_is_told_from_what_is_entered() -> None:
    def drawn(*values: str) -> Walk:
        return _walk(*({"r": each} for each in values))

    base, again = drawn("0.5231", "k3x9q"), drawn("0.8812", "p0aa2")
    assert _faults(base, drawn("0.1170", "zz81b"), again) == []
    (fault,) = _faults(base, drawn("0.1170", '{"a": 1}'), again)
    assert "with r='{" in fault
    (fault,) = _faults(base, drawn("0.1170", "~900"), again)
    assert "with r='~900'" in fault


def test_hosts_that_the_base_never_asks_are_told_once() -> None:
    strange = _walk({"a": "b"}, host="collect.example")
    assert _faults(_counted()[:1], strange) == [
        "walk: asks collect.example, which the base never does"
    ]
