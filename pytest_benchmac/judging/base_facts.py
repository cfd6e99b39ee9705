"""What a track learnt of the untouched base: from the cache, else learnt now."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

from pytest_benchmac import PROTOCOL_VERSION
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.prepare import prepare_image
from pytest_benchmac.judging.sandboxes import case_sandbox
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.errors import BaselineError, CopyLimitError
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.sandbox.base import PreparedImage

#: What stands for the stage while facts are learnt.
LEARN = "learn"


def base_facts(state: CaseState) -> BaselineFacts:
    """The facts that the case is compared with; none for the untouched base itself.

    Raises:
        InfrastructureError: the base is not what it should be, or the harness failed.
    """
    if state.submission.kind is SubmissionKind.BASELINE:
        return {}
    image = prepare_image(state, SubmissionKind.BASELINE)
    file = state.settings.cache / "facts" / f"{facts_key(state, image)[:32]}.json"
    with exclusive(file.with_suffix(".lock")):
        if not file.exists():
            write_whole(file, json.dumps(_learn(state, image)).encode())
        known: BaselineFacts = json.loads(file.read_bytes())
    return known


def facts_key(state: CaseState, image: PreparedImage) -> str:
    """Digest of all that decides what is learnt, but the sandbox: all run the same files."""
    decisive = [
        PROTOCOL_VERSION,
        state.track.name,
        state.track.version,
        state.instance.definition_sha256,
        (image.tag, image.digest),
        state.settings.network,
    ]
    return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()


def _learn(state: CaseState, image: PreparedImage) -> BaselineFacts:
    attached = len(state.attachments)
    state.notify(LEARN, "preparing")
    state.running = LEARN
    try:
        with (
            tempfile.TemporaryDirectory(prefix="benchmac-") as scratch,
            case_sandbox(state, image) as sandbox,
        ):
            facts = state.track.learn(Context(state, sandbox, Path(scratch)))
    except CopyLimitError as error:
        raise BaselineError(
            f"{state.instance.id}: the untouched base is larger than the harness reads: {error}"
        ) from error
    finally:
        # No stage of this case, and no host that its patch asked for.
        state.running, state.attempts = "", []
        del state.attachments[attached:]
    return facts
