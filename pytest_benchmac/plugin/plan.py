"""What one pytest session was asked to judge, and how: read once, and told to the workers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

from pydantic import TypeAdapter

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import RecordError, SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.plugin.sharding import Shard, cases_of, recorded_durations
from pytest_benchmac.report.asked import Asked, instances_asked, matches, together
from pytest_benchmac.sandbox.base import Engine
from pytest_benchmac.tracks.registry import get_track

#: What may be the id of a case: their names are percent-encoded, so no brace is inside.
_BRACED = re.compile(r"\{[^{}]+\}")
_SETTINGS = TypeAdapter(Settings)
_PATCH = SubmissionKind.PATCH


@dataclass(frozen=True)
class Request:
    """The command line, with absolute paths."""

    patch_dirs: tuple[Path, ...]
    instances: tuple[Path, ...]
    #: Shell patterns over instance ids; a case is taken when one matches. None given: all.
    patterns: tuple[str, ...]
    silver: bool
    baseline: bool
    settings: Settings
    #: Only what the report folder has as an infrastructure error.
    retry_errors: bool = False
    #: Measure every SUT on all instances that there are.
    expect_all: bool = False
    #: The part of the cases that is judged here; None for all.
    shard: Shard | None = None
    #: A report folder whose durations balance the parts.
    shard_durations: Path | None = None


@dataclass(frozen=True)
class SessionPlan:
    """The cases of a session with what they need; the same in the controller and every worker."""

    settings: Settings
    instances: Mapping[str, Instance]
    #: In the order in which they are judged.
    submissions: Mapping[Case, Submission]
    #: A folder of this session alone, gone when it ends.
    scratch: Path
    #: When the session began.
    started_at: datetime
    #: What every SUT is measured on, and all who submitted, whichever part of it is judged here.
    asked: Mapping[str, Asked] = field(default_factory=dict)
    #: Is all of it judged here, no part or retry?
    whole: bool = True

    @classmethod
    def read(cls, request: Request, *, scratch: Path, staging: Path) -> Self:
        """Read and check instances and submissions.

        Args:
            request: what the user asked for.
            scratch: this session's own folder.
            staging: where the patches are kept that the evaluations are made from.

        Raises:
            InstanceError: an instance file is wrong.
            SubmissionError: a patch, sidecar or predictions file is wrong, or there is none.
            RecordError: the report folder with durations cannot be read.
        """
        # All instances, since a patch for one that the pattern leaves out is no mistake.
        instances = load_instances(request.instances)
        submissions: list[Submission] = []
        if request.patch_dirs:
            found = read_submissions(request.patch_dirs, instances, staging)
            if not found:
                raise SubmissionError(
                    "no patches here",
                    where=", ".join(map(str, request.patch_dirs)),
                    remedy="--patch-dir takes PATH/<instance_id>.patch, "
                    "PATH/<sut>/<instance_id>.patch, or a .jsonl or .json of predictions.",
                )
            submissions += found
        if request.silver:
            submissions += silver_submissions(instances)
        if request.baseline:
            submissions += baseline_submissions(instances)
        selected = {s.case: s for s in submissions if matches(s.case.instance_id, request.patterns)}
        asked = _asked(request, instances, selected.values())
        if request.shard is not None:
            durations = (
                recorded_durations(request.shard_durations) if request.shard_durations else {}
            )
            own = cases_of(request.shard, selected, durations)
            selected = {case: s for case, s in selected.items() if case in own}
        if request.retry_errors:
            # Of the part that this machine had before, whatever became of the others' cases.
            store = EvaluationStore(request.settings.reports)
            selected = {case: s for case, s in selected.items() if _ended_in_error(store, case)}
        needed = {case.instance_id for case in selected}
        return cls(
            settings=request.settings,
            instances={name: i for name, i in instances.items() if name in needed},
            submissions=selected,
            scratch=scratch,
            started_at=datetime.now(UTC),
            asked=asked,
            whole=request.shard is None and not request.retry_errors,
        )

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """One object per case and session: pytest groups parameters by value, and hashes them."""
        return tuple(self.submissions)

    @cached_property
    def ids(self) -> Mapping[Case, str]:
        """The word for each case that nodeids carry."""
        return {case: case.id for case in self.cases}

    @cached_property
    def cases_by_id(self) -> Mapping[str, Case]:
        """The cases by that word."""
        return {word: case for case, word in self.ids.items()}

    def case_in(self, nodeid: str) -> Case | None:
        """The case that a nodeid names, also among other parameters; None if there is none."""
        found = (self.cases_by_id.get(word) for word in _BRACED.findall(nodeid))
        return next((case for case in found if case is not None), None)

    def asked_of(self, cases: Iterable[Case]) -> dict[str, Asked]:
        """What these cases ask for."""
        patches = (case for case in cases if self.submissions[case].kind is _PATCH)
        return _submitted({case: self.instances[case.instance_id] for case in patches})

    @property
    def tracks(self) -> tuple[str, ...]:
        """Names of the tracks that have cases here, sorted."""
        return tuple(sorted({instance.track for instance in self.instances.values()}))

    def track_of(self, case: Case) -> str:
        """The name of the case's track."""
        return self.instances[case.instance_id].track

    def stages_of(self, case: Case) -> tuple[str, ...]:
        """Names of the case's stages, in the order they run."""
        track = get_track(self.track_of(case))
        return tuple(
            spec.name
            for spec in track.stages(self.instances[case.instance_id], self.submissions[case].kind)
        )

    def with_engine(self, engine: Engine) -> SessionPlan:
        """The same plan in this engine's sandboxes: `auto` is decided once, for all workers."""
        instances = self.instances
        if not engine.has_images:
            # There are no items for stages that will not be.
            instances = {
                key: get_track(each.track).on_host(each) for key, each in instances.items()
            }
        settings = replace(self.settings, sandbox=cast(SandboxName, engine.name))
        return replace(self, settings=settings, instances=instances)

    def to_json(self) -> str:
        """For `from_json` in a worker on the same machine."""
        return json.dumps(
            {
                "settings": _SETTINGS.dump_python(self.settings, mode="json"),
                "instances": [
                    {**i.model_dump(mode="json"), "directory": str(i.directory)}
                    for i in self.instances.values()
                ],
                "submissions": [s.model_dump(mode="json") for s in self.submissions.values()],
                "scratch": str(self.scratch),
                "started_at": self.started_at.isoformat(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that a controller wrote with `to_json`."""
        fields: dict[str, Any] = json.loads(text)
        instances = [
            get_track(data["track"]).instance_type.model_validate(data)
            for data in fields["instances"]
        ]
        submissions = [Submission.model_validate(data) for data in fields["submissions"]]
        return cls(
            settings=_SETTINGS.validate_python(fields["settings"]),
            instances={instance.id: instance for instance in instances},
            submissions={submission.case: submission for submission in submissions},
            scratch=Path(fields["scratch"]),
            started_at=datetime.fromisoformat(fields["started_at"]),
        )


def _ended_in_error(store: EvaluationStore, case: Case) -> bool:
    """A record that cannot be read is none."""
    try:
        stored = store.load(case)
    except RecordError:
        return False
    return stored is not None and stored.status == "error"


def _asked(
    request: Request, instances: Mapping[str, Instance], submissions: Iterable[Submission]
) -> dict[str, Asked]:
    """What is named, by pattern or as a set, else what anything was submitted for."""
    own = {s.case: instances[s.case.instance_id] for s in submissions if s.kind is _PATCH}
    submitted = _submitted(own)
    named = bool(request.patterns or request.instances or request.expect_all)
    wanted = instances_asked(instances.values(), request.patterns) if named else {}
    return together(wanted, submitted)


def _submitted(own: Mapping[Case, Instance]) -> dict[str, Asked]:
    suts: dict[str, set[str]] = {}
    for case, instance in own.items():
        suts.setdefault(instance.track, set()).add(case.sut)
    submitters = {track: Asked(suts=frozenset(names)) for track, names in suts.items()}
    return together(instances_asked(own.values()), submitters)
