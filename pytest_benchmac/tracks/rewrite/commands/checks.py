"""The checks of `benchmac validate` that are this track's."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_benchmac.environment.source import materialise
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB, Settings
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.rewrite.cases.files import expecting_cases, write_cases
from pytest_benchmac.tracks.rewrite.cases.models import Case, inputs_alone
from pytest_benchmac.tracks.rewrite.driving.generating import generate_inputs
from pytest_benchmac.tracks.rewrite.environment import generator_recipe
from pytest_benchmac.tracks.rewrite.instance import CASES_FILE, FRESH_FILE, RewriteInstance

#: Of fresh inputs, those that have to be others than all before them.
_DISTINCT = 0.9
_SEED, _COUNT = 1, 200
_READ_BYTES = 4 * MIB


def check_suite(instance: Instance, settings: Settings, harness: Harness) -> Iterable[str]:
    """Does every case expect something, and does the generator make inputs of its own?"""
    own = _rewrite(instance)
    cases = expecting_cases(own)
    logs = settings.reports / own.id
    logs.mkdir(parents=True, exist_ok=True)
    with harness.bare_sandbox(generator_recipe(), settings, label=own.id) as sandbox:
        drawn = [
            generate_inputs(own, sandbox, seed, _COUNT, logs / "fresh.log")
            for seed in (_SEED, _SEED, _SEED + 1)
        ]
    one, same, other = (_texts(each) for each in drawn)
    if one != same:
        yield f"{FRESH_FILE} makes other inputs of the same seed"
    if one == other:
        yield f"{FRESH_FILE} makes the same inputs of another seed"
    new = set(one) - set(_texts(cases))
    if len(new) < _DISTINCT * len(one):
        yield f"only {len(new)} of {len(one)} fresh inputs are distinct and not in {CASES_FILE}"


def check_hidden(instance: Instance, settings: Settings, harness: Harness) -> Iterable[str]:
    """Is no part of the suite in what systems under test are given?"""
    own = _rewrite(instance)
    hidden = {
        name: {line for line in (own.directory / name).read_bytes().split(b"\n") if len(line) > 60}
        for name in (CASES_FILE, FRESH_FILE)
    }
    root = materialise(own, settings).path
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            lines = set(file.read(_READ_BYTES).split(b"\n"))
        for name, theirs in hidden.items():
            if lines & theirs:
                yield f"{path.relative_to(root)} of the source has lines of {name}"


def _texts(cases: list[Case]) -> list[str]:
    """Inputs as texts, without names and areas."""
    bare = [case.model_copy(update={"id": "x", "area": "x"}) for case in inputs_alone(cases)]
    return [write_cases([case]) for case in bare]


def _rewrite(instance: Instance) -> RewriteInstance:
    if not isinstance(instance, RewriteInstance):
        raise InstanceError("is no instance of the rewrite track", where=instance.directory)
    return instance
