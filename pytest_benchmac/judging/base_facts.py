"""What a track learnt of the untouched base: shipped beside the instance, cached, or learnt now."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import ValidationError

from pytest_benchmac import PROTOCOL_VERSION
from pytest_benchmac.files.locking import exclusive, is_held
from pytest_benchmac.files.uses import note_use
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.cache import running_case
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.events import Observer, ignore
from pytest_benchmac.judging.prepare import prepare_image
from pytest_benchmac.judging.reuse import work_folder
from pytest_benchmac.judging.sandboxes import case_sandbox
from pytest_benchmac.model.base import BaselineFacts, Model
from pytest_benchmac.model.errors import BaselineError, CopyLimitError, InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.host_folders import scratch_folder
from pytest_benchmac.sandbox.select import select_engine

#: What stands for the stage while facts are learnt.
LEARN = "learn"
#: Beside instance.toml.
LEARNT_FILE = "learnt.json"


class LearntFacts(Model):
    """Facts that travel with an instance, in `learnt.json` beside instance.toml."""

    #: Of all that decides them; those of another key are not used.
    key: str
    facts: BaselineFacts


def base_facts(state: CaseState) -> BaselineFacts:
    """The facts that the case is compared with; none for the untouched base itself.

    Raises:
        InfrastructureError: the base is not what it should be, or the harness failed.
    """
    if state.submission.kind is SubmissionKind.BASELINE:
        return {}
    image = prepare_image(state, SubmissionKind.BASELINE)
    shipped = shipped_facts(state.instance)
    if shipped is not None and shipped.key == shipped_key(state, image):
        return shipped.facts
    file = facts_file(state.settings.cache, facts_key(state, image))
    lock = file.with_suffix(".lock")
    if is_held(lock):
        state.notify(f"{LEARN} (waits for another case that does)", "preparing")
    with exclusive(lock):
        known = _known(file)
        if known is None:
            known = _learn(state, image)
            write_whole(file, json.dumps(known).encode(), durable=True)
    return known


def facts_file(cache: Path, key: str) -> Path:
    """Where facts of that key are kept; it need not exist."""
    return cache / "facts" / f"{key[:32]}.json"


def _known(file: Path) -> BaselineFacts | None:
    """What the file says; None where there is none, or a crash left no JSON object in it."""
    try:
        known = json.loads(file.read_bytes())
        note_use(file)
    except (FileNotFoundError, ValueError):
        return None
    return known if isinstance(known, dict) else None


def shipped_facts(instance: Instance) -> LearntFacts | None:
    """What was learnt elsewhere and lies beside instance.toml; None where nothing does.

    Raises:
        BaselineError: the file is of no use.
    """
    file = instance.directory / LEARNT_FILE
    try:
        return LearntFacts.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise BaselineError(
            f"{file} cannot be read: {error}",
            remedy=f"Remove it, or make it again: benchmac learn {instance.id}",
        ) from error


def learn_base(
    instance: Instance,
    baseline: Submission,
    settings: Settings,
    *,
    network: Network,
    observer: Observer = ignore,
) -> LearntFacts:
    """Learn the untouched base, whatever is shipped or cached, to be shipped with the instance.

    Args:
        instance: the task.
        baseline: its self-test without a patch.
        settings: sandbox, network and limits.
        network: what sandboxes are attached to.
        observer: told when learning starts.

    Raises:
        InputError: a sandbox without images or an open network is asked for: what is learnt then
            holds on this machine only.
        InfrastructureError: the base is not what it should be, or the harness failed.
    """
    with running_case(settings.cache):
        return _learnt(CaseState(instance, baseline, settings, network, observer))


def _learnt(state: CaseState) -> LearntFacts:
    settings = state.settings
    state.engine, _ = select_engine(settings.sandbox, settings)
    image = state.image = prepare_image(state, SubmissionKind.BASELINE)
    key = shipped_key(state, image)
    if key is None:
        raise InputError(
            "what is learnt in this way holds on this machine only",
            where=f"--sandbox={settings.sandbox} --network={settings.network}",
            remedy="Use docker or bubblewrap, and no open network.",
        )
    with work_folder(state):
        return LearntFacts(key=key, facts=_learn(state, image))


def shipped_key(state: CaseState, image: PreparedImage) -> str | None:
    """Digest of all that decides what is learnt, the same on every machine; None if that is more.

    The image is named by its recipe and source tree: the digest of one that was bootstrapped
    changes with each correction of the system's packages, and nothing that is learnt does.
    """
    if not state.prepared_engine.has_images or state.settings.network == "open":
        return None
    return _digest(state, image.tag)


def facts_key(state: CaseState, image: PreparedImage) -> str:
    """Digest of all that decides what is learnt, but the sandbox: all run the same files."""
    return _digest(state, image.tag, image.digest, state.settings.network)


def _digest(state: CaseState, *more: str) -> str:
    decisive = [
        PROTOCOL_VERSION,
        state.track.name,
        state.track.version,
        state.instance.definition_sha256,
        *more,
    ]
    if tools := state.track.host_tools():
        decisive.append(tools)
    return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()


def _learn(state: CaseState, image: PreparedImage) -> BaselineFacts:
    attached = len(state.attachments)
    state.notify(LEARN, "preparing")
    state.running = LEARN
    try:
        with (
            scratch_folder(state.submission.case.id) as scratch,
            case_sandbox(state, image) as sandbox,
        ):
            facts = state.track.learn(Context(state, sandbox, scratch))
    except CopyLimitError as error:
        raise BaselineError(
            f"{state.instance.id}: the untouched base is larger than the harness reads: {error}"
        ) from error
    finally:
        # No stage of this case, and no host that its patch asked for.
        state.running, state.attempts = "", []
        del state.attachments[attached:]
    # As a file gives it back: what is learnt now and what was learnt before are one and the same.
    again: BaselineFacts = json.loads(json.dumps(facts))
    return again
