"""The base that Angular instances run on: Debian with git, the exact Node and the exact npm."""

from __future__ import annotations

from pytest_benchmac.ecosystems.npm.node import node_package, npm_package
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.toolchains.node import node_check


def angular_recipe(instance: AngularInstance) -> BaseRecipe:
    """How to get the base of an instance."""
    environment = instance.environment
    return BaseRecipe(
        reference=environment.image,
        apt_packages=("ca-certificates", "git"),
        packages=(
            node_package(environment.node),
            npm_package(environment.npm),
        ),
        checks=(
            node_check(environment.node),
            ToolCheck("npm", "npm --version", environment.npm, version=environment.npm),
        ),
    )
