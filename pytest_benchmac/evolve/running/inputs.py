"""Inputs of the differential check: Hypothesis varies what tests call a program with.

Types stay those that tests show at a place, and values stay near theirs, so that inputs reach the
code behind a program's own checks; every input is valid JSON as `inside/literals.py` writes it.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from pytest_benchmac.evolve.running.inside.literals import NoLiteralError, decode, encode

#: Text for standard input, or steps as `inside/recording.py` tells them.
Input: TypeAlias = str | list[dict[str, Any]]
#: Of the inputs asked for, how many are the tests' own at most.
_OWN_SHARE = 0.4
#: Values of a kind that are looked at.
_POOL = 60
#: Times that more are drawn than are missing: Hypothesis may draw the same again.
_TRIES = 6
_LEAST = 50
_WIDER = 3
#: An argument stays as it is in so many of ten inputs.
_KEPT_OF_TEN = 4
_FEW_INTEGERS = (0, 1, -1, 2, 10, 2**31, -(2**31) - 1, 2**63)
_FEW_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.1, 1e-9, 1e16, float("inf"), float("nan"))
#: No number that is none is below it, either.
_HUGE = 1e300
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n\t\xe9\u20ac"
T = TypeVar("T")


def make_inputs(own: Sequence[Input], *, seed: int, count: int) -> list[Input]:
    """So many inputs, none of them twice; fewer where there is little to vary.

    Args:
        own: the tests' own.
        seed: decides all of them.
        count: how many.
    """
    found: dict[str, Input] = {}
    for each in own[: max(1, int(count * _OWN_SHARE))]:
        found.setdefault(json.dumps(each), each)
    if not own:
        return []
    streams = [each for each in own if isinstance(each, str)]
    calls = [each for each in own if not isinstance(each, str)]
    for number in range(_TRIES):
        missing = count - len(found)
        if missing > 0:
            # Where there is little to vary, it is looked for further away.
            values = Values(_WIDER**number)
            strategy = _text_inputs(values, streams) if streams else _call_inputs(values, calls)
            for each in _drawn(strategy, f"{seed}/{number}", max(2 * missing, _LEAST)):
                found.setdefault(json.dumps(each), each)
    return list(found.values())[:count]


def sound_inputs(told: Iterable[object]) -> list[Input]:
    """Those of what a run told that are calls; the program ran in the same process."""
    return [each for each in told if isinstance(each, list) and each and all(map(_is_step, each))]


def _is_step(step: object) -> bool:
    if not isinstance(step, dict) or step.get("on", 0) != 0:
        return False
    match step:
        case {"call": str(), "args": [*args], "kwargs": dict(kwargs)}:
            try:
                for each in (*args, *kwargs.values()):
                    decode(each)
            except (NoLiteralError, RecursionError):
                return False
            return True
    return False


def _drawn(strategy: SearchStrategy[T], seed: str, count: int) -> list[T]:
    drawn: list[T] = []

    @with_seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: T) -> None:
        drawn.append(value)

    draw()
    return drawn


def _call_inputs(values: Values, own: Sequence[list[dict[str, Any]]]) -> SearchStrategy[Input]:
    """Varies the arguments of recorded steps."""
    pools: dict[tuple[str, object], list[Any]] = {}
    for steps in own:
        for step in steps:
            for place, told in _places(step):
                pools.setdefault(place, []).append(decode(told))
    like = {place: values.like(pool) for place, pool in pools.items()}

    @st.composite
    def varied(draw: DrawFn) -> Input:
        steps = []
        original = draw(st.sampled_from(own))
        count = sum(1 for step in original for _ in _places(step))
        # One of them at least is another.
        certain = draw(st.integers(0, max(count - 1, 0)))
        number = 0
        for step in original:
            args, kwargs = list(step["args"]), dict(step["kwargs"])
            for place, _ in _places(step):
                number += 1
                if number - 1 != certain and draw(st.integers(0, 9)) < _KEPT_OF_TEN:
                    continue
                told = encode(draw(like[place]))
                if isinstance(place[1], int):
                    args[place[1]] = told
                else:
                    kwargs[str(place[1])] = told
            steps.append({**step, "args": args, "kwargs": kwargs})
        return steps

    return varied()


def _places(step: dict[str, Any]) -> Iterable[tuple[tuple[str, object], Any]]:
    """Where arguments stand, and what they are there: calls of one name share them."""
    for number, told in enumerate(step["args"]):
        yield (step["call"], number), told
    for name, told in step["kwargs"].items():
        yield (step["call"], name), told


class Values:
    """Values like those of a pool, as strategies.

    Args:
        wide: how much further than a pool's own numbers theirs reach.
    """

    def __init__(self, wide: int) -> None:
        self._wide = wide

    def like(self, pool: Sequence[Any]) -> SearchStrategy[Any]:
        """Values of the types of a pool, like its own, and at the boundaries of their kind."""
        by_type: dict[type, list[Any]] = {}
        for each in pool:
            by_type.setdefault(type(each), []).append(each)
        return st.one_of(*[self._of_type(kind, some[:_POOL]) for kind, some in by_type.items()])

    def _of_type(self, kind: type, pool: list[Any]) -> SearchStrategy[Any]:
        if kind is bool:
            return st.booleans()
        if kind is int:
            return self._integers(pool)
        if kind is float:
            return self._floats(pool)
        if kind is complex:
            parts = self._floats([part for each in pool for part in (each.real, each.imag)])
            return st.builds(complex, parts, parts)
        if kind is str:
            return self._texts(pool)
        if kind in (bytes, bytearray):
            return self._texts([each.decode("latin-1") for each in pool]).map(
                lambda text: kind(text.encode("latin-1", "ignore"))
            )
        if kind is tuple:
            return self._tuples(pool)
        if kind in (list, set, frozenset):
            items = [item for each in pool for item in each]
            return self._lists([list(each) for each in pool], items).map(kind)
        if kind is dict:
            return self._dicts(pool)
        return st.sampled_from(pool)

    def _integers(self, pool: list[int]) -> SearchStrategy[int]:
        low, high = min(pool), max(pool)
        near = st.sampled_from(pool).flatmap(
            lambda seen: st.sampled_from(
                [seen - 1, seen + 1, -seen, 2 * seen, seen // 2, seen * 10]
            )
        )
        # Numbers below zero where tests have none reach little but the program's first check.
        least = 2 * self._wide * low if low < 0 else 0
        within = st.integers(least, 2 * self._wide * max(high, 1))
        return st.one_of(
            st.sampled_from(pool), near, within, within, st.sampled_from(_FEW_INTEGERS)
        )

    def _floats(self, pool: list[float]) -> SearchStrategy[float]:
        real = [each for each in pool if abs(each) < _HUGE] or [0.0]
        low, high = min(real), max(real)
        spread = self._wide * max(high - low, 1.0)
        within = st.floats(low - spread, high + spread, allow_nan=False)
        near = st.sampled_from(real).flatmap(
            lambda seen: st.sampled_from([-seen, seen / 2, seen * 3, round(seen), seen + 1e-7])
        )
        return st.one_of(
            st.sampled_from(pool), near.map(float), within, within, st.sampled_from(_FEW_FLOATS)
        )

    def _texts(self, pool: list[str]) -> SearchStrategy[str]:
        characters = sorted({each for text in pool for each in text}) or list(_CHARACTERS)
        longest = max(map(len, pool))
        most = min(2 * self._wide * longest + 2, 200)
        made = st.text(st.sampled_from(characters), max_size=most)

        some = st.one_of(st.just(""), st.sampled_from(characters), st.sampled_from(_CHARACTERS))

        @st.composite
        def edited(draw: DrawFn) -> str:
            text = draw(st.sampled_from(pool))
            for _ in range(draw(st.integers(1, 3))):
                at = draw(st.integers(0, len(text)))
                to = draw(st.integers(at, min(at + 3, len(text))))
                text = text[:at] + draw(some) + text[to:]
            return text

        whole = st.sampled_from(pool).flatmap(
            lambda text: st.sampled_from([text.upper(), text.lower(), text[::-1], text * 2, ""])
        )
        return st.one_of(edited(), made, edited(), whole, st.sampled_from(pool))

    def _tuples(self, pool: list[tuple[Any, ...]]) -> SearchStrategy[tuple[Any, ...]]:
        lengths = {len(each) for each in pool}
        if len(lengths) == 1:
            return st.tuples(*[self.like(column) for column in zip(*pool, strict=True)])
        return self._lists(
            [list(each) for each in pool], [item for each in pool for item in each]
        ).map(tuple)

    def _lists(self, pool: list[list[Any]], items: list[Any]) -> SearchStrategy[list[Any]]:
        if not items:
            return st.sampled_from([list(each) for each in pool]).map(list)
        item = self.like(items)
        longest = max(map(len, pool))
        made = st.lists(item, max_size=min(2 * self._wide * longest + 1, 60))

        @st.composite
        def edited(draw: DrawFn) -> list[Any]:
            values = list(draw(st.sampled_from(pool)))
            for _ in range(draw(st.integers(1, 3))):
                at = draw(st.integers(0, len(values)))
                match draw(st.sampled_from(("drop", "double", "swap", "reverse", "put", "put"))):
                    case "drop":
                        del values[at : at + 1]
                    case "double":
                        values[at:at] = values[at : at + 1]
                    case "swap":
                        values[:] = values[at:] + values[:at]
                    case "reverse":
                        values.reverse()
                    case _:
                        values[at : at + draw(st.integers(0, 1))] = [draw(item)]
            return values

        return st.one_of(edited(), made, edited())

    def _dicts(self, pool: list[dict[Any, Any]]) -> SearchStrategy[dict[Any, Any]]:
        keys = [key for each in pool for key in each]
        if not keys:
            return st.just({})
        by_key: dict[Any, list[Any]] = {}
        for each in pool:
            for key, value in each.items():
                by_key.setdefault((type(key), key), []).append(value)
        values = {place: self.like(some) for place, some in by_key.items()}
        anything = self.like([value for some in by_key.values() for value in some])

        @st.composite
        def varied(draw: DrawFn) -> dict[Any, Any]:
            made = dict(draw(st.sampled_from(pool)))
            for key in list(made):
                match draw(st.integers(0, 9)):
                    case 0:
                        del made[key]
                    case 1 | 2 | 3 | 4:
                        made[key] = draw(values[type(key), key])
            for _ in range(draw(st.integers(0, 2))):
                made[draw(self.like(keys))] = draw(anything)
            return made

        return varied()


def _text_inputs(values: Values, own: Sequence[str]) -> SearchStrategy[Input]:
    """Varies text for standard input: its words, numbers by numbers and others by others."""
    words = sorted({word for text in own for word in text.split()})
    numbers = [int(word) for word in words if word.lstrip("-").isdecimal() and len(word) < 15]
    others = [word for word in words if not word.lstrip("-").isdecimal()]
    number = values.like(numbers).map(str) if numbers else st.just("0")
    other = values.like(others).map(lambda text: text.replace("\n", " ")) if others else st.just("")

    @st.composite
    def varied(draw: DrawFn) -> Input:
        lines = []
        for line in draw(st.sampled_from(own)).split("\n"):
            parts = line.split(" ")
            for at, word in enumerate(parts):
                if word and draw(st.integers(0, 9)) < _KEPT_OF_TEN:
                    is_number = word.lstrip("-").isdecimal()
                    parts[at] = draw(number if is_number else other)
            lines.append(" ".join(parts))
        return "\n".join(lines)

    return varied()
