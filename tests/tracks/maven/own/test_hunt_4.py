"""What the fourth round of the hunt led to: what has no end, what nobody compared, where people are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_benchmac.tracks.maven.own.compiling import results_of, silently_lost
from tests.tracks.maven.own.made import own_compile


def test_a_unit_that_the_compiler_did_not_come_to_has_failed() -> None:
    answer = b"unit\tm:classes\tpassed\t3\nerror\tm:test-classes\t\t0\tjavac: out of memory\n"
    failed, passed, _ = results_of(answer, ["m:classes", "m:test-classes", "n:classes"], "/x/")
    assert passed == {"m:classes"}
    assert failed.keys() == {"m:test-classes", "n:classes"}
    assert failed["m:test-classes"][0].message == "javac: out of memory"


def test_tests_of_a_unit_that_comes_to_no_end_are_lost(tmp_path: Path) -> None:
    sources = {
        "base-classes": {"A": "class A { }"},
        "base-classes-and-tests": {"ATest": "class ATest { class Inner { } }"},
    }
    compiled = own_compile(tmp_path, sources)
    assert silently_lost(compiled) == frozenset()
    failed = replace(compiled, failed={":base-test-classes": ()})
    assert silently_lost(failed) == {"a.ATest"}
