"""Files that steer the test runner: new or changed otherwise than golden does. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.foreign.xmlfiles import XmlError, local_name, parse_xml
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.instance import ReporterName

_MAX_BYTES = 4 * 1024 * 1024
_NODE = (
    "**/jest.config.*", "**/vitest.config.*", "**/vitest.workspace.*", "**/vite.config.*",
    "**/babel.config.*", "**/.babelrc*", "**/.swcrc", "**/.npmrc", "**/.mocharc*",
    "**/tsconfig*.json", "**/package-lock.json", "**/npm-shrinkwrap.json", "**/.nycrc*",
    "**/jest.setup.*", "**/vitest.setup.*", "node_modules/**", "**/node_modules/**",
)  # fmt: skip
#: Whole files, by what runs the tests.
GUARDED: Mapping[ReporterName, Sequence[str]] = {
    "pytest": (
        "**/conftest.py", "**/pytest.ini", "**/.pytest.ini", "**/tox.ini", "**/setup.cfg",
        "**/setup.py", "**/.coveragerc", "**/sitecustomize.py", "**/usercustomize.py", "**/*.pth",
        "pytest.py", "pytest/**", "_pytest/**", "unittest/**", "unittest.py", "coverage/**",
        "coverage.py", "**/noxfile.py", "**/__main__.py.orig", "**/pyvenv.cfg",
    ),
    "jest": _NODE,
    "vitest": _NODE,
    "node": _NODE,
    "surefire": (
        "**/.mvn/**", "**/mvnw*", "**/junit-platform.properties",
        "**/src/test/resources/META-INF/services/**", "**/testng*.xml", "org/junit/**",
        "**/org/junit/**", "**/org/apache/maven/**",
    ),
    "go": ("**/go.mod", "**/go.sum", "**/go.work", "vendor/**", "**/Makefile"),
}  # fmt: skip
_POM_PARTS = ("build", "profiles", "parent", "properties", "modules", "packaging", "reporting")


def _toml_parts(content: bytes) -> Any:
    known = tomllib.loads(content.decode())
    tool = known.get("tool", {})
    steering = {name: tool[name] for name in ("pytest", "coverage", "tox", "nox") if name in tool}
    project = known.get("project", {})
    return [known.get("build-system"), steering, project.get("entry-points")]


def _package_parts(content: bytes) -> Any:
    known = json.loads(content)
    names = (
        "scripts",
        "jest",
        "vitest",
        "babel",
        "type",
        "imports",
        "exports",
        "mocha",
        "overrides",
    )
    told = [known.get(name) for name in names]
    return [*told, known.get("dependencies"), known.get("devDependencies"), known.get("workspaces")]


def _pom_parts(content: bytes) -> Any:
    root = parse_xml(content)

    def plain(element: Any) -> Any:
        inner = [plain(child) for child in element if isinstance(child.tag, str)]
        return [local_name(element), (element.text or "").strip(), inner]

    return [plain(child) for child in root if local_name(child) in _POM_PARTS]


#: Parts of a file that steer; the rest of it is free.
PARTS: Mapping[str, Callable[[bytes], Any]] = {
    "pyproject.toml": _toml_parts,
    "package.json": _package_parts,
    "pom.xml": _pom_parts,
}


def steering(tree: SourceTree, reporter: ReporterName, more: Sequence[str]) -> dict[str, str]:
    """What steers the tests of a tree: by path, its content or the parts that count, as text.

    Args:
        tree: of regular files.
        reporter: of what runs the tests.
        more: further patterns, the instance's.
    """
    whole = path_filter([*GUARDED[reporter], *more])
    found: dict[str, str] = {}
    for path in tree.files:
        parts = PARTS.get(path.rpartition("/")[2])
        if not whole(path) and parts is None:
            continue
        content = tree.read(path, _MAX_BYTES)
        if content is None:
            found[path] = f"unread: {tree.files[path]} bytes"
        elif whole(path) or parts is None:
            found[path] = content.decode("utf-8", "backslashreplace")
        else:
            try:
                found[path] = json.dumps(parts(content), sort_keys=True, default=str)
            except (ValueError, XmlError, AttributeError, TypeError, RecursionError):
                found[path] = content.decode("utf-8", "backslashreplace")
    return found


def check_guarded(
    findings: Findings,
    base: Mapping[str, str],
    golden: Mapping[str, str],
    patched: Mapping[str, str],
) -> None:
    """What steers the tests is as at the base, or as golden has it.

    Args:
        findings: gets the code `guarded-file`.
        base: see `steering`.
        golden: likewise.
        patched: likewise.
    """
    for path in sorted(base.keys() | golden.keys() | patched.keys()):
        if _same(patched.get(path), base.get(path)) or _same(patched.get(path), golden.get(path)):
            continue
        what = "is gone" if path not in patched else "is new" if path not in base else "changed"
        findings.fatal(
            "guarded-file",
            f"{path}, which steers the tests, {what}, and golden does not do so.",
            file=path,
        )


def _same(one: str | None, other: str | None) -> bool:
    """The same but for blanks at the ends of lines?"""
    if one is None or other is None:
        return one is other
    return re.sub(r"[ \t\r]+$", "", one, flags=re.M) == re.sub(r"[ \t\r]+$", "", other, flags=re.M)
