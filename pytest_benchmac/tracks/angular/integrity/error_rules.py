"""Errors of an application are told somewhere, if they were."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_benchmac.foreign.parser_process import MAX_SOURCE_BYTES
from pytest_benchmac.tracks.angular.integrity.error_reading import (
    WORDS,
    Silence,
    naming,
    read_errors,
)
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.findings import Findings

_MESSAGES = {
    "handler": "The framework hands errors to a handler that tells them nowhere.",
    "start": "Nobody is told why the application does not start.",
    "console": "Errors are kept from the console.",
}


def check_errors(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """No error is newly handed to what does nothing with it.

    Args:
        base: the untouched base; of what it silences itself, nothing is said.
        patched: the patched tree.
        findings: where to.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    changed = [path for path in patched.application if _is_changed(path, base, patched)]
    found = dict(_silences(patched, changed, findings))
    known: set[str] | None = None
    for path, silences in found.items():
        for each in silences:
            if known is None:
                known = {one.kind for _, some in _silences(base, base.application) for one in some}
            if each.kind not in known:
                findings.fatal(
                    "errors-silenced",
                    _MESSAGES.get(each.kind, _MESSAGES["handler"]),
                    file=path,
                    line=each.line,
                    expected="told in the console, on the page or to a service",
                    seen=each.text,
                )


def _is_changed(path: str, base: Snapshot, patched: Snapshot) -> bool:
    if base.tree.files.get(path) != patched.tree.files[path]:
        return True
    return base.tree.read(path, MAX_SOURCE_BYTES) != patched.tree.read(path, MAX_SOURCE_BYTES)


def _silences(
    snapshot: Snapshot, paths: list[str] | tuple[str, ...], findings: Findings | None = None
) -> Iterator[tuple[str, list[Silence]]]:
    """Where the files silence errors; by what is in others of the application as well."""
    tree = snapshot.tree
    facts, unread = read_errors(tree, naming(tree, paths, WORDS))
    if findings is not None:
        for path, reason in unread.items():
            if path not in snapshot.sources.unread:
                findings.fatal(
                    "source-unreadable",
                    f"Where a source hands its errors cannot be read: it {reason}.",
                    file=path,
                )
    names = {each.by.partition(":")[2] for some in facts.values() for each in some.found if each.by}
    deaf = {name for some in facts.values() for name in some.deaf}
    if names:
        others, _ = read_errors(tree, naming(tree, snapshot.application, names))
        deaf |= {name for some in others.values() for name in some.deaf}
    for path, each in facts.items():
        silences = [one for one in each.found if not one.by or one.by in deaf]
        if silences:
            yield path, silences
