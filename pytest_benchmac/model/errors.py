"""Every error the package raises on purpose.

Two families matter to a caller: `InputError` (what a user gave is wrong: pytest exits 4, the
command line exits 4) and `InfrastructureError` (harness, engine, network, disk or registry failed:
a pytest *error*, never counted against a SUT).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

#: Problems told in full; beyond them only the count helps.
MAX_PROBLEMS_SHOWN = 20


class BenchmacError(Exception):
    """Base of every error raised on purpose."""


class InputError(BenchmacError):
    """Something the user gave cannot be used.

    Args:
        what: one sentence: what is wrong, with the value seen.
        where: the file (with a line or key where known) or the option at fault.
        remedy: what to do about it.
    """

    def __init__(self, what: str, *, where: str | Path, remedy: str = "") -> None:
        self.what, self.where, self.remedy = what, str(where), remedy
        super().__init__(f"{where}: {what}" + (f"\n  {remedy}" if remedy else ""))

    @classmethod
    def join(cls, problems: Sequence[Self], *, where: str | Path) -> Self:
        """One error that tells all problems at once, so that a user mends them in one go."""
        if len(problems) == 1:
            return problems[0]
        told = [str(problem).replace("\n", "\n  ") for problem in problems[:MAX_PROBLEMS_SHOWN]]
        if len(problems) > len(told):
            told.append(f"... and {len(problems) - len(told)} more")
        return cls("\n  ".join([f"{len(problems)} problems", *told]), where=where)


class InstanceError(InputError):
    """An instance file is missing, malformed or inconsistent."""


class SubmissionError(InputError):
    """A patch, sidecar or predictions file cannot be used."""


class RecordError(InputError):
    """A stored evaluation or report folder cannot be read."""


class InfrastructureError(BenchmacError):
    """The harness, engine, network, disk or registry failed; never counted against a SUT.

    Args:
        what: one sentence: what failed, with the cause's own words.
        remedy: what to do about it.
    """

    def __init__(self, what: str, *, remedy: str = "") -> None:
        self.what, self.remedy = what, remedy
        super().__init__(what + (f"\n  {remedy}" if remedy else ""))


class SandboxError(InfrastructureError):
    """A sandbox cannot be started, or its engine stopped answering."""


class CopyLimitError(BenchmacError):
    """What a sandbox offers to be copied out is larger than the bounds; nothing was kept."""


class ImageError(InfrastructureError):
    """A base or instance image cannot be pulled, bootstrapped or built."""


class TrackError(InfrastructureError):
    """A track is not installed, is registered wrongly, or lacks a stage that is asked for."""


class SourceError(InfrastructureError):
    """The source of an instance cannot be had."""


class NetworkError(InfrastructureError):
    """The network policy cannot be put in force, or an offline run asked for what is not stored."""


class UnansweredError(NetworkError):
    """A registry does not answer the harness itself, or offline nothing is stored."""


class BaselineError(InfrastructureError):
    """The untouched base of an instance does not do what every patch is compared with."""


class WorkerError(InfrastructureError):
    """The process that judged a case died, and nobody judged it after."""


class StoreError(InfrastructureError):
    """A record cannot be written, for want of disk space or rights."""
