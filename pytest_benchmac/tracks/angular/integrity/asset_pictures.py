"""How much a picture shows, without a browser: whether an icon has become nothing."""

from __future__ import annotations

import base64
import binascii
import io
import re
import struct
import zlib
from urllib.parse import unquote_to_bytes

from PIL import IcoImagePlugin, Image

from pytest_benchmac.model.settings import MIB

_MAX_PIXELS = 2048 * 2048
#: Formats that icons have; no other decoder gets what a patch wrote.
_FORMATS = ("GIF", "JPEG", "PNG")
_ICO = b"\0\0\1\0"
#: What Pillow raises on pictures that are none, or are broken.
_BROKEN = (
    *(OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, OverflowError),
    *(struct.error, zlib.error, Image.DecompressionBombError, Image.DecompressionBombWarning),
)
_RASTER = (".gif", ".ico", ".jpeg", ".jpg", ".png")
#: By how addresses call kinds of pictures.
_ENDINGS = {
    **{each: each for each in ("gif", "jpeg", "jpg", "png", "svg")},
    **dict.fromkeys(("ico", "vnd.microsoft.icon", "x-icon"), "ico"),
}
_DRAWN = re.compile(
    r"<(?:\w{1,20}:)?(?:circle|ellipse|image|line|path|polygon|polyline|rect|text|use)\b([^<>]*)>",
    re.IGNORECASE,
)
_SHAPE = re.compile(r"\b(?:d|points)\s*+=\s*+[\"']([^\"']*)")
_SAYS = r"\s*+[=:]\s*+(?:[\"']\s*+)?"
_UNSEEN = re.compile(
    rf"(?<![\w-])opacity{_SAYS}(?:0+(?:\.0*)?|\.0+)\s*+[%\"';/]|display{_SAYS}none"
    rf"|visibility{_SAYS}(?:hidden|collapse)",
    re.IGNORECASE,
)
#: What a shape counts for beside the length of its outline.
_ONE = 8
#: Of 255: what the eye sees as one colour.
_ONE_COLOUR = 8
#: Less than this share of the base's outlines is no picture of the same.
_LEAST = 0.1


def is_picture(path: str) -> bool:
    """Is it of a kind that is looked at here?"""
    return path.lower().endswith((*_RASTER, ".svg"))


def shows_nothing(path: str, content: bytes, before: bytes | None = None) -> bool:
    """Is a picture blank, or as good as blank beside an earlier one?

    Args:
        path: says which kind it is.
        content: of the file, as a patch wrote it.
        before: of the earlier one of the same kind, if there is one.
    """
    if not path.lower().endswith(".svg"):
        return _is_blank(content)
    outlines = _outlines(content)
    return not outlines or (before is not None and outlines < _LEAST * _outlines(before))


def of_data(address: str) -> tuple[str, bytes] | None:
    """A name by its kind, and the content, of a picture in an address; None where it is in none."""
    head, comma, data = address.partition(",")
    kind = head[len("data:image/") :].lower() if head.lower().startswith("data:image/") else ""
    if not comma or not kind:
        return None
    content = unquote_to_bytes(data)
    if kind.endswith(";base64"):
        try:
            content = base64.b64decode(content)
        except binascii.Error:
            content = b""
    return f"icon.{_ENDINGS.get(re.split('[+;]', kind)[0], 'other')}", content


def _outlines(content: bytes) -> int:
    """How much a drawing draws, as far as it is looked at."""
    text = content[:MIB].decode(errors="replace")
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    return sum(
        _ONE + sum(len(each) for each in _SHAPE.findall(attributes))
        for attributes in _DRAWN.findall(text)
        if not _UNSEEN.search(attributes)
    )


def _opened(content: bytes) -> Image.Image:
    """A picture that is not decoded yet; of an icon with several, the largest."""
    if content.startswith(_ICO):
        # Opened as others are, icons are decoded at once, whatever size is in them.
        return IcoImagePlugin.IcoFile(io.BytesIO(content)).frame(0)
    return Image.open(io.BytesIO(content), formats=_FORMATS)


def _is_blank(content: bytes) -> bool:
    """Is it of one colour, or transparent, or no picture?"""
    try:
        with _opened(content) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                return False
            small = picture.convert("RGBA").resize((16, 16), Image.Resampling.BOX)
    except _BROKEN:
        return True
    for paper in ("white", "black"):
        below = Image.new("RGBA", small.size, paper)
        bands = Image.alpha_composite(below, small).convert("RGB").split()
        values = [band.tobytes() for band in bands]
        if any(max(each) - min(each) >= _ONE_COLOUR for each in values):
            return False
    return True
