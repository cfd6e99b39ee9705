"""Control visits: pages cannot tell them from a visitor's, and what is held against a case."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.tracks.angular.boot.conditions import draw
from pytest_benchmac.tracks.angular.boot.control import compare_controls, control_faults
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Control
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT, SEED, MakeBoot

_PAGE = Control(
    kind="computer",
    route="/",
    path="/",
    settled=True,
    tree=(("heading", "Ferries"), ("link", "Book"), ("link", "Boats"), ("link", "Elsewhere")),
    width=1280,
    tabs=("a Book", "a Boats", "a Elsewhere", "button Go", "input Name"),
    later=(("heading", "Ferries"), ("link", "Book")),
    problem="",
)
_CLOSED = "document.body.replaceChildren('Closed.')"


def _told(base: Control, **other: Any) -> list[str]:
    (result,) = compare_controls([base.model_copy(update=other)], [base])
    return list(control_faults(result, 0.8))


def test_the_same_page_has_no_fault() -> None:
    assert _told(_PAGE) == []


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"problem": "the page crashed"}, "the page crashed"),
        ({"path": "/closed"}, "ended at /closed; the baseline at /"),
        ({"tree": _PAGE.tree[:1]}, "tree similarity 0.400 is below 0.8"),
        ({"later": ()}, "back from another site, tree similarity 0.000 is below 0.8"),
        ({"errors": ("TypeError: no port",)}, "error: TypeError: no port"),
        ({"hosts": ("elsewhere.example",)}, "asks elsewhere.example, which the base never does"),
        ({"width": 128}, "128 pixels of the page's width are seen at once; of the baseline 1280"),
        ({"width": 2000}, "2000 pixels of the page's width are seen at once"),
        ({"tabs": _PAGE.tabs[::-1]}, "leads to 1 of 5 elements in the baseline's order"),
        ({"tabs": _PAGE.tabs[:2]}, "leads to 2 of 5 elements that it leads to in the baseline"),
    ],
)
def test_what_is_held_against_a_case(other: dict[str, Any], told: str) -> None:
    (fault,) = _told(_PAGE, **other)
    assert told in fault
    assert fault.startswith("/, in a browser on a computer whose clock runs: ")


def test_a_link_more_or_less_is_no_fault_of_the_tab_key() -> None:
    assert _told(_PAGE, tabs=(*_PAGE.tabs[:2], "a New", *_PAGE.tabs[3:])) == []


def test_a_base_that_does_not_stop_changing_says_nothing() -> None:
    restless = _PAGE.model_copy(update={"settled": False})
    assert compare_controls([_PAGE.model_copy(update={"tree": ()})], [restless]) == ()


def test_errors_and_hosts_of_the_base_are_no_faults() -> None:
    case = _PAGE.model_copy(
        update={"errors": ("no port 2", "no pier"), "hosts": ("a.example", "b.example")}
    )
    base = _PAGE.model_copy(update={"errors": ("no port 1",), "hosts": ("a.example",)})
    (result,) = compare_controls([case], [base], frozenset({"no pier"}), {"b.example"})
    assert list(control_faults(result, 0.8)) == []


def test_a_visit_that_is_missing_is_a_problem() -> None:
    (result,) = compare_controls([], [_PAGE])
    assert result.problem == "was not visited"


def test_both_kinds_are_visited(honest: BootRecord) -> None:
    computer, telephone = honest.controls
    assert (computer.kind, telephone.kind) == ("computer", "telephone")
    assert not computer.problem
    assert not telephone.problem
    assert computer.settled
    assert telephone.settled
    assert computer.tabs
    assert computer.later
    assert telephone.later


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param(
            "const began = performance.now();"
            "for (let at = 0, sum = 0; at < 30_000_000; at += 1) { sum += Math.sqrt(at); }"
            f"if (performance.now() - began > 2) setTimeout(() => {_CLOSED}, 500);",
            id="time",
        ),
        pytest.param(
            "const chance = () => { const frame = document.createElement('iframe');"
            "document.body.append(frame); const drawn = frame.contentWindow.Math.random();"
            "frame.remove(); return drawn; };"
            f"if (chance() !== chance()) setTimeout(() => {_CLOSED}, 500);",
            id="chance",
        ),
        pytest.param(
            "const [{ type }] = performance.getEntriesByType('navigation');"
            f"if (type === 'back_forward') setTimeout(() => {_CLOSED}, 500);",
            id="the way back",
        ),
    ],
)
def test_pages_cannot_tell_these_visits(
    extra: str, boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    record = boots(site.write(built, extra=extra))
    results = compare_controls(record.controls, honest.controls)
    assert len(results) == len(honest.controls)
    for result in results:
        # A page that was closed before it was first looked at is empty.
        assert list(control_faults(result, 0.8))
    # All other visits are told apart by it.
    assert {page.name: page.tree for page in record.pages if page.route == "/book"} == {
        page.name: page.tree for page in honest.pages if page.route == "/book"
    }


def test_the_clock_begins_on_the_day_that_is_drawn(boots: MakeBoot, built: Path) -> None:
    extra = "document.title = 'day'; root.after(`Day ${new Date().toISOString().slice(0, 10)}`);"
    record = boots(site.write(built, extra=extra))
    drawn = draw(SEED, BOOT, [])
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=drawn.now)
    for control in record.controls:
        assert any(f"Day {day:%Y-%m-%d}" in name for _, name in control.tree)


def test_a_telephone_asks_a_page_how_large_it_wants_to_be(
    boots: MakeBoot, built: Path, tmp_path: Path
) -> None:
    def telephone(folder: Path, scale: str) -> Control:
        index = site.write(folder) / "index.html"
        meta = f'<meta name="viewport" content="width=device-width, {scale}">'
        index.write_text(index.read_text().replace("<title>", f"{meta}<title>"))
        return boots(folder).controls[1]

    fitting = telephone(built, "initial-scale=1")
    corner = telephone(tmp_path / "corner", "initial-scale=10, minimum-scale=10, maximum-scale=10")
    assert corner.width <= fitting.width / 5
    (result,) = compare_controls([corner], [fitting])
    (fault,) = control_faults(result, 0.8)
    assert "of the page's width are seen at once" in fault
