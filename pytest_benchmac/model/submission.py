"""One system under test's patch for one instance, and the key of their evaluation."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated
from urllib.parse import quote

from pydantic import ConfigDict, Field

from pytest_benchmac.model.base import AttemptNumber, InstanceId, Model, Sha256, SutName


class SubmissionKind(StrEnum):
    """A SUT's patch, or one of the harness's two self-tests."""

    PATCH = "patch"
    SILVER = "silver"
    BASELINE = "baseline"


#: SUT names that only the self-tests use.
RESERVED_SUTS = frozenset({SubmissionKind.SILVER.value, SubmissionKind.BASELINE.value})
#: Well below the 255 bytes that file systems allow.
_FILE_NAME_BYTES = 200


def encode_name(name: str) -> str:
    """Percent-encode a SUT's name so that it is one safe file name and one word of a test's id.

    Different names have different encodings. `urllib.parse.unquote` gives the name back, unless
    its encoding is longer than 200 characters: then the rest is replaced by `~` and a digest.
    """
    # `~` marks names that were cut, so no whole name may hold one. A leading dot would hide the
    # folder, or leave the parent.
    encoded = quote(name, safe="+=,@").replace("~", "%7E")
    if encoded.startswith("."):
        encoded = "%2E" + encoded[1:]
    if len(encoded) <= _FILE_NAME_BYTES:
        return encoded
    digest = hashlib.sha256(name.encode()).hexdigest()[:32]
    return f"{encoded[: _FILE_NAME_BYTES - 33]}~{digest}"


#: Dollars or seconds that somebody says were spent; sums of a million of them are finite.
Spent = Annotated[float, Field(ge=0, le=1e12)]
#: Likewise, of steps.
StepCount = Annotated[int, Field(ge=0, le=10**12)]


class Metadata(Model):
    """What a SUT says about how its patch came about (`<instance_id>.json`); all optional."""

    model_config = ConfigDict(frozen=True, extra="allow")

    sut: SutName | None = None
    cost_usd: Spent | None = None
    steps: StepCount | None = None
    duration_s: Spent | None = None
    #: How the SUT ended, such as `submitted` or `step_limit`.
    exit_reason: str | None = None
    #: Path of its steps, in the patch folder.
    trajectory: str | None = None


class Case(Model):
    """The key of one evaluation: (instance, SUT, attempt). Hashable, equal by value."""

    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1

    @property
    def id(self) -> str:
        """Word for the ids of tests: `{sut/instance}`, or `{sut/instance#2}` for attempt 2."""
        suffix = f"#{self.attempt}" if self.attempt > 1 else ""
        return f"{{{encode_name(self.sut)}/{self.instance_id}{suffix}}}"

    @property
    def stem(self) -> PurePosixPath:
        """Relative path without extension, the same below evaluations/, logs/ and artifacts/."""
        suffix = f".{self.attempt}" if self.attempt > 1 else ""
        return PurePosixPath(encode_name(self.sut)) / f"{self.instance_id}{suffix}"


class Submission(Model):
    """One SUT's patch for one instance. The patch stays on disk; only its digest is held."""

    case: Case
    kind: SubmissionKind = SubmissionKind.PATCH
    #: The patch as bytes on disk; None for the baseline, which has none, and for a silver patch
    #: that is yet to be derived from two commits.
    patch: Path | None = None
    patch_sha256: Sha256 | None = None
    patch_bytes: int = 0
    #: True when the patch holds nothing but white space.
    empty: bool = False
    metadata: Metadata = Metadata()
