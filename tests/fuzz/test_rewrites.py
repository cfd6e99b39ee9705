"""What a rewrite brings and answers, read by what judges it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.trees import patch_of_archive
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.rewrite.cases.answers import Did
from pytest_benchmac.tracks.rewrite.cases.matchers import text_difference
from pytest_benchmac.tracks.rewrite.cases.models import Matcher
from pytest_benchmac.tracks.rewrite.driving.batch import decode
from pytest_benchmac.tracks.rewrite.integrity.languages import TARGETS
from pytest_benchmac.tracks.rewrite.integrity.legs import SourceFacts, run_legs
from pytest_benchmac.tracks.rewrite.integrity.lexing import tokens
from pytest_benchmac.tracks.rewrite.integrity.survey import survey
from tests.fuzz.damage import damaged, tries

ANSWER = b"6:exited,1:0,4:0.01,1:0,1:1,2:a\n,0:,1:2,1:f,2:xy,1:4,3:200,4:A: b,2:{},0:,"
CODE = b"""package main // a
import ( "fmt"; x "os/exec" )
var s = `raw "` + "a\\"b" + 'c' /* d */ + r#"e"# + \"\"\"f\"\"\" + f'{g}' + 0x1F
"""
MANIFESTS = {
    "go": ("go.mod", b"module x\n\nrequire a.b/c v1.0.0\n"),
    "java": ("pom.xml", b"<project><dependency><groupId>a</groupId></dependency></project>"),
    "javascript": ("package.json", b'{"dependencies": {"a": "1"}, "scripts": {}}'),
    "python": ("pyproject.toml", b'[project]\ndependencies = ["a"]\n[a.b]\nc = 1\n'),
    "rust": ("Cargo.toml", b'[dependencies]\na = "1"\n'),
}


@tries
@given(damaged(ANSWER))
@example(ANSWER)
def test_answers(content: bytes) -> None:
    assert isinstance(decode(content), Did)


@tries
@given(damaged(b'{"a": [1, 2.5, {"b": null}], "c": "\\u00e9"}'))
def test_fields(content: bytes) -> None:
    for kind in ("exact", "whitespace", "json", "number", "regex"):
        value = "a+" if kind == "regex" else "1 a"
        wanted = Matcher.model_validate({"match": kind, "value": value})
        assert isinstance(text_difference(wanted, content), str)


@pytest.mark.parametrize("language", TARGETS)
@tries
@given(content=damaged(CODE), manifest=st.data())
def test_sources(language: str, content: bytes, manifest: st.DataObject) -> None:
    target = TARGETS[language]  # type: ignore[index]
    text = content.decode("utf-8", "replace")
    told = list(tokens(text, language))  # type: ignore[arg-type]
    # A letter stands for 18 others at most, where a language compares names by NFKC.
    assert sum(len(token.text) for token in told) <= 18 * len(text)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / f"a{target.sources[0]}").write_bytes(content)
        if language in MANIFESTS:
            name, sound = MANIFESTS[language]
            (root / name).write_bytes(manifest.draw(damaged(sound)))
        seen = survey(SourceTree.scan(root), language)  # type: ignore[arg-type]
        legs = Legs()
        facts = SourceFacts()
        run_legs(legs, seen, facts, source="c", links={}, allowed=(), known={"x": (1, 2)})
    assert set(legs.done) == {"files", "foreign", "dependencies", "vendored", "watching"}


@tries
@given(st.binary(max_size=2000))
def test_archives(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.tar.gz"
        path.write_bytes(content)
        with pytest.raises(SubmissionError):
            patch_of_archive(path, Path(folder), 10_000)
