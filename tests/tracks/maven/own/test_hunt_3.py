"""What the third round of the hunt led to: inheritance, other places, names that mean others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.base_tests import Failed, failed_of
from pytest_benchmac.tracks.maven.own.checks import check_kept
from pytest_benchmac.tracks.maven.own.elsewhere import elsewhere
from pytest_benchmac.tracks.maven.own.reach import reach_of
from pytest_benchmac.tracks.maven.own.rebound import rebound
from tests.tracks.maven.own.made import own_compile

MARK = "class Mark extends RuntimeException { %s }"
ASKS = "class A { Object of() { return new Mark().getStackTrace(); } }"


def test_what_a_class_inherits_is_asked_of_those_above_it(tmp_path: Path) -> None:
    looks = own_compile(tmp_path / "one", {"classes": {"Mark": MARK % "", "A": ASKS}})
    assert reach_of(looks, "classes") == {"callers": "a.A"}
    tests = {"classes": {"Mark": MARK % ""}, "test-classes": {"A": ASKS}}
    assert reach_of(own_compile(tmp_path / "two", tests), "test-classes") == {"callers": "a.A"}


def test_what_a_class_has_of_its_own_is_its_own(tmp_path: Path) -> None:
    own = "int size() { return 7; }"
    source = "class A { int of() { return new Mark().size(); } }"
    compiled = own_compile(tmp_path, {"classes": {"Mark": MARK % own, "A": source}})
    assert reach_of(compiled, "classes") == {}


def test_another_place_is_nobodys_to_foresee() -> None:
    drawn = {elsewhere(random.Random(seed), "17") for seed in range(50)}
    assert len(drawn) > 40
    assert elsewhere(random.Random(3), "17") == elsewhere(random.Random(3), "17")
    for machines in drawn:
        assert not any("-Dfile.encoding=UTF-8" in each.options for each in machines)
        for place in (place for each in machines for place in each.places):
            assert place.thread not in ("", "main")
            assert place.zone != "UTC"
            assert "\t" not in str(place)


@pytest.mark.parametrize(
    ("here", "there", "failed"),
    [
        # A few that fail once are unsteady, unless it is the first time, wherever it is.
        (("a", ""), ("", ""), Failed(frozenset(), (frozenset(),))),
        (("a", ""), ("", "a"), Failed(frozenset(), (frozenset(),))),
        (("a", ""), ("a", ""), Failed(frozenset("a"), (frozenset(),))),
        (("a", "a"), ("", ""), Failed(frozenset("a"), (frozenset(),))),
        (("", ""), ("b", "b"), Failed(frozenset(), (frozenset("b"),))),
        # Many are not.
        (("abcd", ""), ("", ""), Failed(frozenset("abcd"), (frozenset(),))),
        (("", ""), ("", "abcd"), Failed(frozenset(), (frozenset("abcd"),))),
    ],
)
def test_what_fails_in_one_run_of_two(
    here: tuple[str, str], there: tuple[str, str], failed: Failed
) -> None:
    runs = [{"": [set(each) for each in place]} for place in (here, there)]
    assert failed_of(runs[0], runs[1:], 37) == failed


TRACK = "public class Track { public Track thinned(double by) { return this; } %s }"
CLOSER = "public Track thinned(int by) { return this; }"
TEST = "class TrackTest { void test() { new %s().thinned(1000); } }"


def _rebound(
    folder: Path, track: str, name: str = "Track", renamed: Mapping[str, str] | None = None
) -> dict[str, str]:
    sources = {
        "base-classes": {"Track": TRACK % ""},
        "base-classes-and-tests": {"TrackTest": TEST % "Track"},
        "classes": {name: track},
        "base-test-classes": {"TrackTest": TEST % name},
    }
    return rebound(own_compile(folder, sources), renamed or {})


def test_a_closer_method_beside_the_one_that_a_test_means_is_seen(tmp_path: Path) -> None:
    assert _rebound(tmp_path / "same", TRACK % "") == {}
    found = _rebound(tmp_path / "closer", TRACK % CLOSER)
    assert found == {"a.TrackTest": "a/Track.thinned(D)La/Track;"}


def test_a_method_or_a_class_that_has_another_name_is_nobodys_place(tmp_path: Path) -> None:
    # The old one is gone: whoever called it calls the new one.
    other = (TRACK % "").replace("double", "long")
    assert _rebound(tmp_path / "other", other) == {}
    moved = (TRACK % "").replace("Track", "Route")
    assert _rebound(tmp_path / "moved", moved, "Route", {"a.Track": "a.Route"}) == {}


def test_types_that_nobody_compiles_any_more_are_gone(tmp_path: Path) -> None:
    before = {"A": "class A { Runnable of() { return new Runnable() { public void run() { } }; } }"}
    more = {**before, "Main": "class Main { }"}
    after = {"A": "class A { }"}

    def found(name: str, base: Mapping[str, str], patched: Mapping[str, str]) -> list[str]:
        findings = Findings()
        sources = {"base-classes": base, "classes": patched}
        check_kept(findings, own_compile(tmp_path / name, sources))
        return [each.code for each in findings.result()]

    assert found("less", before, after) == []
    assert found("gone", more, after) == ["sources-deleted"]


def test_tests_that_maven_compiles_have_to_do_what_the_sources_say(tmp_path: Path) -> None:
    main = {"Code": "public class Code { public static int of(int a) { return a; } }"}
    says = 'class ATest { String test() { return Code.of(%s) + ""; } }'
    own = own_compile(tmp_path / "own", {"classes": main, "test-classes": {"ATest": says % "1"}})
    for name, source, options, alike in (
        ("same", says % "1", (), True),
        # At an older level texts are joined otherwise.
        ("older", says % "1", ("--release", "8"), True),
        ("other", says % "2", (), False),
        ("hollow", "class ATest { String test() { return null; } }", ("--release", "8"), False),
    ):
        made = own_compile(
            tmp_path / name, {"classes": main, "test-classes": {"ATest": source}}, *options
        )
        folder = made.out.root / "0"
        folder.rename(folder.with_name("target"))
        seen = own.unlike_tests(SourceTree.scan(made.out.root))
        assert seen == ([] if alike else ["a.ATest"])
    assert own.unlike_tests(SourceTree.scan(tmp_path / "nothing")) == ["a.ATest"]
