"""Differences of screenshots."""

import io

import pytest
from PIL import Image

from pytest_benchmac.tracks.angular.boot.pictures import PictureError, difference


def png(size: tuple[int, int], colour: tuple[int, int, int], box: tuple[int, ...] = ()) -> bytes:
    picture = Image.new("RGB", size, colour)
    if box:
        picture.paste((0, 0, 0), box)
    content = io.BytesIO()
    picture.save(content, "PNG")
    return content.getvalue()


WHITE = (255, 255, 255)


def test_the_same_picture() -> None:
    share, marked = difference(png((20, 10), WHITE), png((20, 10), WHITE))
    assert share == 0.0
    assert Image.open(io.BytesIO(marked)).getcolors() == [(200, WHITE)]


def test_the_share_of_pixels_that_differ_and_where() -> None:
    share, marked = difference(png((20, 10), WHITE), png((20, 10), WHITE, (5, 5, 10, 10)))
    assert share == 25 / 200
    picture = Image.open(io.BytesIO(marked))
    assert picture.getpixel((7, 7)) == (220, 0, 0)
    assert picture.getpixel((0, 0)) == WHITE


def test_what_the_eye_does_not_see_is_the_same() -> None:
    assert difference(png((4, 4), (200, 100, 50)), png((4, 4), (220, 90, 60)))[0] == 0.0
    assert difference(png((4, 4), (200, 100, 50)), png((4, 4), (200, 133, 50)))[0] == 1.0


def test_what_only_one_of_them_has_differs_even_if_white() -> None:
    share, _ = difference(png((10, 10), WHITE), png((10, 20), WHITE))
    assert share == 0.5


@pytest.mark.parametrize("content", [b"", b"GIF89a", png((9, 9), WHITE)[:45]])
def test_no_picture(content: bytes) -> None:
    with pytest.raises(PictureError):
        difference(png((9, 9), WHITE), content)


def test_a_picture_that_is_too_large_is_not_decoded() -> None:
    huge = io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(huge, "PNG")
    with pytest.raises(PictureError):
        difference(png((9, 9), WHITE), huge.getvalue())
