"""Failed cases as annotations that a code host shows on a change's lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.formats.columns import one_line
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.tracks.diagnosis import Place

#: The name that GitLab's documentation gives the file.
GITLAB_REPORT = "gl-code-quality-report.json"


def _told(results: Iterable[CaseResult]) -> Iterator[tuple[CaseResult, str, str, Place | None]]:
    """Each patch that is not resolved: case, title, message, place."""
    for case in results:
        if case.kind is not SubmissionKind.PATCH or case.resolved:
            continue
        name = case.case.id.strip("{}")
        if not case.judged:
            yield case, f"{name}: infrastructure error", "The case has no verdict.", None
        elif case.diagnosis is None:
            said = "Nothing is known of its integrity, so it does not count as resolved."
            yield case, f"{name}: unchecked", said, None
        else:
            found = case.diagnosis
            title = f"{name}: {found.cause.replace('_', ' ')}"
            yield case, title, found.first_error or "It printed no error.", found.place


def to_github(leaderboard: Leaderboard, results: Iterable[CaseResult]) -> str:
    """Workflow commands: GitHub Actions reads them from a step's output.

    A case that was not judged is a warning, every other one that is not resolved an error.
    """
    lines = []
    for case, title, message, place in _told(results):
        level = "error" if case.judged and not case.unchecked else "warning"
        properties = {"title": title}
        if place is not None:
            properties = {"file": place.file, "line": str(place.line or 1), **properties}
        told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        lines.append(f"::{level} {told}::{_data(message)}")
    for track in leaderboard.tracks:
        for row in track.rows:
            if row.missing:
                # One for all: GitHub shows ten of a step.
                title = _property(f"{row.sut}: {row.missing} case(s) missing")
                lines.append(f"::warning title={title}::{_data(', '.join(row.missing_instances))}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    # What a patch printed must not begin a command of its own.
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def to_gitlab(_: Leaderboard, results: Iterable[CaseResult]) -> str:
    """A code quality report, which GitLab takes as the artifact `codequality`.

    It wants a file for everything: what names none is on `instance.toml`.
    """
    issues = []
    for case, title, message, place in _told(results):
        description = one_line(f"{title}: {message}")
        digest = hashlib.sha256(f"{case.track} {description}".encode()).hexdigest()
        line = place.line if place is not None else None
        issues.append(
            {
                "description": description,
                "check_name": f"benchmac/{case.diagnosis.cause if case.diagnosis else 'unjudged'}",
                "fingerprint": digest,
                "severity": "major" if case.judged and not case.unchecked else "info",
                "location": {
                    "path": place.file if place is not None else "instance.toml",
                    "lines": {"begin": line or 1},
                },
            }
        )
    return json.dumps(issues, indent=2) + "\n"


#: What `--annotations` takes.
ANNOTATIONS: Mapping[str, Callable[[Leaderboard, Iterable[CaseResult]], str]] = {
    "github": to_github,
    "gitlab": to_gitlab,
}
