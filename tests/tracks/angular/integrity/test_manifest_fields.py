"""What package.json and .npmrc say beside dependencies and scripts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

Told = tuple[set[str], set[str]]
FATAL: Told = ({"manifest-field"}, set())
WARNED: Told = (set(), {"manifest-field"})
NOTHING: Told = (set(), set())


def told(tree: Tree) -> Told:
    findings = tree.check().findings
    return fatal(findings), warned(findings)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"private": None}, FATAL),
        ({"private": False}, FATAL),
        ({"license": "CC0-1.0"}, FATAL),
        ({"license": {"type": "mit"}}, NOTHING),
        ({"license": None}, WARNED),
        ({"publishConfig": {"access": "public"}}, FATAL),
        ({"os": ["!darwin"]}, FATAL),
        ({"sideEffects": False}, FATAL),
        ({"sideEffects": True}, WARNED),
        ({"engines": {"node": ">=20"}, "prettier": {}, "version": "2.0.0"}, NOTHING),
        # Karma's configuration is no module.
        ({"type": "module"}, FATAL),
        ({"type": "commonjs"}, NOTHING),
    ],
)
def test_fields(tree: Tree, fields: dict[str, Any], expected: Told) -> None:
    def change(value: dict[str, Any]) -> None:
        for name, field in fields.items():
            if field is None:
                del value[name]
            else:
                value[name] = field

    tree.edit("package.json", change)
    seen = told(tree)
    assert (seen[0], seen[1] - seen[0]) == expected


def test_modules_where_scripts_are_such(tree: Tree) -> None:
    tree.edit("package.json", lambda value: value.update(type="module"))
    tree.move("karma.conf.js", "karma.conf.cjs")
    assert "manifest-field" not in told(tree)[0]


def test_systems_that_are_not_named_any_more(tree: Tree) -> None:
    tree.edit("package.json", lambda value: value.update(os=["linux", "darwin"]))
    as_base(tree)
    tree.edit("package.json", lambda value: value.pop("os"))
    assert told(tree) == WARNED


def test_scripts_below_a_folder_that_says_so(tree: Tree) -> None:
    """However many there are beside them that the base has not."""
    tree.write("tools/old.js", "module.exports = 1;\n")
    as_base(tree)
    tree.write("tools/package.json", '{"type": "module"}\n')
    for number in range(300):
        tree.write(f"tools/{number}.js", "export const a = 1;\n")
    assert "manifest-field" in told(tree)[0]
    # The nearest one says it.
    tree.write("package.json", tree.text("package.json").replace("{", '{"type": "module",', 1))
    tree.write("tools/package.json", "{}\n")
    tree.move("karma.conf.js", "karma.conf.cjs")
    assert "manifest-field" not in told(tree)[0]


def test_a_folder_that_says_so(tree: Tree) -> None:
    """Of the scripts that it is about, the base has none."""
    tree.write("tools/package.json", '{"type": "module"}\n')
    tree.write("tools/run.js", "export const a = 1;\n")
    assert told(tree) == NOTHING


@pytest.mark.parametrize(
    ("spec", "fatally"),
    [
        ("*", True),
        ("", True),
        ("x", True),
        ("latest", True),
        (">=18", True),
        ("<99999", True),
        ("^18.2.0 || >=40", True),
        ("npm:@angular/common@*", True),
        ("^18.2.0 || ^19.0.0", True),
        ("~18.2.0", False),
        ("18.x", False),
        (">=18.2.0 <19", False),
        ("18.0.0 - 18.9.9", False),
        # The lock file, which has 18, is behind.
        ("^22.0.0", False),
        (">=22", True),
    ],
)
def test_ranges(tree: Tree, spec: str, fatally: bool) -> None:
    tree.edit("package.json", lambda v: v["dependencies"].update({"@angular/common": spec}))
    assert ("range-unbounded" in told(tree)[0]) == fatally


def test_ranges_of_other_packages(tree: Tree) -> None:
    """Two majors of a library that both will do; the newest of one that the base has not."""
    both = {"rxjs": "^6.6.0 || ^7.8.0"}
    tree.edit("package.json", lambda v: v["dependencies"].update(both, marked="latest"))
    fatals, warnings = told(tree)
    assert "range-unbounded" not in fatals
    assert "range-unbounded" in warnings


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("strict-ssl=false", ({"npmrc-setting"}, set())),
        ('"strict-ssl" = "false"', ({"npmrc-setting"}, set())),
        ("strict-ssl", (set(), set())),
        ("strict-ssl=true ; as it is", (set(), set())),
        ("omit[]=dev", ({"npmrc-setting"}, set())),
        ("access=public", ({"npmrc-setting"}, set())),
        ("package-lock=false", ({"npmrc-setting"}, set())),
        ("before=2015-01-01", (set(), {"npmrc-setting"})),
        ("legacy-peer-deps=true\nfund=false\n# strict-ssl=false", (set(), set())),
    ],
)
def test_settings_of_npm(tree: Tree, line: str, expected: Told) -> None:
    tree.write(".npmrc", f"{line}\n")
    assert told(tree) == expected


def test_without_a_lock_file_of_npms_none_need_be_written(tree: Tree) -> None:
    tree.write(".npmrc", "package-lock=false\n")
    (tree.root / "package-lock.json").unlink()
    assert "npmrc-setting" not in told(tree)[0]


def _engines(tree: Tree, engines: dict[str, str], npmrc: str) -> set[str]:
    tree.edit("package.json", lambda value: value.update(engines=engines))
    tree.write(".npmrc", npmrc)
    return told(tree)[0]


@pytest.mark.parametrize(
    "node", ["20.19.5", "=20.19.5", ">=20.19.5 <20.19.6", "20.19.5 || 18.20.8", "20.19.5 - 20.19.5"]
)
def test_engines_of_one_version_that_are_heeded(tree: Tree, node: str) -> None:
    engines = {"node": node}
    assert _engines(tree, engines, "engine-strict=true\n") == {"engines-exact"}
    as_base(tree)
    later = {"node": "22.12.0"}
    assert _engines(tree, later, "engine-strict = true\nfund=false\n") == set()


@pytest.mark.parametrize(
    ("node", "npmrc"),
    [
        ("20.19.5", ""),
        ("20.19.5", "engine-strict=false\n"),
        ("^20.19.0 || ^22.12.0", "engine-strict=true\n"),
        ("20.x", "engine-strict=true\n"),
        ("20.19", "engine-strict=true\n"),
        ("lts/*", "engine-strict=true\n"),
    ],
)
def test_engines_that_others_have_as_well(tree: Tree, node: str, npmrc: str) -> None:
    assert _engines(tree, {"node": node}, npmrc) == set()
