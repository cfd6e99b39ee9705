"""The bases of an instance: for judging, for the source, for a system under test, for inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.instance import RewriteInstance
from pytest_benchmac.tracks.toolchains.node import node_packages
from pytest_benchmac.tracks.toolchains.python import PYTHON_PACKAGES, site_packages

#: In every base: git applies patches.
_PACKAGES = ("ca-certificates", "git")
_LOCK = files("pytest_benchmac.tracks.rewrite") / "hypothesis.lock"

#: Variables of builds, by language.
VARIABLES: Mapping[Language, Mapping[str, str]] = {
    "go": {
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
    },
    "javascript": {"npm_config_update_notifier": "false", "npm_config_color": "false"},
    "typescript": {"npm_config_update_notifier": "false", "npm_config_color": "false"},
    "python": {"PYTHONDONTWRITEBYTECODE": "1"},
}


def judging_recipe(instance: RewriteInstance) -> BaseRecipe:
    """The base that builds and runs rewrites, in which what `absent` names is nowhere."""
    environment = instance.environment
    absent = instance.toolchain.absent
    return _recipe(
        environment.packages,
        environment.node,
        environment.npm,
        ToolCheck("absent", _find(absent), "", version=", ".join(absent)),
    )


def source_recipe(instance: RewriteInstance) -> BaseRecipe:
    """The base on which the source runs; it has the program that starts it, if its name says so."""
    environment = instance.environment
    first = instance.benchmark.source.run_cmd.split()[0]
    checks: tuple[ToolCheck, ...] = ()
    if "/" not in first and "$" not in first and '"' not in first:
        told = f"command -v {first} >/dev/null && echo there"
        checks = (ToolCheck(first, told, "there", version="Debian"),)
    return _recipe(
        environment.source_packages, environment.source_node, environment.source_npm, *checks
    )


def work_recipe(instance: RewriteInstance) -> BaseRecipe:
    """Both toolchains: a system under test may run the source, and has to build the rewrite."""
    environment = instance.environment
    return _recipe(
        tuple(dict.fromkeys((*environment.packages, *environment.source_packages))),
        environment.node or environment.source_node,
        environment.npm or environment.source_npm,
    )


def generator_recipe() -> BaseRecipe:
    """The base on which an instance's `fresh.py` runs: Python and Hypothesis."""
    check = "python3 -c 'import hypothesis; print(hypothesis.__version__)'"
    packages = site_packages(_LOCK)
    version = next(each.version for each in packages if each.name == "hypothesis")
    return BaseRecipe(
        reference=None,
        apt_packages=PYTHON_PACKAGES,
        packages=packages,
        checks=(ToolCheck("hypothesis", check, version, version=version),),
    )


def _find(programs: Sequence[str]) -> str:
    """Names every executable of these names, versions behind them included, wherever it lies."""
    names = " -o ".join(f"-name '{each}' -o -name '{each}[.-][0-9]*'" for each in programs)
    return f"find / -xdev \\( {names} \\) -perm /111 ! -type d -print 2>/dev/null | head -n 5"


def _recipe(
    packages: Sequence[str], node: str | None, npm: str | None, *checks: ToolCheck
) -> BaseRecipe:
    laid: tuple[Package, ...] = ()
    if node is not None and npm is not None:
        laid = node_packages(node, npm)
    return BaseRecipe(
        reference=None,
        apt_packages=tuple(dict.fromkeys((*_PACKAGES, *packages))),
        packages=laid,
        checks=checks,
    )
