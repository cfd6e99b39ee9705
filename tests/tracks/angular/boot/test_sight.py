"""What can be read and clicked has to be seen as well: in a real browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image

from pytest_benchmac.tracks.angular.boot import browser
from pytest_benchmac.tracks.angular.boot.compare import BootResult, compare, faults, looks_of
from pytest_benchmac.tracks.angular.boot.conditions import Conditions
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from pytest_benchmac.tracks.angular.boot.sight import Sight, hidden_texts, hidden_told
from pytest_benchmac.tracks.angular.boot.walked import PlacedText
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT, MakeBoot

Seen = tuple[BootRecord, Path]

_STYLE = """document.head.insertAdjacentHTML('beforeend', `<style>
  app-root {{ font: 15px sans-serif; color: #123; }}
  h1 {{ color: #060; border-bottom: 2px solid; }} nav {{ background: #eee; padding: 9px; }}
  nav a {{ color: #800; font-weight: bold; }} li {{ margin-left: 40px; }}
  form {{ background: #ffd; padding: 12px; }} button {{ border-radius: 8px; background: #cdf; }}
  label {{ font-size: 12px; text-transform: uppercase; }} #facts {{ font-size: 10px; }}
  {}</style>`);"""
_WITHOUT = "document.head.insertAdjacentHTML('beforeend', '<style>h1 { color: black }</style>');"


@pytest.fixture(scope="module")
def seen(boots: MakeBoot, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Seen]:
    """Boots the application with more styles; what was seen, and the folder with the pictures."""

    def boot(extra: str) -> Seen:
        folder = tmp_path_factory.mktemp("seen")
        return boots(
            site.write(folder / "dist", extra=extra), shots=folder / "shots"
        ), folder / "shots"

    return boot


@pytest.fixture(scope="module")
def base(seen: Callable[[str], Seen]) -> Seen:
    return seen(_STYLE.format(""))


def _sight(seen: Seen, number: int) -> Sight:
    found = Sight.of(seen[0].pages[number], seen[1])
    assert found is not None
    return found


def _told(hidden: tuple[int, list[str]]) -> list[str]:
    return [each for each in [hidden_told(*hidden, 0.2)] if each]


def _judged(base: Seen, case: Seen) -> list[str]:
    hidden = {
        page.name: _told(hidden_texts(_sight(base, number), _sight(case, number)))
        for number, page in enumerate(case[0].pages)
    }
    pages = compare(case[0], base[0], BOOT, {}, hidden)
    return faults(
        BootResult(
            expected_major=2,
            min_tree_similarity=BOOT.min_tree_similarity,
            compared=True,
            declared=BOOT.pages,
            pages=pages,
            looks=looks_of(case[0]),
            baseline_looks=looks_of(base[0]),
        )
    )


def test_every_text_of_an_ordinary_page_is_seen(base: Seen) -> None:
    home = _sight(base, 0)
    texts = home.visible()
    assert {"Ferries", "Book", "Boats", "Elsewhere", "Tern", "Gannet"} <= set(texts)
    # The mark of a list's item is drawn by the browser, in a colour of its own.
    assert texts.total() == sum(text != "•" for text, *_ in home.texts)
    assert _judged(base, base) == []


def test_signs_count_where_they_stand_and_once_anywhere() -> None:
    """Flakes of snow are elsewhere each time; how hard a trail is stands where it stood."""

    def sight(*seen: PlacedText, hidden: Sequence[PlacedText] = ()) -> Sight:
        made = SimpleNamespace(
            texts=(*seen, *hidden),
            told=(),
            visible=lambda: Counter(text for text, *_ in seen),
            shown=seen,
        )
        return cast(Sight, made)

    height, moved = ("42 m", 0, 0, 9, 9), ("42 m", 0, 40, 9, 9)
    flakes, others = ([("❅", at, at + by, 9, 9) for at in range(0, 90, 10)] for by in (0, 5))
    base = sight(height, *flakes)
    assert hidden_texts(base, sight(moved, *others[:4], hidden=others[4:])) == (2, [])
    assert hidden_texts(base, sight(height, hidden=others)) == (2, ["❅"])
    assert hidden_texts(base, sight(flakes[0], hidden=[height])) == (2, ["42 m"])
    assert hidden_texts(base, sight(height, *flakes[:7], hidden=flakes[7:])) == (4, ["❅", "❅"])


def test_a_page_longer_than_its_window_is_pictured_as_its_screen_shows_it(
    boots: MakeBoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = browser.draw

    def fine(*given: Any, **more: Any) -> Conditions:
        """A small window on a screen that has two pixels for one."""
        other = {"pixel_ratio": 2.0, "viewport": (400, 150)}
        return drawn(*given, **more).model_copy(update=other)

    monkeypatch.setattr(browser, "draw", fine)
    seen = "innerWidth, innerHeight, devicePixelRatio"
    resized = f"addEventListener('resize', () => console.error('resized', {seen}));"
    record = boots(
        site.write(tmp_path / "dist", extra=_STYLE.format("") + resized), shots=tmp_path / "shots"
    )
    home = _sight((record, tmp_path / "shots"), 0)
    with Image.open(home.picture) as picture:
        assert picture.width == 800
        assert picture.height > 300
    assert home.visible().total() == sum(text != "•" for text, *_ in home.texts) > 5
    # The window stays what it is while pictures are taken.
    logged = {each.split(" (")[0] for page in record.pages for each in page.console_errors}
    assert {each for each in logged if "resized" in each} <= {"resized 400 150 2"}


@pytest.mark.parametrize(
    "style",
    [
        "app-root { opacity: 0; }",
        "app-root { opacity: 0.02; }",
        "@keyframes dark { from { opacity: 0.01; } to { opacity: 0.012; } }"
        " app-root { animation: dark 4s infinite alternate; }",
        "body * { color: white !important; background: white !important; border-color: white; }",
        "app-root { filter: opacity(0); display: block; }",
        "app-root { display: block; clip-path: inset(50%); }",
        "app-root { display: block; transform: translateX(-5000px); }",
        "app-root { display: block; transform: scale(0.05); }",
        "body::after { content: ''; position: fixed; inset: 0; background: white; z-index: 9;"
        " pointer-events: none; }",
        "body::after { content: ''; position: fixed; inset: 0; z-index: 9; pointer-events: none;"
        " background: repeating-linear-gradient(red 0 9px, blue 0 18px); }",
    ],
)
def test_what_nobody_sees_is_no_page(style: str, base: Seen, seen: Callable[[str], Seen]) -> None:
    faults = _judged(base, seen(_STYLE.format(style)))
    assert any("texts cannot be seen" in each for each in faults)


def test_a_base_that_hides_texts_is_its_own_control(seen: Callable[[str], Seen]) -> None:
    hides = seen(_STYLE.format("nav, #list { opacity: 0; }"))
    assert "Book" not in _sight(hides, 0).visible()
    assert _judged(hides, hides) == []


def test_other_colours_and_places_are_no_fault(base: Seen, seen: Callable[[str], Seen]) -> None:
    style = "app-root { color: #ccc; background: #222; display: block; margin: 90px; }"
    assert _judged(base, seen(_STYLE.format(style))) == []


def test_an_application_without_its_styles_is_a_fault(
    base: Seen, seen: Callable[[str], Seen]
) -> None:
    without = seen(_WITHOUT)
    assert looks_of(without[0]) <= 1
    told = f"elements have {looks_of(without[0])} different looks; the baseline's"
    assert any(told in fault for fault in _judged(base, without))
    plain = seen("")
    assert _judged(plain, plain) == []
