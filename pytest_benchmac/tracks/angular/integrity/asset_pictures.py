"""How much a picture shows, without a browser: whether an icon has become nothing."""

from __future__ import annotations

import base64
import binascii
import io
import re
from urllib.parse import unquote_to_bytes

from PIL import Image

_MAX_PIXELS = 2048 * 2048
#: Formats that icons have; no other decoder gets what a patch wrote.
_FORMATS = ("GIF", "ICO", "JPEG", "PNG")
_RASTER = (".gif", ".ico", ".jpeg", ".jpg", ".png")
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
    return ("icon.svg" if kind.startswith("svg") else "icon.png"), content


def _outlines(content: bytes) -> int:
    """How much a drawing draws."""
    text = re.sub(r"<!--.*?(?:-->|\Z)", "", content.decode(errors="replace"), flags=re.DOTALL)
    return sum(
        _ONE + sum(len(each) for each in _SHAPE.findall(attributes))
        for attributes in _DRAWN.findall(text)
        if not _UNSEEN.search(attributes)
    )


def _is_blank(content: bytes) -> bool:
    """Is it of one colour, or transparent, or no picture?"""
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                return False
            small = picture.convert("RGBA").resize((16, 16), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        return True
    for paper in ("white", "black"):
        below = Image.new("RGBA", small.size, paper)
        bands = Image.alpha_composite(below, small).convert("RGB").split()
        values = [band.tobytes() for band in bands]
        if any(max(each) - min(each) >= _ONE_COLOUR for each in values):
            return False
    return True
