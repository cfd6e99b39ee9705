"""Records how tests call a program, as inputs that can be given to it again."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

from .literals import NoLiteralError, encode

#: Of one program.
MOST_CALLS = 2_000

Step = dict[str, Any]


class Recorder:
    """Puts itself around functions and classes of a module.

    An input is a list of steps; `call` names a function of the module, or, where there is an `on`,
    a method of what that earlier step of the list made. Only calls from outside are recorded, and
    only those whose arguments can be written down.
    """

    def __init__(self) -> None:
        self._inputs: list[list[Step]] = []
        #: Object -> its input; None once something happened to it that cannot be repeated.
        self._histories: dict[int, list[Step] | None] = {}
        self._kept: list[object] = []
        self._depth = 0
        self._count = 0

    def wrap(self, module: types.ModuleType, names: Iterable[str]) -> None:
        """Record what these names of a module are called with."""
        for name in names:
            value = getattr(module, name, None)
            # What it imports is not its own.
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, type):
                self._wrap_class(name, value)
            elif callable(value):
                setattr(module, name, self._around_function(name, value))

    @property
    def inputs(self) -> list[list[Step]]:
        """What was recorded, in order, nothing twice."""
        found = {repr(each): each for each in self._inputs if each}
        return list(found.values())

    def _around_function(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            if self._depth == 0 and (step := self._step(name, args, kwargs)) is not None:
                self._inputs.append([step])
            return self._inside(function, args, kwargs)

        return recorded

    def _wrap_class(self, name: str, kind: type) -> None:
        for method, value in inspect.getmembers_static(kind):
            if method == "__init__" or not isinstance(value, types.FunctionType):
                continue
            if method.startswith("_") and not (method.startswith("__") and method in vars(kind)):
                continue
            if method in ("__new__", "__reduce__", "__reduce_ex__", "__getattribute__"):
                continue
            setattr(kind, method, self._around_method(method, value))
        made = kind.__init__  # type: ignore[misc]

        @functools.wraps(made)
        def recorded(this: Any, /, *args: Any, **kwargs: Any) -> None:
            if self._depth == 0 and type(this) is kind:
                step = self._step(name, args, kwargs)
                self._kept.append(this)
                self._histories[id(this)] = None if step is None else [step]
                if step is not None:
                    self._inputs.append(self._histories[id(this)] or [])
            self._inside(made, (this, *args), kwargs)

        kind.__init__ = recorded  # type: ignore[misc]

    def _around_method(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(this: Any, /, *args: Any, **kwargs: Any) -> Any:
            history = self._histories.get(id(this))
            if self._depth == 0 and history is not None:
                step = self._step(name, args, kwargs)
                if step is None:
                    # What comes later would not be the same without this call.
                    self._histories[id(this)] = None
                else:
                    history.append({**step, "on": 0})
            return self._inside(function, (this, *args), kwargs)

        return recorded

    def _step(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Step | None:
        self._count += 1
        if self._count > MOST_CALLS:
            return None
        try:
            named = {key: encode(value) for key, value in kwargs.items()}
            return {"call": name, "args": [encode(each) for each in args], "kwargs": named}
        except (NoLiteralError, RecursionError):
            return None

    def _inside(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        self._depth += 1
        try:
            return function(*args, **kwargs)
        finally:
            self._depth -= 1
