"""Whether an offspring did what its original did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_benchmac.evolve.running.answers import Did, Difference, Original
from pytest_benchmac.evolve.running.inputs import Input
from pytest_benchmac.evolve.running.inside.literals import decode
from pytest_benchmac.evolve.running.worker import Ran

_SHOWN = 300
#: Field of `Did` -> what its difference is called.
_FIELDS = {"arguments": "arguments", "stdout": "output", "stderr": "errors"}


def loading_of(ran: Ran) -> tuple[str, str] | None:
    """What a program printed while it was loaded; None where it could not be loaded."""
    if not ran.said or not isinstance(ran.said[0], dict):
        return None
    match ran.said[0].get("loaded"):
        case [str(out), str(err)]:
            return out, err
    return None


def did_of(line: Any) -> Sequence[Did] | None:
    """One line of an answer about inputs; None where it is none."""
    if not isinstance(line, dict) or not isinstance(line.get("steps"), list):
        return None
    steps = []
    for each in line["steps"]:
        if not isinstance(each, list) or len(each) != 5:
            return None
        if not all(isinstance(text, str) for text in each):
            return None
        steps.append(Did(*each))
    return tuple(steps)


def cost_of(line: Any) -> float:
    """Seconds of processor time that an input took."""
    seconds = line.get("cpu_s") if isinstance(line, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def first_difference(original: Original, ran: Ran) -> Difference | None:
    """The first input on which a run did something else."""
    lines = ran.said
    if original.inputs and not isinstance(original.inputs[0], str):
        if (loading := loading_of(ran)) is None:
            told = lines[0] if lines else ran.end
            return Difference("", "loading", "can be loaded", _shown(str(told)))
        if loading != original.loading:
            return Difference("", "loading", _shown(str(original.loading)), _shown(str(loading)))
        lines = lines[1:]
    for number, (given, wanted) in enumerate(zip(original.inputs, original.did, strict=True)):
        seen = did_of(lines[number]) if number < len(lines) else None
        if seen is None:
            what = "time" if ran.end == "timeout" else "end"
            return Difference(text_of(given), what, "comes to its end", ran.end)
        if seen != wanted:
            return _difference(given, wanted, seen)
    return None


def _difference(given: Input, wanted: Sequence[Did], seen: Sequence[Did]) -> Difference:
    for one, other in zip(wanted, seen, strict=False):
        if (one.kind, one.result) != (other.kind, other.result):
            kinds = {one.kind, other.kind}
            what = "exception" if "exception" in kinds else "value"
            return _told(given, what, one.result, other.result)
        for name, what in _FIELDS.items():
            if getattr(one, name) != getattr(other, name):
                return _told(given, what, getattr(one, name), getattr(other, name))
    return _told(given, "steps", str(len(wanted)), str(len(seen)))


def _told(given: Input, what: str, wanted: str, seen: str) -> Difference:
    """Both texts from a little before the place where they part."""
    same = 0
    for one, other in zip(wanted, seen, strict=False):
        if one != other:
            break
        same += 1
    start = max(0, same - _SHOWN // 3)
    return Difference(text_of(given), what, _shown(wanted[start:]), _shown(seen[start:]))


def text_of(given: Input) -> str:
    """An input as a person writes it."""
    if isinstance(given, str):
        return _shown(given)
    return _shown("; ".join(map(_call_text, given)))


def _call_text(step: dict[str, Any]) -> str:
    told = [repr(decode(each)) for each in step["args"]]
    told += [f"{name}={decode(each)!r}" for name, each in step["kwargs"].items()]
    name = step["call"] if "on" not in step else f"_.{step['call']}"
    return f"{name}({', '.join(told)})"


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
