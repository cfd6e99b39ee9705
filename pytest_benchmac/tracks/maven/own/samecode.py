"""What a class file says and does: its members, and the instructions of its methods.

Instructions come with the constants that they name. Two compilations of one source by one compiler
have the same, whatever is told of lines, parameters and local variables. Layout: The Java Virtual
Machine Specification, chapters 4 and 6.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_benchmac.tracks.maven.own.constants import SIZES, UNREADABLE, UTF8, Constants

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
_TABLE, _LOOKUP, _WIDE, _IINC, _STATIC = 170, 171, 196, 132, 184
_ASKED = "java/lang/System.getProperty"
_ASKING = "((7, 'java/lang/System'), (12, 'getProperty',"
_TEXT, _HANDLE = 8, 15
#: Constants of methods, and instructions that push the bytes behind them.
_METHODS, _PUSHED = (10, 11), (16, 17)
_DEPTH = 10
#: So many others all constants of a class name, at most, for each that it has.
_MOST_NAMED = 64
#: Packages of the JDK.
JDK = re.compile(r"(javax?|jdk|sun|com/sun|org/(w3c|xml|ietf))/")
#: ACC_SYNTHETIC.
_MADE = 0x1000
#: ACC_VARARGS, of methods.
_VARARGS = 0x80

#: An instruction and what it is given.
Instruction = tuple[object, ...]


def said_by(content: bytes) -> Mapping[str, object] | None:
    """What is said of the class, and of each member; None where it cannot be read.

    Of the class (by the name ``) flags, superclass, interfaces and annotations; of a field flags,
    constant and annotations; of a method flags, what it throws, annotations and instructions.
    """
    try:
        return _Reader(content).said()
    except (*UNREADABLE, RecursionError):
        return None


def parameters_of(content: bytes) -> Mapping[str, tuple[str, ...]] | None:
    """Method -> what the class file calls its parameters; None where it cannot be read."""
    try:
        return _Reader(content).parameters()
    except UNREADABLE:
        return None


def _asks(method: object) -> bool:
    """Is the constant the method that asks for a property?"""
    return isinstance(method, tuple) and str(method[1:]).startswith(_ASKING)


def called(content: bytes) -> frozenset[str]:
    """The methods that a class file names, as `owner.name(parameters)result`.

    A property that is asked for by a constant name is told as `java/lang/System.getProperty name`.

    Raises:
        ValueError: or struct.error, IndexError, KeyError: it cannot be read.
    """
    return _Reader(content).called()


@dataclass(frozen=True)
class Inherited:
    """What a class has of its own, and where it has the rest from."""

    name: str
    #: Superclass and interfaces.
    above: tuple[str, ...]
    #: Its own, as `name(parameters)result`; without what the compiler makes.
    members: frozenset[str]
    #: Those of them that take any number of arguments.
    varargs: frozenset[str] = frozenset()


def inherited(content: bytes) -> Inherited:
    """What a class file says of its class's place among others, by internal names.

    Raises:
        ValueError: or struct.error, IndexError, KeyError: it cannot be read.
    """
    return _Reader(content).inherited()


def lineage(name: str, known: Mapping[str, Inherited]) -> Iterator[Inherited]:
    """A class and all that it inherits from, the nearest first, of those that are known."""
    pending, seen = [name], set[str]()
    while pending:
        each = pending.pop(0)
        if each in known and each not in seen:
            yield known[each]
            pending += known[each].above
        seen.add(each)


@dataclass(frozen=True)
class Said:
    """What the instructions of a method name."""

    #: Methods, also those that lambdas are made of, as `owner.name(parameters)result`.
    calls: frozenset[str]
    #: Whole numbers that are no constants of the class file, since they are small.
    numbers: frozenset[int]


@dataclass(frozen=True)
class SaidOf:
    """A class's name, and what each of its members names; fields name nothing."""

    name: str
    members: Mapping[str, Said]


def said_of(content: bytes) -> SaidOf:
    """What each method names of all that the class file does.

    Raises:
        ValueError: or struct.error, IndexError, KeyError: it cannot be read.
    """
    reader = _Reader(content)
    members: dict[str, Said] = {}
    for name, told in reader.said().items():
        code = told[2] if isinstance(told, tuple) and name else ()
        calls: set[str] = set()
        numbers: set[int] = set()
        pending: list[object] = [code]
        while pending:
            each = pending.pop()
            if not isinstance(each, tuple):
                continue
            if len(each) == 3 and each[0] in _METHODS:
                (_, owner), (_, member, descriptor) = each[1:]
                calls.add(f"{owner}.{member}{descriptor}")
            elif len(each) == 2 and each[0] in _PUSHED and isinstance(each[1], bytes):
                numbers.add(int.from_bytes(each[1], "big", signed=True))
            pending += each
        members[name] = Said(frozenset(calls), frozenset(numbers))
    return SaidOf(reader.inherited().name, members)


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._constants = Constants(content)
        #: What constants name that were read, by number; and how many may be named still.
        self._known: dict[int, object] = {}
        self._left = _MOST_NAMED * self._constants.count
        self._places = self._constants.places
        self._short = self._constants.short
        self._members = self._constants.end + 8 + 2 * self._short(self._constants.end + 6)
        self._bootstraps: list[int] = []

    def said(self) -> dict[str, object]:
        """See `said_by`."""
        start = self._constants.end
        members, attributes = self._all()
        above = self._short(start + 4)
        interfaces = range(start + 8, self._members, 2)
        found: dict[str, object] = {
            "": (
                self._content[start : start + 2],
                self._constant(above) if above else None,
                *(self._constant(self._short(at)) for at in interfaces),
                self._told(attributes),
            )
        }
        for name, (at, own) in members.items():
            code = tuple(self._instructions(own["Code"])) if "Code" in own else ()
            found[name] = (self._content[at : at + 2], self._told(own), code)
        return found

    def parameters(self) -> dict[str, tuple[str, ...]]:
        """See `parameters_of`."""
        found: dict[str, tuple[str, ...]] = {}
        for name, (_, own) in self._all()[0].items():
            if at := own.get("MethodParameters"):
                places = range(at + 1, at + 1 + 4 * self._content[at], 4)
                numbers = [self._short(place) for place in places]
                found[name] = tuple(str(self._constant(n)) if n else "" for n in numbers)
        return found

    def inherited(self) -> Inherited:
        """See `inherited`."""
        start, members = self._constants.end, self._all()[0]
        places = (start + 4, *range(start + 8, self._members, 2))
        above = [self._constants.named(self._short(at)) for at in places if self._short(at)]
        return Inherited(
            self._constants.named(self._short(start + 2)).decode("latin-1"),
            tuple(name.decode("latin-1") for name in above),
            frozenset(name for name, (at, _) in members.items() if not self._short(at) & _MADE),
            frozenset(
                name
                for name, (at, _) in members.items()
                if "(" in name and self._short(at) & _VARARGS
            ),
        )

    def called(self) -> frozenset[str]:
        """See `called`."""
        found: set[str] = set()
        for at in self._places.values():
            if self._content[at] in (10, 11):
                owner, named = self._places[self._short(at + 1)], self._places[self._short(at + 3)]
                member = f"{self._constant(self._short(named + 1))}"
                of = f"{self._constant(self._short(owner + 1))}.{member}"
                found.add(f"{of}{self._constant(self._short(named + 3))}")
        asked = {each for each in found if each.startswith(f"{_ASKED}(")}
        names = self._asked() if asked else [None]
        if None not in names:
            found = (found - asked) | {f"{_ASKED} {name}" for name in names}
        return frozenset(found)

    def _asked(self) -> list[str | None]:
        """Names of the properties that are asked for; None for one that is no constant."""
        names: list[str | None] = []
        members, _ = self._all()
        for _, own in members.values():
            code = list(self._instructions(own["Code"])) if "Code" in own else []
            for number, instruction in enumerate(code):
                if instruction[0] != _STATIC or not _asks(instruction[1]):
                    continue
                given = str(instruction[1]).count("Ljava/lang/String;") - 1
                before = code[number - given] if number >= given else (None,)
                text = before[1] if before[0] == _LDC else None
                names.append(str(text[1]) if isinstance(text, tuple) and text[0] == _TEXT else None)
        handles = [index for index, at in self._places.items() if self._content[at] == _HANDLE]
        if any(_asks(self._constant(self._short(self._places[each] + 2))) for each in handles):
            names.append(None)
        return names

    def _all(self) -> tuple[dict[str, tuple[int, dict[str, int]]], dict[str, int]]:
        """Members by name and descriptor, and the class's own attributes."""
        found: dict[str, tuple[int, dict[str, int]]] = {}
        at = self._members
        for _ in ("fields", "methods"):
            number, at = self._short(at), at + 2
            for _ in range(number):
                name = f"{self._constant(self._short(at + 2))}{self._constant(self._short(at + 4))}"
                start = at
                attributes, at = self._attributes(at + 6)
                found[name] = start, attributes
        attributes, _ = self._attributes(at)
        if "BootstrapMethods" in attributes and not self._bootstraps:
            at = attributes["BootstrapMethods"]
            number, at = self._short(at), at + 2
            for _ in range(number):
                self._bootstraps.append(at)
                at += 4 + 2 * self._short(at + 2)
        return found, attributes

    def _told(self, attributes: Mapping[str, int]) -> tuple[object, ...]:
        """Constant, exceptions, annotations and generic types, with what they name for numbers."""
        found: list[object] = []
        for name in sorted(attributes):
            at = attributes[name]
            if name == "ConstantValue":
                found.append(self._constant(self._short(at)))
            elif name == "Exceptions":
                number = self._short(at)
                found += [self._constant(self._short(at + 2 + 2 * n)) for n in range(number)]
            elif name == "RuntimeVisibleAnnotations":
                number, at = self._short(at), at + 2
                for _ in range(number):
                    annotation, at = self._annotation(at)
                    found.append(annotation)
            elif name == "RuntimeVisibleParameterAnnotations":
                parameters, at = self._content[at], at + 1
                for _ in range(parameters):
                    number, at = self._short(at), at + 2
                    found.append(number)
                    for _ in range(number):
                        annotation, at = self._annotation(at)
                        found.append(annotation)
            elif name == "AnnotationDefault":
                found.append(self._value(at, 0)[0])
            elif name == "Signature":
                found.append(self._constant(self._short(at)))
        return tuple(found)

    def _annotation(self, at: int, depth: int = 0) -> tuple[tuple[object, ...], int]:
        parts: list[object] = [self._constant(self._short(at))]
        number, at = self._short(at + 2), at + 4
        for _ in range(number):
            parts.append(self._constant(self._short(at)))
            value, at = self._value(at + 2, depth)
            parts.append(value)
        return tuple(parts), at

    def _value(self, at: int, depth: int) -> tuple[object, int]:
        """A value of an annotation, and where it ends."""
        if depth > _DEPTH:
            raise ValueError("annotations hold each other")
        kind, at = chr(self._content[at]), at + 1
        if kind == "e":
            return (self._constant(self._short(at)), self._constant(self._short(at + 2))), at + 4
        if kind == "@":
            return self._annotation(at, depth + 1)
        if kind == "[":
            values: list[object] = []
            number, at = self._short(at), at + 2
            for _ in range(number):
                value, at = self._value(at, depth + 1)
                values.append(value)
            return tuple(values), at
        return (kind, self._constant(self._short(at))), at + 2

    def _attributes(self, at: int) -> tuple[dict[str, int], int]:
        """Name -> where its content begins; and where all end."""
        found: dict[str, int] = {}
        number, at = self._short(at), at + 2
        for _ in range(number):
            found[str(self._constant(self._short(at)))] = at + 6
            at += 6 + int(struct.unpack_from(">I", self._content, at + 2)[0])
        return found, at

    def _constant(self, index: int) -> object:
        """A constant with all that it names in place of numbers."""
        if index not in self._known:
            self._known[index] = self._named(index, 0)
        return self._known[index]

    def _named(self, index: int, depth: int) -> object:
        self._left -= 1
        if depth > _DEPTH or self._left < 0:
            raise ValueError("constants name each other")
        at = self._places[index]
        tag = self._content[at]
        if tag == UTF8:
            # Whatever the bytes mean, they are the same.
            return self._constants.text(index).decode("latin-1")
        if tag in (7, 8, 16, 19, 20):
            return tag, self._named(self._short(at + 1), depth + 1)
        if tag in (9, 10, 11, 12):
            parts = (self._short(at + 1), self._short(at + 3))
            return tag, *(self._named(each, depth + 1) for each in parts)
        if tag == 15:
            return tag, self._content[at + 1], self._named(self._short(at + 2), depth + 1)
        if tag in (17, 18):
            start = self._bootstraps[self._short(at + 1)]
            number = self._short(start + 2)
            given = [self._short(start), *(self._short(start + 4 + 2 * n) for n in range(number))]
            named = self._named(self._short(at + 3), depth + 1)
            return tag, named, *(self._named(each, depth + 1) for each in given)
        return tag, self._content[at + 1 : at + 1 + SIZES[tag]]

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
