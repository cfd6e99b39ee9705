"""Faults: each operator's, in both versions, where both have the statement."""

import ast
from random import Random

import pytest

from pytest_benchmac.evolve.tasks.mutation import (
    OPERATORS,
    Fault,
    draw,
    mutated,
    shared_faults,
)

ONE = '''\
def f(a, b, flags):
    """Says 1 + 1."""
    total = a + b * 2  # kept
    if a < b and not flags:
        return total
    for each in range(a - b):
        total = (total // 2) * each
    return a == b or False
'''
#: The same with more around it; the loop is another.
OTHER = ONE.replace("def f", "import os\n\n\ndef f").replace("range(a - b)", "range(b)")


def test_each_operator_makes_its_faults() -> None:
    found = {(fault.operator, fault.text) for fault in shared_faults(ONE, ONE)}
    assert {name for name, _ in found} == set(OPERATORS)
    assert {
        ("arithmetic", "a - b * 2"),
        ("arithmetic", "b + 2"),
        ("arithmetic", "a + b"),
        ("comparison", "a <= b"),
        ("comparison", "a != b"),
        ("logic", "a < b or not flags"),
        ("logic", "a == b and False"),
        ("reversed boolean", "flags"),
        ("reversed boolean", "True"),
        ("variable type", "str(total)"),
        ("variable type", "2.0"),
    } <= found


def test_faults_lie_in_what_both_have() -> None:
    shared = shared_faults(ONE, OTHER)
    assert shared
    assert not [fault for fault in shared if "range" in fault.statement]
    for fault in shared:
        one, other = mutated(ONE, [fault]), mutated(OTHER, [fault])
        assert ast.dump(ast.parse(one)) != ast.dump(ast.parse(ONE))
        # One line differs, and in both versions it is the same one.
        lines = set(one.splitlines()) - set(ONE.splitlines())
        assert lines == set(other.splitlines()) - set(OTHER.splitlines())
        assert len(lines) == 1


def test_a_change_inside_an_operation_keeps_its_bounds() -> None:
    fault = Fault("arithmetic", "total = total // 2 * each", 3, "total - 2")
    (found,) = [each for each in shared_faults(ONE, ONE) if each.text == "total * 2"]
    text = mutated(ONE, [Fault(fault.operator, found.statement, found.expression, fault.text)])
    assert "total = ((total - 2)) * each" in text


def test_mutants_have_one_to_three_faults_in_different_statements() -> None:
    drawn = draw(shared_faults(ONE, ONE), Random(1), 40)
    assert {len(each) for each in drawn} == {1, 2, 3}
    assert {fault.operator for each in drawn for fault in each} == set(OPERATORS)
    for each in drawn:
        assert len({fault.statement for fault in each}) == len(each)
        ast.parse(mutated(ONE, each))
    assert drawn == draw(shared_faults(ONE, ONE), Random(1), 40)


def test_a_statement_that_stands_twice_is_no_place() -> None:
    twice = "def f(a):\n    a = a + 1\n    a = a + 1\n    return a\n"
    assert {fault.statement for fault in shared_faults(twice, twice)} == {"return a"}
    with pytest.raises(ValueError, match="2 statements"):
        mutated(twice, [Fault("arithmetic", "a = a + 1", 1, "a - 1")])
