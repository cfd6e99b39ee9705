"""integrity/README.md lists every finding code of the Angular track, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.judging import provoked
from pytest_benchmac.tracks import findings
from pytest_benchmac.tracks.angular.integrity import legs

DOCUMENT = Path(legs.__file__).with_name("README.md")
PACKAGE = Path(legs.__file__).parent
SOURCES = [
    *sorted(PACKAGE.glob("*.py")),
    *sorted((Path(findings.__file__).parent / "repository").glob("*.py")),
    PACKAGE.parent / "patch.py",
    PACKAGE.parent / "build.py",
    PACKAGE.parent / "clean_packages.py",
    PACKAGE.parent / "execution.py",
    Path(findings.__file__),
    Path(provoked.__file__),
]
#: What takes a code first, and the one or two severities that it gives.
REPORTERS = {
    "fatal": {"fatal"},
    "warning": {"warning"},
    "found": {"fatal"},
    "report": {"fatal", "warning"},
}
ROW = re.compile(r"^\| `([a-z-]+)` \| ([a-z, ]+) \| ([a-z_, ]+) \| \S.* \|$", re.MULTILINE)


def rows() -> dict[str, tuple[set[str], set[str]]]:
    """Severities and legs by code, as documented."""
    if not DOCUMENT.exists():
        pytest.skip("the documents are not beside the tests")
    table = DOCUMENT.read_text().partition("## Finding codes")[2]
    found = ROW.findall(table)
    assert len(found) == table.count("\n| `")
    return {code: (set(sev.split(", ")), set(leg.split(", "))) for code, sev, leg in found}


def reported() -> Iterator[tuple[str, set[str], str]]:
    """A pattern for the code of every report in the sources, its severities, and its place."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if ast.unparse(node.func).startswith("logger."):
                continue
            name = {ast.Attribute: "attr", ast.Name: "id"}.get(type(node.func), "")
            called = getattr(node.func, name, "report" if isinstance(node.func, ast.IfExp) else "")
            if called not in REPORTERS:
                continue
            place = f"{path.name}:{node.lineno}"
            match node.args[0]:
                case ast.Constant(value=str(code)):
                    yield re.escape(code), REPORTERS[called], place
                case ast.JoinedStr(values=parts):
                    pattern = "".join(
                        re.escape(str(each.value)) if isinstance(each, ast.Constant) else "[a-z-]+"
                        for each in parts
                    )
                    yield pattern, REPORTERS[called], place


def test_every_code_is_documented_with_its_severity() -> None:
    documented = rows()
    seen = list(reported())
    assert len(seen) > 80
    for pattern, severities, place in seen:
        matching = [code for code in documented if re.fullmatch(pattern, code)]
        assert matching, f"{place}: {pattern} is not in integrity/README.md"
        for code in matching:
            if re.escape(code) == pattern:
                assert severities & documented[code][0], f"{place}: {code}"


def test_every_documented_code_is_in_the_code() -> None:
    constants = {
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    patterns = [pattern for pattern, _, _ in reported()]
    for code in rows():
        assert code in constants or any(re.fullmatch(each, code) for each in patterns), code


def test_the_legs_of_the_table_are_the_legs_that_run() -> None:
    named = set().union(*(legs for _, legs in rows().values())) - {"any"}
    assert named == {
        legs.SOURCES,
        legs.INSTALL,
        legs.CLOSED_WORLD,
        legs.COMPILE,
        legs.BUILD,
        legs.BUNDLE,
        legs.EXECUTION,
    }
