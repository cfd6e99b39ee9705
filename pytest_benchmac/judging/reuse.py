"""Which inputs decide an evaluation; what is stored of the same inputs stays."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

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
        "seed": state.settings.seed,
    }
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def find_stored(state: CaseState) -> Evaluation | None:
    """The stored evaluation of the very same inputs, with the metadata as it is now."""
    stored = state.store.reusable(state.submission.case, reuse_key(state))
    if stored is not None and stored.metadata != state.submission.metadata:
        stored = stored.model_copy(update={"metadata": state.submission.metadata})
        state.store.write(stored)
    return stored


def leaves_stored(state: CaseState) -> bool:
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
    """Give the case a folder where logs and artifacts grow; they move to their places at its end.

    An interrupted case thus never leaves a stored record with another run's logs.

    Raises:
        StoreError: they cannot be kept.
    """
    try:
        with state.store.scratch(state.submission.case) as folder:
            state.folder = folder
            yield
            if not leaves_stored(state):
                _keep(state, folder)
    except OSError as error:
        raise StoreError(
            f"cannot keep logs and artifacts below {state.settings.reports}: {error}",
            remedy="Free disk space, or choose another folder with --reports=DIR.",
        ) from error


def _keep(state: CaseState, folder: Path) -> None:
    case = state.submission.case
    for new, place in (
        (folder / "logs", state.store.logs(case)),
        (folder / "artifacts", state.store.artifacts(case)),
    ):
        if place.exists():
            shutil.rmtree(place)
        if new.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            new.rename(place)
