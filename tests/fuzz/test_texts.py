"""Files that others leave, read by what judges them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.tracks.angular.boot.compare import compare
from pytest_benchmac.tracks.angular.boot.config import Boot, Route
from pytest_benchmac.tracks.angular.boot.dom import TEXT, Dom
from pytest_benchmac.tracks.angular.boot.record import Driven, record_of
from tests.fuzz.damage import damaged, damaged_json, tries
from tests.fuzz.readers import (
    DRIVEN,
    KNOWN,
    LOCK,
    NPM_LS,
    READERS,
    RECORDS,
    REPORT,
    REPOSITORY_ROW,
    ROW,
    SIDECAR,
    SOURCE_MAP,
    STEP,
    as_json,
)


@pytest.mark.parametrize("what", READERS)
@given(data=st.data())
@tries
def test_only_named_errors(what: str, data: st.DataObject) -> None:
    reader = READERS[what]
    reader.check(data.draw(damaged(*reader.seeds, *KNOWN)))


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("known", KNOWN, ids=range(len(KNOWN)))
def test_what_was_found_once(what: str, known: bytes) -> None:
    reader = READERS[what]
    for content in (known, reader.seeds[0] + known):
        reader.check(content)


#: By the reader's name; what else is sound JSON for it.
JSON = {
    "npm ls": NPM_LS,
    "source map": SOURCE_MAP,
    "test report": REPORT,
    "package.json": {
        "name": "a",
        "bin": {"b": "c"},
        "dependencies": {"d": "1"},
        "directories": {"bin": "x"},
    },
    "lock file": LOCK,
    "browser": DRIVEN,
    "sidecar": SIDECAR,
    "predictions": ROW,
    "predictions in one": [ROW, REPOSITORY_ROW],
    "trajectory": STEP,
    "record": RECORDS[0],
}


@pytest.mark.parametrize("what", JSON)
@given(data=st.data())
@tries
def test_json_of_other_types(what: str, data: st.DataObject) -> None:
    READERS[what].check(as_json(data.draw(damaged_json(JSON[what]))))


@pytest.mark.parametrize(
    ("what", "content"),
    [
        ("lock file", as_json({"packages": {"node_modules/a": {"resolved": "http://[x"}}})),
        ("sidecar", b'{"x": ' + b"[" * 200 + b"]" * 200 + b"}"),
        ("sidecar", b'{"steps": 1' + b"0" * 400 + b"}"),
        ("instance file", b"license = 1" + b"0" * 5000),
    ],
)
def test_what_one_reader_tripped_over(what: str, content: bytes) -> None:
    READERS[what].check(content)


NODES = st.lists(
    st.tuples(
        st.integers(0, 1000),
        st.sampled_from([TEXT, "app-root", "noscript", "div"]) | st.text(max_size=5),
        st.dictionaries(
            st.sampled_from(["ng-version", "class", "id", "href", ""]) | st.text(max_size=5),
            st.text(max_size=8),
            max_size=3,
        ),
    ),
    max_size=12,
)


@given(nodes=NODES, root=st.sampled_from(["app-root", "#x", "*"]) | st.text(max_size=5))
@tries
def test_documents(nodes: Any, root: str) -> None:
    dom = Dom.of(nodes, root)
    assert len(dom.text.splitlines()) >= 0
    assert (dom.version is None) == (dom.root is None)


def test_the_browsers_seed_is_sound() -> None:
    booted = record_of(Driven.model_validate_json(as_json(DRIVEN)), "app-root")
    pages = compare(
        booted,
        booted,
        Boot(root="app-root", min_tree_similarity=0.9, routes=(Route(path="/"),)),
        {},
    )
    assert pages[0].rendered
