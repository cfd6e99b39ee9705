"""Tests of programs run, and the lines that they reach are counted."""

from __future__ import annotations

import pytest

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import FileTests, Subject
from pytest_benchmac.evolve.running.answers import Outcome
from pytest_benchmac.evolve.running.laboratory import Laboratory
from tests.evolve.running.subjects import DOUBLE, HONEST, WRONG, script, subject

PYTEST = """\
import pytest
from program import Counter, double


@pytest.fixture
def counter():
    return Counter(3)


@pytest.mark.parametrize("value", [1, 2])
def test_double(value):
    assert double(value) == 2 * value


def test_counter(counter):
    counter.add(2)
    assert counter.value == 5
"""
UNITTEST = """\
import unittest
import program


class Tests(unittest.TestCase):
    def test_double(self):
        self.assertEqual(program.double(4), 8)
"""
COUNTER = f"""\
{DOUBLE}

class Counter:
    def __init__(self, value):
        self.value = value

    def add(self, more):
        self.value += more

    def never(self):
        print("never")
        return 1
"""
FILES = Subject(
    Program(id="files", main=COUNTER, kept=frozenset({"double", "Counter"})),
    FileTests({"test_program.py": PYTEST, "program_test.py": UNITTEST}),
)


def test_tests_pass_or_say_what_fails(laboratory: Laboratory) -> None:
    assert laboratory.tests_pass(HONEST, HONEST.program).passed
    verdict = laboratory.tests_pass(HONEST, WRONG)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.reason.startswith("line 2 of the tests: TypeError")


def test_files_are_run_by_pytest(laboratory: Laboratory) -> None:
    assert laboratory.tests_pass(FILES, FILES.program).passed
    verdict = laboratory.tests_pass(
        FILES, FILES.program.with_main(COUNTER.replace("+= more", "-= more"))
    )
    assert verdict.outcome is Outcome.FAILED
    assert "test_program.py::test_counter" in verdict.reason
    empty = Subject(FILES.program, FileTests({"test_program.py": "import program\n"}))
    assert not laboratory.tests_pass(empty, empty.program).passed


def test_pairs_are_compared_without_blanks_at_the_end(laboratory: Laboratory) -> None:
    adding = script("a, b = map(int, input().split())\nprint(a + b, end=' ')\n", **{"1 2\n": "3\n"})
    assert laboratory.tests_pass(adding, adding.program).passed
    other = adding.program.with_main("print(input())\n")
    assert laboratory.tests_pass(adding, other).reason == "pair 0: line 1 is '1 2', expected: '3'"
    ending = adding.program.with_main("import sys\nprint(3)\nsys.exit(2)\n")
    assert laboratory.tests_pass(adding, ending).reason == "pair 0: exit 2"


def test_a_program_of_several_files(laboratory: Laboratory) -> None:
    program = Program(
        id="several",
        main="from helper import twice\n\n\ndef double(x):\n    return twice(x)\n",
        modules={"helper.py": "def twice(x):\n    return x + x\n"},
        kept=frozenset({"double"}),
    )
    assert laboratory.tests_pass(HONEST, program).passed
    assert laboratory.differences(HONEST, program, seed=1, inputs=50) is None
    assert laboratory.coverage(HONEST, program) == 1.0


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("def double(:\n", Outcome.BROKEN),
        ("import nothing_of_that_name\n", Outcome.BROKEN),
        ("import sys\nsys.exit(0)\n", Outcome.BROKEN),
        ("def double(x):\n    raise SystemExit(0)\n", Outcome.FAILED),
        ("import os\n\n\ndef double(x):\n    os._exit(0)\n", Outcome.ENDED),
        ("import os\n\n\ndef double(x):\n    os.abort()\n", Outcome.ENDED),
        ("def double(x):\n    return double(x)\n", Outcome.FAILED),
        ("def double(x):\n    return [0] * 10**12\n", Outcome.FAILED),
        ("def double(x):\n    while True:\n        pass\n", Outcome.TIMED_OUT),
        ("import time\n\n\ndef double(x):\n    time.sleep(600)\n", Outcome.TIMED_OUT),
        (
            "import signal\n\n\ndef double(x):\n"
            "    signal.setitimer(signal.ITIMER_PROF, 0)\n    while True:\n        pass\n",
            Outcome.TIMED_OUT,
        ),
    ],
)
def test_a_broken_program_does_not_pass(
    laboratory: Laboratory, text: str, outcome: Outcome
) -> None:
    assert laboratory.tests_pass(HONEST, HONEST.program.with_main(text)).outcome is outcome
    assert laboratory.tests_pass(HONEST, HONEST.program).passed


def test_lines_that_tests_run_are_counted(laboratory: Laboratory) -> None:
    half = subject(
        "def f(x):\n    if x:\n        return 1\n    y = 2\n    y += 1\n    return y\n",
        "assert f(1) == 1\n",
    )
    assert laboratory.coverage(half, half.program) == pytest.approx(3 / 6)
    assert laboratory.coverage(HONEST, HONEST.program) == 1.0
    assert laboratory.coverage(FILES, FILES.program) == pytest.approx(8 / 10)
    reading = script("if input():\n    print(1)\nelse:\n    print(2)\n", **{"a\n": "1\n"})
    assert laboratory.coverage(reading, reading.program) == pytest.approx(2 / 3)
    threaded = subject(
        "import threading\n\n\ndef f():\n    def g():\n        print(1)\n\n"
        "    t = threading.Thread(target=g)\n    t.start()\n    t.join()\n",
        "f()\n",
    )
    assert laboratory.coverage(threaded, threaded.program) == 1.0


def test_what_is_warm_can_be_used(laboratory: Laboratory) -> None:
    using = subject(
        "import numpy\nimport scipy.stats\nfrom sklearn.linear_model import LinearRegression\n"
        "from cryptography.fernet import Fernet\nfrom dateutil.parser import parse\n\n\n"
        "def f(xs):\n    Fernet(Fernet.generate_key()).encrypt(b'x')\n"
        "    assert parse('2020-01-02').day == 2\n"
        "    model = LinearRegression().fit([[x] for x in xs], xs)\n"
        "    return float(numpy.mean(xs) + scipy.stats.norm.cdf(0) + model.coef_[0])\n",
        "assert abs(f([1.0, 2.0, 3.0]) - 3.5) < 1e-6\n",
    )
    verdict = laboratory.tests_pass(using, using.program)
    assert verdict.passed, verdict
