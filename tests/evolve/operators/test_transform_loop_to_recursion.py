from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.transform_loop_to_recursion import TransformLoopToRecursion
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = TransformLoopToRecursion()


def test_loops_of_100000_rounds_are_not_deep() -> None:
    text = """
def count(limit):
    total = 0
    for number in range(limit):
        if number % 3 == 0:
            continue
        total += number
        if total > 10 ** 9:
            break
    return total


def halve(number):
    steps = 0
    while number != 0 and steps < 200000:
        number -= 1
        steps += 1
    return steps
"""
    case = example(text, "count(100000)", "count(0)", "count('a')", "halve(100000)", "halve(0)")
    assert len(all_alike(OPERATOR, case, seeds=1)) == 2


def test_elements_are_asked_for_one_at_a_time() -> None:
    text = """
def numbers():
    for number in [1, 2, 3]:
        print("gives", number)
        yield number
    raise ValueError


def f(items):
    for first, second in zip(items, numbers()):
        print("takes", second)
        items.append(first)
    return items
"""
    assert all_alike(OPERATOR, example(text, "f([1])", "f([])", "f([1, 2, 3, 4, 5])"), seeds=1)


def test_a_variable_of_a_comprehension_is_another() -> None:
    text = """
def f(items):
    pairs = [i for i in items]
    for i in items:
        pairs.append(i)
    return any(i for i in pairs), pairs
"""
    assert all_alike(OPERATOR, example(text, "f([1, 0])", "f([])"), seeds=1)


@pytest.mark.parametrize(
    "body",
    [
        "for b in a:\n        return b",
        "for b in a:\n        yield b",
        "for b in a:\n        print(b)\n    else:\n        print(a)",
        "for b in a:\n        c = b\n    return c",
        "for b in a:\n        print(c)\n        c = b",
        "for b in a:\n        a.append(lambda: b)",
        "for b in a:\n        f(b)",
        "for a[0] in a:\n        print(a)",
        "for b in a:\n        del b",
        "while (b := a.pop()):\n        print(b)",
        "if a:\n        c = 1\n    for b in a:\n        c += b\n    return c",
        "for b in a:\n        class C:\n            pass\n        print(C)",
        "global b\n    for b in a:\n        print(b)",
    ],
)
def test_loops_that_are_more_than_their_rounds_stay(body: str) -> None:
    assert sites(OPERATOR, f"def f(a):\n    {body}\n") == []


def test_what_generators_do_when_they_are_dropped_stays() -> None:
    text = """
def g():
    try:
        yield 1
    finally:
        print(2)

def f():
    for b in g():
        break
    print(3)
"""
    assert sites(OPERATOR, text) == []


def test_a_stop_iteration_of_the_body_goes_on() -> None:
    text = """
def f(p):
    it = iter(p)
    t = 0
    for v in range(9):
        t += next(it)
    return t
"""
    assert all_alike(OPERATOR, example(text, "f([1])", "f(range(20))"), seeds=1)


@pytest.mark.parametrize("word", ["break", "continue"])
def test_the_else_of_a_loop_inside_is_of_the_loop_around(word: str) -> None:
    text = f"""
def f(p):
    for v in p:
        for w in v:
            if w:
                break
        else:
            {word}
        while v:
            v = v[1:]
        else:
            for w in v:
                pass
            else:
                {word}
        p[0].append(3)
    return p
"""
    calls = ("f([[], [1]])", "f([[0], [0, 1]])", "f([[1], [0]])", "f([])")
    assert all_alike(OPERATOR, example(text, *calls), seeds=1)


def test_a_comprehension_hides_a_variable_only_inside() -> None:
    text = """
def f(p):
    q = [n for n in p]
    for v in p:
        n = v
    return q, [n for _ in p]
"""
    assert sites(OPERATOR, text) == []
