"""Which inputs decide an evaluation; what is stored of the same inputs stays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from pytest_benchmac import PROTOCOL_VERSION
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.model.errors import RecordError, StoreError
from pytest_benchmac.model.evaluation import Evaluation


def reuse_key(state: CaseState) -> str:
    """Digest of everything that decides an evaluation; the same key need not run again."""
    image = state.image
    decisive = {
        "protocol": PROTOCOL_VERSION,
        "track": (state.track.name, state.track.version),
        "instance": state.instance.definition_sha256,
        "kind": state.submission.kind,
        "patch": state.submission.patch_sha256,
        "image": (image.tag, image.digest) if image else None,
        "sandbox": state.engine.name if state.engine else None,
        "network": state.settings.network,
        "limits": asdict(state.settings.limits),
        "max_patch_bytes": state.settings.max_patch_bytes,
        "plain": state.settings.plain,
        "seed": state.settings.seed,
    }
    if tools := state.track.host_tools():
        decisive["host_tools"] = tools
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def find_stored(state: CaseState) -> Evaluation | None:
    """The stored evaluation of the very same inputs, with the metadata as it is now."""
    with state.store.locked():
        stored = state.store.reusable(state.submission.case, reuse_key(state))
        if stored is not None and stored.metadata != state.submission.metadata:
            stored = stored.model_copy(update={"metadata": state.submission.metadata})
            state.store.write(stored)
    return stored


def keep(state: CaseState, evaluation: Evaluation, *, recorded: bool) -> None:
    """Put logs and artifacts of a case that is over in their places, and its record if wanted.

    A failed run leaves a finished record of the same patch alone, and what belongs to it.

    Raises:
        StoreError: they cannot be kept.
    """
    with state.store.locked():
        if not _leaves_stored(state):
            record = evaluation if recorded else None
            state.store.keep(state.submission.case, state.folder, record)


def _leaves_stored(state: CaseState) -> bool:
    """Did this run fail, with a completed record of the very same patch in store?"""
    if state.error is None:
        return False
    try:
        earlier = state.store.load(state.submission.case)
    except RecordError:
        return False
    if earlier is None or earlier.status != "completed":
        return False
    return state.submission.patch_sha256 in (earlier.patch_sha256, None)


@contextmanager
def work_folder(state: CaseState) -> Iterator[None]:
    """Give the case a folder where logs and artifacts grow; it is gone at the end.

    Raises:
        StoreError: there is no room for them.
    """
    try:
        with state.store.scratch(state.submission.case) as folder:
            state.folder = folder
            yield
    except OSError as error:
        raise StoreError(
            f"cannot keep logs and artifacts below {state.settings.reports}: {error}",
            remedy="Free disk space, or choose another folder with --reports=DIR.",
        ) from error
