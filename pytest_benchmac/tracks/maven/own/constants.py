"""The constants of a class file: where each stands.

Layout: The Java Virtual Machine Specification, chapter 4.4.
"""

from __future__ import annotations

import struct

#: What reading a class file raises that is none.
UNREADABLE = (struct.error, IndexError, KeyError, ValueError)
UTF8, CLASS = 1, 7
_MAGIC = 0xCAFEBABE
#: Bytes behind the tag of each kind of constant; a text has a length of its own.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}  # fmt: skip # noqa: E501
#: A long and a double take two numbers each.
_TWO_PLACES = (5, 6)


class Constants:
    """The constants of one class file.

    Raises:
        ValueError: or another of `UNREADABLE`, of any method too: it is no class file.
    """

    def __init__(self, content: bytes) -> None:
        magic, _, self.count = struct.unpack_from(">IIH", content)
        if magic != _MAGIC:
            raise ValueError("no class file")
        self._content = content
        #: Number of a constant -> where its tag stands.
        self.places: dict[int, int] = {}
        at, index = 10, 1
        while index < self.count:
            self.places[index] = at
            tag = content[at]
            at += 3 + self.short(at + 1) if tag == UTF8 else 1 + SIZES[tag]
            index += 2 if tag in _TWO_PLACES else 1
        #: Where they end, and the class's own flags begin.
        self.end = at

    def short(self, at: int) -> int:
        """The two bytes that stand there, as a number."""
        found: int = struct.unpack_from(">H", self._content, at)[0]
        return found

    def text(self, index: int) -> bytes:
        """The bytes of a text."""
        at = self.places[index]
        if self._content[at] != UTF8:
            raise ValueError("no text")
        return self._content[at + 3 : at + 3 + self.short(at + 1)]

    def named(self, index: int) -> bytes:
        """The text that the constant of a class names."""
        return self.text(self.short(self.places[index] + 1))

    def classes(self) -> frozenset[str]:
        """Internal names of all classes that the file names."""
        numbers = [index for index, at in self.places.items() if self._content[at] == CLASS]
        return frozenset(self.named(index).decode("latin-1") for index in numbers)
