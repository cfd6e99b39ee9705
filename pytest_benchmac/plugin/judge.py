"""The evaluations of one process: each case is judged once, however many items ask for it."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from pathlib import Path

from pytest_benchmac.executors.protocol import Executor
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import RecordError, StoreError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.submission import Case
from pytest_benchmac.network.network import Network
from pytest_benchmac.plugin.plan import SessionPlan


class Judge:
    """Hands out evaluations, from memory, from this session's records, or by judging."""

    def __init__(self, plan: SessionPlan, network: Network, executor: Executor) -> None:
        self.plan = plan
        self.network = network
        self.executor = executor
        self._store = EvaluationStore(plan.settings.reports)
        #: One only: pytest groups items by case, and records may be large.
        self._latest: Evaluation | None = None
        #: Errors may have no record: they do not take the place of a finished one.
        self._errors: dict[Case, Evaluation] = {}
        self._spent_s = 0.0

    def evaluation(self, case: Case) -> Evaluation:
        """The evaluation of the case; its `status` may be `error`.

        Raises:
            StoreError: the record cannot be written.
        """
        known = self.latest(case) or self._errors.get(case) or self._of_this_session(case)
        if known is None:
            started = time.perf_counter()
            try:
                known = self.executor.judge(case)
            finally:
                self._spent_s += time.perf_counter() - started
            if known.status == "error":
                self._errors[case] = known
            # Without the note, the case is only judged once more.
            with suppress(StoreError):
                write_whole(self._note(case), known.run_mark)
        self._latest = known
        return known

    def close(self) -> None:
        """Stop what was started for all cases of this process."""
        try:
            self.executor.close()
        finally:
            self.network.close()

    def latest(self, case: Case) -> Evaluation | None:
        """The evaluation that was handed out last, if it is this case's."""
        found = self._latest is not None and self._latest.case == case
        return self._latest if found else None

    def take_spent_s(self) -> float:
        """Seconds spent on judging since this was last asked."""
        spent_s, self._spent_s = self._spent_s, 0.0
        return spent_s

    def _of_this_session(self, case: Case) -> Evaluation | None:
        """A record that another worker wrote before it died, or this one before other cases.

        Even `--rerun` judges a case only once. What the session wrote it has noted: times tell
        nothing, since clocks are set, and sessions may share a report folder.
        """
        try:
            noted = self._note(case).read_text()
            stored = self._store.load(case)
        except (OSError, RecordError):
            return None
        return stored if stored is not None and stored.run_mark == noted else None

    def _note(self, case: Case) -> Path:
        """Where this session notes which record of the case is its own."""
        name = hashlib.sha256(case.id.encode()).hexdigest()[:32]
        return self.plan.scratch / "judged" / name
