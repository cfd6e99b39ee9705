"""A value as text that tells it from every other one: by exact types, order and identity.

Two texts are equal only if type and value are, all the way down; whether two places hold one and
the same mutable object is told, too. What has no value of its own, such as a function, is told by
its kind alone.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterable, Iterator
from typing import Any

#: Of one text; what is longer is told by its beginning and a digest.
MAX_CHARACTERS = 20_000
#: Values within one value.
_MOST = 200_000
#: Items that are taken out of a generator.
MOST_ITEMS = 10_000
#: Their repr tells exactly what they are.
_BY_REPR = frozenset(
    f"{module}.{name}"
    for module, names in {
        "datetime": "date datetime time timedelta timezone",
        "decimal": "Decimal",
        "fractions": "Fraction",
        "uuid": "UUID",
        "pathlib": "PosixPath PurePosixPath",
        "builtins": "range slice complex ellipsis NotImplementedType",
    }.items()
    for name in names.split()
)
#: Iterators of these modules have no state beside what they would yield.
_ITERATORS_OF = ("builtins", "itertools")


class Describer:
    """Tells values that belong together, such as the arguments of a call and its result.

    Args:
        own: names of the program's modules: in which of them a class lies is not told.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._numbers: dict[int, int] = {}
        #: What has a number, so that none is given twice.
        self._kept: list[object] = []
        self._count = 0

    def text(self, value: object) -> str:
        """A value, and whether it was told before."""
        return shortened(self._told(value))

    def name(self, kind: type) -> str:
        """A type's name, with the module's where that is none of the program's."""
        module = kind.__module__
        if module == "builtins":
            return kind.__qualname__
        return f"{'~' if module in self._own else module}.{kind.__qualname__}"

    def _told(self, value: Any) -> str:
        self._count += 1
        if self._count > _MOST:
            return "<more>"
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes):
            return repr(value) if kind is not int else _integer(value)
        if kind is tuple:
            return f"({self._all(value)},)"
        if kind is frozenset:
            return f"frozenset({self._sorted(value)})"
        if isinstance(value, type):
            return f"<class {self.name(value)}>"
        if isinstance(value, types.FunctionType | types.MethodType):
            return "<function>"
        if isinstance(value, types.BuiltinFunctionType | types.ModuleType):
            return f"<{kind.__name__} {value.__name__}>"
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in _BY_REPR:
            return f"{name}:{value!r}"
        if kind.__module__ == "numpy" and hasattr(value, "dtype") and not hasattr(value, "__len__"):
            return f"{name}({value!r})"
        if id(value) in self._numbers:
            return f"<again {self._numbers[id(value)]}>"
        self._numbers[id(value)] = len(self._kept)
        self._kept.append(value)
        if kind is list:
            return f"[{self._all(value)}]"
        if kind is dict:
            return "{" + self._pairs(value.items()) + "}"
        if kind is set:
            return f"set({self._sorted(value)})"
        if kind is bytearray:
            return repr(value)
        if name == "numpy.ndarray":
            return f"{name}({value.dtype.str}, {value.shape}, {self._told(value.tolist())})"
        return f"{self.name(kind)}({self._parts(value)})"

    def _all(self, values: Iterable[object]) -> str:
        return ", ".join(map(self._told, values))

    def _sorted(self, values: Iterable[object]) -> str:
        return "{" + ", ".join(sorted(map(self._told, values))) + "}"

    def _pairs(self, pairs: Iterable[tuple[object, object]]) -> str:
        return ", ".join(f"{self._told(key)}: {self._told(value)}" for key, value in pairs)

    def _parts(self, value: Any) -> str:
        """What copying an object would copy."""
        if isinstance(value, BaseException):
            return self._all([*value.args, vars(value)])
        try:
            reduced: Any = value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 - whatever keeps it from being copied
            return ""
        if isinstance(reduced, str):
            return reduced
        _, arguments, state, items, pairs = [*reduced, None, None, None][:5]
        # Of the usual way to copy: the class itself, which has been told.
        told = [self._all(each for each in arguments if each is not type(value))]
        for each in state if isinstance(state, tuple) else (state,):
            if isinstance(each, dict):
                told.append(self._pairs(sorted(each.items(), key=lambda pair: str(pair[0]))))
            elif each is not None:
                told.append(self._told(each))
        if items is not None:
            told.append(f"[{self._all(items)}]")
        if pairs is not None:
            told.append("{" + self._pairs(pairs) + "}")
        return "; ".join(filter(None, told))

    def result(self, value: object) -> str:
        """What a call returned; what a generator would yield is part of it."""
        if isinstance(value, Iterator) and type(value).__module__ in _ITERATORS_OF:
            return shortened(f"{type(value).__name__} of {self._yielded(value)}")
        return self.text(value)

    def _yielded(self, values: Iterator[object]) -> str:
        told: list[str] = []
        try:
            for _ in range(MOST_ITEMS):
                told.append(self._told(next(values)))
        except StopIteration as end:
            told.append(f"end {self._told(end.value)}")
        except BaseException as error:  # noqa: BLE001 - what the program raises is its result
            told.append(self.raised(error))
        return ", ".join(told)

    def raised(self, error: BaseException) -> str:
        """An exception: type, message, and the types of those that it came from."""
        told = f"{self.name(type(error))}: {_message(error)}"
        seen = {id(error)}
        before: BaseException | None = error
        while before is not None:
            cause = before.__cause__
            word = "from" if cause is not None else "while handling"
            before = cause or (None if before.__suppress_context__ else before.__context__)
            if before is None or id(before) in seen:
                break
            seen.add(id(before))
            told += f" ({word} {self.name(type(before))})"
        return shortened(told)


def _integer(value: int) -> str:
    # Longer ones take quadratic time in decimals, and Python refuses them.
    return str(value) if value.bit_length() < 10_000 else hex(value)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as problem:  # noqa: BLE001 - whatever its own __str__ raises
        return f"<{type(problem).__name__} in str()>"


def shortened(text: str) -> str:
    """A text that is not too long, and still another one for another text."""
    if len(text) <= MAX_CHARACTERS:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:MAX_CHARACTERS]}... {len(text)} characters, sha256 {digest}"
