"""What the methods of a class file do: their instructions, with the constants that these name.

Two compilations of one source by one compiler have the same, whatever is told of lines, parameters
and local variables. Layout: The Java Virtual Machine Specification, chapters 4 and 6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from pytest_benchmac.tracks.maven.own.methods import CONSTANTS, TWO_PLACES, UTF8

#: Bytes behind an instruction, for those that have some and name no constant and no place.
_OPERANDS = {16: 1, 17: 2, **dict.fromkeys(range(21, 26), 1), **dict.fromkeys(range(54, 59), 1), 132: 2, 169: 1, 188: 1}  # fmt: skip # noqa: E501
#: Instruction -> bytes behind the two of its constant.
_OF_CONSTANTS = {
    **dict.fromkeys((19, 20, *range(178, 185), 187, 189, 192, 193), 0),
    185: 2,
    186: 2,
    197: 1,
}
_LDC, _LDC_W = 18, 19
_JUMPS = (*range(153, 169), 198, 199)
_WIDE_JUMPS = (200, 201)
_TABLE, _LOOKUP, _WIDE, _IINC = 170, 171, 196, 132
_DEPTH = 10

#: An instruction and what it is given.
Instruction = tuple[object, ...]


def methods_of(content: bytes) -> Mapping[str, tuple[Instruction, ...]] | None:
    """Name and descriptor of each method -> its instructions; None where it cannot be read."""
    try:
        return _Reader(content).methods()
    except (struct.error, IndexError, KeyError, ValueError, RecursionError):
        return None


def called(content: bytes) -> frozenset[str]:
    """The methods that a class file names, as `owner.name`.

    Raises:
        ValueError: or struct.error, IndexError, KeyError: it cannot be read.
    """
    return _Reader(content).called()


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        #: Number of a constant -> where it stands.
        self._places: dict[int, int] = {}
        at, index, count = 10, 1, self._short(8)
        while index < count:
            self._places[index] = at
            tag = content[at]
            at += 3 + self._short(at + 1) if tag == UTF8 else 1 + CONSTANTS[tag]
            index += 2 if tag in TWO_PLACES else 1
        self._members = at + 8 + 2 * self._short(at + 6)
        self._bootstraps: list[int] = []

    def methods(self) -> dict[str, tuple[Instruction, ...]]:
        """See `methods_of`."""
        codes: dict[str, int] = {}
        at = self._members
        for _ in ("fields", "methods"):
            number, at = self._short(at), at + 2
            for _ in range(number):
                name = f"{self._constant(self._short(at + 2))}{self._constant(self._short(at + 4))}"
                attributes, at = self._attributes(at + 6)
                if "Code" in attributes:
                    codes[name] = attributes["Code"]
        attributes, _ = self._attributes(at)
        if "BootstrapMethods" in attributes:
            at = attributes["BootstrapMethods"]
            number, at = self._short(at), at + 2
            for _ in range(number):
                self._bootstraps.append(at)
                at += 4 + 2 * self._short(at + 2)
        return {name: tuple(self._instructions(place)) for name, place in codes.items()}

    def called(self) -> frozenset[str]:
        """See `called`."""
        found: set[str] = set()
        for at in self._places.values():
            if self._content[at] in (10, 11):
                owner, named = self._places[self._short(at + 1)], self._places[self._short(at + 3)]
                parts = (self._short(owner + 1), self._short(named + 1))
                found.add(".".join(str(self._constant(each)) for each in parts))
        return frozenset(found)

    def _short(self, at: int) -> int:
        found: int = struct.unpack_from(">H", self._content, at)[0]
        return found

    def _attributes(self, at: int) -> tuple[dict[str, int], int]:
        """Name -> where its content begins; and where all end."""
        found: dict[str, int] = {}
        number, at = self._short(at), at + 2
        for _ in range(number):
            found[str(self._constant(self._short(at)))] = at + 6
            at += 6 + int(struct.unpack_from(">I", self._content, at + 2)[0])
        return found, at

    def _constant(self, index: int, depth: int = 0) -> object:
        """A constant with all that it names in place of numbers."""
        if depth > _DEPTH:
            raise ValueError("constants name each other")
        at = self._places[index]
        tag, raw = self._content[at], self._content[at + 1 :]
        if tag == UTF8:
            # Whatever the bytes mean, they are the same.
            return raw[2 : 2 + self._short(at + 1)].decode("latin-1")
        if tag in (7, 8, 16, 19, 20):
            return tag, self._constant(self._short(at + 1), depth + 1)
        if tag in (9, 10, 11, 12):
            parts = (self._short(at + 1), self._short(at + 3))
            return tag, *(self._constant(each, depth + 1) for each in parts)
        if tag == 15:
            return tag, raw[0], self._constant(self._short(at + 2), depth + 1)
        if tag in (17, 18):
            start = self._bootstraps[self._short(at + 1)]
            number = self._short(start + 2)
            given = [self._short(start), *(self._short(start + 4 + 2 * n) for n in range(number))]
            named = self._constant(self._short(at + 3), depth + 1)
            return tag, named, *(self._constant(each, depth + 1) for each in given)
        return tag, raw[: CONSTANTS[tag]]

    def _instructions(self, at: int) -> Iterator[Instruction]:
        (size,) = struct.unpack_from(">I", self._content, at + 4)
        code = self._content[at + 8 : at + 8 + size]
        read: list[tuple[int, Instruction, tuple[int, ...]]] = []
        place = 0
        while place < size:
            instruction, targets, length = self._instruction(code, place)
            read.append((place, instruction, targets))
            place += length
        # Lengths differ with the numbers of constants, so places are told as numbers.
        numbers = {start: number for number, (start, _, _) in enumerate(read)}
        for _, instruction, targets in read:
            yield (*instruction, *(numbers[each] for each in targets))
        # What is caught where.
        handlers = self._short(at + 8 + size)
        numbers[size] = len(read)
        for number in range(handlers):
            start, end, handler, kind = struct.unpack_from(
                ">HHHH", self._content, at + 10 + size + 8 * number
            )
            caught = self._constant(kind) if kind else None
            yield numbers[start], numbers[end], numbers[handler], caught

    def _instruction(self, code: bytes, at: int) -> tuple[Instruction, tuple[int, ...], int]:
        """The instruction, the places that it names, and its length."""
        of = code[at]
        if of == _LDC:
            return (_LDC, self._constant(code[at + 1]), b""), (), 2
        if of in _OF_CONSTANTS:
            more = _OF_CONSTANTS[of]
            (index,) = struct.unpack_from(">H", code, at + 1)
            told = _LDC if of == _LDC_W else of
            return (told, self._constant(index), code[at + 3 : at + 3 + more]), (), 3 + more
        if of in _JUMPS:
            (by,) = struct.unpack_from(">h", code, at + 1)
            return (of,), (at + by,), 3
        if of in _WIDE_JUMPS:
            (by,) = struct.unpack_from(">i", code, at + 1)
            return (of - 33,), (at + by,), 5
        if of in (_TABLE, _LOOKUP):
            start = at + 4 - at % 4
            default, first, second = struct.unpack_from(">iii", code, start)
            if of == _TABLE:
                offsets = struct.unpack_from(f">{second - first + 1}i", code, start + 12)
                keys, end = (first, second), start + 12 + 4 * len(offsets)
            else:
                pairs = struct.unpack_from(f">{2 * first}i", code, start + 8)
                keys, offsets, end = pairs[::2], pairs[1::2], start + 8 + 8 * first
            return (of, keys), tuple(at + each for each in (default, *offsets)), end - at
        length = (6 if code[at + 1] == _IINC else 4) if of == _WIDE else 1 + _OPERANDS.get(of, 0)
        return (of, code[at + 1 : at + length]), (), length
