"""An instance of our own that is small enough to start in no time, and its base."""

import os
from collections.abc import Callable
from pathlib import Path

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.model.instance import Commands, Environment, Instance, Source, Timeouts
from pytest_benchmac.model.settings import GIB, MIB, Limits, Settings
from pytest_benchmac.sandbox.base import NetworkAttachment, PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import engine

#: Nobody has an image of this digest, so the base is bootstrapped.
REFERENCE = "localhost:1/none@sha256:" + "0" * 64
RECIPE = BaseRecipe(
    reference=REFERENCE,
    # What a track of ours has: its bootstrapped system is then this one's too.
    apt_packages=("ca-certificates", "git"),
    checks=(ToolCheck("perl", "perl -e 'print 6 * 7'", "42", "42"),),
)
LIMITS = Limits(memory_bytes=GIB, pids=128, disk_bytes=256 * MIB, output_bytes=MIB)
OPEN = NetworkAttachment(policy="open")

MakeSandbox = Callable[..., Sandbox]


#: For processes that tests start.
ENV = os.environ | {
    "PYTHONPATH": os.pathsep.join(
        [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    ).rstrip(os.pathsep)
}


def make_instance(folder: Path, files: dict[str, str]) -> Instance:
    for name, content in files.items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Instance(
        id="tiny",
        track="none",
        license="MIT",
        source=Source(path="source"),
        environment=Environment(image=REFERENCE),
        commands=Commands(),
        timeouts=Timeouts(),
        directory=folder,
    )


def prepare(
    instance: Instance, recipe: BaseRecipe, engine_name: str, settings: Settings
) -> PreparedImage:
    return engine(engine_name, settings.cache).prepare(recipe, make_project(instance, settings))
