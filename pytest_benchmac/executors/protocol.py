"""What a session asks of the place where its cases are judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.submission import Case


class Executor(Protocol):
    """Judges the cases of one session; records are in its report folder when it hands them out."""

    #: Are all cases begun at the start, and reported as they end? Else each when it is asked for.
    ahead: bool

    def start(self, cases: Sequence[Case]) -> None:
        """These are going to be asked for; the first of them begin first."""
        ...

    def ended(self, count: int) -> Iterator[Case]:
        """So many of the started cases, in the order in which they end; waits for each."""
        ...

    def judge(self, case: Case) -> Evaluation:
        """The evaluation of a case, waited for; its `status` may be `error`.

        Raises:
            InfrastructureError: there is none, and no record: where it was judged is gone, or the
                record cannot be written.
        """
        ...

    def close(self) -> None:
        """End what still runs, wherever that is; nothing of it is left running."""
        ...
