"""The compatibility compiler of Angular 12 to 15, which makes Ivy of packages before a build."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Container, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.ecosystems.npm.tree import open_folders
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import GIB
from pytest_benchmac.tracks.protocol import StageContext

COMPILER = "@angular/compiler-cli"
NGCC_TIMEOUT_S = 600.0
#: The first that the installed version has.
_FILES = ("bundles/ngcc/main-ngcc.js", "ngcc/main-ngcc.js")
_PACKAGES = "node_modules"
#: Bounds on what it writes.
_MAX_BYTES = 2 * GIB
_MAX_FILES = 100_000


def ngcc_command(published: Container[str]) -> str | None:
    """The command that runs it on `node_modules`; None where the version has none.

    Args:
        published: files of the verified compiler, by path.
    """
    path = next((path for path in _FILES if path in published), None)
    if path is None:
        return None
    # As the Angular CLI asks for it, so that the build finds nothing left to do.
    words = ["node", f"{_PACKAGES}/{COMPILER}/{path}", "--first-only"]
    words += ["--create-ivy-entry-points", "--async", "false", "--properties"]
    words += ["es2020", "es2015", "browser", "module", "main"]
    return shlex.join(words)


def add_compiled(
    context: StageContext[Any],
    packages: Path,
    command: str,
    env: Mapping[str, str],
    destination: Path,
) -> None:
    """Run it on a copy of laid packages, and put what it writes among the same packages.

    In a sandbox of its own with the untouched base, where it reads no configuration of a project:
    what it makes is decided by the packages.

    Args:
        context: of the case that needs it first.
        packages: the laid `node_modules`, which stays as it is.
        command: `ngcc_command`.
        env: of the build.
        destination: has `node_modules` with the same files, linked to where they are kept.

    Raises:
        SandboxError: it failed, on packages that are all as published.
        CopyLimitError: it wrote more than the harness reads.
        OSError: the disk failed.
    """
    with (
        context.fresh({_PACKAGES: packages}) as fresh,
        TemporaryDirectory(dir=context.scratch) as written,
    ):
        sandbox = fresh.sandbox
        work = sandbox.home / "ngcc"
        # Copied without its hard links: files of two places that are one would change together.
        steps = (
            f"mkdir -p {work}/changed",
            f"cp -rP --preserve=mode,timestamps {_PACKAGES} {work}/",
            f"cd {work}",
            "touch marker",
            command,
            f"find {_PACKAGES} -newer marker -type f -print0 "
            "| xargs -0r cp --parents -t changed --",
        )
        log = context.logs / "integrity.ngcc.log"
        done = sandbox.run(" && ".join(steps), timeout_s=NGCC_TIMEOUT_S, log=log, env=env)
        if done.exit_code != 0:
            raise SandboxError(f"ngcc failed on verified packages: {done.stderr[-500:]}")
        copied = sandbox.copy_out(
            work / "changed", Path(written), max_bytes=_MAX_BYTES, max_files=_MAX_FILES
        )
        for each in copied.files:
            _replace(Path(written) / each.path, destination / each.path)
        open_folders(destination)


def _replace(made: Path, place: Path) -> None:
    """Put a file in a place, whose old file may be linked to from elsewhere."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    shutil.move(made, place)
    place.chmod(0o644)
