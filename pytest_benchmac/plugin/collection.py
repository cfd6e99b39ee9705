"""What is collected: the packaged suite and users' tests, one item of each per case."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Outcome, StageResult
from pytest_benchmac.model.submission import Case
from pytest_benchmac.plugin.keys import (
    ARTIFACTS_FIXTURE,
    CASE_FIXTURE,
    JUDGE,
    PLACED,
    SANDBOX_FIXTURE,
    SELECTED,
    STAGE_MARK,
    TRACK_MARK,
)
from pytest_benchmac.plugin.outcomes import (
    RESOLVED,
    failed_stages,
    resolved_failure,
    stage_failure,
    why_not_reached,
)
from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.tracks.registry import get_track, track_names

#: The first part of the suite's nodeids, wherever the package is installed.
NODE_ID_PREFIX = "benchmac"


def _track_of(name: str) -> str:
    """The track of a module of the suite, `test_<track>.py`; empty where there is none."""
    track = name.removeprefix("test_").removesuffix(".py")
    return track if track in track_names() and name == f"test_{track}.py" else ""


class SuiteFolder(pytest.Directory):
    """The packaged suite, as if it lay in the folder `benchmac` of the user's project.

    Collected from where the package is installed, its nodeids would differ between machines,
    the project's conftest.py would not apply to it, and one above site-packages would.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """The items of the modules that this session runs.

        Not the modules: `--lf` would leave them out, since no such files failed.
        """
        modules: list[SuiteModule] = [
            # Its path is the folder's, so that pytest finds the hooks that apply in the folder.
            SuiteModule.from_parent(
                self, path=self.path, name=name, nodeid=f"{NODE_ID_PREFIX}/{name}"
            )
            for name in self.config.stash[PLACED]
        ]
        return [item for module in modules for item in module.collect()]


class SuiteModule(pytest.Module):
    """A module of the packaged suite."""

    def _getobj(self) -> ModuleType:
        return import_module(get_track(_track_of(self.name)).extras().suite)

    def funcnamefilter(self, name: str) -> bool:
        """`test_` is the suite's own rule, whatever `python_functions` the project has."""
        return name.startswith("test_")

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """The items that have a case, or those of them that the command line names."""
        items = [item for item in super().collect() if _has_case(item)]
        _share_locations(items)
        named = self.config.stash[PLACED][self.name]
        unknown = [n for n in named if not any(_is_named(item.name, n) for item in items)]
        if unknown:
            raise self.CollectError(f"not found in {self.nodeid}: {', '.join(unknown)}")
        return [i for i in items if not named or any(_is_named(i.name, n) for n in named)]


def _has_case(found: pytest.Item | pytest.Collector) -> bool:
    """A test without cases has one item all the same: `--baseline` has no patch."""
    return isinstance(found, pytest.Item) and isinstance(case_of(found), Case)


def _share_locations(items: Iterable[pytest.Item | pytest.Collector]) -> None:
    """Find out where each function is defined once, and not once per case, as pytest would."""
    found: dict[str, tuple[str, int | None]] = {}
    for item in items:
        if isinstance(item, pytest.Function):
            if item.originalname not in found:
                found[item.originalname] = item.location[:2]
            # What pytest keeps there once it was asked.
            vars(item)["location"] = (*found[item.originalname], item.name)


def _is_named(item: str, name: str) -> bool:
    """Is `test_build[{sut/instance}]` meant by `test_build`, or by all of it?"""
    return name in (item, item.partition("[")[0])


def place_suite(config: pytest.Config, tracks: Iterable[str]) -> None:
    """Put the suite in the place of default arguments, or beside what the user named.

    The suite's nodeids can be named too, as pytest printed them: then no others of its items run.
    """
    named = config.args if config.args_source is config.ArgsSource.ARGS else []
    placed: dict[str, tuple[str, ...]] = {}
    config.args = []
    for argument in named:
        written, _, name = argument.partition("::")
        # pytest prints nodeids relative to where it was started.
        path = Path(os.path.normpath(config.invocation_params.dir / written))
        in_suite = path.parent == config.rootpath / NODE_ID_PREFIX and not path.exists()
        if in_suite and _track_of(path.name):
            placed[path.name] = (*placed.get(path.name, ()), *([name] if name else []))
        else:
            config.args.append(argument)
    config.args_source = config.ArgsSource.ARGS
    modules = [f"test_{track}.py" for track in tracks]
    config.stash[PLACED] = placed or {m: () for m in modules if _track_of(m)}


def suite(session: pytest.Session) -> SuiteFolder:
    """The collector of the packaged suite."""
    folder: SuiteFolder = SuiteFolder.from_parent(
        session, path=session.config.rootpath / NODE_ID_PREFIX
    )
    return folder


def parametrize(metafunc: pytest.Metafunc) -> None:
    """One item per case for each function that depends on a case."""
    if CASE_FIXTURE not in metafunc.fixturenames:
        return
    plan = metafunc.config.stash[JUDGE].plan
    cases = cases_for(plan, metafunc.definition)
    parameters = [pytest.param(case, id=plan.ids[case]) for case in cases]
    if not cases and isinstance(metafunc.definition.parent, SuiteModule):
        # Whatever the project has pytest do with empty sets of parameters.
        parameters = [pytest.param(None, id="no case")]
    metafunc.parametrize(CASE_FIXTURE, parameters, indirect=True, scope="session")


def cases_for(plan: SessionPlan, item: pytest.Item) -> Sequence[Case]:
    """The cases of the tracks and with the stages that the item's marks name."""
    tracks = {str(mark.args[0]) for mark in item.iter_markers(TRACK_MARK) if mark.args}
    stages = {str(mark.args[0]) for mark in item.iter_markers(STAGE_MARK) if mark.args}
    stages.discard(RESOLVED)
    if not tracks and not stages:
        return plan.cases
    return [
        case
        for case in plan.cases
        if (not tracks or plan.track_of(case) in tracks) and stages.issubset(plan.stages_of(case))
    ]


def case_of(item: pytest.Item) -> Case | None:
    """The case of an item; None for an item without one."""
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(CASE_FIXTURE) if callspec is not None else None


def stage_of(item: pytest.Item) -> str | None:
    """The stage that the item's closest mark names."""
    mark = item.get_closest_marker(STAGE_MARK)
    return str(mark.args[0]) if mark is not None and mark.args else None


def in_suite(item: pytest.Item) -> bool:
    """Is this one of the items that say what became of a stage?"""
    return isinstance(item.parent, SuiteModule)


def remember_selected(session: pytest.Session) -> None:
    """Note which stages of which cases have an item of the suite in this session."""
    session.config.stash[SELECTED] = frozenset(
        (case, stage)
        for item in session.items
        if in_suite(item) and (case := case_of(item)) and (stage := stage_of(item))
    )


def require_stages(item: pytest.Item, evaluation: Evaluation) -> None:
    """Skip or fail the item where a stage that it judges, or builds on, was not reached.

    Skipped only if the failure shows elsewhere in this session: a run of `-k build` must not be
    green because the installation failed.
    """
    if in_suite(item):
        stage = judged_stage(item, evaluation)
        if stage is None or _has_value(evaluation, stage.name):
            return
        blockers = failed_stages(evaluation, stage.name)
    else:
        blockers = _failed_prerequisites(item, evaluation)
    if not blockers:
        return
    reason = why_not_reached(evaluation, blockers)
    selected = item.config.stash[SELECTED]
    if all((evaluation.case, blocker) in selected for blocker in blockers):
        pytest.skip(reason)
    pytest.fail(reason, pytrace=False)


def _has_value(evaluation: Evaluation, stage: str) -> bool:
    """Has the stage's metric a value? It may without having been reached: an empty patch."""
    metrics = get_track(evaluation.track).metrics
    return any(
        evaluation.metrics.get(name) is not None
        for name, metric in metrics.items()
        if metric.stage == stage
    )


def _failed_prerequisites(item: pytest.Item, evaluation: Evaluation) -> tuple[str, ...]:
    """The failed stages that a user's test cannot do without, by its mark and its fixtures."""
    names = [stage.name for stage in evaluation.stages]
    wanted = {str(mark.args[0]) for mark in item.iter_markers(STAGE_MARK) if mark.args}
    fixtures = getattr(item, "fixturenames", ())
    if ARTIFACTS_FIXTURE in fixtures:
        wanted.update(names)
    if SANDBOX_FIXTURE in fixtures:
        wanted.update(names[:1])
    for stage in tuple(wanted):
        wanted.update(failed_stages(evaluation, stage))
    return tuple(
        stage.name
        for stage in evaluation.stages
        if stage.name in wanted and stage.outcome is Outcome.FAILED
    )


def judged_stage(item: pytest.Item, evaluation: Evaluation) -> StageResult | None:
    """The stage that an item of the suite is about; None for `resolved` and for users' tests."""
    name = stage_of(item) if in_suite(item) else None
    return next((stage for stage in evaluation.stages if stage.name == name), None)


def failure_text(item: pytest.Item, evaluation: Evaluation) -> str:
    """What a failing item of the suite shows instead of a traceback."""
    reports = item.config.stash[JUDGE].plan.settings.reports
    stage = judged_stage(item, evaluation)
    if stage is None:
        return resolved_failure(evaluation, reports)
    return stage_failure(evaluation, stage, reports)
