"""Files of the driver's machine, loaded to a node's cache where it lacks them, by their digests."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_benchmac.executors.ray.orders import Export, NodeError, Order
from pytest_benchmac.files.archives import unpack
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.once import made_once
from pytest_benchmac.files.uses import note_use
from pytest_benchmac.files.whole import new_file, write_whole

#: Asks the driver's machine: method and arguments.
Ask = Callable[..., Any]
#: Digits of a digest in names.
_DIGITS = 32


def load_all(order: Order, cache: Path, scratch: Path, ask: Ask) -> tuple[Path, Path | None]:
    """Load what a case needs.

    Args:
        order: the case.
        cache: of this node.
        scratch: a folder of this case alone.
        ask: the driver's machine.

    Returns:
        The folder of the instance, and the file of the patch.

    Raises:
        NodeError: what came is not what was offered.
        OSError: it cannot be written.
    """
    for base in order.bases:
        _load_base(base, cache / base.name, ask)
    if order.source is not None:
        _load_source(order.source, order.source_sha256, cache / order.source.name, ask)
    if order.facts and not (cache / order.facts).exists():
        facts = ask("find", order.facts)
        if facts is not None:
            write_whole(cache / order.facts, b"".join(_pieces(facts, ask)), durable=True)
    if order.store:
        _load_store(cache / "http", ask)
    patch = None
    if order.patch is not None:
        patch = scratch / "case.patch"
        load(order.patch, patch, ask)
    folder = cache / "instances" / order.instance.sha256[:_DIGITS]
    _load_tree(order.instance, folder, ask)
    return folder / order.submission.case.instance_id, patch


def load(export: Export, path: Path, ask: Ask) -> None:
    """Load one file, whole or not at all; NodeError where its digest is another one."""
    with new_file(path) as file:
        for piece in _pieces(export, ask):
            file.write(piece)


def _pieces(export: Export, ask: Ask) -> Iterator[bytes]:
    digest, offset = hashlib.sha256(), 0
    while piece := ask("read", export, offset):
        digest.update(piece)
        offset += len(piece)
        yield piece
    if digest.hexdigest() != export.sha256:
        raise NodeError(f"{export.name} did not come whole from the driver's machine")


def _load_base(base: Export, tar: Path, ask: Ask) -> None:
    """A base of the same recipe that was bootstrapped here is another image: it goes."""
    digest = tar.with_suffix(".sha256")
    with exclusive(tar.with_suffix(".lock")):
        with suppress(FileNotFoundError):
            if tar.exists() and digest.read_text() == base.sha256:
                note_use(tar)
                return
        # Without the one, the other is made anew: killed in between, nothing is mixed up.
        tar.unlink(missing_ok=True)
        with new_file(tar) as file:
            for piece in _pieces(base, ask):
                file.write(piece)
            write_whole(digest, base.sha256)


def _load_source(source: Export, tree_sha256: str, folder: Path, ask: Ask) -> None:
    _load_tree(source, folder, ask)
    digest = folder.with_name(f"{folder.name}.sha256")
    if not digest.exists():
        write_whole(digest, tree_sha256)


def _load_tree(export: Export, folder: Path, ask: Ask) -> None:
    with made_once(folder) as partial:
        if partial:
            tar = partial.parent / "tree.tar"
            load(export, tar, ask)
            partial.mkdir()
            unpack(tar, partial, keep_owners=False)


def _load_store(root: Path, ask: Ask) -> None:
    with exclusive(root / ".loading.lock"):
        for name in ask("stored"):
            path = root / name
            if path.exists():
                continue
            content, current = ask("read_stored", name)
            # As fresh as it was there; whoever reads it checks it.
            with new_file(path) as file:
                file.write(content)
                file.flush()
                os.utime(file.name, (current, current))
