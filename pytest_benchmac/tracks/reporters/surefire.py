"""Surefire's and Failsafe's XML reports: how many tests ran, and which.

Format: maven.apache.org/surefire, `surefire-test-report.xsd`. The text is foreign: it is parsed
with no entity, no document type and a bound on its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError, parse_xml
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.runs import CaseOutcome, Run, run_of

FOLDERS = ("surefire-reports", "failsafe-reports")
_MAX_REPORT_BYTES = 32 * 1024 * 1024
_MAX_REPORTS = 20_000


@dataclass(frozen=True)
class TestCase:
    """One test as it ran."""

    #: `package.Class#method`; a parameterized test's name is followed by its parameters.
    name: str
    #: `passed`, `failed` (or in error) or `skipped`.
    outcome: str


@dataclass(frozen=True)
class TestReports:
    """All reports of a tree."""

    cases: tuple[TestCase, ...]
    #: Path -> why the report could not be read.
    unread: dict[str, str]

    def count(self, outcome: str) -> int:
        """How many tests ended so."""
        return sum(case.outcome == outcome for case in self.cases)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tests that ran, with repetitions."""
        return tuple(case.name for case in self.cases if case.outcome != "skipped")

    @property
    def run(self) -> int:
        """Tests that ran: passed or failed, not skipped."""
        return self.count("passed") + self.count("failed")


def is_report(path: str) -> bool:
    """Is this a report of a test class? `failsafe-summary.xml` and the like are not."""
    parts = PurePosixPath(path).parts
    return (
        len(parts) >= 3
        and parts[-3] == "target"
        and parts[-2] in FOLDERS
        and parts[-1].startswith("TEST-")
        and parts[-1].endswith(".xml")
    )


def read_reports(tree: SourceTree) -> TestReports:
    """Every report below `*/target/surefire-reports` and `*/target/failsafe-reports`."""
    cases: list[TestCase] = []
    unread: dict[str, str] = {}
    for number, path in enumerate(filter(is_report, tree.files), start=1):
        content = tree.read(path, _MAX_REPORT_BYTES)
        if content is None or number > _MAX_REPORTS:
            unread[path] = "is too large, or one of too many"
            continue
        try:
            cases += parse_report(content)
        except XmlError as error:
            unread[path] = str(error)
    return TestReports(tuple(cases), unread)


def read_surefire(tree: SourceTree) -> Run:
    """The run that the reports of a tree tell of.

    Raises:
        BrokenRunError: one cannot be read.
    """
    reports = read_reports(tree)
    for path, why in reports.unread.items():
        raise BrokenRunError(f"the report {shown(path)} {why}")
    return run_of((case.name, CaseOutcome(case.outcome)) for case in reports.cases)


def parse_report(content: bytes) -> Iterable[TestCase]:
    """The tests of one report. Nested and repeated runs (`rerunFailure`) count once.

    Raises:
        XmlError: it is no report.
    """
    root = parse_xml(content)
    if root.tag not in ("testsuite", "testsuites"):
        raise XmlError(f"its root element is <{root.tag}>")
    # JUnit 4 reports a class whose set-up failed as a case without a name: no test ran in it.
    return [
        TestCase(f"{case.get('classname', '')}#{case.get('name', '')}", _outcome(case))
        for case in root.iter("testcase")
        if case.get("name")
    ]


def _outcome(case: Element) -> str:
    tags = {child.tag for child in case}
    if "skipped" in tags:
        return "skipped"
    return "failed" if tags & {"failure", "error"} else "passed"
