"""What is asked of a program: calls of its own tests, and some drawn from them, with answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.running.inputs import Input, make_inputs
from pytest_benchmac.evolve.running.inside.literals import decode
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.tasks.asking import Asking
from pytest_benchmac.tracks.program.comparing import is_answer
from pytest_benchmac.tracks.program.instance import ProgramCase
from pytest_benchmac.tracks.program.literals import NoLiteralError, read_arguments
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
        if value is None or not _is_sound(value):
            continue
        if all(is_right(each, value, printed=entry is None) for each in others):
            found.append(ProgramCase(input=call, output=value))
    return found


def choose(
    cases: Sequence[ProgramCase], random: Random, *, printed: bool
) -> tuple[ProgramCase, list[ProgramCase]]:
    """A call to ask about, and those with another answer.

    What is right for one of the others is wrong for it: it may be shown.
    """
    telling = [case for case in cases if case.input.strip()] or list(cases)
    chosen = random.choice(telling)
    return chosen, [case for case in cases if differ(case, chosen, printed=printed)]


def differ(one: ProgramCase, other: ProgramCase, *, printed: bool) -> bool:
    """Would the answer to one call be wrong for the other, as tasks about values are judged?"""
    return not is_answer(one.output, other.output, printed=printed)


def is_right(told: Told, wanted: str, *, printed: bool, close: bool = False) -> bool:
    """Is it the value that a call should have, as it is judged?

    Args:
        told: of the call.
        wanted: the literal of that value.
        printed: by a program that reads standard input.
        close: floats may differ as they may in a repair.
    """
    if told.value is None:
        return False
    try:
        return is_answer(told.value, wanted, printed=printed, close=close)
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
