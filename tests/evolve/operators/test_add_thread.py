from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.add_thread import AddThread
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = AddThread()
CHAINS = """
import sys


def wrong(key):
    try:
        return {}[key]
    except KeyError as error:
        raise ValueError(key) from error


def twice(key):
    try:
        return {}[key]
    except KeyError:
        return [][key]


def leave(code):
    sys.exit(code)


def ended(items):
    return next(iter(items))


def f(which, value):
    if which == 0:
        return wrong(value)
    if which == 1:
        return twice(value)
    if which == 2:
        return leave(value)
    if which == 3:
        return ended(value)
    return sum((item for item in value), start=value[0])
"""


def test_results_and_exceptions_with_their_chains_come_back() -> None:
    calls = ["f(0, 1)", "f(1, 1)", "f(2, 1)", "f(3, [])", "f(3, [[]])", "f(4, [1, True, 2.5])"]
    texts = all_alike(OPERATOR, example(CHAINS, *calls), seeds=1)
    assert len(texts) == 5
    assert all("queue.SimpleQueue()" in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        # Recursion needs the stack that it has.
        "def f(n):\n    return f(n - 1) if n else len([])\n",
        # What handles an exception would be the context of another.
        "def g(a):\n    return len(a)\ndef f(a):\n    try: a\n    finally:\n        g(a)\n",
        # Of threads' own things there is another.
        "import threading\ndef f(a):\n    return len(a)\n",
        "import decimal\ndef f(a):\n    return sum(a)\n",
        # Once a round would be slow, and in an f-string, text may be shown.
        "def f(a):\n    for b in a:\n        print(f'{len(b)=}', [len(c) for c in b])\n",
        "def f(a):\n    yield len(a)\n",
        "async def f(a):\n    return len(a)\n",
        "def queue(a):\n    return len(a)\n",
        "def f(a, len):\n    return len(a)\n",
    ],
)
def test_where_a_thread_would_show(text: str) -> None:
    assert sites(OPERATOR, text) == []


def test_one_helper_serves_all_calls() -> None:
    case = example("def f(a):\n    b = sorted(a)\n    return len(b)\n", "f([2, 1])", "f(None)")
    (text, *_) = all_alike(OPERATOR, case, seeds=1)
    again = all_alike(OPERATOR, example(text, "f([2, 1])", "f(None)"), seeds=1)
    assert again
    assert all(one.count("ThreadPoolExecutor(") == 1 for one in again)
