"""The bases that instances run on, by language: bootstrapped, nobody publishes them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.environment.recipe import BaseFile, BaseRecipe, ToolCheck
from pytest_benchmac.sandbox import commands
from pytest_benchmac.tracks.refactor.instance import RefactorEnvironment, RefactorInstance
from pytest_benchmac.tracks.toolchains.maven import (
    JAVA_CHECK,
    MAVEN_CHECK,
    OFFLINE_MAVEN,
    PACKAGES,
    maven_env,
)
from pytest_benchmac.tracks.toolchains.node import node_check, node_packages
from pytest_benchmac.tracks.toolchains.python import (
    PYTHON_PACKAGES,
    python_check,
    site_folder,
    site_packages,
)

#: What Python instances have without asking, and the harness's coverage; a locked list.
_PYTEST_LOCK = files("pytest_benchmac.tracks.refactor") / "pytest.lock"


def refactor_recipe(instance: RefactorInstance) -> BaseRecipe:
    """How to make the base of an instance."""
    environment = instance.environment
    return {
        "python": _python,
        "typescript": _node,
        "java": _java,
        "go": _go,
    }[environment.language](environment)


def variables(instance: RefactorInstance, home: PurePosixPath) -> dict[str, str]:
    """Variables of every command of an instance.

    Args:
        instance: whose.
        home: of the sandbox.
    """
    match instance.environment.language:
        case "java":
            return maven_env(home)
        case "python":
            return {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
        case "go":
            release = instance.environment.go
            return {
                "PATH": f"/usr/lib/go-{release}/bin:{commands.PATH}",
                "GOFLAGS": "-mod=vendor",
                "GOTOOLCHAIN": "local",
            }
    return {"npm_config_color": "false", "npm_config_update_notifier": "false"}


def _python(environment: RefactorEnvironment) -> BaseRecipe:
    release = environment.python or ""
    site = site_folder(release)
    own = (
        Package("pypi", each.name, each.version, site, sha256=each.sha256)
        for each in environment.packages
    )
    return BaseRecipe(
        reference=None,
        apt_packages=PYTHON_PACKAGES,
        packages=(*site_packages(_PYTEST_LOCK, release), *own),
        checks=(python_check(release),),
    )


def _node(environment: RefactorEnvironment) -> BaseRecipe:
    node, npm = environment.node or "", environment.npm or ""
    return BaseRecipe(
        reference=None,
        apt_packages=("ca-certificates", "git"),
        packages=node_packages(node, npm),
        checks=(node_check(node), ToolCheck("npm", "npm --version", npm, version=npm)),
    )


def _java(environment: RefactorEnvironment) -> BaseRecipe:
    java, maven = environment.java or "", environment.maven or ""
    return BaseRecipe(
        reference=None,
        apt_packages=(*PACKAGES, f"openjdk-{java}-jdk-headless"),
        files=(BaseFile(PurePosixPath("usr/local/bin/mvn"), OFFLINE_MAVEN, executable=True),),
        checks=(
            ToolCheck("java", JAVA_CHECK, java, version=java),
            ToolCheck("maven", MAVEN_CHECK, maven, version=maven),
        ),
    )


def _go(environment: RefactorEnvironment) -> BaseRecipe:
    release = environment.go or ""
    told = f"/usr/lib/go-{release}/bin/go version"
    check = rf"{told} | sed -n 's/^go version go\([0-9]*\.[0-9]*\).*/\1/p'"
    return BaseRecipe(
        reference=None,
        apt_packages=("ca-certificates", "git", f"golang-{release}-go"),
        checks=(ToolCheck("go", check, release, version=release),),
    )
