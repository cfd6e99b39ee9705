"""What steps bring about, compared while both walk together, without what is noise."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import pytest

from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED, Margins
from pytest_benchmac.tracks.angular.boot.walk import WalkResult, compare_walks, walk_faults
from pytest_benchmac.tracks.angular.boot.walked import Walk, WalkedCall, WalkedStep

_SHELL = [("StaticText", name) for name in ("Home", "Trails", "Journal", "Planner", "About")]


def _call(method: str = "POST", path: str = "/api/hikes", **values: str) -> WalkedCall:
    return WalkedCall(
        method=method,
        path=path,
        query="",
        body="{name}" if method == "POST" else "-",
        media="application/json",
        accept="json",
        authorization="",
        values=tuple((f".{name}", value) for name, value in values.items()),
    )


def _step(did: str, *texts: str, **changes: Any) -> WalkedStep:
    things = [("app-page", role, name) for role, name in _SHELL]
    told: dict[str, Any] = {
        "did": did,
        "done": True,
        "settled": True,
        "path": "/",
        "things": (*things, *(("app-page", "StaticText", text) for text in texts)),
        "calls": (),
        "problem": "",
    }
    return WalkedStep(**(told | changes))


def _compared(
    base: Walk,
    case: Walk,
    again: Walk | None = None,
    margins: Margins = REDESIGNED,
    libraries: Set[str] = frozenset(),
) -> WalkResult:
    return compare_walks(
        (base,),
        (again or base,),
        (case,),
        margins=margins,
        max_other_steps=0.1,
        libraries=libraries,
    )


def _faults(
    base: Walk, case: Walk, again: Walk | None = None, margins: Margins = REDESIGNED
) -> list[str]:
    return walk_faults(_compared(base, case, again, margins))


def _beside(base: Walk, case: Walk, again: Walk | None = None) -> list[str]:
    """The same where pages stay as they are."""
    return _faults(base, case, again, ALIKE)


_LIST = _step("open /", "Two hikes", "Remove")
_REMOVED = _step("click button Remove", "One hike", "Remove")
_DEAD = _step("click button Remove", "Two hikes", "Remove")
_IDLE = _step("click link Home", "One hike", "Remove")


def test_a_button_that_does_nothing_is_a_fault() -> None:
    (fault,) = _faults((_LIST, _REMOVED, _IDLE), (_LIST, _DEAD, _DEAD))
    assert fault.startswith("walk: click button Remove: nothing happens; in the base: ")
    assert "One hike" in fault


def test_what_happens_a_little_later_or_asks_the_back_end_is_none() -> None:
    asking = _DEAD.model_copy(update={"calls": (_call("GET"),)})
    assert _faults((_LIST, _REMOVED, _IDLE), (_LIST, _DEAD, _IDLE)) == []
    assert _faults((_LIST, _REMOVED, _IDLE), (_LIST, asking, _DEAD)) == []
    assert _faults((_LIST, _DEAD), (_LIST, _REMOVED)) == []


def test_other_numbers_are_a_fault_in_whatever_words_and_other_words_are_none() -> None:
    base = (_step("open /", "12.5 km in all", "Two hikes"),)
    (fault,) = _faults(base, (_step("open /", "7.5 km in all", "Two hikes"),))
    assert fault == "walk: open /: shows '7.5 km in all'; the base '12.5 km in all'"
    (fault,) = _faults(base, (_step("open /", "Distance: 7.5 km", "Two hikes"),))
    assert fault == "walk: open /: shows 'Distance: 7.5 km'; the base '12.5 km in all'"
    assert _faults(base, (_step("open /", "Distance: 12.5 km", "Two hikes"),)) == []
    assert _faults(base, (_step("open /", "Far", "Two hikes"),)) == []
    later = (_step("open /", "12.6 km in all", "Two hikes"),)
    assert _faults(base, (_step("open /", "7.5 km in all", "Two hikes"),), later) == []


def test_what_is_read_out_with_other_numbers_is_a_fault() -> None:
    base = (_step("open /", "12.5 km", sounds=(("button", "Remove hike 17", "7 x"),)),)
    assert _faults(base, base) == []
    other = (_step("open /", "12.5 km", sounds=(("button", "Remove hike 18", "9 x"),)),)
    assert _faults(base, other) == []
    (fault,) = _faults(base, (_step("open /", "12.5 km", sounds=(("cell", "25 km", "12.5 km"),)),))
    assert fault == "walk: open /: cell '12.5 km' is read out as '25 km'"


@pytest.mark.parametrize(
    ("base", "case"),
    [
        (("5.2 km",), ("5.2 mi",)),
        # In whatever words, in any text of the component, and of a single figure.
        (("640 m up",), ("Climbs", "640\u202ffeet in all")),
        (("5 km/h",), ("5mph",)),
        (("5-km walk",), ("5-mile walk",)),
        # Spelled out, raised, or in a text of its own.
        (("12 kilometres",), ("12 Miles",)),
        (("8 km²",), ("8 sq mi",)),
        (("5.2", "km"), ("5.2", "mi")),
        (("5.2 km",), ("5.2 statute miles",)),
        (("5.2 km",), ("5.2 of the British miles",)),
        (("5 m up",), ("5 vertical feet up",)),
        (("20 °C",), ("20°F",)),
        (("1,250 MB",), ("1250 Mb",)),
        (("90 s",), ("90 minutes",)),
        (("$12.50",), ("12.50\u00a0€",)),
        (("USD 12",), ("£12",)),
        (("12%",), ("12‰",)),
    ],
)
def test_numbers_in_other_units_are_a_fault(base: tuple[str, ...], case: tuple[str, ...]) -> None:
    (fault,) = _faults((_step("open /", *base),), (_step("open /", *case),))
    told = " ".join(base)
    assert fault.startswith("walk: open /: shows ")
    assert fault.endswith(f"; the base {told!r}")


@pytest.mark.parametrize(
    ("base", "case"),
    [
        # The same unit, spelled or put otherwise.
        (("5.2 km",), ("Length: 5.2 kilometres.",)),
        (("5.2 km",), ("5.2\u00a0kilometers long",)),
        (("5.2 km",), ("5.2km",)),
        (("5.2 km",), ("5.2 KM",)),
        (("5.2 km",), ("5.2", "km")),
        (("5.2 km",), ("km:", "5.2")),
        (("1,250 m up",), ("1250 metres",)),
        (("30 km/h",), ("30 kilometres per hour",)),
        (("8 m²",), ("8 square metres",)),
        (("20 °C",), ("20 degrees",)),
        (("$12.50",), ("12.50 USD",)),
        (("50 %",), ("50 per cent",)),
        # What may be the same one.
        (("12 min",), ("12m",)),
        (("5 KB",), ("5 KiB",)),
        # Another unit beside the base's, or of what the base has too; and what is gone or a word.
        (("5 km",), ("5 km", "5 mi")),
        (("2 h", "2 min"), ("2 min in all",)),
        (("5 km",), ("Far",)),
        (("5 km",), ("5 of them",)),
        (("5 km",), ("5 in all",)),
        (("5 km",), ("5 of them, 3 miles off",)),
        (("5 statute miles",), ("5 statute miles, or so",)),
        (("5 km",), ("5 hikes km by km",)),
        (("Level 5 m",), ("Level 5 M",)),
        # Another number's.
        (("2 h 30 min",), ("30 min and 2 h",)),
        # The next number's name.
        (("Hours", "12", "Days", "3"), ("Days", "3", "Hours", "12")),
        (("Day", "3", "Hikes", "12"), ("Hikes", "3 Hikes", "12", "Day")),
    ],
)
def test_the_same_unit_in_other_words_is_none(base: tuple[str, ...], case: tuple[str, ...]) -> None:
    found = _faults((_step("open /", *base),), (_step("open /", *case),))
    assert [each for each in found if " shows " in each and "the base has" not in each] == []


_SAVED = _step("form Save", "Saved", calls=(_call(name="Ada", at="17", note=""),))


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        (
            (),
            "sends POST /api/hikes {name} application/json for json 0 times in a walk; the base 1",
        ),
        (
            (_call(name="Ada"),) * 2,
            "sends POST /api/hikes {name} application/json for json 2 times",
        ),
        ((_call(name=""),), "POST /api/hikes {name} application/json for json: sends '' as .name"),
        (
            (_call(name="Ada", note="all"),),
            "POST /api/hikes {name} application/json for json: sends 'all' as .note; the base ''",
        ),
    ],
)
def test_what_is_sent_otherwise_is_a_fault(calls: Any, fault: str) -> None:
    again = _SAVED.model_copy(update={"calls": (_call(name="Ada", at="28", note=""),)})
    case = _SAVED.model_copy(update={"calls": calls})
    # Once in another walk: the kind itself is not gone.
    result = compare_walks(
        ((_SAVED,), (_SAVED,)),
        ((again,), (again,)),
        ((case,), (_SAVED,)),
        margins=REDESIGNED,
        max_other_steps=0.1,
    )
    (found,) = walk_faults(result)
    assert found.startswith(f"walk: {fault}")


def test_values_that_the_base_does_not_repeat_are_none() -> None:
    again = _SAVED.model_copy(update={"calls": (_call(name="Ada", at="28", note=""),)})
    case = _SAVED.model_copy(update={"calls": (_call(name="Ada", at="39"),)})
    assert _faults((_SAVED,), (case,), (again,)) == []


def test_the_order_of_requests_is_no_matter() -> None:
    one, other = _call("GET", page="1"), _call("GET", page="2")
    base = (_step("open /", calls=(one, other)),)
    assert _faults(base, (_step("open /", calls=(other, one)),)) == []
    (fault,) = _faults(base, (_step("open /", calls=(other, other)),))
    assert fault.endswith("sends '2' as .page; the base '1'")


def test_reads_may_be_sent_a_little_more_often() -> None:
    def walk(times: int) -> Walk:
        return (_step("open /", calls=(_call("GET"),) * times),)

    assert _faults(walk(2), walk(1)) == []
    assert _faults(walk(1), walk(5)) == []
    (fault,) = _faults(walk(1), walk(6))
    assert fault.endswith("6 times; the base 1 times")


def test_nothing_is_compared_in_detail_once_the_case_went_another_way() -> None:
    away = _step("click button Like", path="/register")
    like = _step("click button Like", path="/login")
    base = (_LIST, like, *(_step("open /", "Total 7") for _ in range(18)), _SAVED)
    case = (_LIST, away, *(_step("open /", "Total 8") for _ in range(18)), _step("form Save"))
    result = compare_walks(
        (base, (_SAVED,)),
        (base, (_SAVED,)),
        (case, (_SAVED,)),
        margins=REDESIGNED,
        max_other_steps=0.1,
    )
    assert (result.steps, result.together) == (22, 2)
    assert walk_faults(result) == []


def test_what_is_sent_and_the_base_refuses_is_a_fault() -> None:
    refused = _step("form Save", "Ends before it starts", path="/new")
    base = (*(_step("open /", "Two hikes") for _ in range(18)), refused)
    saved = _step("form Save", "Hike saved", calls=(_call(name="Ada"),))
    sent = compare_walks(
        (base, (_SAVED,)),
        (base, (_SAVED,)),
        ((*base[:-1], saved), (_SAVED,)),
        margins=REDESIGNED,
        max_other_steps=0.1,
    )
    assert sent.wrong_actions <= sent.allowed_actions
    (fault,) = walk_faults(sent)
    assert fault.startswith("walk: form Save: sends POST /api/hikes")
    silent = (*base[:-1], _step("form Save", "Hike saved"))
    assert _faults(base, silent) == []


def test_errors_and_hosts_that_the_base_has_not_are_faults() -> None:
    error = "ERROR TypeError: this.days.mutate is not a function"
    case = _LIST.model_copy(update={"errors": (error,), "hosts": ("collect.example",)})
    assert _faults((_LIST,), (case,)) == [
        f"walk: error: open /: {error}",
        "walk: asks collect.example, which the base never does",
    ]
    known = compare_walks(
        ((_LIST,),),
        ((_LIST,),),
        ((case,),),
        margins=REDESIGNED,
        max_other_steps=0.1,
        known_errors=frozenset({error}),
        known_hosts=frozenset({"collect.example"}),
    )
    assert walk_faults(known) == []
    again = _LIST.model_copy(update={"errors": ("ERROR [object]",), "hosts": ("collect.example",)})
    assert _faults((_LIST,), (case,), (again,)) == []
    failing = _LIST.model_copy(update={"errors": ("Failed to load resource: status 500",)})
    assert len(_faults((failing,), (case,))) == 2


def test_the_same_in_another_order_is_a_fault() -> None:
    base = (_step("open /", "First", "Second"),)
    other = (_step("open /", "Second", "First"),)
    (fault,) = _faults(base, other)
    told = "walk: open /: <app-page> shows 'Second' where the base has 'First'"
    assert fault == f"{told}; 6 of 7 texts are in the base's order"
    # What the base itself shuffles, and what another component shows, has no order.
    assert _faults(base, other, other) == []
    second = ("app-list", "StaticText", "Second")
    moved = (*base[0].things[:5], second, base[0].things[5])
    both = (_step("open /", things=(*base[0].things[:6], second)),)
    assert _faults(both, (_step("open /", things=moved),)) == []


def test_what_is_entered_or_ticked_is_compared() -> None:
    def box(state: str) -> Walk:
        states = (("checkbox", "With a car", state),) if state else ()
        thing = ("app-page", "checkbox", "With a car")
        return (_step("open /", things=(*_step("open /").things, thing), states=states),)

    (fault,) = _faults(box("checked: true"), box(""))
    assert fault == ("walk: open /: checkbox With a car is ''; in the base 'checked: true'")
    assert _faults(box("value: 12:00:01"), box("value: 12:00:20"), box("value: 12:00:12")) == []
    # What is not there any more is told elsewhere.
    assert _faults(box("checked: true"), (_step("open /"),)) == []


_OPENED = _step("open /new", "Log a hike", path="/new")
_REFUSED = _step("form Save, refused with 422", "Saved on this page only.", path="/new")
_TAKEN = _step("form Save", "Hike saved.", path="/new")


def test_what_the_base_says_when_something_else_has_happened_is_a_fault() -> None:
    base = (_OPENED, _REFUSED, _TAKEN)
    wrong = _TAKEN.model_copy(update={"did": _REFUSED.did})
    (fault,) = _faults(base, (_OPENED, wrong, _TAKEN))
    assert fault == (
        "walk: form Save, refused with 422: says 'Hike saved.'; the base 'Saved on this page only.'"
    )
    other_words = _step(_REFUSED.did, "Kept here: nobody took it.", path="/new")
    assert _faults(base, (_OPENED, other_words, _TAKEN)) == []


def test_an_answer_of_another_component_on_the_same_page_is_no_excuse() -> None:
    opened, failed = _step("open /log", path="/log"), _step("form Import", "No JSON.", path="/log")
    notice = ("app-notice", "StaticText", "Imported: five.")
    taken = _step("form Import, again", path="/log", things=(*opened.things, notice))
    base = (opened, taken, opened, failed)
    wrong = failed.model_copy(update={"did": taken.did})
    told = "walk: form Import, again: says 'No JSON.'; the base 'Imported: five.'"
    assert told in _faults(base, (opened, wrong, opened, failed))
    # Another page may be designed otherwise.
    led = [each.model_copy(update={"path": "/done"}) for each in (taken, wrong)]
    assert told not in _faults((opened, led[0], opened, failed), (opened, led[1], opened, failed))


def test_what_was_entered_is_shown_as_it_was() -> None:
    text = "Bado zéfu 47. <b>gura</b>"
    base = (_step("form Save", f"Notes: {text}", entered=(text,)),)
    assert _faults(base, base) == []
    (fault,) = _faults(base, (_step("form Save", "Notes: Bado zéfu 47.", "gura"),))
    assert fault == f"walk: form Save: does not show {text!r}, which was entered"


def test_what_hands_can_do_in_the_base_they_can_do_in_the_case() -> None:
    worked = ("the tab key reaches button Save",)
    base = (_step("press Save", "Saved", worked=worked),)
    assert _faults(base, base) == []
    (fault,) = _faults(base, (_step("press Save", "Saved"),))
    assert "the tab key reaches button Save" in fault
    # What the base cannot do a second time is noise.
    assert _faults(base, (_step("press Save", "Saved"),), (_step("press Save", "Saved"),)) == []


def test_who_hears_is_told_what_the_page_says_that_is_shown() -> None:
    """A step may lead elsewhere, within what is allowed: that page says what it says."""
    told = "who hears is told what app-save says"
    others = tuple(_step(f"open /{number}", "Page") for number in range(20))
    base = (*others, _step("click Save", "Saved", worked=(told,)))
    here, elsewhere = (_step("click Save", "Saved", path=path) for path in ("/", "/other"))
    assert any(told in fault for fault in _faults(base, (*others, here)))
    assert not any(told in fault for fault in _faults(base, (*others, elsewhere)))


def _hinted(*hints: str) -> Walk:
    return (_step("open /", "42 m up", hints=tuple(("StaticText", "42 m up", e) for e in hints)),)


def test_what_elements_say_beside_their_names_is_said_in_the_case() -> None:
    steep, current = "says title: 70 m up per km, steep", "says aria-current: page"
    base = _hinted(steep, current)
    assert _beside(base, base) == []
    (fault,) = _beside(base, _hinted(current))
    assert fault == f"walk: open /: StaticText 42 m up has no {steep!r}"
    # What the base does not say twice is none, nor what it says of what is not there.
    assert _beside(base, _hinted(current), _hinted(current, "says title: 3 s ago")) == []
    assert not any("steep" in each for each in _beside(base, (_step("open /", "All trails"),)))
    # More is a fault as well: another language, say; but none is who hears more.
    (fault,) = _beside(_hinted(current), _hinted(current, "says lang: hu"))
    assert fault == "walk: open /: StaticText 42 m up has a new 'says lang: hu'"
    assert _beside(_hinted(), _hinted("read out: level 2")) == []


def test_what_hands_meet_at_an_element_is_what_they_meet_in_the_base() -> None:
    """Of styles that no picture shows, more is a fault as well: no pointer, say."""
    hand, none = "style cursor pointer", "style cursor none"
    (fault,) = _beside(_hinted(), _hinted(none))
    assert fault == f"walk: open /: StaticText 42 m up has a new {none!r}"
    assert len(_beside(_hinted(hand), _hinted(none))) == 2
    assert _beside(_hinted(), _hinted(none), _hinted(none)) == []


def _of_kinds(*kinds: tuple[str, ...]) -> Walk:
    told = ((*kind[:2], hint) for kind in kinds for hint in ("there", *kind[2:]))
    return (_step("open /", "42 m up", hints=tuple(told)),)


def test_kinds_of_elements_are_compared_that_both_have() -> None:
    base = _of_kinds(("main", "app-root"))
    other = _of_kinds(("main", "app-root", "says lang: hu"), ("nav", "app-root", "says lang: hu"))
    (fault,) = _beside(base, other)
    assert fault == "walk: open /: main app-root has a new 'says lang: hu'"
    assert len(_beside(other, base)) == 1
    assert _beside(base, _of_kinds(("nav", "app-root", "says lang: hu"))) == []
    # Of what is read out it matters what is read out.
    more = _of_kinds(("main", "app-root", "says aria-busy: false", "says role: main"))
    assert _beside(base, more) == []
    assert len(_beside(more, base)) == 2


def test_elements_of_libraries_may_be_styled_and_read_out_otherwise() -> None:
    """Their templates are packages', which are others in the case."""
    base = _of_kinds(("label", "mat-form-field", "says aria-owns", "style cursor default"))
    case = _of_kinds(("label", "mat-form-field", "says inputmode: none", "style cursor pointer"))
    assert len(_compared(base, case, margins=ALIKE).hints) == 4
    (hint,) = _compared(base, case, margins=ALIKE, libraries={"mat-form-field"}).hints
    assert hint.endswith("label mat-form-field has a new 'says inputmode: none'")


def test_what_libraries_put_beside_the_application_is_styled_by_them() -> None:
    base, case = (_of_kinds(("div", "", *more)) for more in ((), ("style touch-action none",)))
    assert len(_compared(base, case, margins=ALIKE).hints) == 1
    assert _compared(base, case, margins=ALIKE, libraries={"nz-modal"}).hints == ()


def test_a_new_kind_of_elements_hides_neither_pointer_nor_caret() -> None:
    base, case = _of_kinds(("p", "")), _of_kinds(("section", "", "style cursor none"))
    (fault,) = _compared(base, case, margins=ALIKE).hints
    assert fault.endswith("section has a new 'style cursor none'")
    pointer = _of_kinds(("section", "", "style cursor pointer"))
    assert _compared(base, pointer, margins=ALIKE).hints == ()


@pytest.mark.parametrize("hint", ["style cursor none", "style caret-color rgba(0, 0, 0, 0)"])
def test_no_component_of_a_library_hides_pointer_or_caret_from_now_on(hint: str) -> None:
    """What the application puts into it has it as well."""
    plain, blind = (_of_kinds(("main", "as-split-area", *more)) for more in ((), (hint,)))
    (fault,) = _compared(plain, blind, margins=ALIKE, libraries={"as-split-area"}).hints
    assert fault.endswith(f"main as-split-area has a new {hint!r}")
    assert _compared(blind, plain, margins=ALIKE, libraries={"as-split-area"}).hints == ()


def test_what_is_read_out_in_another_order_is_a_fault() -> None:
    base = _of_kinds(("tbody", "app-root"))
    for hint in (
        *("says aria-owns", "says aria-modal: true", "says aria-busy: true"),
        *("says aria-roledescription: picture", "says aria-braillelabel: Save"),
        *("says aria-brailleroledescription: pct", "says aria-hidden: true of what is used"),
    ):
        case = _of_kinds(("tbody", "app-root", hint))
        assert len(_compared(base, case, margins=ALIKE).hints) == 1
        library = _compared(base, case, margins=ALIKE, libraries={"app-root"})
        assert library.hints == ()


def test_what_is_not_used_may_be_read_out_less() -> None:
    base = _of_kinds(("tbody", "app-root"))
    hidden = _of_kinds(("tbody", "app-root", "says aria-hidden: true", "says aria-label: All"))
    assert _compared(base, hidden, margins=ALIKE).hints == ()


@pytest.mark.parametrize(
    "style",
    [
        *("animation-timeline scroll(root)", "animation-timeline auto, --read"),
        *("animation-trigger --read play", "container-type scroll-state"),
    ],
)
def test_nothing_follows_how_far_a_page_was_moved(style: str) -> None:
    """Also in what libraries have, in new kinds of elements, and where pages are redesigned."""
    plain = _of_kinds(("p", "app-list"))
    case = _of_kinds(("p", "app-list", f"style {style}"))
    other = _of_kinds(("section", "app-list", f"style {style}"))
    for margins in (ALIKE, REDESIGNED):
        (fault,) = _compared(plain, case, margins=margins, libraries={"app-list"}).hints
        assert fault.endswith(f"p app-list has a new 'style {style}'")
        assert len(_compared(plain, other, margins=margins).hints) == 1
    for time in ("auto", "none", "auto, none"):
        usual = _of_kinds(("section", "app-list", f"style animation-timeline {time}"))
        assert _compared(plain, usual, margins=ALIKE).hints == ()


def test_what_the_base_asks_is_asked() -> None:
    asks = "it asks in a dialog, confirm 1"
    base = (_step("click Remove", worked=(asks,)),)
    (fault,) = _beside(base, (_step("click Remove"),))
    assert fault == f"walk: click Remove: of the base alone it is true that {asks}"
    assert _beside(base, base) == []
    # A redesign may ask in a dialog of its own.
    assert _faults(base, (_step("click Remove"),)) == []
    # What the base asks once only is noise.
    assert _beside(base, (_step("click Remove"),), (_step("click Remove"),)) == []


def test_files_have_what_the_base_s_have() -> None:
    file, other = (f"a file .json has [{items} of {{name: string}}]" for items in (2, 1))
    base = (_step("click Export", worked=(file,)), _step("open /"))
    (fault,) = _beside(base, (_step("click Export", worked=(other,)), _step("open /")))
    assert fault == f"walk: click Export: of the base alone it is true that {file}"
    # It may come a little later.
    assert _beside(base, (_step("click Export"), _step("open /", worked=(file,)))) == []
    assert _faults(base, (_step("click Export", worked=(other,)), _step("open /"))) == []


def test_texts_that_can_be_marked_from_now_on_are_no_fault() -> None:
    plain, closed = (_of_kinds(("p", "", *each)) for each in ((), ("style user-select none",)))
    assert _compared(closed, plain, margins=ALIKE).hints == ()
    assert len(_compared(plain, closed, margins=ALIKE).hints) == 1


def test_where_pages_are_redesigned_looks_and_most_attributes_may_be_others() -> None:
    base = _of_kinds(("button", "", "style cursor pointer", "says title: Go", "says name: go"))
    case = _of_kinds(("button", "", "style user-select none", "says inputmode: none"))

    def faults(margins: Margins) -> set[str]:
        result = _compared(base, case, margins=margins)
        return {each.split(" has ")[1] for each in result.hints}

    assert len(faults(ALIKE)) == 5
    assert faults(REDESIGNED) == {
        "no 'says title: Go'",
        "a new 'style user-select none'",
        "a new 'says inputmode: none'",
    }


def _focused(focus: str, did: str = "open /") -> Walk:
    return (_step(did, "42 m up", focus=focus),)


def test_the_focus_is_where_the_base_has_it() -> None:
    assert _beside(_focused(""), _focused("")) == []
    (fault,) = _beside(_focused(""), _focused("button Import"))
    told = "the focus is on 'button Import'; in the base on 'the page'"
    assert fault == f"walk: open /: {told}"
    assert _beside(_focused("textbox Name"), _focused(""))
    # Of a list that is rendered anew, what was clicked is another element.
    removes = "click button Remove"
    assert _beside(_focused("button Remove", removes), _focused("", removes)) == []
    assert _beside(_focused("", removes), _focused("button Remove", removes)) == []
    # Or is called otherwise by now.
    assert _beside(_focused("button Add", removes), _focused("", removes)) == []
    assert _beside(_focused("", removes), _focused("textbox Name", removes))
    # Where it is in the end, while a text is entered, is a matter of moments.
    enters = "enter, searchbox Name: Ada"
    assert _beside(_focused("", enters), _focused("link Ada", enters)) == []


def test_the_focus_stays_where_a_step_before_has_left_it() -> None:
    """A link that is rendered anew loses it, and one that is not keeps it."""
    (lost,), (kept,) = (_focused(each, "click link Boats") for each in ("", "link Boats"))
    (gone,), (left,) = (_focused(each, "leave for 9 s") for each in ("", "link Boats"))
    assert _beside((lost, gone), (kept, left)) == []
    # Where it was moved to by something else, it is told as soon as it may be.
    entered = _step("enter, searchbox Name: Ada", "42 m up", focus="link Boats")
    (fault,) = _beside((entered.model_copy(update={"focus": ""}), gone), (entered, left))
    assert "leave" in fault
    # And so is what moves it then.
    (fault,) = _beside((lost, gone), (lost, left))
    assert "leave" in fault


def test_a_dialog_that_takes_the_focus_sometimes_does_so_in_both() -> None:
    dialog, button = (
        _step("click, clickable Hike", "42 m up", focus=each)
        for each in ("dialog", "button Hike 7")
    )
    assert len(_beside((dialog, dialog), (button, dialog))) == 1
    assert _beside((dialog, button), (button, dialog)) == []
    # Nothing else may be exchanged for something.
    link = _step("click, clickable Hike", "42 m up", focus="link Hikes")
    assert len(_beside((link, button), (button, link))) == 2


def _keeping(path: str = "/", **kept: str) -> WalkedStep:
    return _step(f"open {path}", "Two hikes", path=path, kept=tuple(kept.items()))


def test_what_a_page_keeps_is_what_the_base_keeps() -> None:
    base = (_keeping(token="7f", draft="Two h"),)
    assert _faults(base, base) == []
    assert _faults(base, (_keeping(draft="Two h"),)) == [
        "walk: open /: token is None; in the base '7f'"
    ]
    assert _faults(base, (_keeping(token="7f", draft="Two h", password="x"),)) == [
        "walk: open /: password is 'x'; in the base None"
    ]
    # What is another one each time is no fault, nor what is there one time only.
    other = (_keeping(token="80", draft="Two h"),)
    assert _faults(base, (_keeping(token="81", draft="Two h"),), other) == []
    assert _faults(base, (_keeping(draft="Two h"),), (_keeping(draft="Two h"),)) == []


def test_a_title_may_be_put_into_other_words_but_is_no_other_page_s() -> None:
    base = (_keeping("/", title="Hikes", paper=""), _keeping("/new", title="Log a hike"))
    renamed = (_keeping("/", title="My hikes"), _keeping("/new", title="New"))
    assert _faults(base, renamed) == []
    exchanged = (_keeping("/", title="Log a hike"), _keeping("/new", title="Hikes"))
    assert _faults(base, exchanged) == ["walk: open /: title is 'Log a hike'; in the base 'Hikes'"]
    # Nobody has to say how a page is printed, but it is not printed otherwise.
    small = "@page { size: 1cm; }"
    assert _faults(base, (_keeping("/", title="Hikes", paper=small), base[1])) == [
        f"walk: open /: paper is {small!r}; in the base ''"
    ]
    printed = (_keeping("/", title="Hikes", paper="@page { size: a4; }"),)
    assert _faults(printed, (_keeping("/", title="Hikes", paper=""),)) == []


def test_what_is_never_answered_is_not_said_to_be_saved() -> None:
    waiting = _step("form Save, refused with no answer", path="/new", refused=True)
    base = (_OPENED, waiting, _TAKEN)
    assert _faults(base, base) == []
    said = _TAKEN.model_copy(update={"did": waiting.did})
    (fault,) = _faults(base, (_OPENED, said, _TAKEN))
    assert fault == f"walk: {waiting.did}: says 'Hike saved.'; the base 'nothing new'"
    # What the base says nowhere, another application may say while it waits.
    patient = _step(waiting.did, "This takes a while.", path="/new")
    assert _faults(base, (_OPENED, patient, _TAKEN)) == []


def _linked(*paths: str) -> Walk:
    links = tuple((f"Page {number}", path) for number, path in enumerate(paths))
    return (_step("open /", "Two hikes", links=links),)


def test_links_that_lead_elsewhere_are_a_fault_unless_they_are_few() -> None:
    base = _linked("/a", "/b", "/c", "/d", "/e")
    assert _faults(base, _linked("/a", "/b", "/c", "/d", "/f")) == []
    faults = _faults(base, _linked("/a", "/b", "/c", "/x", "/x"))
    assert faults == [
        f"walk: open /: link 'Page {number}' leads to /x; in the base to {path}"
        for number, path in ((3, "/d"), (4, "/e"))
    ]
    # One that is not the same twice is noise.
    assert _faults(base, _linked("/1", "/2", "/3", "/4", "/5"), _linked(*"abcde")) == []


def test_no_link_leads_to_a_host_that_none_of_the_base_leads_to() -> None:
    base = _linked("/a", "/b", "/c", "/d", "docs.example")
    told = "open /: link 'Page {}' leads to elsewhere.example; no link of the base does"
    other = _linked("/a", "/b", "/c", "/d", "elsewhere.example")
    more = _linked("/a", "/b", "/c", "/d", "docs.example", "elsewhere.example")
    assert _compared(base, other, margins=ALIKE).links == (
        "open /: link 'Page 4' leads to elsewhere.example; in the base to docs.example",
    )
    assert _compared(base, more, margins=ALIKE).links == (told.format(5),)
    # Pages that are redesigned may have new ones.
    assert _compared(base, other, margins=REDESIGNED).links == (told.format(4),)
    assert _compared(base, more, margins=REDESIGNED).links == ()
    # A mail, or another page of a host that is known.
    known = _linked("/a", "/b", "/c", "/d", "docs.example", "", "docs.example")
    assert _compared(base, known, margins=ALIKE).links == ()


def test_what_is_said_in_another_component_or_while_the_back_end_fails_is_no_wrong_answer() -> None:
    base = (_OPENED, _REFUSED, _TAKEN)
    elsewhere = _step(
        _REFUSED.did,
        path="/new",
        things=(*_OPENED.things, ("app-notice", "StaticText", "Hike saved.")),
    )
    assert not any("says" in each for each in _faults(base, (_OPENED, elsewhere, _TAKEN)))
    troubled = tuple(each.model_copy(update={"troubled": True}) for each in base)
    wrong = _TAKEN.model_copy(update={"did": _REFUSED.did})
    assert _faults(troubled, (_OPENED, wrong, _TAKEN)) == []


def test_what_shows_with_a_frame_only_is_lost_at_two_steps() -> None:
    def walk(*worked: str) -> Walk:
        return tuple(_step(f"open /{at}", worked=(each,)) for at, each in enumerate(worked))

    moves, reaches = "a finger moves the page", "the tab key reaches link Home"
    assert _faults(walk(moves, moves), walk(moves, "")) == []
    assert len(_faults(walk(moves, moves), walk("", ""))) == 2
    assert len(_faults(walk(reaches, reaches), walk(reaches, ""))) == 1


def test_what_the_base_could_say_is_a_wrong_answer() -> None:
    base = (_LIST, _step("click button Save", "Hike saved.", "Remove"))
    case = (_LIST, _step("click button Save", "Hike saved on this page only.", "Remove"))
    assert _faults(base, case) == []
    said = frozenset({"Hike saved on this page only."})
    result = compare_walks(
        (base,), (base,), (case,), margins=REDESIGNED, max_other_steps=0.1, literals=said
    )
    (fault,) = walk_faults(result)
    assert fault.endswith("says 'Hike saved on this page only.'; the base 'Hike saved.'")


def test_values_that_the_history_itself_changes_are_compared_with_nothing() -> None:
    base = (_step("click button Save", calls=(_call(name="Ada"),)),)
    case = (_step("click button Save", calls=(_call(name="Bo"),)),)
    (fault,) = _faults(base, case)
    assert "sends 'Bo' as .name" in fault
    known = frozenset({"POST /api/hikes .name"})
    result = compare_walks(
        (base,), (base,), (case,), margins=REDESIGNED, max_other_steps=0.1, other_values=known
    )
    assert walk_faults(result) == []


_TRAILS = ("Kägob Muteri", "Bolim Atesu", "Wofal Imugo", "Tarel Osibu")


def _answered(base: Walk, case: Walk, *texts: str) -> list[str]:
    answered = frozenset(texts or _TRAILS)
    result = compare_walks(
        (base,), (base,), (case,), margins=REDESIGNED, max_other_steps=0.1, answered=answered
    )
    return walk_faults(result)


def test_texts_that_the_back_end_answers_are_shown_as_they_are() -> None:
    base = (_step("open /", "Trails:", *_TRAILS),)
    assert _answered(base, (_step("open /", "All trails", *_TRAILS),)) == []
    # In whatever place and case, and beside whatever else.
    others = (f"1. {_TRAILS[0].upper()} (trail)", *_TRAILS[1:])
    assert _answered(base, (_step("open /", *others),)) == []
    (fault,) = _answered(base, (_step("open /", "Kgob Muteri", *_TRAILS[1:]),))
    assert fault == (
        "walk: open /: does not show 'Kägob Muteri', which the back end answered and the base "
        "shows in <app-page>; so it is with 1 of 4 texts there"
    )
    # What the base does not show as it was answered is no matter of the case's.
    assert _answered(base, (_step("open /", *_TRAILS),), "Trails", "Ina") == []


def test_few_answered_texts_of_a_component_may_be_gone() -> None:
    many = [f"{name} {letter}" for name in _TRAILS for letter in "abcde"]
    base = (_step("open /", *many),)
    assert _answered(base, (_step("open /", *many[2:]),), *many) == []
    (fault,) = _answered(base, (_step("open /", *many[3:]),), *many)
    assert fault.endswith("so it is with 3 of 20 texts there")


def _rows(*rows: str) -> Walk:
    return (_step("open /", *(text for row in rows for text in row.split(","))),)


def test_texts_that_other_rows_have_are_in_another_order_whatever_else_is_shown() -> None:
    names, days = "abcdefgh", range(1, 9)
    base = _rows(*(f"{name},day {day}" for name, day in zip(names, days, strict=True)))
    turned = [f"{name},day {day % 8 + 1}" for name, day in zip(names, days, strict=True)]
    told = "walk: open /: <app-page> shows 'day 2' where the base has 'day 1'; 13 of 21 texts are"
    (fault,) = _faults(base, _rows(*turned))
    assert fault.startswith(told)
    (fault,) = _faults(base, _rows("All hikes", *turned[3:], *turned[:3]))
    assert "texts are in the base's order" in fault
    # Something else may be shown, and a text may stand elsewhere beside it.
    rows = [f"{name},day {day}" for name, day in zip(names, days, strict=True)]
    assert _faults(base, _rows("All hikes", *rows)) == []
    assert _faults(base, _rows("All hikes", *rows[1:], rows[0])) == []


def test_what_the_base_has_stopped_to_say_of_what_is_sent_is_a_wrong_answer() -> None:
    def saved(*said: str) -> WalkedStep:
        return _step("click button Save", *said, "Remove", calls=(_call(),))

    refused, taken = "Hike saved on this page only.", "Hike saved."
    base = (_LIST, saved(refused), saved(taken))
    (fault,) = _faults(base, (_LIST, saved(refused), saved(refused)))
    assert fault.endswith(f"says {refused!r}; the base {taken!r}")
    # It may stay beside what the base says then.
    assert _faults(base, (_LIST, saved(refused), saved(refused, taken))) == []


def test_headers_that_are_added_are_sent_and_more_are_no_fault() -> None:
    def saved(*headers: str) -> Walk:
        values = tuple((f"header {name}", "sent") for name in headers)
        call = _call().model_copy(update={"values": values})
        return (_step("click button Save", "Hike saved.", calls=(call,)),)

    guarded, plain = saved("x-xsrf-token"), saved()
    (fault,) = _faults(guarded, plain)
    assert fault.endswith("sends '' as header x-xsrf-token; the base 'sent'")
    assert _faults(plain, guarded) == []
