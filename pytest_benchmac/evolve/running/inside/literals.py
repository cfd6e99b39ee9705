"""Python's plain values as JSON and back: what programs are called with."""

from __future__ import annotations

from typing import Any

#: Integers beyond these are not what every reader of JSON reads.
_PLAIN = 2**53


class NoLiteralError(ValueError):
    """A value is none that can be written down."""


def encode(value: object) -> Any:
    """A value as JSON.

    Raises:
        NoLiteralError: it, or something in it, is of another type than Python's plain ones.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if isinstance(value, int) and kind is int:
        return value if -_PLAIN < value < _PLAIN else {"int": hex(value)}
    if isinstance(value, float) and kind is float:
        return {"float": value.hex()}
    if isinstance(value, complex) and kind is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, bytes | bytearray) and kind in (bytes, bytearray):
        return {kind.__name__: value.decode("latin-1")}
    if isinstance(value, list) and kind is list:
        return [encode(each) for each in value]
    if isinstance(value, tuple | set | frozenset) and kind in (tuple, set, frozenset):
        return {kind.__name__: [encode(each) for each in value]}
    if isinstance(value, dict) and kind is dict:
        return {"dict": [[encode(key), encode(each)] for key, each in value.items()]}
    raise NoLiteralError(f"{kind.__name__} is no plain type")


def decode(told: Any) -> Any:
    """The value of what `encode` wrote.

    Raises:
        NoLiteralError: it did not write this.
    """
    if told is None or isinstance(told, bool | int | str):
        return told
    if isinstance(told, list):
        return [decode(each) for each in told]
    if not isinstance(told, dict) or len(told) != 1:
        raise NoLiteralError(f"{told!r:.80} is nothing that was encoded")
    [(kind, content)] = told.items()
    try:
        return _DECODERS[kind](content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NoLiteralError(f"{told!r:.80} is nothing that was encoded") from error


_DECODERS: dict[str, Any] = {
    "int": lambda content: int(content, 16),
    "float": float.fromhex,
    "complex": lambda content: complex(*map(float.fromhex, content)),
    "bytes": lambda content: content.encode("latin-1"),
    "bytearray": lambda content: bytearray(content.encode("latin-1")),
    "tuple": lambda content: tuple(map(decode, content)),
    "set": lambda content: set(map(decode, content)),
    "frozenset": lambda content: frozenset(map(decode, content)),
    "dict": lambda content: {decode(key): decode(each) for key, each in content},
}
