"""Base root file systems without an image registry: Debian packages plus exact npm tools.

debootstrap (as root) or mmdebstrap (as anyone) makes the system from the package sources that
this machine itself uses; exact tools such as Node come from npm packages whose integrity is
verified. One system serves every base with the same Debian packages.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import logging
import os
import shutil
import ssl
import subprocess
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from pytest_benchmac import archives
from pytest_benchmac.errors import ImageError, NetworkError
from pytest_benchmac.locking import exclusive
from pytest_benchmac.network.registry import configured_registry
from pytest_benchmac.sandbox.base import STAGE_UID
from pytest_benchmac.tracks.base import BaseFile, BaseRecipe, NpmTool

logger = logging.getLogger("benchmac")

#: Seconds for making a system, for one download, and for packing.
SYSTEM_TIMEOUT_S = 1800
DOWNLOAD_TIMEOUT_S = 120
PACK_TIMEOUT_S = 600

#: Where Debian's keys lie unless a source says otherwise.
DEFAULT_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

#: Caches and logs of the bootstrap itself, and what the kernel provides; folders stay.
_EMPTIED = ("dev", "proc", "sys", "run", "tmp", "var/cache/apt", "var/lib/apt/lists", "var/log")

#: Lines that give the stage user a name.
_ACCOUNT = {
    "etc/passwd": f"node:x:{STAGE_UID}:{STAGE_UID}::/benchmac/home:/bin/sh\n",
    "etc/group": f"node:x:{STAGE_UID}:\n",
    "etc/shadow": "node:*:20000:0:99999:7:::\n",
}

#: Files of the machine that made the system; sandboxes bring their own.
_REPLACED = {
    "etc/hostname": b"sandbox\n",
    "etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "etc/resolv.conf": b"",
}

#: Folders that sandboxes mount things on: a read-only root cannot grow them later.
_MOUNT_POINTS = ("benchmac", "etc/benchmac", "run/benchmac")


@dataclass(frozen=True)
class Base:
    """A bootstrapped base: the tar of a root file system, and its digest."""

    tar: Path
    digest: str


@dataclass(frozen=True)
class DebianSource:
    """One package source of this machine."""

    uri: str
    suite: str
    components: tuple[str, ...]
    keyring: str | None


def base(recipe: BaseRecipe, key: str, cache: Path) -> Base:
    """The base of a recipe, bootstrapped now if it is not in the cache yet.

    Args:
        recipe: Debian packages and npm tools.
        key: names the recipe's content.
        cache: folder to keep systems and bases in.

    Raises:
        ImageError: a package cannot be had, or no bootstrap tool can be used here.
    """
    final = cache / "bases" / f"{key}.tar"
    digest = final.with_suffix(".sha256")
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            system = _system(recipe.apt_packages, cache)
            started = time.monotonic()
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                partial = Path(scratch) / final.name
                with tarfile.open(system) as source, tarfile.open(partial, "w") as target:
                    _compose(source, target, recipe)
                with partial.open("rb") as file:
                    digest.write_text(hashlib.file_digest(file, "sha256").hexdigest())
                partial.rename(final)
            logger.info("adding the tools took %.1f s", time.monotonic() - started)
    return Base(final, f"sha256:{digest.read_text()}")


def unpack(tar: Path, folder: Path) -> Path:
    """Unpack a base into a new folder below `folder`; without root, everything is the user's."""
    root = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder))
    root.chmod(0o755)
    try:
        archives.unpack(tar, root, keep_owners=os.geteuid() == 0)
    except OSError as error:
        remove(root)
        raise ImageError(f"{tar} cannot be unpacked: {error}") from error
    return root


def remove(path: Path) -> None:
    """Remove a file, or a folder with what it holds, even where folders are read-only."""
    if path.is_dir():
        subprocess.run(["chmod", "-R", "u+rwX", str(path)], check=False, capture_output=True)
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# --- the Debian system --------------------------------------------------------------------------


def debian_source(apt: Path = Path("/etc/apt")) -> DebianSource:
    """The Debian release that this machine's apt installs from.

    Args:
        apt: apt's configuration folder.

    Raises:
        ImageError: no Debian source is configured.
    """
    lists = apt / "sources.list.d"
    found: list[DebianSource] = []
    for path in sorted(lists.glob("*.sources")):
        found += _deb822(path.read_text())
    for path in [apt / "sources.list", *sorted(lists.glob("*.list"))]:
        if path.is_file():
            found += _one_line(path.read_text())
    for each in found:
        # Security and update suites have no base system of their own.
        if "main" in each.components and "-" not in each.suite and "/" not in each.suite:
            return each
    raise ImageError(
        f"no Debian package source is configured in {apt}",
        remedy="on a system that is not Debian, install Docker and let it pull the base image",
    )


def _deb822(text: str) -> Iterator[DebianSource]:
    for stanza in text.split("\n\n"):
        fields: dict[str, str] = {}
        for line in stanza.splitlines():
            name, colon, value = line.partition(":")
            if colon and not line.startswith(("#", " ", "\t")):
                fields[name.strip().lower()] = value.strip()
        enabled = fields.get("enabled", "yes").lower() not in {"no", "false", "0"}
        if not enabled or "deb" not in fields.get("types", "").split():
            continue
        for uri in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                components = tuple(fields.get("components", "").split())
                yield DebianSource(uri, suite, components, fields.get("signed-by"))


def _one_line(text: str) -> Iterator[DebianSource]:
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words or words[0] != "deb":
            continue
        keyring = None
        if words[1].startswith("["):
            end = next(i for i, word in enumerate(words) if word.endswith("]"))
            for option in " ".join(words[1 : end + 1]).strip("[]").split():
                if option.startswith("signed-by="):
                    keyring = option.removeprefix("signed-by=")
            words[1 : end + 1] = []
        if len(words) >= 4:
            yield DebianSource(words[1], words[2], tuple(words[3:]), keyring)


def _system(packages: Sequence[str], cache: Path) -> Path:
    """Tar of a minimal Debian with the packages; the tar's name is the digest of what it holds."""
    debian = debian_source()
    inputs = json.dumps([debian.uri, debian.suite, sorted(packages)])
    final = cache / "systems" / f"{hashlib.sha256(inputs.encode()).hexdigest()[:16]}.tar"
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            listing = ", ".join(sorted(packages)) or "no further packages"
            logger.info("bootstrapping Debian %s with %s ...", debian.suite, listing)
            started = time.monotonic()
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                partial = Path(scratch) / final.name
                _bootstrap(debian, packages, Path(scratch), partial)
                partial.rename(final)
            logger.info("bootstrapping Debian took %.1f s", time.monotonic() - started)
    return final


def _bootstrap(debian: DebianSource, packages: Sequence[str], scratch: Path, tar: Path) -> None:
    keyring = debian.keyring or (DEFAULT_KEYRING if Path(DEFAULT_KEYRING).exists() else None)
    options = ["--variant=minbase"]
    if keyring is not None:
        options.append(f"--keyring={keyring}")
    if packages:
        options.append(f"--include={','.join(sorted(packages))}")
    if os.geteuid() == 0 and shutil.which("debootstrap"):
        root = scratch / "root"
        _run(["debootstrap", *options, debian.suite, str(root), debian.uri], SYSTEM_TIMEOUT_S)
        excluded = [f"--exclude=./{folder}/*" for folder in _EMPTIED]
        _run(
            ["tar", "--create", f"--file={tar}", f"--directory={root}", "--sort=name",
             "--numeric-owner", "--one-file-system", *excluded, "."],
            PACK_TIMEOUT_S,
        )  # fmt: skip
    elif shutil.which("mmdebstrap"):
        mode = "--mode=root" if os.geteuid() == 0 else "--mode=unshare"
        _run(["mmdebstrap", mode, *options, debian.suite, str(tar), debian.uri], SYSTEM_TIMEOUT_S)
    else:
        tool = "debootstrap" if os.geteuid() == 0 else "mmdebstrap uidmap"
        raise ImageError(
            "the base image cannot be pulled, and there is no tool to bootstrap it",
            remedy=f"install one: `apt install {tool}`",
        )


def _run(command: list[str], timeout_s: float) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise ImageError(f"{command[0]} took longer than {timeout_s:.0f} s") from error
    if done.returncode:
        tail = "\n  ".join(done.stdout.strip().splitlines()[-10:])
        raise ImageError(
            f"{command[0]} failed with exit code {done.returncode}:\n  {tail}",
            remedy=f"the command was: {' '.join(command)}",
        )


# --- the base -----------------------------------------------------------------------------------


def _compose(system: tarfile.TarFile, base: tarfile.TarFile, recipe: BaseRecipe) -> None:
    """Write the base: the system without setuid bits and devices, the stage user, the tools."""
    seen: set[str] = set()
    replaced = _REPLACED.keys() | {str(file.path) for file in recipe.files}
    for member in system:
        name = member.name.removeprefix("./").rstrip("/")
        if member.ischr() or member.isblk() or name.split("/")[0] == "benchmac":
            continue
        emptied = next((folder for folder in _EMPTIED if name.startswith(f"{folder}/")), None)
        if emptied is not None or name in replaced:
            continue
        member.name = name or "."
        member.mode &= ~0o6000
        member.pax_headers = {}
        seen.add(member.name)
        if member.islnk():
            member.linkname = member.linkname.removeprefix("./")
        if name in _ACCOUNT:
            file = system.extractfile(member)
            assert file is not None  # noqa: S101 - the account files are regular files
            data = file.read() + _ACCOUNT[name].encode()
            member.size = len(data)
            base.addfile(member, io.BytesIO(data))
        else:
            base.addfile(member, system.extractfile(member) if member.isreg() else None)
    for name, content in _REPLACED.items():
        entry = tarfile.TarInfo(name)
        entry.mode, entry.size = 0o644, len(content)
        base.addfile(entry, io.BytesIO(content))
    for folder in _MOUNT_POINTS:
        _add_folder(base, PurePosixPath(folder), seen)
    for tool in recipe.npm_tools:
        _add_tool(base, tool, seen)
    for own in recipe.files:
        _add_file(base, own, seen)


def _add_folder(base: tarfile.TarFile, folder: PurePosixPath, seen: set[str]) -> None:
    for part in [*reversed(folder.parents), folder]:
        if str(part) not in seen:
            entry = tarfile.TarInfo(str(part))
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            base.addfile(entry)
            seen.add(str(part))


def _add_file(base: tarfile.TarFile, file: BaseFile, seen: set[str]) -> None:
    _add_folder(base, file.path.parent, seen)
    content = file.text.encode()
    entry = tarfile.TarInfo(str(file.path))
    entry.mode, entry.size = 0o755 if file.executable else 0o644, len(content)
    base.addfile(entry, io.BytesIO(content))


def _add_tool(base: tarfile.TarFile, tool: NpmTool, seen: set[str]) -> None:
    executables = set(tool.links.values())
    with tarfile.open(fileobj=io.BytesIO(_download(tool))) as package:
        for member in package:
            # npm packages lie below one folder, of whatever name.
            inside = member.name.partition("/")[2]
            if not member.isreg() or ".." in PurePosixPath(inside).parts:
                continue
            path = tool.destination / inside
            _add_folder(base, path.parent, seen)
            entry = tarfile.TarInfo(str(path))
            executable = inside in executables or member.mode & 0o100
            entry.mode = 0o755 if executable else 0o644
            entry.size = member.size
            base.addfile(entry, package.extractfile(member))
            seen.add(str(path))
    for link, target in tool.links.items():
        if str(tool.destination / target) not in seen:
            raise ImageError(f"npm package {tool.package} {tool.version} has no file {target}")
        _add_folder(base, PurePosixPath(link).parent, seen)
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
