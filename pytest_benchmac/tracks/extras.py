"""What a track adds beside its judging: all of it optional but the suite."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias

from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.adapter import AdapterKind
from pytest_benchmac.tracks.explained import Explanation
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.reporters.recording import OwnTests

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

#: Adds the parser of a subcommand of `benchmac`, and sets `run` on it: arguments -> exit status.
Command = Callable[[Subparsers, Harness], None]

#: What is known of a checkout -> the text of an instance.toml for it: folder, id, target version
#: (None: the track's choice). Raises InstanceError where the checkout is none of the track's.
Initial = Callable[[Path, str, str | None], str]

#: Says what is wrong with an instance, a sentence each; nothing where it is sound.
InstanceCheck = Callable[[Instance, Settings, Harness], Iterable[str]]


@dataclass(frozen=True)
class Extras:
    """What `Track.extras` returns; that method imports what these need, so that judging does not.

    Attributes:
        suite: name of the module with the tests that `pytest --patch-dir` runs, one per stage and
            `test_resolved`. Their node ids are `benchmac/test_<track>.py::test_<stage>[...]`.
        task: the text that tells a system under test what to do, a `string.Template` that may
            name `$commands` and every text of the track's criteria.
        descriptions: texts of an instance's task by name, the fullest first: `$task` in the text.
        commands: subcommands of `benchmac`.
        importers: the same, below `benchmac import`: one per published benchmark, named after it.
        adapters: kinds of systems under test for `benchmac generate --sut NAME`.
        own_tests: how an instance's own tests are run, for `benchmac record-tests`; raises
            InstanceError where it declares none.
        initial: writes an instance from a checkout, for `benchmac init`.
        explanations: what the track's finding codes mean, by code, for `benchmac explain`.
        checks: further checks of `benchmac validate` by name, for instances whose image is there.
    """

    suite: str
    task: Traversable | None = None
    descriptions: Callable[[Instance], Mapping[str, str]] | None = None
    commands: Sequence[Command] = ()
    importers: Sequence[Command] = ()
    adapters: Sequence[AdapterKind] = ()
    own_tests: Callable[[Instance], OwnTests] | None = None
    initial: Initial | None = None
    explanations: Callable[[], Mapping[str, Explanation]] | None = None
    checks: Mapping[str, InstanceCheck] = field(default_factory=dict)
