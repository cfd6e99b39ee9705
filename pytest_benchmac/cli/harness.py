"""What the commands of tracks ask for: `tracks.harness.Harness`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from pytest_benchmac.cli.options import add_run_options, settings_of
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance, load_one
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.patched import patched_sandbox
from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.harness import InstanceT


class BenchmacHarness:
    """Input, judging and output as `benchmac`'s own commands have them."""

    def add_run_options(self, parser: ArgumentParser, *, reports: Path) -> None:
        """See `Harness`."""
        add_run_options(parser, reports=reports)

    def settings(self, args: Namespace) -> Settings:
        """See `Harness`."""
        return settings_of(args)

    def instance(self, args: Namespace, kind: type[InstanceT]) -> InstanceT:
        """See `Harness`."""
        return load_one(args.instances, args.instance, kind)

    def write_instance(self, folder: Path, text: str) -> None:
        """See `Harness`."""
        write_whole(folder / INSTANCE_FILE, text.encode())
        load_instance(folder / INSTANCE_FILE)

    def baseline(self, instance: Instance) -> Submission:
        """See `Harness`."""
        return baseline_submissions({instance.id: instance})[0]

    def silver(self, instance: Instance) -> Submission | None:
        """See `Harness`."""
        return next(iter(silver_submissions({instance.id: instance})), None)

    def evaluate(
        self, instance: Instance, submission: Submission, settings: Settings
    ) -> Evaluation:
        """See `Harness`."""
        return evaluate(instance, submission, None, settings)

    @contextmanager
    def bare_sandbox(
        self, recipe: BaseRecipe, settings: Settings, *, label: str
    ) -> Iterator[Sandbox]:
        """See `Harness`."""
        engine, _ = select_engine(settings.sandbox, settings)
        with bare_sandbox(recipe, engine, settings, label=label) as sandbox:
            yield sandbox

    @contextmanager
    def patched_sandbox(
        self, instance: Instance, submission: Submission, settings: Settings, *, logs: Path
    ) -> Iterator[Sandbox]:
        """See `Harness`."""
        with (
            Network.of(settings) as network,
            patched_sandbox(instance, submission, settings, network=network, logs=logs) as sandbox,
        ):
            yield sandbox

    def say(self, text: str) -> None:
        """See `Harness`."""
        Console(highlight=False, markup=False, soft_wrap=True).print(text)

    def progress(self, text: str) -> None:
        """See `Harness`."""
        Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(text)
