"""Whom the development server answers: who works on the project, and nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_benchmac.tracks.angular.integrity.packages import MANIFEST, read_manifest
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, mapping, section_of
from pytest_benchmac.tracks.findings import Findings

#: The target that serves the application to who works on it.
SERVER = "serve"
#: Only the machine itself asks for these.
_LOCAL = re.compile(r"localhost|127(\.\d+){3}|\[?::1\]?", re.IGNORECASE)
_SERVES = re.compile(r"\bng\s+(?:s|serve|dev)\b")
_OPTION = re.compile(r"--(host|disable-?host-?check|allowed-?hosts)(?:[=\s]\s*([^\s-]\S*))?", re.I)

#: What `disableHostCheck` lets in, and from version 19 on `allowedHosts` without names.
_ANY_NAME = "pages of any host"


def check_server(
    base: AngularWorkspace,
    patched: AngularWorkspace,
    snapshots: tuple[Snapshot, Snapshot],
    findings: Findings,
) -> None:
    """No development server newly answers other machines, or pages of other hosts.

    Whoever is in the same network could read sources and secrets of the environment by it, and any
    page in the same browser by a name that it has lead to it (DNS rebinding).
    https://angular.dev/cli/serve, options `host`, `allowedHosts`, `disableHostCheck`.

    Args:
        base: angular.json of the untouched base.
        patched: of the patched tree.
        snapshots: of both trees, in this order.
        findings: where to.
    """
    before = {what for *_, what in _opened(base, snapshots[0])}
    for file, line, what in _opened(patched, snapshots[1]):
        if what not in before:
            findings.fatal(
                "server-open",
                "The development server answers others than who works on the project.",
                file=file,
                line=line,
                expected="the machine itself (localhost)",
                seen=what,
            )


def _opened(
    workspace: AngularWorkspace, snapshot: Snapshot
) -> Iterator[tuple[str | None, int | None, str]]:
    """Where an option or a script opens a server, and how."""
    projects = mapping(mapping(workspace.document.value).get("projects"))
    for name, project in projects.items():
        section = section_of(mapping(project))
        server = mapping(mapping(mapping(project).get(section)).get(SERVER))
        configurations = mapping(server.get("configurations"))
        for inner, options in (
            (("options",), mapping(server.get("options"))),
            *((("configurations", each), mapping(configurations[each])) for each in configurations),
        ):
            for option, what in _open_options(options):
                place = ("projects", name, section, SERVER, *inner, option)
                yield workspace.file, workspace.document.line(*place), what
    for path in snapshot.tree.named(MANIFEST):
        manifest = read_manifest(snapshot.tree, path)
        for script, command in manifest.scripts.items():
            for what in _by_command(command):
                yield path, manifest.line(script), what


def _open_options(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    host = options.get("host")
    if isinstance(host, str) and not _LOCAL.fullmatch(host.strip()):
        yield "host", _host(host)
    if options.get("disableHostCheck") not in (None, False):
        yield "disableHostCheck", _ANY_NAME
    allowed = options.get("allowedHosts")
    if allowed is True or (isinstance(allowed, list) and allowed):
        names = "" if allowed is True else ", ".join(map(str, allowed))
        yield "allowedHosts", _names(names)


def _host(host: str) -> str:
    return f"other machines (host {host.strip()})"


def _names(names: str) -> str:
    return f"pages of {names}" if names and names.casefold() != "true" else _ANY_NAME


def _by_command(command: str) -> Iterator[str]:
    """How a command opens a server."""
    if not _SERVES.search(command):
        return
    for option, value in _OPTION.findall(command):
        if option.casefold() == "host":
            if not _LOCAL.fullmatch(value.strip("\"'")):
                yield _host(value)
        elif value.casefold() != "false":
            yield _names(value if option.casefold().startswith("allowed") else "")
