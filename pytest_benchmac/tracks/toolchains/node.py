"""Which Node a base has."""

from __future__ import annotations

from pytest_benchmac.environment.recipe import ToolCheck


def node_check(version: str) -> ToolCheck:
    """What the base's Node has to say of itself."""
    return ToolCheck("node", "node --version", f"v{version}", version=version)
