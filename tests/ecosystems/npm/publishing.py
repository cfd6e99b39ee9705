"""Small packages for the registry on loopback."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

from tests.network.tiny import TinyRegistry

Content = bytes | tuple[int, bytes]


def publish(
    registry: TinyRegistry,
    name: str,
    version: str = "1.0.0",
    files: dict[str, Content] | None = None,
    **said: Any,
) -> None:
    """Publish a package whose package.json says so much; contents may come with permissions."""
    package = json.dumps({"name": name, "version": version, **said}).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, given in {"package.json": package, "index.js": b"x", **(files or {})}.items():
            mode, content = given if isinstance(given, tuple) else (0o644, given)
            info = tarfile.TarInfo(f"package/{path}")
            info.size, info.mode = len(content), mode
            tar.addfile(info, io.BytesIO(content))
    registry.publish(name, version, buffer.getvalue())
    registry.about[f"{name}@{version}"] = said


def publish_bundle(registry: TinyRegistry) -> None:
    """A package that brings another one in its tarball, and that one alone."""
    publish(
        registry,
        "bundles",
        files={
            "node_modules/inside/package.json": b'{"name": "inside", "version": "1.0.0"}',
            "node_modules/inside/index.js": b"i",
        },
        dependencies={"inside": "*"},
        bundleDependencies=["inside"],
    )
    publish(registry, "inside")


def contents(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Kind, permissions and content of everything below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode & 0o777
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", 0, str(path.readlink()).encode())
        elif path.is_dir():
            found[name] = ("folder", mode, b"")
        else:
            found[name] = ("file", mode, path.read_bytes())
    return found
