"""What a value is, told in plain data that two processes can compare.

Exact types count, at every depth: numpy's numbers are not Python's, True is not 1. So does which
containers are one and the same, and what comes out of an iterator. Text of the interpreter's own
errors is no part of it: it tells names of variables and functions.
"""

from __future__ import annotations

import inspect
import re
from collections import deque
from collections.abc import Iterator, Sequence
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

#: Raised by the interpreter with texts that name variables, functions or lines.
_TOLD_BY_INTERPRETER = (NameError, AttributeError, TypeError, RecursionError)
_MOST_ITEMS = 20_000
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Freezer:
    """Freezes values that belong together: what was met before is told as such."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._alive: list[object] = []

    def freeze(self, value: Any) -> object:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes):
            return kind.__name__, value
        if kind in (float, complex):
            return kind.__name__, repr(value)
        if kind is tuple:
            return "tuple", [self.freeze(item) for item in value]
        if isinstance(value, Enum):
            return type_name(kind), value.name
        if isinstance(value, type):
            return "class", value.__qualname__
        if isinstance(value, ModuleType):
            return "module", value.__name__
        if isinstance(value, (FunctionType, BuiltinFunctionType, MethodType)):
            return self._function(value)
        if id(value) in self._met:
            return "met before", self._met[id(value)]
        self._met[id(value)] = len(self._met)
        self._alive.append(value)
        return type_name(kind), self._contents(value)

    def _function(self, value: Any) -> object:
        try:
            signature = str(inspect.signature(value))
        except ValueError:
            signature = ""
        return "function", value.__name__, _ADDRESS.sub("", signature), value.__doc__

    def _contents(self, value: Any) -> object:
        told: list[object] = []
        if isinstance(value, BaseException):
            return self._exception(value)
        if isinstance(value, inspect.Signature):
            return str(value)
        if isinstance(value, dict):
            told.append([(self.freeze(k), self.freeze(v)) for k, v in value.items()])
        elif isinstance(value, (set, frozenset)):
            told.append(sorted(repr(Freezer().freeze(item)) for item in value))
        elif isinstance(value, Iterator):
            told.append(self._drained(value))
        elif hasattr(type(value), "__array__"):
            told.append((str(value.dtype), value.shape, self.freeze(value.tolist())))
        elif isinstance(value, (Sequence, deque, bytearray)):
            told.append([self.freeze(item) for item in value])
        own = {**getattr(value, "__dict__", {})}
        for base in type(value).__mro__:
            slots = base.__dict__.get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, slot):
                    own[slot] = getattr(value, slot)
        told.append([(name, self.freeze(own[name])) for name in own])
        if not own and type(value) not in (list, dict, set, frozenset):
            told.append(_ADDRESS.sub("", repr(value)))
        return told

    def _exception(self, error: BaseException) -> object:
        texts = None if isinstance(error, _TOLD_BY_INTERPRETER) else self.freeze(error.args)
        members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        return (
            texts,
            [self.freeze(member) for member in members],
            self.freeze(error.__cause__),
            self.freeze(error.__context__),
            error.__suppress_context__,
        )

    def _drained(self, iterator: Iterator[Any]) -> object:
        items: list[object] = []
        while len(items) < _MOST_ITEMS:
            try:
                items.append(self.freeze(next(iterator)))
            except StopIteration as stop:
                return items, "returned", self.freeze(stop.value)
            except Exception as error:  # noqa: BLE001 - whatever the program raises is observed
                return items, "raised", self.freeze(error)
        return items, "endless"


def type_name(kind: type) -> str:
    """A class by its name, without the module: operators may move it to a file beside."""
    return f"{kind.__name__}" if kind.__module__ == "builtins" else f".{kind.__qualname__}"
