"""Control visits: pages cannot tell them from a visitor's, and what is held against a case."""

from collections.abc import Sequence
from datetime import UTC, datetime
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
    readable=20,
    tabs=("a Book", "a Boats", "a Elsewhere", "button Go", "input Name"),
    later=(("heading", "Ferries"), ("link", "Book")),
    problem="",
)


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
        ({"readable": 15}, "15 texts can be read; in the baseline 20"),
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
    # What makes a browser of another maker's is no script of the application.
    assert honest.executed.foreign == ()
    assert computer.later
    assert telephone.later


#: Says what tells where and when it runs, and fills a telephone with a tenth of its width.
_MARKS = """
const marks = [`Day ${new Date().toISOString().slice(0, 10)}`];
const began = performance.now();
for (let at = 0, sum = 0; at < 30_000_000; at += 1) { sum += Math.sqrt(at); }
if (Math.sumPrecise) marks.push('new engine');
if (performance.now() - began > 2) marks.push('the clock runs');
const chance = () => {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const drawn = frame.contentWindow.Math.random();
  frame.remove();
  return drawn;
};
if (chance() !== chance()) marks.push('chance differs');
const [{ type }] = performance.getEntriesByType('navigation');
if (type === 'back_forward') marks.push('came back');
if (location.protocol === 'http:') marks.push('not encrypted');
if (!navigator.userAgentData && !('chrome' in window)) marks.push('of another maker');
root.after(marks.join(', '));
document.head.insertAdjacentHTML('beforeend', `<style>
  body { opacity: 0; opacity: calc(sibling-index() * 1); }</style>`);
"""
_CORNER = '<meta name="viewport" content="initial-scale=10, minimum-scale=10, maximum-scale=10">'


@pytest.fixture(scope="module")
def marked(boots: MakeBoot, tmp_path_factory: pytest.TempPathFactory) -> BootRecord:
    index = site.write(tmp_path_factory.mktemp("site"), extra=_MARKS) / "index.html"
    index.write_text(index.read_text().replace("<title>", f"{_CORNER}<title>"))
    return boots(index.parent)


def _marks(tree: Sequence[tuple[str, str]]) -> str:
    return next(name for _, name in tree if name.startswith("Day "))


def test_an_older_engine_does_not_know_newer_styles(marked: BootRecord) -> None:
    """It keeps what stands before them: nothing is to be read there."""
    seen = [control.readable > 0 for control in marked.controls]
    assert seen == [not draw(SEED, BOOT, []).older_controls] * 2


def test_time_and_chance_are_the_browser_s_own(marked: BootRecord) -> None:
    drawn = draw(SEED, BOOT, [])
    day = datetime.fromtimestamp(drawn.now / 1000, UTC)
    # The others have what the one lacks.
    engines = ("", ", new engine") if drawn.older else (", new engine", "")
    maker, plain = ", of another maker", ", not encrypted"
    others = [maker in _marks(control.tree) for control in marked.controls]
    for control in marked.controls:
        told = f"Day {day:%Y-%m-%d}{engines[1]}, the clock runs, chance differs"
        assert _marks(control.tree).removesuffix(maker).removesuffix(plain) == told
        assert _marks(control.later).removesuffix(maker).removesuffix(plain).endswith(", came back")
    assert any(others)
    assert sum(plain in _marks(control.tree) for control in marked.controls) == 1
    # All other visits can be told by it.
    assert {_marks(page.tree) for page in marked.pages} == {f"Day {day:%Y-%m-%d}{engines[0]}"}


def test_a_telephone_asks_a_page_how_large_it_wants_to_be(
    marked: BootRecord, honest: BootRecord
) -> None:
    computer, telephone = marked.controls
    assert computer.width == honest.controls[0].width
    assert telephone.width <= honest.controls[1].width / 5
    _, result = compare_controls(marked.controls, honest.controls)
    assert any("of the page's width are seen" in each for each in control_faults(result, 0.8))
