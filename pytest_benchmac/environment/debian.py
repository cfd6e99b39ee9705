"""Base root file systems without an image registry: Debian packages plus exact tools.

mmdebstrap makes the system from the package sources that this machine itself uses, or debootstrap,
which needs root and has no layers; exact tools come from packages of an ecosystem, whose content is
verified. One system serves every base with the same Debian packages, and one minimal system lies
below all others.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shlex
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.ecosystems.packages import files_of
from pytest_benchmac.environment.apt_sources import DEFAULT_KEYRING, DebianSource, debian_source
from pytest_benchmac.environment.recipe import PLACES, STAGE_UID, STAGE_USER, BaseRecipe
from pytest_benchmac.environment.tar_entries import add_file, add_folder
from pytest_benchmac.files.once import key_of, made_once, timed
from pytest_benchmac.files.uses import note_use
from pytest_benchmac.model.errors import ImageError

#: Seconds for making a system, and for packing it.
_SYSTEM_TIMEOUT_S = 1800
_PACK_TIMEOUT_S = 600

#: Caches and logs of the bootstrap itself, and what the kernel provides; folders stay.
_EMPTIED = ("dev", "proc", "sys", "run", "tmp", "var/cache/apt", "var/lib/apt/lists", "var/log")

#: Lines that give the stage user a name.
_ACCOUNT = {
    "etc/passwd": f"{STAGE_USER}:x:{STAGE_UID}:{STAGE_UID}::/benchmac/home:/bin/sh\n",
    "etc/group": f"{STAGE_USER}:x:{STAGE_UID}:\n",
    "etc/shadow": f"{STAGE_USER}:*:20000:0:99999:7:::\n",
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


def bootstrap_tool() -> str | None:
    """The program that makes a system for this user here; None where none can."""
    if os.geteuid() == 0:
        return next(filter(shutil.which, ("mmdebstrap", "debootstrap")), None)
    # The files of a system have several owners: for anybody else this program maps their numbers.
    needed = ("mmdebstrap", "newuidmap")
    return needed[0] if all(map(shutil.which, needed)) else None


def bootstrap_remedy() -> str:
    """What to do where there is no such program."""
    return f"apt install mmdebstrap{'' if os.geteuid() == 0 else ' uidmap'}"


def make_base(recipe: BaseRecipe, cache: Path) -> Base:
    """The base of a recipe, bootstrapped now if it is not in the cache yet.

    Args:
        recipe: Debian packages, tools and files.
        cache: folder to keep systems and bases in.

    Raises:
        ImageError: a package cannot be had, or no bootstrap tool can be used here.
    """
    final = _tar(recipe, cache)
    with made_once(final) as partial:
        if partial:
            system = _system(recipe.apt_packages, cache)
            with timed("adding the tools"):
                with tarfile.open(system) as source, tarfile.open(partial, "w") as target:
                    _compose(source, target, recipe, cache)
                with partial.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                    final.with_suffix(".sha256").write_text(digest)
    return _base(final)


def kept_base(recipe: BaseRecipe, cache: Path) -> Base | None:
    """The base of a recipe, where the cache has it."""
    final = _tar(recipe, cache)
    if not final.exists():
        return None
    note_use(final)
    return _base(final)


def _tar(recipe: BaseRecipe, cache: Path) -> Path:
    return cache / "bases" / f"{key_of(recipe.content)}.tar"


def _base(tar: Path) -> Base:
    return Base(tar, f"sha256:{tar.with_suffix('.sha256').read_text()}")


def _system(packages: Sequence[str], cache: Path) -> Path:
    """Tar of a minimal Debian with the packages; the tar's name is the digest of what it holds."""
    debian = debian_source()
    inputs = json.dumps([debian.uri, debian.suite, sorted(packages)])
    final = cache / "systems" / f"{hashlib.sha256(inputs.encode()).hexdigest()[:16]}.tar"
    listing = ", ".join(sorted(packages)) or "no further packages"
    with made_once(final) as partial:
        if partial:
            tool = bootstrap_tool()
            # Half of a bootstrap's time goes into the packages that every Debian has.
            below = _system((), cache) if packages and tool == "mmdebstrap" else None
            with timed(f"bootstrapping Debian {debian.suite} with {listing}"):
                _bootstrap(tool, debian, packages, below, partial)
    return final


def _bootstrap(
    tool: str | None,
    debian: DebianSource,
    packages: Sequence[str],
    below: Path | None,
    tar: Path,
) -> None:
    keyring = debian.keyring or (DEFAULT_KEYRING if Path(DEFAULT_KEYRING).exists() else None)
    options = [] if keyring is None else [f"--keyring={keyring}"]
    if packages:
        options.append(f"--include={','.join(sorted(packages))}")
    if tool == "mmdebstrap":
        options.append("--mode=root" if os.geteuid() == 0 else "--mode=unshare")
        if below is None:
            options.append("--variant=minbase")
        else:
            # As its manual has it; mmdebstrap makes the devices itself.
            unpack = f"mmtarfilter '--path-exclude=/dev/*' < {shlex.quote(str(below))}"
            options += ["--variant=custom", f'--setup-hook={unpack} | tar -C "$1" -x']
        _run(["mmdebstrap", *options, debian.suite, str(tar), debian.uri], _SYSTEM_TIMEOUT_S)
    elif tool == "debootstrap":
        root = tar.parent / "root"
        options.append("--variant=minbase")
        _run(["debootstrap", *options, debian.suite, str(root), debian.uri], _SYSTEM_TIMEOUT_S)
        excluded = [f"--exclude=./{folder}/*" for folder in _EMPTIED]
        _run(
            ["tar", "--create", f"--file={tar}", f"--directory={root}", "--sort=name",
             "--numeric-owner", "--one-file-system", *excluded, "."],
            _PACK_TIMEOUT_S,
        )  # fmt: skip
    else:
        raise ImageError(
            "the base image cannot be pulled, and there is no tool to bootstrap it",
            remedy=f"install one: `{bootstrap_remedy()}`",
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


def _compose(
    system: tarfile.TarFile, base: tarfile.TarFile, recipe: BaseRecipe, cache: Path
) -> None:
    """Write the base: the system without setuid bits and devices, the stage user, the tools."""
    seen: set[str] = set()
    replaced = _REPLACED.keys() | {str(file.path) for file in recipe.files}
    for member in system:
        name = member.name.removeprefix("./").rstrip("/")
        if member.ischr() or member.isblk() or name.split("/")[0] == "benchmac":
            continue
        emptied = next((folder for folder in _EMPTIED if name.startswith(f"{folder}/")), None)
        if emptied is not None or name in replaced or name.split("/")[0] in recipe.places:
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
        add_folder(base, PurePosixPath(folder), seen)
    for package in recipe.packages:
        _add_package(base, package, cache, seen)
    for own in recipe.files:
        add_file(base, own, seen)
    for place in recipe.places:
        entry = tarfile.TarInfo(place)
        entry.type, entry.linkname = tarfile.SYMTYPE, str(PLACES / place)
        base.addfile(entry)


def _add_package(base: tarfile.TarFile, package: Package, cache: Path, seen: set[str]) -> None:
    for file in files_of(package, cache):
        path = package.destination / file.path
        add_folder(base, path.parent, seen)
        entry = tarfile.TarInfo(str(path))
        entry.mode, entry.size = 0o755 if file.executable else 0o644, len(file.content)
        base.addfile(entry, io.BytesIO(file.content))
        seen.add(str(path))
    for link, target in package.links.items():
        if str(package.destination / target) not in seen:
            raise ImageError(
                f"{package.ecosystem} package {package.name} {package.version} has no file {target}"
            )
        add_folder(base, PurePosixPath(link).parent, seen)
        entry = tarfile.TarInfo(link)
        entry.type, entry.linkname = tarfile.SYMTYPE, f"/{package.destination / target}"
        base.addfile(entry)
