"""What a package's own package.json says, read as npm reads it."""

from __future__ import annotations

import codecs
import json
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Names that packages have been published under, those of old included.
PACKAGE_NAME = r"(?:@[A-Za-z0-9~_-][A-Za-z0-9~._-]*/)?[A-Za-z0-9~_-][A-Za-z0-9~._!'()*-]*"
_MAX_NAME = 214
#: A version as packages have it, and no range.
EXACT_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
#: Larger ones are not read; the largest in use have some 100 KiB.
_MAX_BYTES = 16 * 1024 * 1024


def is_package_name(name: str) -> bool:
    """Can a package have been published under this name?"""
    return len(name) <= _MAX_NAME and re.fullmatch(PACKAGE_NAME, name) is not None


def read_package_json(folder: Path) -> Mapping[str, Any]:
    """The package.json of a folder; empty where there is none that can be read."""
    file = folder / "package.json"
    if not file.is_file() or file.stat().st_size > _MAX_BYTES:
        return {}
    return parse_package_json(file.read_bytes())


def parse_package_json(content: bytes) -> Mapping[str, Any]:
    """Its object; empty where it is none."""
    try:
        value = json.loads(content.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def requires_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Packages that a package asks for, whatever for, with the version or alias wanted."""
    wanted: dict[str, str] = {}
    for kind in ("peerDependencies", "optionalDependencies", "dependencies"):
        named = package.get(kind)
        for name, version in named.items() if isinstance(named, dict) else ():
            if is_package_name(name):
                wanted[name] = str(version)
    return wanted


def commands_of(package: Mapping[str, Any], folder: Path | None = None) -> dict[str, str]:
    """Commands that a package brings: name -> path of the file below its folder.

    Args:
        package: its package.json, whose `bin` counts, else `directories.bin`, as npm's
            `@npmcli/package-json` reads them.
        folder: where its files are, for `directories.bin`.
    """
    named = package.get("bin")
    name = package.get("name")
    if isinstance(named, str):
        named = {name: named} if isinstance(name, str) else {}
    elif isinstance(named, list):
        named = {posixpath.basename(each): each for each in named if isinstance(each, str)}
    elif named is None and folder is not None:
        named = _listed(package, folder)
    if not isinstance(named, dict):
        return {}
    found: dict[str, str] = {}
    for command, target in named.items():
        # A scope is no part of a command's name, and neither name nor path can climb.
        base = posixpath.basename(_rooted(command.replace(":", "/")))
        path = _rooted(target).lstrip("/") if isinstance(target, str) else ""
        if base and path:
            found[base] = path
    return found


def _listed(package: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """The files of the folder that `directories.bin` names, hidden ones left out."""
    directories = package.get("directories")
    place = directories.get("bin") if isinstance(directories, dict) else None
    if not isinstance(place, str):
        return {}
    inside = _rooted(place).lstrip("/")
    files = sorted(path for path in (folder / inside).rglob("*") if path.is_file())
    paths = [path.relative_to(folder) for path in files]
    return {
        path.name: str(path)
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(inside).parts)
    }


def _rooted(path: str) -> str:
    return posixpath.normpath("/" + path.replace("\\", "/"))
