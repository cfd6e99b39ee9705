"""Starting a program, and trying it: the stages that run what was built."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Observations, Stage
from pytest_benchmac.tracks.rewrite.cases.answers import Did, Ended
from pytest_benchmac.tracks.rewrite.cases.comparing import NO_START, difference, expecting
from pytest_benchmac.tracks.rewrite.cases.files import expecting_cases
from pytest_benchmac.tracks.rewrite.cases.models import Case
from pytest_benchmac.tracks.rewrite.driving.generating import generate_inputs
from pytest_benchmac.tracks.rewrite.driving.rooms import (
    RewriteContext,
    build_source,
    running_room,
)
from pytest_benchmac.tracks.rewrite.driving.running import Runner
from pytest_benchmac.tracks.rewrite.environment import (
    generator_recipe,
    judging_recipe,
    source_recipe,
)
from pytest_benchmac.tracks.rewrite.failures import diagnose_cases
from pytest_benchmac.tracks.rewrite.instance import SOURCE, TARGET, RewriteInstance
from pytest_benchmac.tracks.rewrite.memorised import MEMORISED, promised, rates_of
from pytest_benchmac.tracks.rewrite.outcomes import (
    CaseOutcome,
    CasesSeen,
    as_file,
    outcomes_of,
    summed,
)
from pytest_benchmac.tracks.rewrite.stages import BUILD, TREE

#: Fresh inputs by which an instance is valid.
VALID_FRESH = 200
#: Of fresh inputs, the share that the source may fail to answer at all.
_UNANSWERED = 0.02


class StartSeen(Observations):
    """The first case, or the answer to the first look at a server."""

    started: bool = False
    why: ForeignText = ""


class StartStage(Stage[RewriteInstance, StartSeen]):
    """The program can be started; what it answers is nobody's business yet."""

    name = "start"
    needs = ("build",)
    observations = StartSeen

    def run(self, context: RewriteContext) -> StartSeen:
        """Run the first case."""
        first = expecting_cases(context.instance)[:1]
        with _room(context) as runner:
            did = runner.run(first, budget_s=context.instance.timeouts.start)[first[0].id]
        (context.logs / "start.log").write_bytes(did.stdout[-100_000:] + did.stderr[-100_000:])
        if did.started:
            return StartSeen(started=True)
        said = did.stderr.decode(errors="replace").strip().splitlines()[-3:]
        told = f"exit status {did.exit}" if did.exit is not None else f"{did.ended}"
        return StartSeen(why=": ".join([told, *said]))

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """How it ended."""
        seen = self.seen(result)
        return "" if seen.started else f"{NO_START}: {seen.why}"

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """It does not start."""
        return Diagnosis(cause="no_start", evidence=reason[:300])


class CasesStage(Stage[RewriteInstance, CasesSeen]):
    """Every recorded case is answered as it was recorded; the source does so twice."""

    name = "cases"
    needs = ("start",)
    observations = CasesSeen

    def run(self, context: RewriteContext) -> CasesSeen:
        """Run them all."""
        cases, budget = expecting_cases(context.instance), context.instance.timeouts.cases
        began = time.monotonic()
        with _room(context) as runner:
            did = runner.run(cases, budget_s=budget, seed=context.seed)
            spent = time.monotonic() - began
            differences = {case.id: difference(case, did[case.id]) for case in cases}
            if context.submission.kind is SubmissionKind.BASELINE:
                again = runner.run(cases, budget_s=budget, seed=context.seed + 1)
                for case in cases:
                    second = difference(case, again[case.id])
                    if second and not differences[case.id]:
                        differences[case.id] = f"the second time: {second}"
        outcomes = outcomes_of(cases, did, differences)
        _keep(context, "cases", outcomes)
        rates = rates_of(cases, [each.id for each in outcomes if not each.passed])
        return _seen(context, outcomes, spent).model_copy(update={"rates": rates})

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The first that failed."""
        return _reason(self.seen(result))

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """The class of the failure."""
        return diagnose_cases(CasesSeen.model_validate(observations))


class FreshSeen(CasesSeen):
    """Fresh inputs."""

    #: What they were drawn from.
    seed: int = 0
    #: Inputs that the source did not answer, and that do not count.
    unanswered: int = 0
    #: Seconds for building the source, and for its answers.
    source_s: float = 0.0


class FreshStage(Stage[RewriteInstance, FreshSeen]):
    """Inputs that nobody has seen are answered as the source answers them."""

    name = "fresh"
    needs = ("start",)
    observations = FreshSeen

    def run(self, context: RewriteContext) -> FreshSeen:
        """Draw inputs, ask the source, then the rewrite; the source, twice, for the baseline."""
        instance, log = context.instance, context.logs / "fresh.log"
        baseline = context.submission.kind is SubmissionKind.BASELINE
        count = VALID_FRESH if baseline else instance.suite.fresh
        with context.bare(generator_recipe()) as room:
            cases = generate_inputs(instance, room.sandbox, context.seed, count, log)
        budget = instance.timeouts.fresh
        began = time.monotonic()
        if baseline:
            with _room(context) as runner:
                told = runner.run(cases, budget_s=budget, seed=context.seed)
                asked, unanswered = _answered(context, cases, told)
                source_s = time.monotonic() - began
                did = runner.run(cases, budget_s=budget, seed=context.seed + 1)
        else:
            built = context.scratch / "source.tar"
            with context.untouched() as room:
                build_source(room.sandbox, instance, built, log)
            run_cmd = instance.benchmark.source.run_cmd
            recipe = source_recipe(instance)
            with running_room(
                context, recipe, built, SOURCE, run_cmd, log, recorded=False
            ) as runner:
                told = runner.run(cases, budget_s=budget, seed=context.seed)
            asked, unanswered = _answered(context, cases, told)
            source_s = time.monotonic() - began
            with _room(context) as runner:
                did = runner.run(asked, budget_s=budget, seed=context.seed)
        spent = time.monotonic() - began - source_s
        differences = {
            case.id: difference(expecting(case, told[case.id]), did[case.id]) for case in asked
        }
        outcomes = outcomes_of(asked, did, differences)
        _keep(context, "fresh", outcomes, seed=context.seed)
        seen = _seen(context, outcomes, spent)
        if not context.integrity.unchecked:
            _check_memorised(context, asked, seen)
        return FreshSeen(
            **dict(seen), seed=context.seed, unanswered=unanswered, source_s=round(source_s, 3)
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The first that differs."""
        return _reason(self.seen(result))

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """The class of the failure."""
        return diagnose_cases(CasesSeen.model_validate(observations))


def _room(context: RewriteContext) -> AbstractContextManager[Runner]:
    """Where the built program runs: what is judged, or the source as its own baseline."""
    built = context.of(BUILD).built
    if built is None:
        raise LookupError("the build stage left nothing")
    instance, log = context.instance, context.logs / "cases.log"
    if context.submission.kind is SubmissionKind.BASELINE:
        command, recipe = instance.benchmark.source.run_cmd, source_recipe(instance)
        return running_room(context, recipe, built, SOURCE, command, log)
    command, recipe = instance.benchmark.destination.run_cmd, judging_recipe(instance)
    return running_room(context, recipe, built, TARGET, command, log)


def _answered(
    context: RewriteContext, cases: list[Case], told: Mapping[str, Did]
) -> tuple[list[Case], int]:
    """The inputs that the source answered, and how many it did not."""
    asked = [case for case in cases if _is_whole(told[case.id])]
    unanswered = len(cases) - len(asked)
    if unanswered > _UNANSWERED * len(cases):
        raise BaselineError(
            f"{context.instance.id}: the source does not answer {unanswered} of {len(cases)} fresh "
            "inputs",
            remedy="Correct `suite/fresh.py`, or give cases more time.",
        )
    return asked, unanswered


def _is_whole(did: Did) -> bool:
    """Did a program come to its end by itself, with all that it had to say?"""
    answered = all(answer.status is not None for answer in did.answers)
    return did.ended is Ended.EXITED and did.ready and answered and not did.cut


def _keep(context: RewriteContext, name: str, outcomes: list[CaseOutcome], **more: object) -> None:
    """Put `NAME/NAME.json` among the case's artifacts."""
    if context.artifacts is None:
        context.collect(())
    folder = context.scratch / name
    folder.mkdir()
    (folder / f"{name}.json").write_bytes(as_file(outcomes, **more))
    context.keep(folder, name)


def _seen(context: RewriteContext, outcomes: list[CaseOutcome], spent: float) -> CasesSeen:
    lines: dict[str, int] = {}
    if context.submission.kind is not SubmissionKind.BASELINE:
        tree = context.of(TREE)
        lines = {"lines": tree.lines, "source_lines": tree.source_lines}
    return CasesSeen(**summed(outcomes), **lines, cases_s=round(spent, 3))


def _check_memorised(context: RewriteContext, cases: list[Case], fresh: CasesSeen) -> None:
    with context.integrity.leg("memorised") as leg:
        try:
            rates = context.of(CASES).rates
        except LookupError:
            rates = {}
        wanted = promised(cases, rates)
        context.integrity.facts["promised"] = round(wanted, 3)
        if wanted - fresh.rate > MEMORISED:
            leg.findings.fatal(
                "memorised",
                "Recorded inputs are answered, and fresh ones that ask the same are not.",
                expected=f"at least {wanted - MEMORISED:.2f} of fresh inputs",
                seen=f"{fresh.rate:.2f}",
            )


def _reason(seen: CasesSeen) -> str:
    if not seen.total:
        return "there are no cases"
    if seen.passed == seen.total:
        return ""
    first = seen.failed[0]
    return f"{seen.total - seen.passed} of {seen.total} cases fail; {first.id}: {first.how}"


START, CASES, FRESH = StartStage(), CasesStage(), FreshStage()
#: In the order they run.
STAGES: tuple[Stage[RewriteInstance, Any], ...] = (TREE, BUILD, START, CASES, FRESH)
