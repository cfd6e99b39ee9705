"""Which texts of a page a person can see: those without which its picture is another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from PIL import Image

from pytest_benchmac.tracks.angular.boot.pictures import differing
from pytest_benchmac.tracks.angular.boot.record import Page
from pytest_benchmac.tracks.angular.boot.walked import PlacedText, WalkedStep

#: Of a text's box, at least this share is ink that differs from what is behind it. Regular type
#: covers a tenth and more of its lines.
_INK = 0.01
#: Lower than this, in pixels, no text can be read.
_LOWEST = 5
#: So many pixels a text may have moved that is taken for the same one.
_MOVED = 4
_SQUARE = 2 * _MOVED

#: What the picture without texts is called beside the other.
TEXTLESS = ".textless.png"


@dataclass(frozen=True)
class Sight:
    """A page's picture, and the texts that it has."""

    picture: Path
    texts: tuple[PlacedText, ...]
    #: Texts of its accessibility tree.
    told: tuple[str, ...]
    #: Fields that are drawn, by what their code calls them.
    fields: tuple[PlacedText, ...] = ()

    @classmethod
    def of(cls, page: Page | WalkedStep, folder: Path) -> Sight | None:
        """What there is to see of a page whose pictures are in a folder; None without pictures."""
        if isinstance(page, Page):
            name, things = page.screenshot, page.tree
        else:
            name, things = page.picture, tuple((role, text) for _, role, text in page.things)
        if name is None:
            return None
        return cls(
            folder / name,
            page.texts,
            tuple(n for role, n in things if role == "StaticText"),
            page.fields,
        )

    @property
    def _textless(self) -> Path:
        return self.picture.with_name(self.picture.stem + TEXTLESS)

    @cached_property
    def _ink(self) -> Image.Image | None:
        """Where texts and fields are seen; None without a picture that has none."""
        if not self._textless.exists():
            return None
        return differing(self.picture.read_bytes(), self._textless.read_bytes())

    def is_same(self, other: Sight) -> bool:
        """Has the other the very same pictures, texts and fields?"""
        mine, theirs = ((each.texts, each.told, each.fields) for each in (self, other))
        if mine != theirs or not (self._textless.exists() and other._textless.exists()):
            return False
        textless = self._textless.read_bytes() == other._textless.read_bytes()
        return textless and self.has_picture_of(other)

    def has_picture_of(self, other: Sight) -> bool:
        """Are the pictures with texts the very same?"""
        return self.picture.read_bytes() == other.picture.read_bytes()

    def visible(self) -> Counter[str]:
        """How often each text is there to be seen.

        Raises:
            PictureError: as `seen`.
        """
        return Counter(text for text, *_ in self.shown)

    @cached_property
    def shown(self) -> tuple[PlacedText, ...]:
        """The texts that are there to be seen, as `seen` counts them."""
        return self._shown_of(self.texts)

    def seen(self, placed: Sequence[PlacedText]) -> Counter[str]:
        """How often each text or field is there to be seen.

        The page's picture is held against one in which all texts, and the borders of fields, are
        transparent: where the two do not differ visibly, none is seen, whatever hides it
        (opacity, colours, something in front of it, clipping, a place outside of the page).

        Raises:
            PictureError: one of them is none.
        """
        return Counter(text for text, *_ in self._shown_of(placed))

    def _shown_of(self, placed: Sequence[PlacedText]) -> tuple[PlacedText, ...]:
        mask = self._ink
        seen: list[PlacedText] = []
        if mask is None:
            return ()
        for each in placed:
            _, left, top, width, height = each
            right, bottom = min(left + width, mask.width), min(top + height, mask.height)
            box = (max(left, 0), max(top, 0), right, bottom)
            inside = (box[2] - box[0], box[3] - box[1])
            if min(inside) <= 0 or height < _LOWEST:
                continue
            ink = mask.crop(box).histogram()[255]
            if ink >= max(1, _INK * inside[0] * inside[1]):
                seen.append(each)
        return tuple(seen)


def hidden_texts(base: Sight, case: Sight) -> tuple[int, list[str]]:
    """Texts that are seen on the base's page, and of these what the case has and nobody sees.

    What has no letter and no figure (snow that falls, say) counts where it stands in both, and once
    wherever it stands.

    Returns:
        How many texts of the base's page are seen and in the case's page, and those of them that
        are not seen there.

    Raises:
        PictureError: one of the pictures is none.
    """
    there = Counter(text for text, *_ in case.texts) | Counter(case.told)
    both = Counter(
        {
            text: count if any(map(str.isalnum, text)) else 1
            for text, count in (base.visible() & there).items()
        }
    )
    lost = both - case.visible()
    signs = [each for each in _lost_signs(base, case) if each not in lost]
    return both.total() + len(signs), sorted([*lost.elements(), *signs])


def _lost_signs(base: Sight, case: Sight) -> list[str]:
    """Texts without letters and figures that stand where the base shows them, and nobody sees."""
    # By squares: each is held against those around it alone.
    squares: dict[tuple[str, int, int], set[PlacedText]] = {}
    for each in case.texts:
        if any(map(str.isalnum, each[0])):
            continue
        squares.setdefault((each[0], each[1] // _SQUARE, each[2] // _SQUARE), set()).add(each)
    visible = set(case.shown)
    lost = []
    for text, left, top, *_ in base.shown:
        here = {
            each
            for x, y in product((-1, 0, 1), repeat=2)
            for each in squares.get((text, left // _SQUARE + x, top // _SQUARE + y), ())
            if max(abs(each[1] - left), abs(each[2] - top)) <= _MOVED
        }
        if here and visible.isdisjoint(here):
            lost.append(text)
    return lost


def hidden_fields(base: Sight, case: Sight) -> tuple[int, list[str]]:
    """The same of fields that are typed into or chosen from.

    Raises:
        PictureError: one of the pictures is none.
    """
    both = base.seen(base.fields) & Counter(name for name, *_ in case.fields)
    return both.total(), sorted((both - case.seen(case.fields)).elements())


def hidden_told(texts: int, hidden: Sequence[str], margin: float, what: str = "texts") -> str:
    """What is told of texts that nobody sees; empty where they are few.

    Args:
        texts: how many of the base's are on the page.
        hidden: those of them that are not seen.
        margin: share of them that may be, see `Margins.hidden`.
        what: they are.
    """
    if len(hidden) <= margin * texts:
        return ""
    return f"{len(hidden)} of {texts} {what} cannot be seen: {', '.join(hidden[:3])}"
