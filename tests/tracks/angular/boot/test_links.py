"""Where links lead by their addresses, held against those of the base."""

from __future__ import annotations

import pytest

from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED, Margins
from pytest_benchmac.tracks.angular.boot.walk import compare_walks
from pytest_benchmac.tracks.angular.boot.walked import Walk, WalkedStep


def _linked(*links: tuple[str, str], texts: tuple[str, ...] = ()) -> Walk:
    step = WalkedStep(
        did="open /",
        done=True,
        settled=True,
        path="/",
        things=tuple(("app-page", "StaticText", text) for text in ("Home", *texts)),
        calls=(),
        problem="",
        links=links,
    )
    return (step,)


def _found(base: Walk, case: Walk, margins: Margins = ALIKE) -> tuple[str, ...]:
    result = compare_walks((base,), (base,), (case,), margins=margins, max_other_steps=0.1)
    return result.links


@pytest.mark.parametrize(
    ("base", "case"),
    [
        ("mailto:rangers@trailbook.example", "mailto:rangers@trai1book.example"),
        ("mailto:a@b.example", "mailto:a@b.example,c@d.example"),
        ("tel:+43512123456", "tel:+43512123457"),
        ("sms:+43512123456", "tel:+43512123456"),
        ("gifts.example/to/trailbook-huts", "gifts.example/to/alpine-events-ltd"),
        ("pay.example/donate?button=AX7", "pay.example/donate?button=BQ9"),
        ("docs.example/guide", "elsewhere.example/guide"),
    ],
)
def test_a_link_reaches_whom_it_reaches_in_the_base(base: str, case: str) -> None:
    (told,) = _found(_linked(("Go", base)), _linked(("Go", case)))
    assert told == f"open /: link 'Go' leads to {case}; in the base to {base}"


@pytest.mark.parametrize(
    ("base", "case"),
    [
        # Versions, campaigns, and the end of a path.
        ("angular.example/docs/18/start", "angular.example/docs/19/start"),
        ("v18.angular.example/api", "v19.angular.example/api"),
        ("docs.example/v5.1.2/x#top", "docs.example/v6.0/x#top"),
        ("docs.example/lib@17.3/x", "docs.example/lib@18.0/x"),
        ("docs.example/?utm_source=a&utm_medium=b", "docs.example"),
        ("docs.example/guide/", "docs.example/guide"),
        # What leads to nobody.
        ("", ""),
    ],
)
def test_another_version_of_a_place_is_the_same_place(base: str, case: str) -> None:
    assert _found(_linked(("Go", base)), _linked(("Go", case))) == ()


def test_pages_that_are_redesigned_lead_to_the_same_hosts() -> None:
    pairs = (
        ("gifts.example/to/huts", "gifts.example/to/us"),
        ("mailto:a@b.example", "mailto:c@d.example"),
    )
    for base, case in pairs:
        assert _found(_linked(("Go", base)), _linked(("Go", case)), REDESIGNED) == ()
    (told, *_) = _found(_linked(("Go", "a.example/x")), _linked(("Go", "b.example/x")), REDESIGNED)
    assert told == "open /: link 'Go' leads to b.example/x; no link of the base does"


def test_links_without_a_name_lead_to_hosts_of_the_base() -> None:
    base = _linked(("Docs", "docs.example/x"), ("", "/home"))
    told = "open /: link '' leads to sign-in.example/session; no link of the base does"
    strange = ("", "sign-in.example/session")
    assert _found(base, _linked(*base[0].links, strange)) == (told,)
    assert _found(_linked(base[0].links[0]), _linked(base[0].links[0], strange)) == (told,)
    # Others, or fewer, are no fault: what tells them apart is no name.
    assert _found(base, _linked(base[0].links[0], ("", "docs.example/y"), ("", "/"))) == ()
    assert _found(base, _linked(base[0].links[0])) == ()
    # Nor are any where pages are redesigned.
    assert _found(base, _linked(*base[0].links, strange), REDESIGNED) == ()


def test_new_links_reach_whom_the_base_shows() -> None:
    shown = ("Write to Rangers@trailbook.example, or call 0512 / 123 456.",)
    base = _linked(("Home", "/"), texts=shown)
    written = ("Write", "mailto:rangers@trailbook.example")
    called = ("Call", "tel:+43512123456")
    assert _found(base, _linked(*base[0].links, written, called, texts=shown)) == ()
    for other in (
        ("Write", "mailto:a@b.example"),
        ("Call", "tel:+43512123457"),
        ("", "sms:110"),
        ("Write", "mailto:angers@trailbook.example"),
    ):
        (told,) = _found(base, _linked(*base[0].links, other, texts=shown))
        assert told == f"open /: link {other[0]!r} leads to {other[1]}; no link of the base does"
        assert _found(base, _linked(*base[0].links, other, texts=shown), REDESIGNED) == ()
