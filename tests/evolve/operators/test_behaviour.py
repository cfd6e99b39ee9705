from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.evolve.operators.behaviour import (
    Example,
    assert_same,
    corpus,
    example,
)


@pytest.fixture(scope="module")
def programs() -> dict[str, Example]:
    return {case.program.id: case for case in corpus()}


def test_the_corpus_has_programs_and_calls_that_come_to_an_end(
    programs: dict[str, Example],
) -> None:
    assert len(programs) >= 60
    for case in programs.values():
        assert len(case.calls) >= 1
        assert len(case.expected) == len(case.calls), case.program.id


def test_what_a_program_does_is_the_same_again(programs: dict[str, Example]) -> None:
    for case in programs.values():
        assert_same(case, case.program)


TEXT = """
def f(items, other=None):
    items.append(1)
    print(len(items))
    return items
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return items", "return list(items)"),
        ("return items", "return None"),
        ("items.append(1)", "items.append(True)"),
        ("items.append(1)", "items.append(1.0)"),
        ("items.append(1)", "import numpy; items.append(numpy.int64(1))"),
        ("items.append(1)", "items = items + [1]"),
        ("print(len(items))", "print(len(items), end='')"),
        ("print(len(items))", "import sys; print(len(items), file=sys.stderr)"),
        ("return items", "raise ValueError(items)"),
        ("return items", "yield items"),
        ("return items", "while True: pass"),
    ],
)
def test_a_change_of_what_it_does_is_seen(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.evolve.operators.behaviour._SECONDS", 0.5)
    _fails(example(TEXT, "f([])"), lambda text: text.replace(before, after))


ERRORS = """
def f(value):
    try:
        return {}[value]
    except KeyError as error:
        raise ValueError("missing") from error
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ValueError", "LookupError"),
        ('"missing"', '"lost"'),
        ("from error", "from None"),
        (" from error", ""),
        ("        return", "        return []"),
    ],
)
def test_a_change_of_an_exception_or_its_chain_is_seen(before: str, after: str) -> None:
    _fails(example(ERRORS, "f(1)"), lambda text: text.replace(before, after))


def test_state_between_calls_counts() -> None:
    text = "def f(seen=[]):\n    seen.append(1)\n    return len(seen)\n"
    _fails(
        example(text, "f()", "f()"),
        lambda text: text.replace("(seen=[]):\n", "():\n    seen = []\n"),
    )


def test_what_a_script_writes_counts() -> None:
    _fails(example("print(input())\n", '< "a\\n"'), lambda text: text.replace("()", "().upper()"))


def test_names_of_functions_and_variables_in_the_interpreters_own_texts_do_not_count() -> None:
    case = example("def f():\n    def inner(a): ...\n    inner()\n", "f()")
    assert_same(case, case.program.with_main(case.program.main.replace("inner", "other")))


def _fails(case: Example, change: Callable[[str], str]) -> None:
    changed = case.program.with_main(change(case.program.main))
    assert changed.main != case.program.main
    with pytest.raises(AssertionError):
        assert_same(case, changed)
