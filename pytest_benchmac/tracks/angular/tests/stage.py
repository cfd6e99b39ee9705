"""The test stage of a case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import BaselineError, CopyLimitError
from pytest_benchmac.tracks.angular.tests.runner import (
    BrokenRunError,
    TestRunner,
    pack_project,
    tests_recipe,
)
from pytest_benchmac.tracks.angular.tests.runs import RecordedRuns, ReporterName, Run, held, unrun
from pytest_benchmac.tracks.protocol import StageContext


def test_stage(
    context: StageContext,
    command: str,
    base: BaseRecipe,
    runs: Path,
    *,
    reporter: ReporterName,
    timeout_s: float,
    env: Mapping[str, str],
) -> dict[str, Any]:
    """Run the instance's own tests on the patched tree, and hold them against the recorded runs.

    Args:
        context: of the test stage; the application is installed in its sandbox.
        command: the instance's, without the harness's options.
        base: the instance's own recipe.
        runs: the file with the recorded runs.
        reporter: what runs the tests.
        timeout_s: seconds for the tests.
        env: of the track's commands.

    Returns:
        A `RunResult`, as data.

    Raises:
        BaselineError: the recorded runs are of no use.
        InfrastructureError: the sandbox or the harness failed.
    """
    recorded = RecordedRuns.read(runs)
    if recorded.reporter != reporter:
        raise BaselineError(
            f"{runs} holds runs of {recorded.reporter}; the instance's tests are {reporter}'s",
            remedy=f"`benchmac record-tests {context.instance.id}` writes it anew.",
        )
    try:
        run = _run(context, command, base, reporter, timeout_s, env)
    except BrokenRunError as error:
        return unrun(recorded, str(error)).model_dump(mode="json")
    except CopyLimitError as error:
        return unrun(recorded, f"the project is too large: {error}").model_dump(mode="json")
    return held(recorded, run).model_dump(mode="json")


def _run(
    context: StageContext,
    command: str,
    base: BaseRecipe,
    reporter: ReporterName,
    timeout_s: float,
    env: Mapping[str, str],
) -> Run:
    log = context.logs / "test.project.log"
    with TemporaryDirectory(dir=context.scratch) as folder:
        project = pack_project(context.sandbox, Path(folder), log)
        with context.bare(tests_recipe(base)) as bare:
            runner = TestRunner(bare.sandbox, reporter, log)
            runner.bring(project)
            project.unlink()
            return runner.run(
                command,
                lambda line: bare.run(line, timeout_s=timeout_s, env=env).attempt.exit_code,
            )
