"""Each class is in one module, and each package."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.placed import check_class_places

_USUAL = ("model/a/One", "service/b/Two")


def _found(folder: Path, base: tuple[str, ...], patch: tuple[str, ...]) -> set[str]:
    folders = ("model", "service")
    for kind, names in (("base-classes", base), ("classes", patch)):
        for each in names:
            module, _, name = each.partition("/")
            path = folder / f"{folders.index(module)}/{kind}/{name}.class"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    resolved = Resolved(tuple(Module(each, (), ()) for each in folders), "key", in_image=True)
    findings = Findings()
    check_class_places(findings, OwnCompile(resolved, SourceTree.scan(folder), {}))
    return {each.code for each in findings.result()}


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        (("service/b/Three", "model/a/module-info", "service/module-info"), set()),
        (("service/a/One",), {"shadowed-class", "declaration-changed"}),
        (("service/a/Other",), {"declaration-changed"}),
        (("model/Main",), {"declaration-changed"}),
    ],
)
def test_modules_share_no_class_and_no_package(
    more: tuple[str, ...], codes: set[str], tmp_path: Path
) -> None:
    assert _found(tmp_path, _USUAL, (*_USUAL, *more)) == codes


def test_what_the_base_has_it_may_have(tmp_path: Path) -> None:
    split = (*_USUAL, "service/a/Other", "service/a/One")
    assert _found(tmp_path / "same", split, (*split, "model/Main")) == set()
    assert _found(tmp_path / "more", split, (*split, "model/b/Two")) == {"shadowed-class"}
