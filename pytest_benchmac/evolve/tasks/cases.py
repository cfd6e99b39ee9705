"""What is asked of a program: calls of its own tests, and some drawn from them, with answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.running.inputs import Input, make_inputs
from pytest_benchmac.evolve.running.inside.literals import decode
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.tasks.asking import Asking
from pytest_benchmac.tracks.program.instance import ProgramCase
from pytest_benchmac.tracks.program.literals import (
    NoLiteralError,
    read_arguments,
    read_literal,
    same,
)
from pytest_benchmac.tracks.program.running.asking import Told
from pytest_benchmac.tracks.program.running.runner import NoLiteralError as NoTextError
from pytest_benchmac.tracks.program.running.runner import text_of

#: Calls of one program, and of these, how many are drawn where its tests have few.
MAX_CASES, _DRAWN = 40, 12


def cases_of(
    subject: Subject, versions: Sequence[Program], laboratory: Laboratory, asking: Asking, seed: int
) -> list[ProgramCase]:
    """Calls that every version answers in the same way, the tests' own first.

    Raises:
        SandboxError: the sandbox failed.
    """
    own = laboratory.recorded(subject)
    entry = subject.program.entry
    texts = [example.input for example in subject.examples if entry is not None]
    texts += _texts(own, entry)
    texts += _texts(make_inputs(own, seed=seed, count=_DRAWN), entry) if own else []
    calls = [each for each in dict.fromkeys(texts) if _is_sound(each)][:MAX_CASES]
    if not calls:
        return []
    told = asking.ask([*versions, versions[0]], calls)
    found = []
    for place, call in enumerate(calls):
        first, *others = (each[place] for each in told)
        value = first.value
        if value is not None and _is_sound(value) and all(_same(first, each) for each in others):
            found.append(ProgramCase(input=call, output=value))
    return found


def differ(one: ProgramCase, other: ProgramCase) -> bool:
    """Are two calls answered with different values?"""
    return not same(read_literal(one.output), read_literal(other.output))


def is_right(told: Told, wanted: str) -> bool:
    """Is it the value that a call should have?"""
    if told.value is None or told.value == wanted:
        return told.value == wanted
    try:
        return same(read_literal(told.value), read_literal(wanted), close=True)
    except NoLiteralError:
        return False


def _same(one: Told, other: Told) -> bool:
    if one.value is None or other.value is None:
        return False
    if one.value == other.value:
        return True
    try:
        return same(read_literal(one.value), read_literal(other.value))
    except NoLiteralError:
        return False


def _is_sound(text: str) -> bool:
    try:
        read_arguments(text)
    except NoLiteralError:
        return False
    return True


def _texts(inputs: Iterable[Input], entry: str | None) -> list[str]:
    found = []
    for each in inputs:
        if isinstance(each, str):
            found += [repr(each)] if entry is None else []
            continue
        for step in each:
            if step.get("call") != entry or step.get("kwargs"):
                continue
            try:
                values = [text_of(decode(value)) for value in step["args"]]
            except NoTextError:
                continue
            found.append(", ".join(values))
    return found
