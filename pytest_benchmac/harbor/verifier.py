"""Harbor's verifier: the patch that an agent left is judged as `pytest --patch-dir` judges it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from harbor.models.verifier.result import VerifierResult
from harbor.verifier.base import BaseVerifier

from pytest_benchmac.api.pool import Judge
from pytest_benchmac.api.reward import NotJudgedError
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.harbor.places import EVALUATION, PATCH, instance_of
from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.options import SOURCE_MIRROR_VARIABLE
from pytest_benchmac.model.settings import NetworkName, SandboxName, Settings, default_network


class NoPatchError(InfrastructureError):
    """The agent's container gave no patch, not even an empty one."""


class Verifier(BaseVerifier):
    """Judges `patch.diff` of an exported task in sandboxes in which the agent never ran.

    The judging is this process's own: nothing of the agent's container has a part in it but the
    patch. Rewards are every metric of the track, and `reward`, which is 1 for a case that is
    resolved with clean integrity. The whole record is `verifier/evaluation.json` of the trial.

    Args (beside Harbor's own; `--verifier-kwarg name=value`):
        sandbox: `auto`, `docker`, `bubblewrap` or `local`.
        network: `proxied`, `offline` or `open`; by default the sandbox's own.
        source_mirror: folder of bare repositories, used instead of cloning.
        cache: images, sources and packages.
        reports: folder for records and logs; by default one in the trial's `verifier`.
    """

    def __init__(
        self,
        *,
        sandbox: SandboxName = "auto",
        network: NetworkName | None = None,
        source_mirror: str | None = None,
        cache: str | None = None,
        reports: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if sandbox not in get_args(SandboxName):
            raise InputError(f"{sandbox!r} is no sandbox", where="--verifier-kwarg sandbox")
        mirror = source_mirror or os.environ.get(SOURCE_MIRROR_VARIABLE)
        settings = Settings(
            reports=Path(reports or self.trial_paths.verifier_dir / "reports").absolute(),
            sandbox=sandbox,
            network=network or default_network(sandbox),
            source_mirror=None if mirror is None else Path(mirror).absolute(),
        )
        self._settings = settings
        if cache is not None:
            self._settings = replace(settings, cache=Path(cache).absolute())

    async def verify(self) -> VerifierResult:
        """Judge the patch.

        Raises:
            InputError: the task is none that `benchmac export harbor` wrote.
            NoPatchError: there is no patch to judge.
            NotJudgedError: infrastructure failed, which is no reward.
        """
        instance = instance_of(self.task.paths.task_dir)
        if instance is None:
            raise InputError(
                "`benchmac export harbor` did not write this task", where=self.task.paths.task_dir
            )
        patch = self.trial_paths.artifacts_dir / PATCH.relative_to("/")
        if not patch.is_file() or patch.is_symlink():
            raise NoPatchError(
                f"the agent's container gave no {PATCH}",
                remedy="trial.log says what its collection printed",
            )
        async with Judge(self._settings, workers=1) as judge:
            judged = await judge.evaluate(instance, patch, sut="harbor")
        if judged.status == "error":
            raise NotJudgedError(str(judged.error))
        write_whole(
            self.trial_paths.verifier_dir / EVALUATION, judged.model_dump_json(indent=2) + "\n"
        )
        rewards = rewards_of(judged)
        write_whole(self.trial_paths.reward_json_path, json.dumps(rewards, indent=2) + "\n")
        return VerifierResult(rewards=rewards)


def rewards_of(evaluation: Evaluation) -> dict[str, float | int]:
    """Every metric as a number, and `reward`; a metric that was not reached is 0.

    Harbor takes numbers alone.
    """
    metrics: Mapping[str, Any] = evaluation.metrics
    clean = evaluation.integrity.verdict is Verdict.CLEAN
    resolved = int(evaluation.resolved and clean)
    numbers = {
        name: int(value) if isinstance(value, bool) else value or 0
        for name, value in metrics.items()
    }
    return {**numbers, "resolved": resolved, "reward": resolved}
