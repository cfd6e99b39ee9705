"""Licenses that a repository has at its root."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.licenses import check_licenses

_TEXT = "MIT License\n\nCopyright (c) 2021 Somebody\n"
Files = dict[str, str]


def found(folder: Path, before: Files, after: Files) -> list[str]:
    findings, trees = Findings(), []
    for name, files in (("base", before), ("patched", after)):
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text)
        (folder / name).mkdir(exist_ok=True)
        trees.append(SourceTree.scan(folder / name))
    check_licenses(trees[0], trees[1], findings)
    return [f"{each.code} {each.severity.value}" for each in findings.result()]


@pytest.mark.parametrize(
    "name", ["LICENSE", "license.md", "LICENCE-MIT", "COPYING.LESSER", "NOTICE"]
)
@pytest.mark.parametrize("after", [{}, {"README.md": _TEXT[:12]}])
def test_a_license_that_is_gone(tmp_path: Path, name: str, after: Files) -> None:
    assert found(tmp_path, {name: _TEXT}, after) == ["license-gone fatal"]


def test_a_license_that_is_emptied(tmp_path: Path) -> None:
    assert found(tmp_path, {"LICENSE": _TEXT}, {"LICENSE": "\n"}) == ["license-gone fatal"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LICENSE": _TEXT}, {"LICENSE": _TEXT.replace("2021", "2021-2026")}),
        ({"LICENSE": _TEXT}, {"LICENSE.md": _TEXT}),
        ({"LICENSE": _TEXT}, {"LICENSE": _TEXT.replace("\n", "\r\n")}),
        ({"NOTICE": _TEXT}, {"licenses/notice.txt": _TEXT}),
        ({"license-checker.json": "{}"}, {}),
        ({"src/LICENSE": _TEXT}, {}),
        ({"LICENSE": ""}, {}),
        ({}, {"LICENSE": _TEXT}),
    ],
)
def test_what_licenses_may_become(tmp_path: Path, before: Files, after: Files) -> None:
    assert found(tmp_path, before, after) == []


def test_another_file_in_its_place_is_told(tmp_path: Path) -> None:
    after = {"LICENSE.txt": "The MIT License"}
    assert found(tmp_path, {"LICENSE": _TEXT}, after) == ["license-gone warning"]
