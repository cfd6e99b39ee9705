"""Judges in the process that asks, one case at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import Observer
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network


class LocalExecutor:
    """See `Executor`; under pytest-xdist, each worker has one."""

    ahead = False

    def __init__(
        self,
        instances: Mapping[str, Instance],
        submissions: Mapping[Case, Submission],
        settings: Settings,
        *,
        network: Network,
        observer: Observer,
    ) -> None:
        """See `run_case`; instances are found by their ids."""
        self._instances, self._submissions, self._settings = instances, submissions, settings
        self._network, self._observer = network, observer

    def start(self, cases: Sequence[Case]) -> None:
        """Nothing begins before it is asked for."""

    def ended(self, count: int) -> Iterator[Case]:
        """None: nothing begins before it is asked for."""
        return iter(())

    def judge(self, case: Case) -> Evaluation:
        """Judge the case now, or take what is stored of the same inputs."""
        evaluation, _ = run_case(
            self._instances[case.instance_id],
            self._submissions[case],
            self._settings,
            network=self._network,
            observer=self._observer,
        )
        return evaluation

    def close(self) -> None:
        """Nothing runs on."""
