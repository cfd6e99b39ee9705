"""The pure functions: similarities, errors, faults and metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.tracks.angular.boot.compare import (
    BootResult,
    PageResult,
    boot_similarity,
    compare,
    faults,
    text_similarity,
    tree_similarity,
)
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.errors import error_key
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.angular.boot.similarity import multiset_f1
from pytest_benchmac.tracks.angular.boot.walk import WalkResult
from pytest_benchmac.tracks.angular.failures import diagnose_boot

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)
BOOT = Boot.model_validate(
    {
        "root": "app-root",
        "min_tree_similarity": 0.8,
        "routes": ({"path": "/", "interactions": ({"click": "#go", "expect": "All  done"},)},),
    }
)
TREE = tuple(("link", f"link {n}") for n in range(10))


def page(step: int = 0, **changes: object) -> Page:
    values: dict[str, object] = {
        "route": "/",
        "step": step,
        "path": "/",
        "rendered": True,
        "version": "17.1.0",
        "dom_sha256": "0" * 64,
        "tree": TREE,
        "text": "All done",
    }
    return Page.model_validate(values | changes)


def record(*pages: Page) -> BootRecord:
    return BootRecord(browser="150.0", pages=pages)


BASE = record(page(version="16.2.0"), page(1, version="16.2.0"))


def result(boot: BootRecord, baseline: BootRecord | None = BASE, major: int = 17) -> BootResult:
    return BootResult(
        expected_major=major,
        min_tree_similarity=BOOT.min_tree_similarity,
        compared=baseline is not None,
        declared=2,
        pages=compare(boot, baseline, BOOT, {}),
    )


# --- similarities -------------------------------------------------------------------------------


def test_multiset_f1_by_hand() -> None:
    # Two of three and two of four in common: precision 2/3, recall 1/2, F1 4/7.
    assert multiset_f1(["a", "a", "b"], ["a", "a", "c", "d"]) == pytest.approx(4 / 7)
    assert multiset_f1([], []) == 1.0
    assert multiset_f1([], ["a"]) == 0.0


@given(WORDS, WORDS)
def test_multiset_f1_is_the_harmonic_mean_of_precision_and_recall(
    a: list[str], b: list[str]
) -> None:
    common = sum(min(a.count(word), b.count(word)) for word in set(a))
    if common:
        precision, recall = common / len(a), common / len(b)
        assert multiset_f1(a, b) == pytest.approx(2 * precision * recall / (precision + recall))
    elif a or b:
        assert multiset_f1(a, b) == 0.0


@given(WORDS, WORDS)
def test_similarities_are_symmetric_and_one_for_the_same(a: list[str], b: list[str]) -> None:
    first, second = " ".join(a), " ".join(b)
    assert text_similarity(first, second) == text_similarity(second, first)
    assert text_similarity(first, first) == 1.0
    assert 0.0 <= text_similarity(first, second) <= 1.0


def test_text_similarity_minds_the_order_of_words() -> None:
    # Pairs of `a b c`: ^a ab bc c$; of `a c b`: ^a ac cb b$.
    assert text_similarity("a b c", "a c b") == pytest.approx(2 * 1 / 8)
    assert text_similarity("", "a") == 0.0


def test_tree_similarity_counts_roles_with_names() -> None:
    other = page(tree=(*TREE[:8], ("button", "link 8"), ("link", "other")))
    assert tree_similarity(page(), other) == pytest.approx(0.8)


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "ERROR Error: x at main.0f1e2d3c4b5a6978.js:1:200",
            "ERROR Error: x at main.aaaabbbbccccdddd1.js:1:17",
        ),
        ("Error: late\\n    at f (http://localhost/main-ABCDEFGH.js:1:2)", "Error: late"),
        ("took 12 ms", "took 7 ms"),
        (
            "Failed to load resource: 404 (http://localhost/lazy.0123456789abcdef.js)",
            "Failed to load resource: 404 (http://localhost/lazy.fedcba98765432100.js)",
        ),
    ],
)
def test_the_same_error_of_two_builds(one: str, other: str) -> None:
    assert error_key(one) == error_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ERROR TypeError: a is not a function", "ERROR TypeError: b is not a function"),
        (
            "Failed to load resource: 404 (http://localhost/api/trails)",
            "Failed to load resource: 404 (http://localhost/main.js)",
        ),
    ],
)
def test_different_errors(one: str, other: str) -> None:
    assert error_key(one) != error_key(other)


def test_what_the_baseline_logs_anywhere_is_no_fault() -> None:
    noisy = record(page(console_errors=("ERROR 404",)), page(1))
    assert faults(result(record(page(), page(1, console_errors=("ERROR 404",))), noisy)) == []
    (fault,) = faults(result(record(page(), page(1, console_errors=("ERROR lost",))), noisy))
    assert fault == "/ [1]: error logged: ERROR lost"


def test_a_refused_request_is_no_error_of_the_application() -> None:
    logged = "Failed to load resource: net::ERR_BLOCKED_BY_CLIENT.Inspector (https://x.example/)"
    assert not faults(result(record(page(console_errors=(logged,)), page(1))))


def test_what_a_page_asked_for_is_told_by_what_became_of_it() -> None:
    requests = [
        {"method": "GET", "url": f"https://c.example/{why}", "kind": "font", "why": why}
        for why in ("missing", "refused")
    ]
    told, _ = result(record(page(requests=requests), page(1))).pages
    assert told.refused == ("GET https://c.example/refused",)
    assert told.missing == ("GET https://c.example/missing",)


def test_the_same_document_is_told() -> None:
    base = record(page(dom_sha256="5" * 64), page(1, dom_sha256="5" * 64))
    case = record(page(dom_sha256="5" * 64), page(1, dom_sha256="6" * 64))
    assert [each.same_dom for each in result(case, base).pages] == [True, False]
    assert [each.same_dom for each in result(base, case).pages] == [True, False]
    assert [each.same_dom for each in result(case, None).pages] == [None, None]


@pytest.mark.parametrize(("kind", "fatal"), [("ping", True), ("fetch", True), ("font", False)])
def test_a_host_that_the_base_never_asks_is_a_fault(kind: str, fatal: bool) -> None:
    asked = {"method": "POST", "url": "https://c.example/x", "kind": kind, "why": "refused"}
    case = record(page(requests=(asked,)), page(1))
    told = ["/: asks c.example, which the base never does"] if fatal else []
    assert faults(result(case)) == told
    base = record(page(), page(1, requests=(asked | {"url": "https://c.example/y"},)))
    assert faults(result(case, base)) == []


# --- faults and metrics -------------------------------------------------------------------------


def test_a_good_boot() -> None:
    good = result(record(page(), page(1)))
    assert faults(good) == []
    assert not faults(good)
    assert boot_similarity(good) == 1.0


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rendered": False}, "the root element is empty"),
        ({"version": "16.2.0"}, "16.2.0 is running; wanted: 17.x"),
        ({"version": None}, "no version is running"),
        ({"version": "170.0.0"}, "170.0.0 is running"),
        ({"path": "/login"}, "ended at /login; the baseline at /"),
        ({"text": "All but done"}, "does not show 'All  done'"),
        ({"exceptions": ("Error: x",)}, "uncaught exception: Error: x"),
        ({"tree": TREE[:6]}, "tree similarity 0.750 is below 0.8"),
        ({"problem": "the page crashed"}, "the page crashed"),
    ],
)
def test_each_fault_alone_fails_the_boot(changes: dict[str, object], fault: str) -> None:
    seen = result(record(page(), page(1, **changes)))
    (told,) = faults(seen)
    assert told.startswith("/ [1]: ")
    assert fault in told
    assert faults(seen)


@pytest.mark.parametrize(
    ("changes", "cause", "evidence"),
    [
        ({"rendered": False, "tree": ()}, "nothing_rendered", "/: nothing is shown"),
        ({"rendered": False, "problem": "the page crashed"}, "nothing_rendered", "page crashed"),
        # The blank page follows from it.
        (
            {"rendered": False, "exceptions": ("Error: NG0201",)},
            "runtime_error",
            "/: Error: NG0201",
        ),
        ({"console_errors": ("ERROR x",)}, "runtime_error", "/: ERROR x"),
        ({"version": "16.2.0"}, "wrong_version", "/: 16.2.0 is running"),
        ({"tree": TREE[:6]}, "behaviour_changed", "/: tree similarity 0.750 is below 0.8"),
        ({"path": "/login"}, "behaviour_changed", "ended at /login"),
    ],
)
def test_each_fault_has_a_cause(changes: dict[str, object], cause: str, evidence: str) -> None:
    seen = diagnose_boot(result(record(page(**changes), page(1))))
    assert seen.cause == cause
    assert evidence in seen.evidence


def test_an_error_on_a_walk_is_the_cause_as_one_on_a_page_is() -> None:
    walk = WalkResult(steps=1, taken=1, errors=("click Clear: TypeError: no mutate",))
    told = diagnose_boot(result(BASE).model_copy(update={"walk": walk}))
    assert (told.cause, told.evidence[:9]) == ("runtime_error", "on a walk")


def test_looks_that_are_gone_are_a_fault() -> None:
    seen = result(record(page(), page(1))).model_copy(update={"looks": 39, "baseline_looks": 100})
    assert faults(seen) == ["elements have 39 different looks; the baseline's 100"]
    assert not faults(seen.model_copy(update={"looks": 40}))


def test_a_boot_without_pages_has_a_cause() -> None:
    nothing = result(record()).model_copy(update={"problem": "the build left no index.html"})
    told = diagnose_boot(nothing)
    assert (told.cause, told.evidence) == ("nothing_rendered", "the build left no index.html")


def test_pages_that_were_not_reached_count_as_unlike() -> None:
    seen = result(record(page()))
    assert faults(seen) == ["1 pages were not reached"]
    assert boot_similarity(seen) == 0.5


def test_a_tree_at_the_threshold_is_enough() -> None:
    almost = page(1, tree=(*TREE[:8], ("link", "x"), ("link", "y")))
    assert not faults(result(record(page(), almost)))


def test_the_baseline_is_judged_by_itself() -> None:
    own = result(BASE, None, major=16)
    assert not faults(own)
    assert boot_similarity(own) is None
    assert faults(result(record(page(rendered=False), page(1)), None))


def test_a_boot_that_broke_off_failed() -> None:
    broken = BootResult(
        expected_major=17,
        min_tree_similarity=0.8,
        compared=True,
        declared=2,
        problem="the boot took too long",
    )
    assert faults(broken) == ["the boot took too long"]
    assert boot_similarity(broken) == 0.0


def test_results_survive_json() -> None:
    seen = result(record(page(), page(1)))
    assert BootResult.model_validate(seen.model_dump(mode="json")) == seen
    assert isinstance(seen.pages[0], PageResult)


# --- numbers ------------------------------------------------------------------------------------


def _with(*texts: str) -> BootRecord:
    tree = (*TREE, *(("StaticText", text) for text in texts))
    return record(page(tree=tree), page(1))


@pytest.mark.parametrize(
    ("base", "case"),
    [
        (("4 of 5",), ("2 of 5",)),
        # In other words.
        (("12.5 km", "640 m"), ("25 kilometres", "1280 metres")),
        # In other units.
        (("12.5 km",), ("12.5 mi",)),
    ],
)
def test_other_numbers_on_a_declared_page_are_a_fault(
    base: tuple[str, ...], case: tuple[str, ...]
) -> None:
    found = faults(result(_with(*case), _with(*base)))
    assert f"/: shows {case[0]!r}; the base {base[0]!r}" in found


@pytest.mark.parametrize(
    ("base", "case"),
    [
        # The same number in other words, one that is gone, one that is new, and the time.
        (("12.5 km",), ("12.5\u00a0kilometers",)),
        (("1,250 m",), ("1250 m",)),
        (("12.5 km",), ()),
        ((), ("12.5 km",)),
        (("It is 10:11:12",), ("It is 10:11:13",)),
    ],
)
def test_other_words_and_the_time_are_none(base: tuple[str, ...], case: tuple[str, ...]) -> None:
    assert faults(result(_with(*case), _with(*base))) == []


def test_titles_that_tell_pages_apart_still_do() -> None:
    base = record(page(title="Boats"), page(1, title="Boats: sent"))
    renamed = record(page(title="Ferries"), page(1, title="All sent"))
    assert faults(result(renamed, base)) == []
    one = record(page(title="Not found"), page(1, title="Not found"))
    (fault,) = faults(result(one, base))
    assert fault == "/ and / [1] have one title, 'Not found'; the baseline has 2"
    # What has one title from the beginning may have it.
    assert faults(result(one, one)) == []


def test_the_language_of_a_document_stays() -> None:
    base = record(page(lang="en"), page(1, lang="en"))
    assert faults(result(record(page(lang="en-GB"), page(1, lang="EN")), base)) == []
    (fault, _) = faults(result(record(page(lang="hu"), page(1, lang="")), base))
    assert fault == "/: says its language is 'hu', not 'en'"
    assert faults(result(base, record(page(), page(1)))) == []
