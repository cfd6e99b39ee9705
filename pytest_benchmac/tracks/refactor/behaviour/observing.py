"""What the program does through its command line, and what of it runs meanwhile."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from pytest_benchmac.foreign.tree import SourceTree, TreeBounds
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import CommandResult, Sandbox
from pytest_benchmac.tracks.observations import Observations
from pytest_benchmac.tracks.refactor.behaviour.cases import difference, read_cases
from pytest_benchmac.tracks.refactor.behaviour.executed import TRACINGS, Bodies, Executed, Tracer
from pytest_benchmac.tracks.refactor.behaviour.running import CaseRunner
from pytest_benchmac.tracks.refactor.environment import refactor_recipe, variables
from pytest_benchmac.tracks.refactor.own_tests import own_tests
from pytest_benchmac.tracks.refactor.rules.files import Rule
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from pytest_benchmac.tracks.refactor.trees import RefactorContext
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import TestRunner

_MAX_TOLD = 20
_SET_UP_S = 60.0
#: Of the project as it was installed.
_BUILT_BYTES, _BUILT_FILES = 1024 * MIB, 100_000


class Different(Model):
    """A case that ended otherwise than expected."""

    id: str
    how: ForeignText


class BehaviourSeen(Observations):
    """The cases."""

    cases: int = 0
    #: Those that ended otherwise, and some of them.
    differing: int = 0
    different: tuple[Different, ...] = ()
    problem: ForeignText = ""
    #: Seconds for all cases, and for all of them once more, traced.
    cases_s: float = 0.0
    traced_s: float = 0.0
    #: What of the sources ran; None where that was not asked, or the language does not tell.
    executed: Executed | None = Field(default=None, exclude=True)


def observe_behaviour(context: RefactorContext, *, trace: bool) -> BehaviourSeen:
    """Run every case on what is installed, in a sandbox of its own, without any network.

    What the program does is looked at without tracing; then all cases run again, traced.

    Args:
        context: of the sandbox that it is installed in.
        trace: is it to be told what of the sources runs?

    Raises:
        InfrastructureError: the sandbox failed.
    """
    instance = context.instance
    cases, own = read_cases(instance), own_tests(instance)
    log = context.logs / "behaviour.project.log"
    command = instance.behaviour.run if instance.behaviour is not None else ""
    try:
        with TemporaryDirectory(dir=context.scratch) as folder:
            project = own.pack(context.sandbox, Path(folder), log)
            with context.bare(refactor_recipe(instance)) as bare:
                sandbox = bare.sandbox
                TestRunner(sandbox, own.reporter, log).bring(project)
                project.unlink()
                env = variables(instance, sandbox.home)
                logs = context.logs / "behaviour.log"

                def run(line: str, timeout_s: float, more: Mapping[str, str]) -> CommandResult:
                    return sandbox.run(line, timeout_s=timeout_s, log=logs, env={**env, **more})

                runner = CaseRunner(
                    sandbox, command, cases, timeout_s=instance.timeouts.case, run=run
                )
                began = time.monotonic()
                did = runner.run({})
                different = [
                    Different(id=case.id, how=how)
                    for case in cases
                    if (how := difference(case, did[case.id]))
                ]
                ended = time.monotonic()
                executed = None
                if trace and instance.environment.language in TRACINGS and not different:
                    tracer = Tracer(sandbox, instance.environment.language)
                    sandbox.run(tracer.set_up, timeout_s=_SET_UP_S, log=log)
                    runner.run(tracer.env)
                    executed = _read(tracer, sandbox, Path(folder))
    except BrokenRunError as error:
        return BehaviourSeen(cases=len(cases), problem=str(error))
    except CopyLimitError as error:
        return BehaviourSeen(cases=len(cases), problem=f"there is too much to be read: {error}")
    return BehaviourSeen(
        cases=len(cases),
        differing=len(different),
        different=tuple(different[:_MAX_TOLD]),
        cases_s=round(ended - began, 3),
        traced_s=round(time.monotonic() - ended, 3) if executed is not None else 0.0,
        executed=executed,
    )


def _read(tracer: Tracer, sandbox: Sandbox, folder: Path) -> Executed:
    built, traces = folder / "built", folder / "traces"
    built.mkdir()
    traces.mkdir()
    sandbox.copy_out(sandbox.project, built, max_bytes=_BUILT_BYTES, max_files=_BUILT_FILES)
    return tracer.read(traces, SourceTree.scan(built, TreeBounds(files=_BUILT_FILES)))


def shares_of(
    rules: Sequence[Rule], scan: Scan, executed: Executed, bodies: Bodies
) -> dict[str, float]:
    """Of each rule's matches the largest share of lines that ran. Pure."""
    return {
        rule.key: max(
            (executed.share(each, bodies) for each in scan.matches[rule.key]), default=0.0
        )
        for rule in rules
        if rule.key in scan.matches
    }
