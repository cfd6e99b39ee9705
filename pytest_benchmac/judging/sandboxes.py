"""The sandboxes of a case, and what was started ahead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.environment.project import make_empty_project
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.judging.background import Background
from pytest_benchmac.judging.case import CaseState, StandbySandbox
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import (
    CUT_OFF,
    NOTHING_MOUNTED,
    Engine,
    PreparedImage,
    Sandbox,
)
from pytest_benchmac.tracks.protocol import StageContext, Standby, Track


@contextmanager
def case_sandbox(
    state: CaseState,
    image: PreparedImage | None = None,
    *,
    mounted: Mapping[str, Path] = NOTHING_MOUNTED,
) -> Iterator[Sandbox]:
    """A fresh sandbox of the case's image, or another, attached to the run's network.

    Folders that are `mounted` have those names in the project, and nothing in there writes them.
    """
    label = state.submission.case.id
    instance, image = state.instance, image or state.prepared_image
    with state.network.attach(
        label, instance.http_fixtures, instance.directory, ecosystems_of(state.track, image)
    ) as attachment:
        state.attachments.append(attachment)
        own = replace(
            attachment.sandbox, env={**instance.environment.variables, **attachment.sandbox.env}
        )
        with state.prepared_engine.sandbox(
            image,
            limits=state.settings.limits,
            network=own,
            label=label,
            mounted=mounted,
        ) as sandbox:
            yield sandbox


def ecosystems_of(track: Track[Any], image: PreparedImage) -> tuple[Ecosystem, ...]:
    """The ecosystems whose registries a sandbox of an image reads.

    What a bootstrapped base brings is not asked of a registry: a patch that asked nevertheless,
    where none answers, would turn its failure into an infrastructure error.
    """
    own = image.provenance == "bootstrapped"
    return tuple(each for each in track.ecosystems if each.required or not own)


@contextmanager
def bare_sandbox(
    recipe: BaseRecipe, engine: Engine, settings: Settings, *, label: str
) -> Iterator[Sandbox]:
    """Start a sandbox of a base, with nothing in it and without any network.

    Raises:
        ImageError: there is no such image, or the engine has none at all.
        SandboxError: the engine fails.
    """
    image = engine.prepare(recipe, make_empty_project(settings.cache))
    with engine.sandbox(image, limits=settings.limits, network=CUT_OFF, label=label) as sandbox:
        yield sandbox


@contextmanager
def standby_sandbox(
    standby: Standby, engine: Engine, settings: Settings, *, label: str, log: Path
) -> Iterator[StandbySandbox]:
    """Start a command that waits in a bare sandbox; raises what `bare_sandbox` does.

    Its output goes to `log`.
    """
    with bare_sandbox(standby.recipe, engine, settings, label=label) as sandbox:
        yield StandbySandbox(sandbox, sandbox.start(standby.bring(sandbox), log=log))


@contextmanager
def standby_of(state: CaseState, standby: Standby, stage: str) -> Iterator[StandbySandbox]:
    """Start a stage's standby now; raises what `bare_sandbox` does."""
    with standby_sandbox(
        standby,
        state.prepared_engine,
        state.settings,
        label=state.submission.case.id,
        log=state.folder / f"{stage}.standby.log",
    ) as started:
        yield started


def start_standbys_beside(state: CaseState, stage: str, context: StageContext[Any]) -> None:
    """Start, in the background, the standby of each stage whose last need is this stage."""
    for each in state.stages:
        if state.needs_of(each)[-1:] != (stage,):
            continue
        if (standby := each.standby(context)) is not None:
            state.standbys[each.name] = Background(standby_of(state, standby, each.name))


@contextmanager
def ending_standbys(state: CaseState) -> Iterator[None]:
    """End what was started ahead, whoever used it."""
    try:
        yield
    finally:
        with ExitStack() as stack:
            for each in state.standbys.values():
                stack.callback(each.close)
