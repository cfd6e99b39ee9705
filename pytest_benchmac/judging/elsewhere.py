"""A case that another machine judges: what it has to have there, and its record kept here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment import source
from pytest_benchmac.environment.debian import Base, kept_base
from pytest_benchmac.files.archives import unpack
from pytest_benchmac.judging.base_facts import facts_file, facts_key, shipped_facts
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.events import Observer
from pytest_benchmac.judging.lost import keep_error
from pytest_benchmac.judging.prepare import prepare, prepare_image, recording_errors
from pytest_benchmac.judging.reuse import find_stored, keep, reuse_key, work_folder
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.network.network import Network


@dataclass(frozen=True)
class Prepared:
    """What this machine knows of a case before it is judged."""

    #: With its patch, which may have been derived from two commits.
    submission: Submission
    #: What need not be judged any more: reused, or an error of the preparation.
    evaluation: Evaluation | None
    #: Key of the record that has to come back.
    reuse_key: str
    #: Bootstrapped bases; a base that is bootstrapped anew has another digest.
    bases: tuple[Base, ...] = ()
    #: Tree of a source that is a git repository.
    checkout: source.Checkout | None = None
    #: Where facts of the base are kept that do not travel with the instance; may not exist yet.
    facts: Path | None = None


def prepare_case(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    network: Network,
    observer: Observer,
) -> Prepared:
    """Prepare a case as if it were judged here; take what is stored of the same inputs.

    What fails in it is the record's error, which is stored.

    Raises:
        StoreError: the record cannot be written.
    """
    state = CaseState(instance, submission, settings, network, observer)
    prepare(state)
    if state.error is None and not settings.rerun and (stored := find_stored(state)):
        state.notify("stored", "reused")
        return Prepared(state.submission, stored, stored.reuse_key)
    needed: tuple[tuple[Base, ...], source.Checkout | None, Path | None] = ((), None, None)
    with recording_errors(state):
        needed = _needed(state)
    if state.error is None:
        return Prepared(state.submission, None, reuse_key(state), *needed)
    evaluation = keep_error(state)
    state.notify("resolved", "finished")
    return Prepared(state.submission, evaluation, evaluation.reuse_key)


def _needed(state: CaseState) -> tuple[tuple[Base, ...], source.Checkout | None, Path | None]:
    if state.error is not None:
        return (), None, None
    bases: dict[str, Base] = {}
    if state.prepared_image.provenance == "bootstrapped":
        for kind in (state.submission.kind, SubmissionKind.BASELINE):
            recipe = state.track.base_recipe(state.instance, kind)
            base = kept_base(recipe.substitute or recipe, state.settings.cache)
            if base is not None:
                bases[base.digest] = base
    tree = state.track.tree(state.instance, state.submission.kind)
    git = state.instance.source.git is not None and not tree.shared
    checkout = source.materialise(state.instance, state.settings) if git else None
    facts = None
    if state.submission.kind is not SubmissionKind.BASELINE and not shipped_facts(state.instance):
        image = prepare_image(state, SubmissionKind.BASELINE)
        facts = facts_file(state.settings.cache, facts_key(state, image))
    return tuple(bases.values()), checkout, facts


def keep_judged(
    instance: Instance,
    prepared: Prepared,
    evaluation: Evaluation,
    files: Path,
    settings: Settings,
    *,
    network: Network,
    observer: Observer,
) -> None:
    """Keep the record of a case that was judged elsewhere, all of it or nothing.

    Args:
        instance: the task.
        prepared: what this machine expects.
        evaluation: as it came back.
        files: tar of the folders `logs` and `artifacts` of the case.
        settings: where it is kept.
        network: of this process.
        observer: told nothing here.

    Raises:
        InfrastructureError: it is the record of other inputs, such as another base image.
        StoreError: it cannot be written.
    """
    if evaluation.status == "completed" and evaluation.reuse_key != prepared.reuse_key:
        raise InfrastructureError(
            f"{evaluation.case.id} was judged there under other conditions than here (image "
            f"{evaluation.environment.image_digest})",
            remedy="Nodes must have the same package and the same bases: see docs/cluster.md.",
        )
    state = CaseState(instance, prepared.submission, settings, network, observer)
    state.error = evaluation.error
    with work_folder(state):
        unpack(files, state.folder, keep_owners=False)
        keep(state, evaluation, recorded=True)
