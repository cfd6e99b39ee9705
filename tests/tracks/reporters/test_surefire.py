"""Surefire's and Failsafe's reports, as they are written and as a hostile one could be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError, parse_xml
from pytest_benchmac.tracks.reporters.surefire import TestCase as Case
from pytest_benchmac.tracks.reporters.surefire import is_report, parse_report, read_reports

SUREFIRE = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="org.x.ATest" time="0.1"
    tests="4" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="17"/></properties>
  <testcase name="passes" classname="org.x.ATest" time="0.01"><system-out>hi</system-out></testcase>
  <testcase name="sums(int)[2]" classname="org.x.ATest" time="0"/>
  <testcase name="fails" classname="org.x.ATest" time="0"><failure message="m">trace</failure>
  </testcase>
  <testcase name="breaks" classname="org.x.ATest"><error type="E"/></testcase>
  <testcase name="waits" classname="org.x.ATest"><skipped message="later"/></testcase>
  <testcase name="" classname="org.x.ATest"><error type="setup"/></testcase>
</testsuite>
"""


def test_every_case_has_an_outcome() -> None:
    assert list(parse_report(SUREFIRE)) == [
        Case("org.x.ATest#passes", "passed"),
        Case("org.x.ATest#sums(int)[2]", "passed"),
        Case("org.x.ATest#fails", "failed"),
        Case("org.x.ATest#breaks", "failed"),
        Case("org.x.ATest#waits", "skipped"),
    ]


def test_reports_of_all_modules_are_added_and_skipped_ones_counted_apart(tmp_path: Path) -> None:
    for path in (
        "target/surefire-reports/TEST-org.x.ATest.xml",
        "web/target/failsafe-reports/TEST-org.x.AIT.xml",
        "web/target/failsafe-reports/failsafe-summary.xml",
        "web/target/site/TEST-org.x.ATest.xml",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(SUREFIRE)
    reports = read_reports(SourceTree.scan(tmp_path))
    assert reports.run == 8
    assert reports.count("skipped") == 2
    assert len(reports.names) == 8
    assert "org.x.ATest#waits" not in reports.names
    assert not reports.unread


def test_a_report_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    report = tmp_path / "target/surefire-reports/TEST-x.xml"
    report.parent.mkdir(parents=True)
    report.write_text("<testsuite>")
    reports = read_reports(SourceTree.scan(tmp_path))
    assert reports.run == 0
    assert list(reports.unread) == ["target/surefire-reports/TEST-x.xml"]


@pytest.mark.parametrize(
    "path", ["surefire-reports/TEST-x.xml", "target/surefire-reports/x.xml", "TEST-x.xml"]
)
def test_other_files_are_no_reports(path: str) -> None:
    assert not is_report(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not xml",
        b"<a><b></a>",
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xxxx">]><a>&x;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        b"<a>" * 300 + b"</a>" * 300,
        b'<?xml version="1.0" encoding="no-such"?><a/>',
        "<!DOCTYPE a><a/>".encode("utf-16"),
    ],
)
def test_hostile_xml_is_refused(content: bytes) -> None:
    with pytest.raises(XmlError):
        parse_xml(content)


def test_other_documents_are_no_reports() -> None:
    with pytest.raises(XmlError, match="<project>"):
        list(parse_report(b"<project/>"))
