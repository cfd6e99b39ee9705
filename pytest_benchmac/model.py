"""The records: instances, submissions, stage results and evaluations.

All are frozen and validated. Nothing here knows a track: a track narrows `Instance` (its own
environment, commands and timeouts) and names its own stages and metrics.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self
from urllib.parse import quote

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

#: true, false, a share in [0, 1], or None where the evaluation did not reach it.
MetricValue = bool | Annotated[float, Field(ge=0, le=1)] | None

#: What a track learns once per instance from the untouched base; JSON-serialisable.
BaselineFacts = dict[str, Any]

# The descriptions below are shown to people whose file does not match the pattern.
InstanceId = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"),
    Field(description="1 to 128 letters, digits, `.`, `_` or `-`, a letter or digit first"),
]
#: Any character is allowed in a SUT's name; `encode_name` makes a file name of it.
SutName = Annotated[
    str, StringConstraints(min_length=1, max_length=512), Field(description="1 to 512 characters")
]
#: Which try of the SUT at the instance, counted from 1.
AttemptNumber = Annotated[int, Field(ge=1)]
Sha256 = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{64}$"),
    Field(description="64 lower-case hexadecimal digits"),
]
Commit = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{40}$"),
    Field(description="40 lower-case hexadecimal digits"),
]
#: An image reference pinned by digest, as `docker pull` takes it.
ImageReference = Annotated[
    str,
    StringConstraints(pattern=r"^[^\s@]+@sha256:[0-9a-f]{64}$"),
    Field(description="an image pinned by digest: `name@sha256:` and 64 hexadecimal digits"),
]
#: A duration in seconds, larger than zero.
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def _well_formed(value: Any) -> Any:
    r"""Escape lone surrogates, which UTF-8 and so JSON and terminals cannot hold.

    A sandbox can make some appear anywhere: `"\ud800"` in a JSON file, or a file name in Latin-1.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_well_formed(key): _well_formed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_well_formed(item) for item in value]
    return value


#: Text that comes out of a sandbox or a patch.
ForeignText = Annotated[str, AfterValidator(_well_formed)]


class Model(BaseModel):
    """Frozen, and closed: an unknown key is an error, not a surprise."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        # Records are written with every key, and readers may rely on that.
        json_schema_serialization_defaults_required=True,
    )


# --- instances ---------------------------------------------------------------------------------


class Source(Model):
    """Where the base tree comes from: a folder beside instance.toml, or one commit of a git URL."""

    path: str | None = None
    git: str | None = None
    commit: Commit | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.path is None) == (self.git is None):
            raise ValueError("give either `path` (a local folder) or `git` with `commit`")
        if (self.git is None) != (self.commit is None):
            raise ValueError("`git` and `commit` (40 hexadecimal digits) go together")
        return self


class Migration(Model):
    """What the patch has to achieve: exact version at the base, version (or major) to reach."""

    source_version: str
    target_version: str


class Environment(Model):
    """What the instance runs on; tracks add exact tool versions."""

    image: ImageReference


class Commands(Model):
    """The instance's own command lines, run by `sh -c` in the project; tracks name them."""

    @model_validator(mode="after")
    def _none_blank(self) -> Self:
        for name, command in self:
            if isinstance(command, str) and not command.strip():
                # An empty command succeeds, and its metric would be true for any patch.
                raise ValueError(f"`{name}` is blank: give a command line")
        return self


class Timeouts(Model):
    """Seconds per stage; tracks add one per stage of theirs."""

    patch: Seconds = 60.0


class Silver(Model):
    """A known-good patch: a file beside instance.toml, or a commit of the source repository."""

    patch: str | None = None
    commit: Commit | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.patch is None) == (self.commit is None):
            raise ValueError("give either `patch` (a file) or `commit` (40 hexadecimal digits)")
        return self


class HttpFixture(Model):
    """A recorded answer that sandboxes get instead of the real host's.

    `url` is matched without its query string; the body is `body`, or the file `body_file` beside
    instance.toml.
    """

    url: Annotated[
        str,
        StringConstraints(pattern=r"^https?://[^/\s]+/\S*$"),
        Field(description="an http or https address with a host and a path, without spaces"),
    ]
    status: Annotated[int, Field(ge=100, le=599)] = 200
    content_type: str = "text/plain; charset=utf-8"
    body: str | None = None
    body_file: str | None = None

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if (self.body is None) == (self.body_file is None):
            raise ValueError("give either `body` or `body_file`")
        return self


class Instance(Model):
    """One task: a source at a base commit, an environment, commands, and what to reach."""

    id: InstanceId
    track: str
    license: str
    description: str = ""
    source: Source
    environment: Environment
    commands: Commands
    timeouts: Timeouts
    silver: Silver | None = None
    http_fixtures: tuple[HttpFixture, ...] = ()
    #: The folder of instance.toml; not part of the file and not part of the digest.
    directory: Path = Field(exclude=True)

    @property
    def definition_sha256(self) -> str:
        """Digest of what in instance.toml decides an evaluation, recorded answers included.

        The source tree and the patch have digests of their own.
        """
        digest = hashlib.sha256()
        undecisive = {"description", "license", "silver", "source"}
        digest.update(self.model_dump_json(exclude=undecisive).encode())
        for file in self.decisive_files:
            digest.update(file.read_bytes())
        return digest.hexdigest()

    @property
    def decisive_files(self) -> Sequence[Path]:
        """Files beside instance.toml that decide an evaluation as much; tracks add to them."""
        named = (fixture.body_file for fixture in self.http_fixtures)
        return [self.directory / name for name in named if name is not None]


# --- submissions -------------------------------------------------------------------------------


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
    """Percent-encode a SUT's name so that it is one safe file name and one word in a node id.

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


class Metadata(Model):
    """What a SUT says about how its patch came about (`<instance_id>.json`); all optional."""

    model_config = ConfigDict(frozen=True, extra="allow")

    sut: SutName | None = None
    cost_usd: Annotated[float, Field(ge=0)] | None = None
    steps: Annotated[int, Field(ge=0)] | None = None
    duration_s: Annotated[float, Field(ge=0)] | None = None
    exit_reason: str | None = None
    trajectory: str | None = None


class Case(Model):
    """The key of one evaluation: (instance, SUT, attempt). Hashable, equal by value."""

    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1

    @property
    def id(self) -> str:
        """Word for node ids: `{sut/instance}`, `{sut/instance#2}` for a later attempt."""
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


# --- results -----------------------------------------------------------------------------------


class Limit(StrEnum):
    """A bound of the sandbox that a command ran into."""

    TIME = "time"
    MEMORY = "memory"
    PIDS = "pids"
    DISK = "disk"
    OUTPUT = "output"


class Attempt(Model):
    """One run of one command in the sandbox."""

    command: ForeignText
    #: None when the command was killed by the harness or never started.
    exit_code: int | None
    timed_out: bool = False
    #: Every bound the command ran into, in the order they were seen.
    limits_hit: tuple[Limit, ...] = ()
    duration_s: float
    #: Path below the report folder; standard output and error as they came.
    log: str | None = None
    #: The last lines of standard error, decoded with replacement.
    stderr_tail: ForeignText = ""


class Outcome(StrEnum):
    """What became of a stage."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not_reached"


class StageResult(Model):
    """One stage of one case. `command`, `exit_code` and `log` are those of the last attempt."""

    name: str
    #: The stages that must have passed for this one to run.
    needs: tuple[str, ...] = ()
    outcome: Outcome
    command: ForeignText | None = None
    attempts: tuple[Attempt, ...] = ()
    exit_code: int | None = None
    timed_out: bool = False
    #: Seconds over all attempts.
    duration_s: float = 0.0
    log: str | None = None
    #: Why the stage did not pass, for people; empty when it passed.
    reason: ForeignText = ""
    #: What the stage left to be judged, as data: metrics are computed from this alone.
    observations: Annotated[dict[str, Any], AfterValidator(_well_formed)] = {}


class Severity(StrEnum):
    """How much a finding weighs: one `fatal` rejects the case, a `warning` is shown."""

    FATAL = "fatal"
    WARNING = "warning"


class Finding(Model):
    """One thing that integrity checks saw."""

    code: str
    severity: Severity
    message: ForeignText
    file: ForeignText | None = None
    line: int | None = None
    expected: ForeignText | None = None
    seen: ForeignText | None = None


class Verdict(StrEnum):
    """May the metrics be believed? `unchecked` is never shown as clean."""

    CLEAN = "clean"
    REJECTED = "rejected"
    UNCHECKED = "unchecked"


class IntegrityLeg(Model):
    """One integrity check of a case, as it ran; its findings are the case's."""

    name: str
    #: `failed` with something fatal, or where it could not be finished; `reason` says which.
    outcome: Outcome
    duration_s: float
    reason: ForeignText = ""


class Integrity(Model):
    """The verdict with what led to it. `pytest_benchmac.integrity.judged` computes the verdict."""

    verdict: Verdict = Verdict.UNCHECKED
    findings: tuple[Finding, ...] = ()
    #: The checks that the case got to, in the order they ran.
    legs: tuple[IntegrityLeg, ...] = ()
    #: Why integrity was not looked at; empty where it was.
    unchecked: ForeignText = ""
    #: What the checks saw beside findings, for people; the track's own words.
    facts: Annotated[dict[str, Any], AfterValidator(_well_formed)] = {}


class EvaluationEnvironment(Model):
    """What the case ran on. Tracks add the exact tools (`node`, `npm`), as seen in the sandbox."""

    model_config = ConfigDict(frozen=True, extra="allow")

    sandbox: str
    network: str
    harness_version: str
    protocol_version: int
    image: str | None = None
    image_digest: str | None = None
    #: How the base image came here: `pulled`, `bootstrapped`, or `none` for the local sandbox.
    base_provenance: str | None = None
    #: Bounds asked for, with their units in the names.
    limits: dict[str, float | int | None] = {}
    #: Bounds that this sandbox could not enforce on this machine.
    unenforced: tuple[str, ...] = ()


class Origin(StrEnum):
    """Where an answer came from."""

    #: The instance's recorded fixture.
    FIXTURE = "fixture"
    #: The cache on disk, known to be current or immutable.
    CACHE = "cache"
    #: The registry, asked now.
    UPSTREAM = "upstream"
    #: The cache on disk, because the registry failed.
    STALE = "stale"
    #: `offline` only: nothing stored.
    MISS = "miss"
    #: The registry failed and nothing was stored.
    FAILED = "failed"
    #: The policy forbids it.
    REFUSED = "refused"


class HostAccess(Model):
    """The requests of one case to one host and port."""

    host: str
    port: Annotated[int, Field(ge=0, le=65_535)]
    #: May the case reach this host at all? Single requests to it can be refused all the same.
    allowed: bool
    requests: int
    #: Requests by where their answer came from; they add up to `requests`.
    origins: dict[Origin, int]


class Artifact(Model):
    """A file that the case left behind, below the evaluation's `artifacts_dir`."""

    path: ForeignText
    bytes: int
    sha256: Sha256


class EvaluationError(Model):
    """Why a case could not be judged: an infrastructure error, by class name and message."""

    kind: str
    message: ForeignText
    stage: str | None = None


class Refusal(StrEnum):
    """Why a patch never reached a sandbox."""

    EMPTY = "empty"
    OVERSIZED = "oversized"


class Evaluation(Model):
    """The record of one case, written to `evaluations/<sut>/<instance_id>.json`.

    `status` is `error` when the harness failed; then every metric is None, and the stages are
    those that were done, and the one that was under way with the attempts it had.
    """

    schema_version: Literal[1] = 1
    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1
    kind: SubmissionKind = SubmissionKind.PATCH
    track: str
    #: What the track judged by, such as the version to reach.
    criteria: dict[str, Any] = {}
    status: Literal["completed", "error"]
    error: EvaluationError | None = None
    #: Set when the patch was not even applied: then the first stage failed, and no other ran.
    refused: Refusal | None = None
    metrics: dict[str, MetricValue]
    integrity: Integrity = Integrity()
    resolved: bool
    stages: tuple[StageResult, ...]
    environment: EvaluationEnvironment
    patch_sha256: Sha256 | None
    patch_bytes: int = 0
    metadata: Metadata = Metadata()
    #: Every host that the case asked for; empty under `open`, which is not watched.
    hosts: tuple[HostAccess, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    #: Folder of the artifacts, below the report folder; None when nothing was collected.
    artifacts_dir: str | None = None
    #: Folders that were too large to be collected; no bound on sizes can be checked on them.
    artifacts_omitted: tuple[ForeignText, ...] = ()
    #: Digest over all that decides the outcome; the same key means the record can be reused.
    reuse_key: Sha256
    started_at: str
    duration_s: float

    @property
    def case(self) -> Case:
        """The key of this record."""
        return Case(instance_id=self.instance_id, sut=self.sut, attempt=self.attempt)

    def stage(self, name: str) -> StageResult:
        """The stage of that name; KeyError names those there are."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"no stage {name!r}; this case has {[s.name for s in self.stages]}")
