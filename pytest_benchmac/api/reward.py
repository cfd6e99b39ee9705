"""One number for training, from an evaluation. No ranking uses it."""

from __future__ import annotations

from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict
from pytest_benchmac.tracks.metrics import RESOLVED
from pytest_benchmac.tracks.registry import get_track

#: What a case that is not resolved earns at most.
PARTIAL = 0.9


class NotJudgedError(BenchmacError):
    """Infrastructure failed: the evaluation says nothing about the patch."""


def reward(evaluation: Evaluation) -> float:
    """How good a patch is, between 0 and 1, with credit for part of the way.

    - 1 for a resolved case whose integrity checks ran and found nothing fatal.
    - 0 for a rejected one, however far it came, and for a patch that was refused: what looks like
      a migration and is none must never pay.
    - Else 0.9 times the headline metric where the track ranks by a share, and 0.9 times the share
      of its stages that passed where it ranks by `resolved`.

    Raises:
        NotJudgedError: the case ended in an infrastructure error. Judge it again, or leave it out:
            a number for it would teach something wrong.
    """
    if evaluation.status == "error":
        told = "" if evaluation.error is None else f": {evaluation.error.message}"
        raise NotJudgedError(f"{evaluation.case.id} ended in an error{told}")
    verdict = evaluation.integrity.verdict
    if verdict is Verdict.REJECTED or evaluation.refused is not None:
        return 0.0
    if evaluation.resolved and verdict is Verdict.CLEAN:
        return 1.0
    headline = get_track(evaluation.track).headline
    if headline != RESOLVED:
        return PARTIAL * float(evaluation.metrics.get(headline) or 0.0)
    passed = sum(each.outcome is Outcome.PASSED for each in evaluation.stages)
    return PARTIAL * passed / max(1, len(evaluation.stages))
