"""A bootstrapped base, as a tar and as a folder that can be a root file system."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_benchmac.environment import debian as bootstrap
from pytest_benchmac.environment.checks import compare
from pytest_benchmac.environment.keys import key_of, recipe_inputs, timed
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.bubblewrap.namespaces import output_of


def bootstrapped_base(recipe: BaseRecipe, settings: Settings) -> bootstrap.Base:
    # Recipes that differ in their reference or checks alone share a base.
    parts: list[Any] = [
        sorted(recipe.apt_packages),
        [asdict(package) for package in recipe.packages],
    ]
    if recipe.files:
        parts.append([asdict(file) for file in recipe.files])
    content = json.dumps(parts, default=str, sort_keys=True)
    return bootstrap.base(recipe, key_of(content), settings.cache)


def unpacked(base: bootstrap.Base, recipe: BaseRecipe, settings: Settings) -> Path:
    """The base as a folder that bubblewrap can take for its root; checked when it is new."""
    final = settings.cache / "rootfs" / base.tar.stem
    checked = final.with_name(f"{final.name}.{key_of(recipe_inputs(recipe))}.checked")
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with timed(f"unpacking the base to {final}"):
                partial = bootstrap.unpack(base.tar, final.parent)
                partial.rename(final)
        if not checked.exists():
            for check in recipe.checks:
                compare(check, output_of(final, check.command))
            checked.touch()
    return final
