"""A bootstrapped base as a folder that can be a root file system."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_benchmac.environment.debian import Base
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files import archives
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.once import key_of, made_once, timed
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.sandbox.bubblewrap.namespaces import output_of

#: Folder of the cache.
FOLDER = "rootfs"


def make_rootfs(base: Base, recipe: BaseRecipe, cache: Path) -> Path:
    """Unpack a base to the cache, if it is not there yet; without root, all is the user's.

    Raises:
        ImageError: it cannot be unpacked, or is not what the recipe promises.
        SandboxError: it cannot be checked.
    """
    # By its digest: a base may be replaced by another machine's while sandboxes run on this one.
    digest = base.digest.removeprefix("sha256:")
    # A cache may lead to a folder of another: sandboxes reach that one alone.
    final = (cache / FOLDER).resolve() / f"{base.tar.stem}-{digest[:16]}"
    with made_once(final) as partial:
        if partial:
            partial.mkdir()
            with timed(f"unpacking the base to {final}"):
                try:
                    archives.unpack(base.tar, partial, keep_owners=os.geteuid() == 0)
                except OSError as error:
                    raise ImageError(f"{base.tar} cannot be unpacked: {error}") from error
    checked = final.with_name(f"{final.name}.{key_of(recipe.inputs)}.checked")
    with exclusive(checked.with_suffix(".lock")):
        if not checked.exists():
            for check in recipe.checks:
                check.confirm(output_of(final, check.command))
            checked.touch()
    return final
