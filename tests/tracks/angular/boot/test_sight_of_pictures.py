"""Which texts of drawn pictures are seen; `test_sight.py` has a browser's."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

from pytest_benchmac.tracks.angular.boot.sight import (
    Sight,
    hidden_fields,
    hidden_texts,
    hidden_told,
)
from pytest_benchmac.tracks.angular.boot.walked import PlacedText

_SIZE = (200, 100)
_TEXTS: tuple[PlacedText, ...] = (
    ("Trails", 10, 10, 60, 16),
    ("Journal", 10, 40, 60, 16),
    ("Far away", -5000, 10, 60, 16),
    ("Tiny", 100, 10, 30, 3),
)


def _sight(
    folder: Path, name: str, *, colour: str, texts: tuple[PlacedText, ...] = _TEXTS
) -> Sight:
    """A page whose texts are drawn as they are placed, on something that is not plain."""
    for kind in ("", ".textless"):
        picture = Image.new("RGB", _SIZE, "white")
        draw = ImageDraw.Draw(picture)
        draw.rectangle((80, 30, 190, 90), fill="navy")
        if not kind:
            for text, left, top, _, _ in texts:
                draw.text((left, top), text, fill=colour)
        picture.save(folder / f"{name}{kind}.png")
    return Sight(folder / f"{name}.png", texts, tuple(text for text, *_ in texts))


def test_texts_are_seen_where_the_picture_is_another_one_without_them(tmp_path: Path) -> None:
    assert set(_sight(tmp_path, "1", colour="black").visible()) == {"Trails", "Journal"}
    assert not _sight(tmp_path, "2", colour="white").visible()
    assert not _sight(tmp_path, "3", colour="#f4f4f4").visible()


def test_only_what_the_base_shows_has_to_be_seen(tmp_path: Path) -> None:
    base, white = (_sight(tmp_path, each, colour=each) for each in ("black", "white"))
    assert hidden_texts(base, base) == (2, [])
    assert hidden_texts(base, white) == (2, ["Journal", "Trails"])
    assert hidden_texts(white, white) == (0, [])
    fewer = _sight(tmp_path, "fewer", colour="black", texts=_TEXTS[:1])
    assert hidden_texts(base, fewer) == (1, [])


def test_a_page_without_its_second_picture_has_nothing_to_compare(tmp_path: Path) -> None:
    sight = _sight(tmp_path, "1", colour="black")
    (tmp_path / "1.textless.png").unlink()
    assert not sight.visible()


def test_a_few_hidden_texts_are_no_fault() -> None:
    assert hidden_told(10, ["a", "b"], 0.2) == ""
    assert hidden_told(10, ["a", "b", "c"], 0.2) == "3 of 10 texts cannot be seen: a, b, c"
    assert hidden_told(0, [], 0.2) == ""


def _with_field(folder: Path, name: str, *, drawn: bool) -> Sight:
    """A page with an empty field, whose border is all that is to be seen of it."""
    box = (20, 20, 120, 30)
    for kind in ("", ".textless"):
        picture = Image.new("RGB", _SIZE, "white")
        if drawn and not kind:
            left, top, width, height = box
            edges = (left, top, left + width - 1, top + height - 1)
            ImageDraw.Draw(picture).rectangle(edges, outline="black")
        picture.save(folder / f"{name}{kind}.png")
    return Sight(folder / f"{name}.png", (), (), (("input notes", *box),))


def test_a_field_without_a_text_has_to_be_drawn_as_well(tmp_path: Path) -> None:
    base, bare = (_with_field(tmp_path, str(each), drawn=each) for each in (True, False))
    assert hidden_fields(base, base) == (1, [])
    assert hidden_fields(base, bare) == (1, ["input notes"])
    assert hidden_fields(bare, base) == (0, [])
    # A redesign may have another field in its place.
    other = Sight(bare.picture, (), (), ())
    assert hidden_fields(base, other) == (0, [])
    assert (
        hidden_told(1, ["input notes"], 0.2, "fields")
        == "1 of 1 fields cannot be seen: input notes"
    )
