from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.introduce_decorator import IntroduceDecorator
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = IntroduceDecorator()
CLASS = """
class Box:
    \"\"\"Keeps a size.\"\"\"

    def __init__(self, size):
        self.size = size

    @property
    def doubled(self):
        \"\"\"Twice the size.\"\"\"
        return self.size * 2

    @doubled.setter
    def doubled(self, value):
        self.size = value // 2

    @staticmethod
    def of(size, *, scale):
        return Box(size * scale)

    @classmethod
    def named(cls, size):
        return cls(size), cls.__name__


class Deep(Box):
    def total(self, function):
        return super().of(self.size, scale=function).size


def total(first, /, second, *rest, key, **options):
    return first, second, rest, key, options
"""


def test_methods_of_all_kinds_are_called_as_before() -> None:
    calls = [
        "Box.of(2, scale=3).doubled",
        "Box.of(2)",
        "Box.named(1)[1]",
        "Deep(2).total(function=4)",
        "Deep(2).total()",
        "total(1, 2, 3, key=4, function=5, arguments=6)",
        "total(1, second=2)",
        "total.__name__, total.__doc__, total",
        "Box.of",
    ]
    texts = all_alike(OPERATOR, example(CLASS, *calls, kept="Box"), seeds=2)
    assert len(texts) >= 6
    assert all("@functools.wraps(function)" in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return f(n - 1) if n else 0\n",
        "def g(n):\n    return f(n)\ndef f(n):\n    return g(n - 1) if n else 0\n",
        "def f(a):\n    yield a\n",
        "async def f(a):\n    return a\n",
        "def f(a=[]):\n    return a\n",
        "import functools\n@functools.lru_cache\ndef f(a):\n    return a\n",
        "class A:\n    def __len__(self):\n        return 1\n",
        "def f(a):\n    return a\nprint(f.__code__)\n",
        "functools = None\ndef f(a):\n    return a\n",
    ],
)
def test_functions_that_would_show_their_wrapper(text: str) -> None:
    assert sites(OPERATOR, text) == []
