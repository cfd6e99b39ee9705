"""Methods of class files, and class files in which some of them do nothing.

Layout: The Java Virtual Machine Specification, chapter 4. Class files are the compiler's, and
their sources a submission's: what does not fit the layout has no methods.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass

from pytest_benchmac.tracks.maven.own.constants import UNREADABLE, UTF8, Constants

#: ACC_BRIDGE and ACC_SYNTHETIC: made by the compiler.
_MADE = 0x0040 | 0x1000
_ENUM = 0x4000
#: First letter of a return type -> code that returns its default, and how deep its stack gets.
_DEFAULTS = {
    **dict.fromkeys("ZBCSI", (b"\x03\xac", 1)),
    "J": (b"\x09\xad", 2),
    "F": (b"\x0b\xae", 1),
    "D": (b"\x0e\xaf", 2),
    "V": (b"\xb1", 0),
    "L": (b"\x01\xb0", 1),
    "[": (b"\x01\xb0", 1),
}


@dataclass(frozen=True)
class _Method:
    #: `name/number of parameters`.
    key: str
    #: The first letter of the return type.
    returns: str
    #: Where its Code attribute is, and its end.
    start: int
    end: int
    max_locals: int
    code: bytes


@dataclass(frozen=True)
class _Class:
    name: str
    methods: tuple[_Method, ...]
    #: Where the constants begin and end.
    constants_end: int
    constants: int


def class_name(content: bytes) -> str:
    """Its binary name with dots; empty where it cannot be read."""
    read = _read(content)
    return read.name if read else ""


def class_names(content: bytes) -> frozenset[str]:
    """The classes that a class file names, with dots; none where it cannot be read."""
    try:
        return frozenset(each.replace("/", ".") for each in Constants(content).classes())
    except UNREADABLE:
        return frozenset()


def method_keys(content: bytes) -> frozenset[str]:
    """The methods that do more than return a default, as `name/number of parameters`.

    Without constructors and what the compiler makes. Overloads with as many parameters are one.
    """
    read = _read(content)
    if read is None:
        return frozenset()
    return frozenset(each.key for each in read.methods if not _is_empty(each))


def all_keys(content: bytes) -> frozenset[str]:
    """As `method_keys`, with the methods that only return a default."""
    read = _read(content)
    return frozenset(each.key for each in read.methods) if read else frozenset()


def emptied(content: bytes, keys: Collection[str], mark: str) -> bytes:
    """The class file with these methods returning a default, and `mark` among its constants.

    Raises:
        ValueError: it cannot be read.
    """
    read = _read(content)
    if read is None:
        raise ValueError("no class file that can be read")
    parts, at = [], read.constants_end
    for method in read.methods:
        if method.key in keys:
            code, depth = _DEFAULTS[method.returns]
            body = struct.pack(">HHI", depth, method.max_locals, len(code)) + code + bytes(4)
            name = content[method.start : method.start + 2]
            parts += [content[at : method.start], name, struct.pack(">I", len(body)), body]
            at = method.end
    parts.append(content[at:])
    constant = mark.encode("ascii")
    head = content[:8] + struct.pack(">H", read.constants + 1) + content[10 : read.constants_end]
    return b"".join((head, struct.pack(">BH", UTF8, len(constant)), constant, *parts))


def _is_empty(method: _Method) -> bool:
    return method.code == _DEFAULTS[method.returns][0]


def _read(content: bytes) -> _Class | None:
    try:
        return _parse(content)
    except UNREADABLE:
        return None


def _parse(content: bytes) -> _Class:
    constants = Constants(content)
    at = constants.end
    flags, this, _, interfaces = struct.unpack_from(">HHHH", content, at)
    at += 8 + 2 * interfaces
    (fields,) = struct.unpack_from(">H", content, at)
    at += 2
    for _ in range(fields):
        at = _skip_attributes(content, at + 6)
    (number,) = struct.unpack_from(">H", content, at)
    at += 2
    methods: list[_Method] = []
    for _ in range(number):
        access, name, descriptor, attributes = struct.unpack_from(">HHHH", content, at)
        at += 8
        for _ in range(attributes):
            (attribute, length) = struct.unpack_from(">HI", content, at)
            if constants.text(attribute) == b"Code":
                signature = constants.text(descriptor).decode()
                key = _key(constants.text(name).decode(), signature)
                made = access & _MADE or key.startswith("<")
                if not made and not (flags & _ENUM and key in ("values/0", "valueOf/1")):
                    _, locals_, size = struct.unpack_from(">HHI", content, at + 6)
                    code = content[at + 14 : at + 14 + size]
                    returns = signature.rpartition(")")[2][0]
                    methods.append(_Method(key, returns, at, at + 6 + length, locals_, code))
            at += 6 + length
    if at > len(content):
        raise ValueError("cut off")
    name_ = constants.named(this).decode().replace("/", ".")
    return _Class(name_, tuple(methods), constants.end, constants.count)


def _skip_attributes(content: bytes, at: int) -> int:
    """Where the attributes end whose number stands at `at`."""
    (count,) = struct.unpack_from(">H", content, at)
    at += 2
    for _ in range(count):
        (length,) = struct.unpack_from(">I", content, at + 2)
        at += 6 + length
    return at


def _key(name: str, descriptor: str) -> str:
    parameters, number = descriptor[1 : descriptor.index(")")], 0
    while parameters:
        kind = parameters.lstrip("[")
        parameters = kind.partition(";")[2] if kind[0] == "L" else kind[1:]
        number += 1
    return f"{name}/{number}"
