"""Small subjects."""

from __future__ import annotations

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.names import kept_names
from pytest_benchmac.evolve.reading.subject import Pair, ScriptTests, StreamTests, Subject

DOUBLE = "def double(x):\n    return x + x\n"


def subject(text: str, tests: str, *, name: str = "subject") -> Subject:
    """A program and assertions."""
    return Subject(Program(id=name, main=text, kept=kept_names(text, [tests])), ScriptTests(tests))


def script(text: str, **pairs: str) -> Subject:
    """A program that reads standard input: output by input."""
    told = tuple(Pair(f"pair {number}", *pair) for number, pair in enumerate(pairs.items()))
    return Subject(Program(id="script", main=text), StreamTests(told))


HONEST = subject(DOUBLE, "assert double(2) == 4\nassert double('a') == 'aa'\n", name="honest")
WRONG = HONEST.program.with_main("def double(x):\n    return x + 2\n")
