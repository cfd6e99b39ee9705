"""Does a base have the tools that its recipe promises?"""

from __future__ import annotations

import subprocess

from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.model.errors import ImageError

CHECK_TIMEOUT_S = 60


def compare(check: ToolCheck, seen: str) -> None:
    if seen.strip() != check.expected:
        raise ImageError(
            f"the base image is not what the instance asks for: `{check.command}` printed "
            f"{seen.strip()[:500]!r} instead of {check.expected!r}",
            remedy="correct the image reference or the versions in instance.toml",
        )


def host_tools(recipe: BaseRecipe) -> dict[str, str]:
    """What this machine's own tools say: the local sandbox has no other environment."""
    found = {}
    for check in recipe.checks:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", check.command],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=CHECK_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise ImageError(f"`{check.command}` did not end on this machine") from error
        said = done.stdout.strip()[:200]
        found[check.tool] = check.version if said == check.expected else said or "none"
    return found
