"""Answers of a back end that nobody could know: an instance's own, varied within their shape.

What is varied, and what stays, is in the README beside this file. The same seed varies a value in
the same way wherever it stands, so that answers agree with one another, with what is typed, and
with what is expected to be shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.tracks.angular.boot.config import Boot, BootFixture, Interaction, Route
from pytest_benchmac.tracks.angular.boot.variation import Variation

_AnyFixture = TypeVar("_AnyFixture", BootFixture, HttpFixture)

_LITERAL = re.compile(r"""(["'`])([^"'`\\\n]{1,80})\1""")


def literals(scripts: Sequence[str]) -> frozenset[str]:
    """The strings that the base's own scripts have as literals: a program may mean them."""
    return frozenset(match[2] for script in scripts for match in _LITERAL.finditer(script))


def vary(
    boot: Boot,
    fixtures: Sequence[HttpFixture],
    seed: int,
    known: frozenset[str] = frozenset(),
    *,
    later: bool = False,
) -> tuple[Boot, tuple[HttpFixture, ...]]:
    """A boot and recorded answers with other data of the same shape.

    Args:
        boot: what the instance declares; what it expects changes with the data.
        fixtures: the instance's recorded answers; only bodies of JSON change.
        seed: what everything is drawn from.
        known: strings that the base's scripts have, see `literals`.
        later: the same some time later: numbers are others, and each list has one item more.
    """
    variation = Variation(seed, frozenset(_named(boot, fixtures)) | known, later=later)
    answers = bodies(boot, fixtures)
    for body in answers:
        variation.learn(body)
    variation.lengthen(answers)
    return (
        boot.model_copy(
            update={
                "fixtures": tuple(_fixture(each, variation) for each in boot.fixtures),
                "walk_fixtures": tuple(_fixture(each, variation) for each in boot.walk_fixtures),
                "routes": tuple(_route(route, variation) for route in boot.routes),
            }
        ),
        tuple(_fixture(each, variation) for each in fixtures),
    )


def bodies(boot: Boot, fixtures: Sequence[HttpFixture]) -> list[Any]:
    """The values of all answers; None for one that is no JSON."""
    answers: tuple[BootFixture | HttpFixture, ...] = (
        *boot.fixtures,
        *boot.walk_fixtures,
        *fixtures,
    )
    return [_parsed(each.body, each.content_type) for each in answers]


def _named(boot: Boot, fixtures: Sequence[HttpFixture]) -> Iterator[str]:
    """What routes and addresses of answers refer to: every segment of theirs."""
    addresses = [url for each in (*boot.fixtures, *boot.walk_fixtures) for url in each.urls]
    for address in (*addresses, *(each.url for each in fixtures), *(r.path for r in boot.routes)):
        parts = urlsplit(address)
        for segment in re.split(r"[/?&=#]", f"{parts.path}/{parts.query}/{parts.fragment}"):
            yield unquote(segment)
    for route in boot.routes:
        for interaction in route.interactions:
            # Choices of a `<select>`, often by value.
            yield from interaction.fill.values()


def _parsed(body: str | None, content_type: str) -> Any:
    """A body's value; None for what is no JSON."""
    if body is None or "json" not in content_type:
        return None
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        return None


def _fixture(fixture: _AnyFixture, variation: Variation) -> _AnyFixture:
    """An answer, varied; one whose body is a file, or no JSON, stays."""
    value = _parsed(fixture.body, fixture.content_type)
    if value is None:
        return fixture
    body = json.dumps(variation.value(value), ensure_ascii=False)
    return fixture.model_copy(update={"body": body})


def _route(route: Route, variation: Variation) -> Route:
    return route.model_copy(
        update={"interactions": tuple(_interaction(i, variation) for i in route.interactions)}
    )


def _interaction(interaction: Interaction, variation: Variation) -> Interaction:
    expect = interaction.expect
    return interaction.model_copy(
        update={"expect": None if expect is None else variation.quoted(expect)}
    )
