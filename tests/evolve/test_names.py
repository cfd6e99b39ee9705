from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from random import Random

import pytest

from pytest_benchmac.evolve.names import ListedNames, Role, Wanted, names_from
from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.rename_variable import RenameVariable
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.model.errors import InfrastructureError
from tests.generate.service import KEY, Service, fails, says, serving

PROGRAM = Program("p", "def f(a):\n    b = a + 1\n    return b\n", kept=frozenset({"f"}))


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving() as state:
        monkeypatch.setenv("OPENAI_API_BASE", state.url)
        monkeypatch.setenv("OPENAI_BASE_URL", state.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield state


@pytest.mark.parametrize("role", Role)
def test_lists_have_names_for_every_role(role: Role) -> None:
    wanted = Wanted("x", role, "")
    names = ListedNames().suggest(wanted, Random(1))
    assert names == ListedNames().suggest(wanted, Random(1))
    assert len(names) > 20
    assert all(name.isidentifier() and not iskeyword(name) for name in names)


def renamed(model: str | None) -> str:
    view = View(PROGRAM)
    operator = RenameVariable(names_from(model))
    return operator.apply(view, operator.sites(view)[0], Random(1)).main


def test_the_first_name_of_a_model_that_is_free_is_taken(service: Service) -> None:
    service.answers.append(says("`next`\nfor\na\nsuccessor\nfollowing"))
    assert renamed("openai/made-up") == PROGRAM.main.replace("b", "successor")
    assert "`b`" in service.requests[0]["messages"][0]["content"]


def test_without_one_that_is_of_use_the_lists_are_asked(service: Service) -> None:
    service.answers.append(says("1. No!\n2. 7th\n3. CamelCase"))
    assert renamed("openai/made-up") == renamed(None)


def test_a_model_that_does_not_answer_is_an_error(service: Service) -> None:
    service.answers.extend([fails(401, "no key", "invalid_api_key")] * 5)
    with pytest.raises(InfrastructureError, match="does not answer"):
        renamed("openai/made-up")
