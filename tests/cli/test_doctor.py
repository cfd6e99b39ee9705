"""What doctor says of the registries."""

from __future__ import annotations

from pathlib import Path

from pytest_benchmac.cli.doctor import State, registry_check
from pytest_benchmac.ecosystems.registry import ecosystem_names, get_ecosystem


def test_each_ecosystem_is_named() -> None:
    assert set(ecosystem_names()) >= {"npm", "maven", "pypi"}


def test_a_machine_without_npm_is_told_so_and_no_more(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    check = registry_check(get_ecosystem("npm"), env)
    assert (check.name, check.state) == ("npm registry", State.WARN)
    assert "NPM_CONFIG_REGISTRY" in check.remedy
    check = registry_check(get_ecosystem("maven"), env)
    assert check.state is State.WARN
    assert "MAVEN_MIRROR_URL" in check.remedy


def test_a_registry_that_does_not_answer(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    for name, variable, state in (
        ("npm", "NPM_CONFIG_REGISTRY", State.FAIL),
        ("maven", "MAVEN_MIRROR_URL", State.WARN),
    ):
        check = registry_check(get_ecosystem(name), {**env, variable: "http://localhost:9/x"})
        assert check.state is state
        assert f"the {name} registry does not answer: http://localhost:9/x/" in check.seen
