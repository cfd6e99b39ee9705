import pytest

from pytest_benchmac.evolve.operators.registry import OPERATORS, operators
from pytest_benchmac.model.errors import InputError


def test_there_are_the_22_of_the_paper() -> None:
    codes = [*(f"S{i}" for i in range(1, 13)), *(f"A{i}" for i in range(1, 9)), "N1", "N2"]
    assert [each.code for each in OPERATORS] == codes
    assert len({each.name for each in OPERATORS}) == 22


def test_they_are_found_by_code_or_name_in_their_order() -> None:
    assert [each.code for each in operators(["N1", "AddTime", "S2"])] == ["S2", "A8", "N1"]


def test_one_that_there_is_not_is_named() -> None:
    with pytest.raises(InputError, match="there is no operator S13"):
        operators(["S1", "S13"])
