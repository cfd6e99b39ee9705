"""The comparison of walks: features that are gone show, noise and redesigns do not decide."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED
from pytest_benchmac.tracks.angular.boot.walk import (
    WalkResult,
    compare_walks,
    once_more,
    unfinished_walks,
    walk_faults,
)
from pytest_benchmac.tracks.angular.boot.walked import WalkedCall, WalkedStep

_SHELL = [("app-root", "link", name) for name in ("Home", "Trails", "Journal", "Planner", "About")]
_LIST = [("app-list", "StaticText", f"Trail {number}") for number in range(6)]
_FORM = [("app-form", "button", "Save"), ("app-form", "StaticText", "Date")]


def _call(**changes: str) -> WalkedCall:
    told = {
        "method": "POST",
        "path": "/api/hikes",
        "query": "",
        "body": "{date}",
        "media": "application/json",
        "accept": "application/json",
        "authorization": "Token abc",
    }
    return WalkedCall(**(told | changes))


def _step(did: str, path: str, things: list[tuple[str, str, str]], **changes: Any) -> WalkedStep:
    told: dict[str, Any] = {
        "did": did,
        "done": True,
        "settled": True,
        "path": path,
        "things": tuple(things),
        "calls": (),
        "problem": "",
    }
    return WalkedStep(**(told | changes))


_BASE = (
    (
        _step("open /", "/", _SHELL + _LIST),
        _step("click link Log", "/new", _SHELL + _FORM),
        _step("form Save", "/", _SHELL + _LIST, calls=(_call(),)),
    ),
)


def _with(at: int, **changes: Any) -> tuple[tuple[WalkedStep, ...], ...]:
    steps = list(_BASE[0])
    steps[at] = steps[at].model_copy(update=changes)
    return (tuple(steps),)


def _compared(case: Any, again: Any = _BASE) -> WalkResult:
    return compare_walks(_BASE, again, case, margins=REDESIGNED, max_other_steps=0.1)


def test_the_same_walk_has_no_fault() -> None:
    result = _compared(_BASE)
    assert walk_faults(result) == []
    assert (result.steps, result.taken, result.calls, result.components) == (3, 3, 1, 3)
    assert result.similarity == result.lowest == 1.0


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        (_with(2, calls=()), "walk: the base sends POST /api/hikes {date} application/json for"),
        (_with(2, calls=(_call(authorization=""),)), "walk: the base sends POST /api/hikes"),
        (_with(2, calls=(_call(body="-"),)), "walk: the base sends POST /api/hikes"),
        (_with(2, path="/new"), "walk: form Save: ended at /new; the base at /"),
        (_with(1, things=tuple(_SHELL)), "walk: of what the base shows in <app-form>: 0 of 2"),
        (_with(0, things=tuple(_SHELL)), "walk: open /: similarity 0.625"),
        (_with(1, done=False, problem="no link Log"), "walk: cannot click link Log: no link Log"),
        ((), "walk: cannot open /"),
    ],
)
def test_what_is_gone_is_a_fault(case: Any, fault: str) -> None:
    assert any(each.startswith(fault) for each in walk_faults(_compared(case)))


def test_more_than_the_base_shows_or_asks_for_is_no_fault() -> None:
    extra = (*_BASE[0][2].things, ("app-list", "StaticText", "New"))
    calls = (_call(), _call(method="GET", body="-", media=""))
    assert walk_faults(_compared(_with(2, things=extra, calls=calls))) == []


def test_a_few_requests_that_only_read_may_be_gone() -> None:
    def walk(*paths: str) -> Any:
        calls = [_call(method="GET", path=path, body="-", media="") for path in paths]
        return ((_step("open /", "/", _SHELL, calls=tuple(calls)),),)

    base = walk("/a", "/b", "/c", "/d")
    result = compare_walks(
        base, base, walk("/a", "/b", "/c"), margins=REDESIGNED, max_other_steps=0.1
    )
    assert (result.calls, len(result.reads_gone), result.calls_gone) == (4, 1, ())
    assert walk_faults(result) == []
    faults = walk_faults(
        compare_walks(base, base, walk("/a", "/b"), margins=REDESIGNED, max_other_steps=0.1)
    )
    assert [each.split(";")[0] for each in faults] == [
        "walk: the base sends GET /c for application/json with Authorization",
        "walk: the base sends GET /d for application/json with Authorization",
    ]


def _alike(base: Any, case: Any) -> WalkResult:
    return compare_walks(base, base, case, margins=ALIKE, max_other_steps=0)


def test_pages_that_no_history_redesigns_stay_as_they_are() -> None:
    texts = [("app-list", "StaticText", f"Hike {number}") for number in range(40)]
    links = tuple((f"Hike {number}", f"/hikes/{number}") for number in range(40))

    def walk(things: Any, links: Any = links, path: str = "/") -> Any:
        read = _call(method="GET", path="/api/hikes", body="-", media="")
        steps = [_step("open /", "/", things, calls=(read,))]
        steps += [_step(f"click link {number}", path, things) for number in range(5)]
        return (tuple(step.model_copy(update={"links": links}) for step in steps),)

    base = walk(texts)
    assert walk_faults(_alike(base, base)) == []
    more = [*texts, ("app-list", "StaticText", "New")]
    assert walk_faults(_alike(base, walk(more))) == []
    assert any("similarity" in each for each in walk_faults(_alike(base, walk(texts[5:]))))
    renamed = [(*texts[0][:2], "Not it"), *texts[1:]]
    (fault,) = walk_faults(_alike(base, walk(renamed)))
    assert "does not show StaticText 'Hike 0', one of 1 of 40 different names" in fault
    moved = [*texts[1:], texts[0]]
    (fault,) = walk_faults(_alike(base, walk(moved)))
    assert "in the base's order" in fault
    # A list that has become a component of its own keeps its order in the page.
    own = [("app-rows", *text[1:]) for text in [*texts[1:4], texts[0]]]
    (fault,) = walk_faults(_alike(base, walk([*own, *texts[4:]])))
    assert "<page> shows StaticText" in fault or "<page> shows 'Hike 1'" in fault
    (fault,) = walk_faults(_alike(base, walk(texts, (("Hike 0", "/other"), *links[1:]))))
    assert "leads to /other" in fault
    assert "walk: click link 0: ended at /new; the base at /" in walk_faults(
        _alike(base, walk(texts, path="/new"))
    )


def test_a_time_that_is_another_each_time_makes_no_other_page() -> None:
    texts = [("app-list", "StaticText", f"Hike {number}") for number in range(9)]

    def walk(*times: str, things: Any = texts) -> Any:
        told = [("app-root", "StaticText", each) for each in times]
        return ((_step("open /", "/", [*things, *told]),),)

    def faults(case: Any) -> list[str]:
        base, again = walk("08:00:01.013"), walk("08:00:12.400")
        return walk_faults(compare_walks(base, again, case, margins=ALIKE, max_other_steps=0))

    assert faults(walk("08:00:01.213")) == []
    # One of them, and no more.
    assert any("similarity 0.947" in each for each in faults(walk("08:00:01.213", "Sold out")))
    assert faults(walk("08:00:01.213", things=texts[1:]))


def test_a_step_that_one_of_two_boots_takes_as_the_base_does_is_late() -> None:
    base = (tuple(_step(f"click {number}", "/", _SHELL) for number in range(20)),)

    def astray(*numbers: int) -> WalkResult:
        steps = list(base[0])
        for number in numbers:
            steps[number] = steps[number].model_copy(update={"path": "/login"})
        return _alike(base, (tuple(steps),))

    assert astray(3, 7).wrong_steps == ((0, 3), (0, 7))
    assert walk_faults(astray(3))
    assert walk_faults(once_more(astray(3), astray(7))) == []
    assert walk_faults(once_more(astray(3), astray(3)))
    assert walk_faults(once_more(astray(3, 7), astray(7)))
    # On no machine so many are.
    assert walk_faults(once_more(astray(1, 2, 3), astray(7)))


def test_what_is_sent_after_another_way_counts_among_the_steps_that_may_differ() -> None:
    elsewhere = [("app-help", "heading", "Help"), *_SHELL[:1]]
    case = (
        (
            _BASE[0][0],
            _step("click link Log", "/help", elsewhere),
            _step("form Save", "/help", elsewhere),
        ),
    )
    # The form, too, is shown by its own address.
    shown = (_step("open /new", "/new", _SHELL + _FORM),)
    base, case = (*_BASE, shown), (*case, shown)
    result = compare_walks(base, base, case, margins=REDESIGNED, max_other_steps=0.75)
    assert (result.wrong_actions, result.wrong_ways, result.allowed_actions) == (2, 1, 3)
    assert result.calls_gone == ()
    assert walk_faults(result) == []
    faults = walk_faults(compare_walks(base, base, case, margins=REDESIGNED, max_other_steps=0.5))
    assert [each for each in faults if "this never does" in each] == [
        "walk: the base sends POST /api/hikes {date} application/json for application/json with "
        "Authorization; this never does"
    ]
    # Where another walk gets there with the case, it has to send it.
    again = (*base, (shown[0], _BASE[0][2]))
    case = (*case, (shown[0], _step("form Save", "/", _SHELL + _LIST)))
    result = compare_walks(again, again, case, margins=REDESIGNED, max_other_steps=0.75)
    assert len(result.calls_gone) == 1
    assert result.calls_after == ()
    assert any("this never does" in each for each in walk_faults(result))


def test_what_is_sent_beside_what_a_step_is_for_counts_among_the_steps_that_may_differ() -> None:
    opened, favourite = _BASE[0][0], _call(path="/api/favourites", body="-")
    base = ((opened, _step("form Sign up", "/", _SHELL + _LIST, calls=(_call(), favourite))),)

    def judged(*sent: WalkedCall, shown: list[tuple[str, str, str]]) -> list[str]:
        case = ((opened, _step("form Sign up", "/", shown, calls=sent)),)
        return walk_faults(compare_walks(base, base, case, margins=REDESIGNED, max_other_steps=1.0))

    other = [*_SHELL[:1], *(("app-feed", "StaticText", f"Feed {number}") for number in range(9))]
    told = "walk: the base sends POST /api/favourites"
    assert not any(each.startswith(told) for each in judged(_call(), shown=other))
    # What all else is alike with, or sends nothing, has no such excuse.
    assert any(each.startswith(told) for each in judged(_call(), shown=_SHELL + _LIST))
    assert any(each.startswith(told) for each in judged(shown=other))


def test_an_error_after_another_way_counts_among_the_steps_that_may_differ() -> None:
    other = _step("click link Log", "/help", _SHELL + _FORM)
    fails = _BASE[0][2].model_copy(update={"errors": ("ERROR NG04008",)})

    def judged(*case: WalkedStep, share: float) -> WalkResult:
        return compare_walks(_BASE, _BASE, (case,), margins=REDESIGNED, max_other_steps=share)

    late = judged(_BASE[0][0], other, fails, share=0.75)
    assert (late.wrong_actions, late.wrong_ways, late.allowed_actions) == (1, 1, 2)
    assert late.errors == ()
    assert walk_faults(late) == []
    few = judged(_BASE[0][0], other, fails, share=0.5)
    assert "walk: error: form Save: ERROR NG04008" in walk_faults(few)
    # What the way itself fails with, or fails with on the base's way, is a fault however few.
    astray = other.model_copy(update={"errors": ("ERROR NG04008",)})
    assert judged(_BASE[0][0], astray, _BASE[0][2], share=0.75).errors
    assert judged(_BASE[0][0], _BASE[0][1], fails, share=0.75).errors


def test_what_the_base_does_not_repeat_is_no_fault() -> None:
    toast = ("app-toast", "StaticText", "Saved at 10:01")
    steps = list(_BASE[0])
    steps[1] = steps[1].model_copy(update={"things": (*steps[1].things, toast)})
    base = (tuple(steps),)
    assert (
        walk_faults(compare_walks(base, _BASE, _BASE, margins=REDESIGNED, max_other_steps=0.1))
        == []
    )
    for noisy in (_with(2, calls=()), _with(2, path="/new"), _with(2, settled=False)):
        assert walk_faults(_compared(_with(2, calls=()), noisy)) == []


def test_noise_is_asked_for_where_anything_differs() -> None:
    alike = compare_walks(_BASE, None, _BASE, margins=REDESIGNED, max_other_steps=0.5)
    assert (alike.differs, alike.twice, alike.taken) == (False, False, 3)
    for case in (
        # One step of two that may go another way, and what is sent and only reads.
        _with(1, path="/other"),
        _with(1, done=False),
        _with(2, calls=()),
        _with(2, calls=(_call(), _call())),
        _with(1, errors=("TypeError: no pier",)),
        _with(1, hosts=("collect.example",)),
    ):
        result = compare_walks(_BASE, None, case, margins=REDESIGNED, max_other_steps=0.5)
        assert result.differs
        assert not result.twice
    assert compare_walks(_BASE, _BASE, _BASE, margins=REDESIGNED, max_other_steps=0.5).twice


def test_a_request_that_only_reads_and_is_gone_is_a_difference() -> None:
    reads = tuple(_call(method="GET", path=f"/api/{number}", body="-") for number in range(5))
    base = _with(1, calls=reads)
    result = compare_walks(
        base, None, _with(1, calls=reads[1:]), margins=REDESIGNED, max_other_steps=0.5
    )
    assert walk_faults(result) == []
    assert result.differs


def test_components_are_found_wherever_their_texts_moved() -> None:
    moved = tuple(("other-name", role, name) for _, role, name in _BASE[0][1].things)
    assert walk_faults(_compared(_with(1, things=moved))) == []


def test_a_few_buttons_may_do_something_else_but_no_address() -> None:
    walk = (_step("open /", "/", _SHELL), *(_step("click button", "/", _SHELL) for _ in range(19)))
    for at, faults in ((1, 0), (0, 1)):
        other = tuple(
            step.model_copy(update={"path": "/login"}) if number == at else step
            for number, step in enumerate(walk)
        )
        result = compare_walks((walk,), (walk,), (other,), margins=REDESIGNED, max_other_steps=0.1)
        assert len(result.elsewhere) == 1
        assert len(walk_faults(result)) == faults


@pytest.mark.parametrize("did", ["reload", "resize, 390 x 844", "back"])
def test_a_page_that_is_come_back_to_has_to_be_there(did: str) -> None:
    base = ((_BASE[0][0], _step(did, "/", _SHELL + _LIST)),)
    gone = ((_BASE[0][0], _step(did, "/", ())),)
    result = compare_walks(base, base, gone, margins=REDESIGNED, max_other_steps=1.0)
    assert (result.wrong_addresses, result.wrong_actions) == (1, 0)
    assert f"walk: {did}: similarity 0.000" in walk_faults(result)


def test_an_address_that_is_opened_after_another_way_counts_as_any_step() -> None:
    button = [_step("click button", "/", _SHELL)] * 8
    walk = (_step("open /", "/", _SHELL), *button, _step("open /", "/", _SHELL))
    last = walk[-1].model_copy(update={"path": "/login"})
    with_base = compare_walks(
        (walk,), (walk,), ((*walk[:-1], last),), margins=REDESIGNED, max_other_steps=0.2
    )
    assert (with_base.wrong_addresses, with_base.wrong_actions) == (1, 0)
    assert len(walk_faults(with_base)) == 1
    elsewhere = (walk[0], walk[1].model_copy(update={"path": "/login"}), *walk[2:-1], last)
    after = compare_walks((walk,), (walk,), (elsewhere,), margins=REDESIGNED, max_other_steps=0.2)
    assert (after.wrong_addresses, after.wrong_actions) == (0, 2)
    assert walk_faults(after) == []
    assert walk_faults(
        compare_walks((walk,), (walk,), (elsewhere,), margins=REDESIGNED, max_other_steps=0.1)
    )


def test_what_nobody_sees_counts_on_pages_that_are_alike() -> None:
    """On another page the base's texts are elsewhere, as below the end of the picture."""
    told = {(0, 1): ["3 of 7 texts cannot be seen: Date"]}
    same = compare_walks(_BASE, _BASE, _BASE, margins=REDESIGNED, max_other_steps=0.1, hidden=told)
    assert walk_faults(same) == [
        "walk: click link Log: 3 of 7 texts cannot be seen: Date",
    ]
    other = _with(1, things=(("app-other", "StaticText", "Sign in"),))
    differs = compare_walks(
        _BASE, _BASE, other, margins=REDESIGNED, max_other_steps=0.5, hidden=told
    )
    assert differs.unlike
    assert differs.hidden == ()


def test_a_long_list_is_cut() -> None:
    walk = tuple(_step(f"open /{number}", "/", _SHELL) for number in range(30))
    result = compare_walks((walk,), (walk,), (), margins=REDESIGNED, max_other_steps=0.1)
    assert len(result.not_taken) == 21
    assert result.not_taken[-1] == "and 10 more"


def test_a_base_without_time_for_its_walks_is_told() -> None:
    step = _BASE[0][0]
    late = step.model_copy(update={"done": False})
    assert unfinished_walks((), ()) == ""
    assert unfinished_walks(((step, step),), ((step, late),)) == ""
    for again in ((), ((late, late),)):
        assert "took 0 of 2 steps" in unfinished_walks(((step, step),), again)
