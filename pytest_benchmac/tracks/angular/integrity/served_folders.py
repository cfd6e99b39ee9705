"""Folders of a server that an application may be said to lie in."""

from __future__ import annotations

import re

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.packages import MANIFEST, read_manifest
from pytest_benchmac.tracks.angular.integrity.page import FOLDER, active_content
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace

#: Fields of package.json that have the name of the project, or where it is to be had.
_NAMES = ("name", "homepage", "repository")


def is_known(folder: str, base: AngularWorkspace, tree: SourceTree) -> bool:
    """Is a folder relative or another host's, or has something of the base its name?

    Whoever puts an application on pages of its repository gives it a folder of that name.

    Args:
        folder: as `baseHref` says it: `/app/`.
        base: the base's workspace.
        tree: the base's.
    """
    names = [name for name in re.split(r"[\"'/]+", folder) if name not in ("", ".", "..")]
    if not names or folder.startswith(".") or "//" in folder:
        return True
    manifest = read_manifest(tree, MANIFEST)
    said = [str(manifest.value.get(field)) for field in _NAMES]
    configured = {name for target in base.targets for name in target.configurations}
    for target in (
        *base.targets,
        *(each for name in sorted(configured) for each in base.configured((name,))),
    ):
        page = tree.text(target.path("index") or "", MIB) or ""
        said += [each.content for each in active_content(page) if each.kind == FOLDER]
        said += [target.project, str(target.options.get("baseHref"))]
    return names[-1] in {word for text in said for word in re.split(r"[^\w.-]+", text)}
