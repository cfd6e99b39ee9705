"""Inspect's scorer: the patch is judged as `pytest --patch-dir` judges it."""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from pytest_benchmac.api.pool import Judge
from pytest_benchmac.api.reward import NotJudgedError, reward
from pytest_benchmac.generate.worktree import UncollectableError
from pytest_benchmac.inspect.environment import BenchmacSandbox
from pytest_benchmac.model.evaluation import Evaluation, Verdict

#: Of a patch, as the answer that logs show; the whole patch is in the report folder.
_SHOWN = 100_000


@scorer(metrics={"resolved": [mean(), stderr()], "reward": [mean()]})
def verdict() -> Scorer:
    """`resolved`: 1 for a case that is resolved and clean, else 0. `reward`: see `api.reward`.

    The explanation has stages and findings; the metadata say where record and logs are. An
    infrastructure error ends the sample in an error instead of a score.
    """

    async def score(state: TaskState, target: Target) -> Score:
        environment = sandbox().as_type(BenchmacSandbox)
        place = environment.place
        try:
            patch = await environment.patch()
        except UncollectableError as error:
            return Score(value={"resolved": 0, "reward": 0}, explanation=f"no patch: {error}")
        sut = str(state.model).replace("/", "-")
        async with Judge(place.settings, workers=1) as judge:
            judged = await judge.evaluate(place.instance, patch, sut=sut)
        if judged.status == "error":
            raise NotJudgedError(str(judged.error))
        clean = judged.integrity.verdict is Verdict.CLEAN
        return Score(
            value={"resolved": int(judged.resolved and clean), "reward": reward(judged)},
            answer=patch[:_SHOWN].decode(errors="replace"),
            explanation=explain(judged),
            metadata={
                "reports": str(place.settings.reports),
                "case": judged.case.id,
                "metrics": judged.metrics,
                "integrity": judged.integrity.verdict.value,
            },
        )

    return score


def explain(evaluation: Evaluation) -> str:
    """Stages and findings, in Markdown."""
    lines = ["| stage | outcome | seconds | reason |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {each.name} | {each.outcome.value.replace('_', ' ')} | {each.duration_s:.1f} | "
        f"{each.reason.replace('|', chr(92) + '|')} |"
        for each in evaluation.stages
    ]
    lines += ["", f"integrity: {evaluation.integrity.verdict.value}"]
    lines += [
        f"- {each.severity.value} `{each.code}`: {each.message}"
        for each in evaluation.integrity.findings
    ]
    return "\n".join(lines)
