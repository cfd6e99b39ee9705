"""npm packages that are unpacked into a base."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import ssl
import tarfile
import urllib.request
from pathlib import PurePosixPath
from urllib.parse import quote

from pytest_benchmac.ecosystems.npm.registry import configured_registry
from pytest_benchmac.environment.recipe import NpmTool
from pytest_benchmac.environment.tar_entries import add_folder
from pytest_benchmac.model.errors import ImageError, NetworkError

DOWNLOAD_TIMEOUT_S = 120


def add_tool(base: tarfile.TarFile, tool: NpmTool, seen: set[str]) -> None:
    executables = set(tool.links.values())
    with tarfile.open(fileobj=io.BytesIO(_download(tool))) as package:
        for member in package:
            # npm packages lie below one folder, of whatever name.
            inside = member.name.partition("/")[2]
            if not member.isreg() or ".." in PurePosixPath(inside).parts:
                continue
            path = tool.destination / inside
            add_folder(base, path.parent, seen)
            entry = tarfile.TarInfo(str(path))
            executable = inside in executables or member.mode & 0o100
            entry.mode = 0o755 if executable else 0o644
            entry.size = member.size
            base.addfile(entry, package.extractfile(member))
            seen.add(str(path))
    for link, target in tool.links.items():
        if str(tool.destination / target) not in seen:
            raise ImageError(f"npm package {tool.package} {tool.version} has no file {target}")
        add_folder(base, PurePosixPath(link).parent, seen)
        entry = tarfile.TarInfo(link)
        entry.type, entry.linkname = tarfile.SYMTYPE, f"/{tool.destination / target}"
        base.addfile(entry)


def _download(tool: NpmTool) -> bytes:
    """The package's tarball, equal to what the registry's metadata promises."""
    what = f"npm package {tool.package} {tool.version}"
    try:
        registry = configured_registry(os.environ).url
    except NetworkError as error:
        raise ImageError(f"{what} cannot be had: {error.what}", remedy=error.remedy) from error
    metadata = json.loads(_get(f"{registry}{quote(tool.package, safe='@')}/{tool.version}", what))
    integrity = str(metadata["dist"].get("integrity", ""))
    tarball = _get(metadata["dist"]["tarball"], what)
    expected = [each for each in integrity.split() if each.startswith("sha512-")]
    seen = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    if seen not in expected:
        raise ImageError(
            f"{what} is not what its registry promises: integrity {seen}, not {integrity!r}",
            remedy="look at what the registry, or a proxy on the way to it, delivers",
        )
    return tarball


def _get(url: str, what: str) -> bytes:
    if not url.startswith(("https://", "http://")):
        raise ImageError(f"{what}: the registry names {url!r}, which is not http or https")
    context = ssl.create_default_context()
    if authorities := os.environ.get("NODE_EXTRA_CA_CERTS"):
        context.load_verify_locations(authorities)
    try:
        with urllib.request.urlopen(  # noqa: S310 - the scheme was checked
            url, timeout=DOWNLOAD_TIMEOUT_S, context=context
        ) as answer:
            return bytes(answer.read())
    except (urllib.error.URLError, OSError) as error:
        raise ImageError(
            f"{what} cannot be had from {url}: {error}",
            remedy="check NPM_CONFIG_REGISTRY, HTTPS_PROXY and SSL_CERT_FILE",
        ) from error
