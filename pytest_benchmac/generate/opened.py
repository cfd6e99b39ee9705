"""A sandbox in which somebody works on an instance, and the patch that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.generate.collect import Collected, collect
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.worktree import SandboxTree
from pytest_benchmac.judging.cache import running_case
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.sandbox.base import Engine, PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.adapter import NeedsSystem
from pytest_benchmac.tracks.registry import get_track


@dataclass(frozen=True)
class Opened:
    """A started sandbox of an instance's workplace."""

    instance: Instance
    settings: Settings
    sandbox: Sandbox
    image: PreparedImage
    network: Attachment

    def collect(self, redactor: Redactor) -> Collected:
        """The patch of what was changed, without the secrets that the redactor knows.

        Raises:
            UncollectableError: what was left cannot be made a patch of.
            SandboxError: the engine failed.
            SourceError: git fails.
        """
        track = get_track(self.instance.track)
        return collect(
            SandboxTree(self.sandbox, track.ecosystems, track.submitted or ""),
            self.image.project,
            max_bytes=self.settings.max_patch_bytes,
            registries=self.network.registries,
            redact=lambda content: (redactor.content(content), redactor.count(content)),
        )

    def network_trouble(self) -> Sequence[str]:
        """What went wrong on the way to package registries so far."""
        report = self.network.report()
        return (*(f"nothing is stored for {url}" for url in report.misses), *report.failures)


@contextmanager
def workplace(
    instance: Instance, settings: Settings, system: NeedsSystem | None = None
) -> Iterator[tuple[Engine, PreparedImage]]:
    """The engine, and the image of the place where systems under test work on an instance.

    Args:
        instance: that they work on.
        settings: with engine and cache.
        system: what they expect of it; takes a bootstrapped base.

    Raises (on entering):
        InfrastructureError: the image cannot be had.
    """
    engine, _ = select_engine(settings.sandbox, settings)
    place = get_track(instance.track).workplace(instance)
    recipe = place.recipe
    if system is not None:
        recipe = recipe.bootstrapped(system.places, system.packages)
    # What the image is made from stays, too.
    with running_case(settings.cache):
        yield engine, engine.prepare(recipe, make_project(instance, settings, place.tree))


@contextmanager
def opened(
    instance: Instance, settings: Settings, engine: Engine, image: PreparedImage, label: str
) -> Iterator[Opened]:
    """A fresh sandbox with the network of the instance's track; it is gone on leaving.

    Raises (on entering):
        InfrastructureError: sandbox or network cannot be had.
    """
    with (
        Network.of(settings) as network,
        network.attach(
            label,
            instance.http_fixtures,
            instance.directory,
            get_track(instance.track).ecosystems,
        ) as attachment,
        engine.sandbox(
            image, limits=settings.limits, network=attachment.sandbox, label=f"generate {label}"
        ) as sandbox,
    ):
        yield Opened(instance, settings, sandbox, image, attachment)
