"""Tests that settings and scripts leave out, and what honest work does to both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.tracks.angular.integrity.globs import expression_matches, matches
from pytest_benchmac.tracks.angular.integrity.left_out_rules import CODE, check_left_out
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.angular_trees import BUILD, Base, Tree, fatal, warned
from tests.tracks.angular.integrity.test_manifest_scripts import found as all_found

_KARMA = "karma.conf.js"
_REPORTERS = "    reporters: ['dots'],\n"


def found(tree: Tree, base: Snapshot | None = None) -> tuple[Finding, ...]:
    findings = Findings()
    check_left_out(base or tree.base.snapshot, Snapshot.scan(tree.root, BUILD), findings)
    return findings.result()


def karma(tree: Tree, lines: str) -> None:
    tree.replace(_KARMA, _REPORTERS, f"{_REPORTERS}    {lines},\n")


def target(tree: Tree, change: Callable[[Any], object]) -> None:
    tree.edit("angular.json", lambda v: change(v["projects"]["trailbook"]["architect"]["test"]))


@pytest.mark.parametrize(
    "lines",
    [
        "client: { args: ['--grep', 'no such test'] }",
        "client: { args: ['--grep=no such test'] }",
        "'client': { clearContext: false, 'args': [`--grep`, `none`] }",
        "client: { jasmine: { filter: 'none' } }",
        "client: { mocha: { grep: /none/ } }",
        "failOnEmptyTestSuite: false",
        "failOnEmptyTestSuite: !1",
        "exclude: ['src/**/*.spec.ts']",
        "exclude: ['**/*.{spec,test}.ts']",
    ],
)
def test_karma_leaves_tests_out(tree: Tree, lines: str) -> None:
    karma(tree, lines)
    findings = found(tree)
    assert fatal(findings) == {CODE}


@pytest.mark.parametrize(
    "text",
    [
        "const client = { args: ['--grep', 'none'] };\nexport default (c) => c.set({ client });",
        "module.exports = (c) => { c.set({}); c.client = { args: ['--grep', 'none'] }; };\n",
        "const none = ['-g', 'none'];\nexport default (c) => c.set({ client: { args: none } });",
        "module.exports = () => process.exit(0);\n",
    ],
)
def test_karma_in_other_words(tree: Tree, text: str) -> None:
    tree.write(_KARMA, text)
    assert fatal(found(tree)) == {CODE}


@pytest.mark.parametrize(
    "lines",
    [
        "client: { clearContext: false, jasmine: { random: false } }",
        "client: { args: [] }",
        "client: { args: ['--grep', config.grep] }",
        "client: { args: process.env.TESTS ? ['--grep', process.env.TESTS] : [] }",
        "failOnEmptyTestSuite: true",
        "exclude: ['e2e/**', '**/node_modules/**']",
        "coverageReporter: { dir: 'coverage', exclude: ['**/*.spec.ts'] }",
        "preprocessors: { 'src/**/*.ts': ['coverage'] }",
        "files: [{ pattern: './src/assets/**', included: false }]",
        "browserNoActivityTimeout: 60000",
    ],
)
def test_honest_karma(tree: Tree, lines: str) -> None:
    karma(tree, lines)
    assert found(tree) == ()


def test_karma_may_go(tree: Tree) -> None:
    (tree.root / _KARMA).unlink()
    target(tree, lambda test: test["options"].pop("karmaConfig"))
    assert found(tree) == ()


@pytest.mark.parametrize(
    ("options", "severity"),
    [
        ({"include": ["**/no-such/*.spec.ts"]}, "fatal"),
        ({"exclude": ["**/*.spec.ts"]}, "fatal"),
        ({"exclude": ["app"]}, "fatal"),
        ({"filter": "^none$"}, "fatal"),
        ({"exclude": ["app/core/walking-time.spec.ts"]}, "warning"),
        ({"include": ["**/*.spec.ts", "**/*.test.ts"]}, ""),
        ({"include": ["src/app"]}, ""),
        ({"exclude": ["**/e2e/**"]}, ""),
        ({"karmaConfig": "tools/karma.js"}, ""),
    ],
)
def test_target_of_the_workspace(tree: Tree, options: dict[str, Any], severity: str) -> None:
    target(tree, lambda test: test["options"].update(options))
    assert {each.severity.value for each in found(tree)} == ({severity} - {""})


def test_builder_that_does_nothing(tree: Tree) -> None:
    target(tree, lambda test: test.update(builder="@angular-devkit/architect:true"))
    assert fatal(found(tree)) == {CODE}


def test_configuration_of_another_name(tree: Tree) -> None:
    target(tree, lambda test: test["options"].update(karmaConfig="tools/tests.js"))
    tree.write("tools/tests.js", "export default (c) => c.set({ client: { args: ['-g', 'a'] } });")
    assert fatal(found(tree)) == {CODE}


@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        (r"/\.spec\.ts$/", set()),
        (r"/^\.\/.*\.spec\.ts$/", set()),
        (r"/\.(spec|test)\.ts$/i", set()),
        (r"/\.none\.ts$/", {CODE}),
        (r"/core\/walking-time\.spec\.ts$/", {CODE}),
    ],
)
def test_entry_of_older_versions(tmp_path: Path, expression: str, codes: set[str]) -> None:
    tree: Tree = Base("trailbook_v12_to_v13", 13).copy(tmp_path / "patched")
    tree.replace("src/test.ts", r"/\.spec\.ts$/", expression)
    assert fatal(found(tree)) == codes


def test_entry_that_goes_as_the_framework_has_it(tmp_path: Path) -> None:
    tree: Tree = Base("trailbook_v12_to_v13", 13).copy(tmp_path / "patched")
    (tree.root / "src/test.ts").unlink()
    target(tree, lambda test: test["options"].pop("main"))
    assert found(tree) == ()


_VITEST = "export default defineConfig({ test: { %s } });\n"


def vitest(tree: Tree, settings: str) -> None:
    """What a migration to Vitest leaves."""
    (tree.root / _KARMA).unlink()
    tree.edit("package.json", lambda value: value["scripts"].update(test="vitest run"))
    target(tree, lambda test: test.update(builder="@angular/build:unit-test", options={}))
    tree.write("vitest.config.ts", _VITEST % settings)


@pytest.mark.parametrize(
    ("settings", "severity"),
    [
        ("globals: true, environment: 'jsdom', setupFiles: ['src/test-setup.ts']", ""),
        ("include: ['src/**/*.{test,spec}.?(c|m)[jt]s?(x)']", ""),
        ("exclude: [...configDefaults.exclude, 'e2e/*']", ""),
        ("coverage: { exclude: ['**/*.spec.ts'], include: ['src/none/**'] }", ""),
        ("passWithNoTests: true", "warning"),
        ("include: ['src/none/*.spec.ts']", "fatal"),
        ("exclude: ['src/**']", "fatal"),
        ("testNamePattern: 'none'", "fatal"),
        ("testNamePattern: /none/", "fatal"),
        ("dir: 'src/none'", "fatal"),
    ],
)
def test_another_runner(tree: Tree, settings: str, severity: str) -> None:
    vitest(tree, settings)
    assert {each.severity.value for each in found(tree)} == ({severity} - {""})


@pytest.mark.parametrize(
    ("settings", "severity"),
    [
        ({"preset": "jest-preset-angular", "testMatch": ["**/+(*.)+(spec).+(ts)"]}, ""),
        ({"testMatch": ["<rootDir>/src/**/?(*.)+(spec|test).[jt]s?(x)"]}, ""),
        ({"testRegex": r"(/__tests__/.*|(\.|/)(test|spec))\.[jt]sx?$"}, ""),
        ({"testPathIgnorePatterns": ["<rootDir>/node_modules/", "<rootDir>/e2e/"]}, ""),
        ({"passWithNoTests": True}, "warning"),
        ({"testPathIgnorePatterns": ["/src/"]}, "fatal"),
        ({"roots": ["<rootDir>/none"]}, "fatal"),
    ],
)
def test_jest_of_the_manifest(tree: Tree, settings: dict[str, Any], severity: str) -> None:
    def change(value: Any) -> None:
        value["scripts"]["test"] = "jest"
        value["jest"] = settings

    tree.edit("package.json", change)
    assert {each.severity.value for each in found(tree)} == ({severity} - {""})


@pytest.mark.parametrize(
    "command",
    [
        "ng test || true",
        "ng test || exit 0",
        "ng test || (exit 0)",
        "ng test; exit 0",
        "ng test || echo 'some failed'",
        "ng test ; true",
        "npm run unit || :",
        "npm run hidden",
        "jest -t none",
        "vitest run --testNamePattern=none",
        "ng test -- --grep none",
        "ng test --include='**/none.spec.ts'",
        "ng test --exclude '**/*.spec.ts'",
        "jest --testPathIgnorePatterns /src/",
        "karma start --no-fail-on-empty-test-suite",
    ],
)
def test_script_leaves_tests_out(tree: Tree, command: str) -> None:
    assert all_found(tree, unit="ng test", hidden="ng test || true", test=command) == {CODE}


@pytest.mark.parametrize(
    "command",
    [
        "vitest run",
        "ng test --no-watch --browsers=ChromeHeadless --code-coverage",
        "ng test || exit 1",
        "ng test || (exit 1)",
        "pnpm --filter web ng test",
        "ng test && echo ok",
        "npm run unit && npm run lint",
        "jest --coverage --testPathIgnorePatterns e2e",
        "ng test --include='**/*.spec.ts'",
        "ng test -- --grep $TESTS",
        "rimraf coverage; ng test",
        "true && ng test",
        "ng test; node tools/report.js",
        "ng lint || true && ng test",
    ],
)
def test_honest_script(tree: Tree, command: str) -> None:
    assert all_found(tree, unit="ng test", test=command) == set()


def test_script_of_a_new_runner_passes_without_tests(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v["scripts"].update(test="jest --passWithNoTests"))
    assert (fatal(found(tree)), warned(found(tree))) == (set(), {CODE})


def test_scripts_that_run_no_unit_tests_are_others(tree: Tree) -> None:
    scripts = {"lint": "ng lint || true", "e2e": "playwright test --grep smoke || true"}
    assert all_found(tree, **scripts) == set()


def test_what_the_base_leaves_out_is_no_finding(base: Base, tmp_path: Path) -> None:
    def leave_out(tree: Tree) -> None:
        karma(tree, "client: { args: ['--grep', 'slow'] }, failOnEmptyTestSuite: false")
        target(tree, lambda test: test["options"].update(exclude=["app/core/**"]))
        tree.edit("package.json", lambda v: v["scripts"].update(test="ng test || true"))

    old, new = base.copy(tmp_path / "old"), base.copy(tmp_path / "new")
    leave_out(old)
    leave_out(new)
    target(new, lambda test: test["options"].update(exclude=["**/core/*.spec.ts"]))
    assert found(new, Snapshot.scan(old.root, BUILD)) == ()
    assert fatal(found(new)) == {CODE}


def test_a_base_without_tests_leaves_none_out(base: Base, tmp_path: Path) -> None:
    old, new = base.copy(tmp_path / "old"), base.copy(tmp_path / "new")
    for tree in (old, new):
        for path in tree.root.rglob("*.spec.ts"):
            path.unlink()
    karma(new, "failOnEmptyTestSuite: false")
    assert found(new, Snapshot.scan(old.root, BUILD)) == ()


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**/*.spec.ts", "a/b/c.spec.ts", True),
        ("**/*.spec.ts", "c.spec.ts", True),
        ("*.spec.ts", "a/c.spec.ts", False),
        ("src/**", "src/a/b.ts", True),
        ("src", "src/a/b.ts", True),
        ("src/*/b.ts", "src/a/b.ts", True),
        ("**/?(*.)+(spec|test).[jt]s?(x)", "a/b.test.tsx", True),
        ("**/{a,b}/[!x-z].ts", "q/b/c.ts", True),
        ("**/{a,b}/[!x-z].ts", "q/b/y.ts", False),
        ("**/!(a).ts", "b.ts", None),
        ("*" * 200 + "b", "a" * 290, False),
        ("{a,b}" * 20, "a", None),
    ],
)
def test_globs(pattern: str, path: str, fits: bool | None) -> None:
    assert matches(pattern, path) is fits


def test_expressions_take_no_time() -> None:
    assert expression_matches("(a+)+$", "a" * 100) is None
    assert expression_matches("a*a*a*$", "a" * 100) is None
    assert expression_matches(r"\.(spec|test)\.ts$", "a.spec.ts") is True
    assert json.dumps(expression_matches("(", "a")) == "null"
