"""How much two screenshots differ, and where."""

from __future__ import annotations

import io

from PIL import Image, ImageChops

#: Bound on the pixels of one screenshot; Pillow decodes no more.
_MAX_PIXELS = 4_000 * 4_000
#: Of 255: a channel that differs by no more than this is the same to the eye.
_VISIBLE = 32
_MARK = (220, 0, 0)


class PictureError(Exception):
    """A screenshot is no picture, or too large a one."""


def differing(first: bytes, second: bytes) -> Image.Image:
    """Where two PNGs differ visibly, as `difference` says it: 255 there, and 0 elsewhere.

    Raises:
        PictureError: one of them cannot be decoded.
    """
    return _mask(_decoded(first), _decoded(second))


def share_of(mask: Image.Image) -> float:
    """Share of a picture's pixels that differ, by what `differing` says."""
    return mask.histogram()[255] / (mask.width * mask.height)


def difference(first: bytes, second: bytes) -> tuple[float, bytes]:
    """Share of pixels that differ visibly, and a picture that marks them.

    Two pixels differ when a channel of one is more than 32 of 255 away from the other's. Pictures
    of different sizes are compared on the larger of both, where what only one of them has counts
    as different.

    Args:
        first: PNG.
        second: PNG; the marked picture is a pale copy of it, with the differences in red.

    Raises:
        PictureError: one of them cannot be decoded.
    """
    a, b = _decoded(first), _decoded(second)
    mask = _mask(a, b)
    pale = Image.blend(_on_canvas(b, mask.size), Image.new("RGB", mask.size, "white"), 0.7)
    pale.paste(_MARK, (0, 0, *mask.size), mask)
    marked = io.BytesIO()
    pale.save(marked, "PNG")
    return share_of(mask), marked.getvalue()


def _mask(a: Image.Image, b: Image.Image) -> Image.Image:
    size = (max(a.width, b.width), max(a.height, b.height))
    channels = ImageChops.difference(_on_canvas(a, size), _on_canvas(b, size)).split()
    largest = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    mask = largest.point([0] * (_VISIBLE + 1) + [255] * (255 - _VISIBLE))
    for picture in (a, b):
        outside = Image.new("L", size, 255)
        outside.paste(0, (0, 0, *picture.size))
        mask = ImageChops.lighter(mask, outside)
    return mask


def _decoded(png: bytes) -> Image.Image:
    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                raise PictureError(f"a picture of {picture.width} x {picture.height} pixels")
            return picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise PictureError(f"not a PNG picture: {error}") from error


def _on_canvas(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    if picture.size == size:
        return picture
    canvas = Image.new("RGB", size, "white")
    canvas.paste(picture, (0, 0))
    return canvas
