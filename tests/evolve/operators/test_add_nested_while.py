from __future__ import annotations

from pytest_benchmac.evolve.operators.add_nested_while import AddNestedWhile
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = AddNestedWhile()


def test_both_ways_of_running_once() -> None:
    case = example("def f(a):\n    # Twice.\n    b = a * 2\n    return b\n", "f(3)", "f('x')")
    texts = all_alike(OPERATOR, case, seeds=6)
    assert any("while True:" in text for text in texts)
    assert any("while pending:" in text for text in texts)


def test_generators_yield_in_it() -> None:
    case = example("def f(a):\n    b = yield a\n    yield b\n", "list(f(3))")
    assert all_alike(OPERATOR, case)


def test_at_the_top_level_no_name_is_added() -> None:
    case = example("a = 1\nprint(a)\n", '< ""')
    assert all("pending" not in text for text in all_alike(OPERATOR, case, seeds=6))


def test_what_jumps_stays() -> None:
    text = """
def f(a):
    while a:
        a -= 1
        if a == 2:
            break
    return a
"""
    assert "break" not in sites(OPERATOR, text)
    assert not any(site.startswith("if a == 2") for site in sites(OPERATOR, text))
