"""What pages make use of, beside the base's."""

from pytest_benchmac.tracks.angular.boot.compare import BootResult, faults
from pytest_benchmac.tracks.angular.boot.record import Executed
from pytest_benchmac.tracks.angular.boot.uses import new_uses

BASE = Executed(features=(13, 2663), listened=("click", "popstate"))


def test_less_than_the_base_s_is_nothing_to_tell() -> None:
    assert new_uses(BASE, BASE) == ()
    assert new_uses(BASE, Executed()) == ()


def test_what_tells_a_page_who_looks_is_told() -> None:
    case = Executed(features=(13, 1463), listened=("copy", "click"))
    assert new_uses(BASE, case) == (
        "uses visualViewport.height, which the base never does",
        "listens to 'copy', which the base never does",
    )
    assert new_uses(case, case) == ()


def test_a_frame_is_told() -> None:
    """What is used by a getter of a frame that is gone is counted nowhere."""
    case = Executed(frames=True)
    assert new_uses(BASE, case) == ("has a frame, which the base never has",)
    assert new_uses(case, case) == ()


def test_what_new_versions_bring_is_nothing_to_tell() -> None:
    # `<link rel="preconnect">`, a number that no list has yet, and what components listen to.
    case = Executed(features=(13, 900, 19999), listened=("click", "pointerdown", "scrollend"))
    assert new_uses(BASE, case) == ()


def test_kinds_by_the_hundred_hide_none() -> None:
    case = Executed(listened=tuple(f"k{number}" for number in range(500)))
    assert new_uses(BASE, case) == ("listens to more kinds of events than are told",)


def test_what_is_told_is_held_against_the_case() -> None:
    result = BootResult(
        expected_major=19, min_tree_similarity=1, compared=True, declared=1, uses=("uses this",)
    )
    assert "uses this" in faults(result)


def test_chance_that_no_seed_draws_is_told() -> None:
    """What fails by it now and then may do so in no boot."""
    assert new_uses(BASE, Executed(features=(710, 1604))) == (
        "uses crypto.getRandomValues, which the base never does",
        "uses URL.createObjectURL, which the base never does",
    )
