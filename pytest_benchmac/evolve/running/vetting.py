"""What an original does on inputs: those on which others can be compared with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.running.answers import Did, Original
from pytest_benchmac.evolve.running.comparing import cost_of, did_of, loading_of
from pytest_benchmac.evolve.running.inputs import Input
from pytest_benchmac.evolve.running.requests import RunLimits, inputs_request
from pytest_benchmac.evolve.running.worker import Ran

#: Runs that end before their last input: each leaves one out, and the last what is left then.
_MOST_ENDS = 40

Ask = Callable[[dict[str, Any]], Ran]


@dataclass(frozen=True)
class _Answer:
    """What was done on one input, and what it took in seconds of processor time."""

    given: Input
    did: Sequence[Did]
    cost_s: float

    @property
    def exhausted(self) -> bool:
        return any(step.exhausted for step in self.did)


def find_original(
    ask: Ask, program: Program, inputs: Sequence[Input], limits: RunLimits
) -> Original:
    """What a program does on those inputs that it answers in time.

    What ran before in the same process may decide what comes later: the answers are those of one
    run on exactly the inputs that are kept.
    """
    answers, loading = _answers(ask, program, inputs, limits.original_s, limits)
    wanted: Sequence[Input] = inputs
    kept = _affordable([each for each in answers if not each.exhausted], limits)
    for _ in range(_MOST_ENDS):
        if len(kept) == len(wanted):
            break
        wanted = [each.given for each in kept]
        answers, loading = _answers(ask, program, wanted, limits.input_s, limits)
        kept = [each for each in answers if not each.exhausted]
    else:
        kept = []
    return Original(
        tuple(each.given for each in kept),
        tuple(each.did for each in kept),
        loading,
        len(inputs) - len(kept),
    )


def _answers(
    ask: Ask, program: Program, inputs: Sequence[Input], each_s: float, limits: RunLimits
) -> tuple[list[_Answer], tuple[str, str]]:
    """What it does on inputs; where one ends the process, the next begins another."""
    answers: list[_Answer] = []
    printed = ("", "")
    left = list(inputs)
    for _ in range(_MOST_ENDS):
        if not left:
            break
        ran = ask(inputs_request(program, left, each_s, limits))
        lines = list(ran.said)
        if not isinstance(left[0], str):
            loading = loading_of(ran)
            if loading is None:
                break
            printed = loading
            lines = lines[1:]
        for given, line in zip(left, lines, strict=False):
            if (did := did_of(line)) is not None:
                answers.append(_Answer(given, did, cost_of(line)))
        left = left[len(lines) + 1 :]
    return answers, printed


def _affordable(answers: Sequence[_Answer], limits: RunLimits) -> list[_Answer]:
    """As many as there is time for, the cheapest first, in their order."""
    total = 0.0
    kept: set[int] = set()
    for number in sorted(range(len(answers)), key=lambda each: answers[each].cost_s):
        total += answers[number].cost_s
        if total > limits.original_all_s:
            break
        kept.add(number)
    return [each for number, each in enumerate(answers) if number in kept]
