"""An exact Node and npm, for every base that has them."""

from __future__ import annotations

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.ecosystems.npm.node import node_package, npm_package
from pytest_benchmac.environment.recipe import ToolCheck


def node_check(version: str) -> ToolCheck:
    """What the base's Node has to say of itself."""
    return ToolCheck("node", "node --version", f"v{version}", version=version)


def node_packages(node: str, npm: str) -> tuple[Package, ...]:
    """What is laid for both."""
    return node_package(node), npm_package(npm)
