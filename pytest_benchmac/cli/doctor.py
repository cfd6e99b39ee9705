"""`benchmac doctor`: can this machine judge patches, and if not, what is missing?"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pytest_benchmac import __version__
from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.registry import ecosystem_names, get_ecosystem
from pytest_benchmac.environment.apt_sources import debian_source
from pytest_benchmac.environment.debian import bootstrap_remedy, bootstrap_tool
from pytest_benchmac.model.errors import ImageError, NetworkError, SandboxError
from pytest_benchmac.model.settings import GIB, SandboxName, Settings
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.extras import Subparsers


class State(StrEnum):
    """How a check ended. Only the want of any sandbox makes `doctor` exit 1."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


_STYLES = {State.OK: "green", State.WARN: "yellow", State.FAIL: "bold red"}

#: Free space below which judging nine instances is known to fail, and to be tight.
_DISK_FAIL_BYTES = 3 * GIB
_DISK_WARN_BYTES = 15 * GIB

_PROBE_SECONDS = 20

#: The sandboxes that isolate; one of them is enough.
_ISOLATING: tuple[SandboxName, ...] = ("docker", "bubblewrap")

#: Variables that name a file of certificate authorities.
_CA_VARIABLES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")


@dataclass(frozen=True)
class Check:
    """One line of the report."""

    name: str
    state: State
    seen: str
    remedy: str = ""


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac doctor`."""
    parser = subparsers.add_parser(
        "doctor",
        help="check what this machine offers",
        description="Check engines, tools, disk space and package sources, each with a remedy. "
        "Exits 1 when no sandbox that isolates is usable.",
        epilog="example:\n  benchmac doctor",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print one line per check; 1 when no sandbox is usable."""
    console = Console(highlight=False, soft_wrap=True)
    usable = False
    for check in _checks(Settings(reports=Path("reports"))):
        usable = usable or (check.name in _ISOLATING and check.state is State.OK)
        line = Text.assemble(
            (f"{check.state:<5}", _STYLES[check.state]), f"{check.name:<17} {check.seen}"
        )
        console.print(line)
        if check.remedy:
            console.print(Text(f"{'':22} -> {check.remedy}", style="dim"))
    if not usable:
        console.print("\nNo sandbox is usable: install Docker or bubblewrap.")
    return 0 if usable else 1


def _checks(settings: Settings) -> Iterator[Check]:
    yield Check(
        "versions",
        State.OK,
        f"benchmac {__version__}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()} {platform.machine()}",
    )
    for name in _ISOLATING:
        yield _careful(name, partial(_engine, name, settings))
    yield _user_namespaces()
    yield _cgroups()
    yield _careful("disk: cache", lambda: _disk("disk: cache", settings.cache))
    yield _careful("disk: reports", lambda: _disk("disk: reports", settings.reports.absolute()))
    yield _git()
    yield _bootstrap()
    yield _apt_sources()
    for ecosystem in ecosystem_names():
        yield registry_check(get_ecosystem(ecosystem), os.environ)
    yield from _certificates(os.environ)


def _careful(name: str, check: Callable[[], Check]) -> Check:
    """The check; where a folder cannot even be looked at, that is what is wrong."""
    try:
        return check()
    except OSError as error:
        return Check(name, State.FAIL, str(error), "Make it readable, or go to another folder.")


def _engine(name: SandboxName, settings: Settings) -> Check:
    try:
        _, reason = select_engine(name, settings)
    except SandboxError as error:
        return Check(name, State.WARN, error.what, error.remedy)
    return Check(name, State.OK, reason)


def _user_namespaces() -> Check:
    name = "user namespaces"
    try:
        done = _probe("unshare", "--user", "--map-root-user", "true")
    except _ProbeError as error:
        return Check(name, State.WARN, str(error), "Install util-linux.")
    if done.returncode == 0:
        return Check(name, State.OK, "allowed")
    return Check(
        name,
        State.WARN,
        done.stderr.strip(),
        "bubblewrap needs root here; sysctl kernel.unprivileged_userns_clone=1 allows them.",
    )


def _cgroups() -> Check:
    root = Path("/sys/fs/cgroup")
    if (root / "cgroup.controllers").exists():
        version, folder = "v2", root
    elif (root / "memory").is_dir():
        version, folder = "v1", root / "memory"
    else:
        return Check("cgroups", State.WARN, "none", "Mount a cgroup file system.")
    if os.access(folder, os.W_OK):
        return Check("cgroups", State.OK, f"{version}, writable")
    return Check(
        "cgroups",
        State.WARN,
        f"{version}, not writable",
        "Docker sets its own bounds; bubblewrap's are recorded as unenforced.",
    )


def _disk(name: str, folder: Path) -> Check:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    seen = f"{free / GIB:.1f} GiB free at {folder}"
    if not os.access(existing, os.W_OK):
        return Check(name, State.FAIL, f"{existing} is not writable", "Set BENCHMAC_CACHE.")
    if free < _DISK_FAIL_BYTES:
        return Check(name, State.FAIL, seen, "Free some space: an instance takes up to 3 GiB.")
    if free < _DISK_WARN_BYTES:
        return Check(name, State.WARN, seen, "All instances together take about 15 GiB.")
    return Check(name, State.OK, seen)


def _git() -> Check:
    try:
        return Check("git", State.OK, _probe("git", "--version").stdout.strip())
    except _ProbeError as error:
        return Check("git", State.FAIL, str(error), "Install git.")


def _bootstrap() -> Check:
    tool = bootstrap_tool()
    if tool is not None:
        return Check("bootstrap", State.OK, str(shutil.which(tool)))
    return Check(
        "bootstrap",
        State.WARN,
        "there is no tool to make base images",
        f"Needed where they cannot be pulled: {bootstrap_remedy()}.",
    )


def _apt_sources() -> Check:
    try:
        source = debian_source()
    except ImageError as error:
        return Check("apt sources", State.WARN, error.what, error.remedy)
    return Check("apt sources", State.OK, f"{source.suite} from {source.uri}")


def registry_check(ecosystem: Ecosystem, env: Mapping[str, str]) -> Check:
    """Is a registry of this kind configured, and does it answer?"""
    name = f"{ecosystem.name} registry"
    try:
        registry = ecosystem.registry(env)
    except NetworkError as error:
        return Check(name, State.WARN, error.what, error.remedy)
    try:
        ecosystem.probe(registry)
    except NetworkError as error:
        state = State.FAIL if ecosystem.required else State.WARN
        return Check(name, state, error.what, error.remedy)
    return Check(name, State.OK, f"{registry.url} answers")


def _certificates(env: Mapping[str, str]) -> Iterator[Check]:
    for variable in _CA_VARIABLES:
        path = env.get(variable)
        name = "authorities"
        if not path:
            yield Check(name, State.OK, f"{variable} not set: its readers use their own")
            continue
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_verify_locations(path)
        except (OSError, ssl.SSLError) as error:
            yield Check(
                name,
                State.FAIL,
                f"{variable}={path} cannot be used: {error}",
                f"Name a PEM file, or unset {variable}.",
            )
        else:
            count = len(context.get_ca_certs())
            yield Check(name, State.OK, f"{variable}={path}: {count} certificates")


class _ProbeError(Exception):
    """A program is missing, or hangs."""


def _probe(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False
        )
    except OSError as error:
        raise _ProbeError(f"{command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise _ProbeError(f"{command[0]} did not answer in {_PROBE_SECONDS} s") from error
