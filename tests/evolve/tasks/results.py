"""What a run could have left of three small programs, evolved by hand."""

from __future__ import annotations

from pathlib import Path

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Pair, ScriptTests, StreamTests, Tests
from pytest_benchmac.evolve.search.results import (
    Scores,
    StoredProgram,
    stored_version,
    write_program,
)
from tests.tracks.program.small import COUNT, REVERSE

_SCORES = Scores(metrics={}, rc=0.1, rr=0.9, pylint=9.0)
#: The same with a helper beside it, and one of the large packages.
_COUNT_AFTER = """\
from scipy.special import comb
from helpers import start

""" + COUNT.replace("found = {}", "found = start(comb(4, 2, exact=True))")
_HELPERS = "def start(size):\n    return {} if size else None\n"
_COUNT_OTHER = COUNT.replace("return found", "least = 0\n    return found")
_COUNT_TESTS = """\
def test(count):
    assert count("a b a") == {"a": 2, "b": 1}
    assert count("") == {}
    assert count("One one two", 2) == {"one": 2, "two": 1}
    assert count("a bb ccc", 3) == {"ccc": 1}

test(count)
"""
SIGN = '''\
"""Signs."""


def is_odd(number: int) -> bool:
    """Is it?"""
    return number % 2 == 1 and True
'''


def write(results: Path) -> None:
    """Write the folder of a run."""
    count = Program("Small/count", COUNT, kept=frozenset({"count"}), entry="count")
    after = Program(
        "Small/count",
        _COUNT_AFTER,
        modules={"helpers.py": _HELPERS},
        kept=frozenset({"count"}),
        entry="count",
    )
    _store(results, count, after, ScriptTests(_COUNT_TESTS), count.with_main(_COUNT_OTHER))
    reverse = Program("Small/reverse", REVERSE)
    pairs = tuple(
        Pair(f"{number}", given, printed)
        for number, (given, printed) in enumerate(
            [("abc\nde\n", "cba\ned\n"), ("", ""), (" x y \n", "y x\n")]
        )
    )
    twice = REVERSE.replace("import sys", "import sys\n\nunused = 1")
    _store(results, reverse, reverse.with_main(twice), StreamTests(pairs))
    odd = Program("Small/odd", SIGN, kept=frozenset({"is_odd"}), entry="is_odd")
    tests = ScriptTests("assert is_odd(3)\nassert not is_odd(4)\nassert is_odd(-1)\n")
    _store(results, odd, odd.with_main(SIGN.replace(" and True", "") + "\n"), tests)
    # No input of it is asked for, and Java has no such values.
    text = "def run(text):\n    return eval(text)\n"
    run = Program("Small/run", text, kept=frozenset({"run"}), entry="run")
    tests = ScriptTests("assert run(\"b'a'\") == b'a'\nassert run(\"b'b' + b'c'\") == b'bc'\n")
    _store(results, run, run.with_main(run.main + "\n"), tests)
    never = Program("Small/never", "def f(x):\n    return object()\n", entry="f")
    _store(results, never, never, ScriptTests("f(1)\n"))


def _store(results: Path, before: Program, after: Program, tests: Tests, *front: Program) -> None:
    points = {f"front/{number:02}": each for number, each in enumerate((after, *front), start=1)}
    record = StoredProgram(
        id=before.id,
        kept=tuple(before.kept),
        entry=before.entry,
        tests=tests,
        before=stored_version("before", before, _SCORES),
        after=stored_version("after", after, _SCORES),
        front=tuple(stored_version(name, each, _SCORES) for name, each in points.items()),
    )
    write_program(results, record, {"before": before, "after": after, **points}, "{}\n")
