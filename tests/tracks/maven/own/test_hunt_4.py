"""What the fourth round of the hunt led to: no end, what nobody compared, other places."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchmac.tracks.maven.build_rules import holds
from pytest_benchmac.tracks.maven.own import base_tests
from pytest_benchmac.tracks.maven.own.base_tests import (
    may_last,
    places_of,
    shortest,
    slower_modules,
)
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile, results_of, silently_lost
from pytest_benchmac.tracks.maven.own.elsewhere import LASTING_MS, elsewhere, lasting
from pytest_benchmac.tracks.maven.own.packaged import starting, starts_alike
from pytest_benchmac.tracks.maven.own.reach import kind_of
from pytest_benchmac.tracks.maven.own.rebound import rebound
from pytest_benchmac.tracks.maven.own.running import Ended, Job, _Run
from pytest_benchmac.tracks.maven.own.samecode import said_by
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


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("java/text/SimpleDateFormat.parse(Ljava/lang/String;)Ljava/util/Date;", "clocks"),
        ("java/text/DateFormat.getCalendar()Ljava/util/Calendar;", "clocks"),
        ("java/time/chrono/IsoChronology.dateNow()Ljava/time/LocalDate;", "clocks"),
        ("java/util/zip/ZipOutputStream.putNextEntry(Ljava/util/zip/ZipEntry;)V", "clocks"),
        ("java/util/Properties.store(Ljava/io/Writer;Ljava/lang/String;)V", "clocks"),
        ("java/security/KeyPairGenerator.generateKeyPair()Ljava/security/KeyPair;", "chance"),
        ("java/util/logging/Logger.getParent()Ljava/util/logging/Logger;", "java.util.logging"),
        (
            "java/util/logging/Logger.getLogger(Ljava/lang/String;Ljava/lang/String;)"
            "Ljava/util/logging/Logger;",
            "java.util.logging",
        ),
        ("java/util/logging/Logger.getLogger(Ljava/lang/String;)Ljava/util/logging/Logger;", ""),
        ("java/util/logging/Logger.logp(Ljava/util/logging/Level;Ljava/lang/String;)V", ""),
        ("java/time/format/DateTimeFormatter.format(Ljava/lang/Object;)Ljava/lang/String;", ""),
    ],
)
def test_days_and_loggers_are_asked_in_many_ways(call: str, kind: str) -> None:
    assert kind_of(call) == kind


@pytest.mark.parametrize(
    "bodies",
    [
        ('@interface A { String value() default "%s"; }', "a", "b"),
        ('class A { void of(@Deprecated(since = "%s") int a) { } }', "1", "2"),
        ("class A { java.util.List<%s> of() { return null; } }", "String", "Integer"),
    ],
)
def test_classes_say_more_than_their_code(bodies: tuple[str, str, str], tmp_path: Path) -> None:
    def said(name: str, value: str) -> object:
        compiled = own_compile(tmp_path / name, {"classes": {"A": bodies[0] % value}})
        return said_by((compiled.out.root / "0/classes/a/A.class").read_bytes())

    assert said("one", bodies[1]) == said("same", bodies[1])
    assert said("one again", bodies[1]) != said("other", bodies[2])


def test_two_methods_in_the_place_of_one_are_seen(tmp_path: Path) -> None:
    track = "public class Track { %s }"
    one = "public Track thinned(%s by) { return this; }"

    def found(name: str, *methods: str) -> dict[str, str]:
        test = {"TrackTest": "class TrackTest { void test() { new Track().thinned(1000); } }"}
        sources = {
            "base-classes": {"Track": track % (one % "double")},
            "base-classes-and-tests": test,
            "classes": {"Track": track % " ".join(one % each for each in methods)},
            "base-test-classes": test,
        }
        return rebound(own_compile(tmp_path / name, sources), {})

    assert found("one", "long") == {}
    assert found("two", "int", "Number") == {"a.TrackTest": "a/Track.thinned(D)La/Track;"}


@pytest.mark.parametrize(
    ("jdk", "there"),
    [
        ("17", True),
        ("1.8", False),
        ("!1.8", True),
        ("!17", False),
        ("[9,)", True),
        ("[1.8,)", True),
        ("(,17]", False),
        ("[11,18)", True),
        ("[18,)", False),
        ("(,9)", False),
        ("[17.0.1,)", True),
        ("[1.8,9),[17,)", False),
        ("${jdk}", False),
    ],
)
def test_profiles_of_the_targets_java(jdk: str, there: bool) -> None:
    assert holds(jdk, 17) is there


def test_every_case_is_where_people_are() -> None:
    for seed in range(30):
        machines = elsewhere(random.Random(seed), "17")
        places = [place for each in machines for place in each.places]
        told = [prop for place in places for prop in place.properties]
        assert any(each.startswith("os.name=Windows") for each in told)
        assert any(each.startswith("java.specification.version=") for each in told)
        assert sum(each == "java.specification.version=17" for each in told) == 4
        assert "en-US" in {place.locale for place in places}
        assert {"Europe", "America", "Asia"} <= {place.zone.partition("/")[0] for place in places}
        # Of pools and of nobody.
        assert any("pool-" in place.thread for place in places)
        assert any(place.thread.isalpha() for place in places)
        small, large = (each.options[1].partition("=")[2] for each in machines)
        assert int(small) <= 16 < int(large)


def test_code_runs_for_long_in_one_of_the_places() -> None:
    for seed in range(10):
        machine = lasting(random.Random(seed), "17")
        drawn = elsewhere(random.Random(seed), "17")
        assert machine.lasting_ms == LASTING_MS
        assert len(machine.places) == 1
        assert any(
            machine.options == each.options and machine.places[0] in each.places for each in drawn
        )
        assert not any(each.lasting_ms for each in drawn)


@pytest.mark.parametrize(
    ("ms", "lasts"),
    [({"": 40}, True), ({"": 20_000}, False), (dict.fromkeys("abcdefghijklmnop", 10), False)],
    ids=["quick", "slow", "many"],
)
def test_slow_tests_and_many_modules_do_not_run_for_long(ms: dict[str, int], lasts: bool) -> None:
    assert may_last({"ms": ms}) is lasts


def _archive(manifest: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", manifest)
    return content.getvalue()


def test_an_archive_that_is_damaged_starts_nothing() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Main-Class: a.Main\r\n" * 99)
    damaged = bytearray(content.getvalue())
    at = damaged.index(b"MANIFEST.MF") + len("MANIFEST.MF")
    damaged[at : at + 8] = b"\xff" * 8
    assert starting(bytes(damaged)) == {}


def test_what_an_archive_starts() -> None:
    manifest = "Manifest-Version: 1.0\r\nMain-Class: org.a.Ma\r\n in\r\n\r\nName: b\r\n"
    assert starting(_archive(f"{manifest}Agent-Class: c\r\n")) == {"main-class": "org.a.Main"}
    assert starting(b"none") == starting(None) == {}
    main, other = {"main-class": "a.Main"}, {"main-class": "a.Start"}
    assert starts_alike(main, main)
    assert starts_alike({}, main)
    assert not starts_alike(main, other)
    assert not starts_alike(main, {})
    assert not starts_alike({}, {"launcher-agent-class": "a.Main"})


def test_the_shortest_run_counts() -> None:
    jobs = [Job(number, "m", ("a.T",)) for number in range(3)]
    done = {0: Ended("done", 900), 1: Ended("done", 300), 2: Ended("timeout", 10)}
    assert shortest(jobs, done) == {"m": 300}


@pytest.mark.parametrize(
    ("ms", "slower"), [(900, ()), (1900, ()), (2500, (".",))], ids=["short", "near", "far"]
)
def test_far_slower_is_compared_with_the_bases_own_code(
    ms: int, slower: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(context: Any, project: Any, compiled: Any, jobs: Sequence[Job], **_: Any) -> Any:
        assert {job.kind for job in jobs} == {"base-classes-and-tests"}
        return {job.number: Ended("done", 100) for job in jobs}

    monkeypatch.setattr(base_tests, "run_jobs", run)
    test = {"ATest": "class ATest { }"}
    sources = {"base-classes-and-tests": test, "base-test-classes": test}
    compiled = own_compile(tmp_path, sources)
    facts = {"tests": {"a.ATest": ""}, "ms": {"": 3000}, "jars": {}}
    nothing: Any = None
    assert slower_modules(nothing, nothing, compiled, facts, nothing, {"": ms}) == slower


def test_what_tests_wrote_beside_class_files_is_not_found(tmp_path: Path) -> None:
    compiled = own_compile(tmp_path, {"classes": {"A": "class A { }"}})
    sandbox = SimpleNamespace(home=PurePosixPath("/home"), project=PurePosixPath("/project"))
    context: Any = SimpleNamespace(sandbox=sandbox)

    def folders(of: OwnCompile) -> list[str]:
        line = _Run(context, of, "place", "", (), (), None)._line(Job(0, "", ("a.T",)))
        return line.split("\t")[3].split(":")

    assert "/project/target/test-classes/" in folders(compiled)
    clean = folders(replace(compiled, made=compiled.out))
    assert "/home/place/made/target/test-classes/" in clean
    assert not any(each.startswith("/project") for each in clean)


def test_tests_that_take_long_run_in_fewer_places() -> None:
    assert places_of({"ms": {"a": 6000, "b": 3000}}, 2) == 3
    assert places_of({"ms": {"": 60_000}}, 2) == 1
    assert places_of({"ms": {}}, 2) > 3
