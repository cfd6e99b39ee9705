"""What recorded cases promise of fresh ones."""

import pytest

from pytest_benchmac.tracks.rewrite.cases.models import ApiCase, Case, CliCase
from pytest_benchmac.tracks.rewrite.memorised import asked_by, promised, rates_of


def _cli(name: str, *argv: str) -> CliCase:
    return CliCase(id=name, argv=argv)


def _api(name: str, *paths: str) -> ApiCase:
    return ApiCase.model_validate({"id": name, "steps": [{"path": path} for path in paths]})


def test_what_a_case_asks() -> None:
    assert asked_by(_cli("a", "sum", "1")) == {"sum"}
    assert asked_by(_cli("a")) == {""}
    flow = _api("a", "/things/{id}/parts/7/x?y=1", "/things/12", "/things/{id}", "/")
    assert asked_by(flow) == {"GET /things/*/parts", "GET /things/*", "GET /"}


RECORDED: list[Case] = [_cli("s1", "sum"), _cli("s2", "sum"), _cli("w1", "words"), _cli("u1")]
FRESH: list[Case] = [_cli("f1", "sum", "5"), _cli("f2", "sum", "6"), _cli("f3", "words")]


@pytest.mark.parametrize(
    ("failed", "rate"),
    [((), 1.0), (("s1", "s2"), 1 / 3), (("s1",), 2 / 3), (("u1",), 1.0), (("w1",), 2 / 3)],
)
def test_each_input_is_promised_what_its_part_has(failed: tuple[str, ...], rate: float) -> None:
    assert promised(FRESH, rates_of(RECORDED, failed)) == pytest.approx(rate)


def test_a_flow_is_promised_its_least_part() -> None:
    recorded: list[Case] = [_api("a", "/a"), _api("b", "/b"), _api("ab", "/a", "/b")]
    rates = rates_of(recorded, ["b", "ab"])
    assert rates == {"GET /a": 0.5, "GET /b": 0.0, "*": pytest.approx(1 / 3)}
    assert promised([_api("f", "/a", "/b")], rates) == 0
    assert promised([_api("f", "/a")], rates) == 0.5
    # What nobody asked before is promised by all of them.
    assert promised([_api("f", "/c")], rates) == pytest.approx(1 / 3)
    assert promised([], rates) == promised([_api("f", "/a")], {}) == 0
