"""Inventories, template tokens, and the search for an application in its bundle."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.foreign.tree import ALL_COPIED, SourceTree
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.tracks.angular.integrity.bundle import check_scripts_made, script_bytes
from pytest_benchmac.tracks.angular.integrity.inventory import (
    compare_inventories,
    selector_names,
    token_recall,
)
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncError, parse
from pytest_benchmac.tracks.angular.integrity.sources import SourceFacts, read_sources
from pytest_benchmac.tracks.angular.integrity.sources_leg import (
    Inventory,
    check_sources,
)
from pytest_benchmac.tracks.angular.integrity.templates import template_tokens
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.angular_trees import INSTANCES, Base, Tree, fatal, instance, warned

MIRROR = "BENCHMAC_SOURCE_MIRROR"
OWN = sorted(path.name for path in INSTANCES.glob("trailbook_*"))
THESIS = sorted(path.name for path in INSTANCES.glob("gothinkster__*"))


@pytest.fixture(scope="module")
def older() -> Base:
    """An application with modules, for the webpack builder."""
    return Base("trailbook_v16_to_v17", 17)


def facts(folder: Path, source: str | bytes) -> SourceFacts:
    folder.mkdir(exist_ok=True)
    (folder / "x.ts").write_bytes(source if isinstance(source, bytes) else source.encode())
    return read_sources(SourceTree.scan(folder)).facts["x.ts"]


# --- one source --------------------------------------------------------------------------------


def test_decorators_by_whatever_name_they_are_imported(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        import { Component as C, Pipe } from '@angular/core';
        import * as ng from '@angular/core';
        import { Directive } from './shadow';
        const PREFIX = 'tb';
        @C({ selector: PREFIX + '-a', template: `<p>${PREFIX}</p>`, jit: true }) export class A {}
        export default @ng.Injectable() class B {}
        @Directive({ selector: '[c]' }) abstract class D {}
        @Pipe({ name: 'e' }) class E {}
        @Component({ selector: 'f' }) class F {}
        """,
    )
    seen = [(each.name, each.kind, each.genuine) for each in found.classes]
    assert seen == [
        ("A", "Component", True),
        ("B", "Injectable", True),
        ("D", "Directive", False),
        ("E", "Pipe", True),
        ("F", "Component", False),
    ]
    assert found.classes[0].selector == "tb-a"
    assert found.classes[0].template == "<p>tb</p>"
    assert found.classes[0].jit
    assert found.classes[3].pipe == "e"


def test_imports_of_every_kind(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        """
        import './side'; import type { T } from './types'; export * from './all';
        const routes = [
          { path: 'a', loadChildren: () => import('./lazy').then(m => m.M) },
          { path: 'b', loadChildren: './old.module#OldModule' },
          { path: 'c', component: X }, { path: 7 }, { path: 'no route' },
        ];
        const fs = require('./common');
        """,
    )
    assert {each.module for each in found.imports} == {
        "./side",
        "./types",
        "./all",
        "./lazy",
        "./old.module",
        "./common",
    }
    assert found.routes == ("a", "b", "c")


def test_silencers_are_comments_only(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        "const a = '// @ts-ignore';\n// @ts-ignore\n/*\n * @ts-expect-error why */\n"
        "const b = `\n// @ts-nocheck`; // no @ts-ignore here\n/// @ts-nocheck\n",
    )
    assert [(each.kind, each.line) for each in found.silencers] == [
        ("ignore", 2),
        ("expect-error", 4),
        ("nocheck", 7),
    ]


def test_code_from_text_is_seen(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        "eval('1'); new Function('x'); document.createElement('script');"
        "document.createElement('div'); evaluate('2');",
    )
    assert len(found.dynamic) == 3


def test_texts_that_become_elements_are_seen(tmp_path: Path) -> None:
    found = facts(
        tmp_path,
        "a.innerHTML = b;\n"
        "a['insertAdjacent' + 'HTML']('afterbegin', b);\n"
        "r.setProperty(a, 'outerHTML', b);\n"
        "Object.assign(a, { srcdoc: b });\n"
        "document.write(b); this.document.writeln(b);\n"
        "const { bypassSecurityTrustHtml } = sanitizer;\n"
        "a.inner\\u0048TML = b;\n"
        "// a.innerHTML = b\n"
        "stream.write(b); const text = 'innerHTML is not for this'; a.textContent = b;\n",
    )
    assert [(each.name, each.line) for each in found.markup] == [
        ("innerHTML", 1),
        ("insertAdjacentHTML", 2),
        ("outerHTML", 3),
        ("srcdoc", 4),
        ("document.write", 5),
        ("document.writeln", 5),
        ("bypassSecurityTrustHtml", 6),
        ("innerHTML", 7),
    ]


def test_sources_after_one_that_crashes_the_parser_are_read(tmp_path: Path) -> None:
    for name, text in (("a", "{a:" * 100_000), ("b", "@ts"), ("c", "import './x';")):
        (tmp_path / f"{name}.ts").write_text(text)
    sources = read_sources(SourceTree.scan(tmp_path))
    assert list(sources.unread) == ["a.ts"]
    assert set(sources.facts) == {"b.ts", "c.ts"}


def test_many_sources_that_crash_the_parser_are_given_up(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.ts").write_text("{a:" * 100_000)
    assert len(read_sources(SourceTree.scan(tmp_path)).unread) == 6


def test_oversized_source_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "big.ts").write_text("/" * (5 * 1024 * 1024))
    assert list(read_sources(SourceTree.scan(tmp_path)).unread) == ["big.ts"]


@pytest.mark.parametrize(
    "text",
    ["a(" * 20_000, "`${" * 20_000, "a." * 100_000 + "b()", "a()" + ".b()" * 20_000, "(<" * 9_000],
)
def test_hostile_sources_are_read_or_given_up(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.ts").write_text(text)
    sources = read_sources(SourceTree.scan(tmp_path))
    assert len(sources.facts) + len(sources.unread) == 1


# --- templates ---------------------------------------------------------------------------------


def test_tokens_of_a_template() -> None:
    tokens = template_tokens(
        '<tb-card [title]="trail.name" (opened)="open($event)" [(ngModel)]="x1" #card class="wide">'
        "Up {{ ascent | number }} <!-- <b>gone</b> --></tb-card>"
    )
    assert set(tokens) == {
        "<tb-card", "@title", "trail", "name", "@opened", "open", "@ngmodel", "x1", "@card",
        "@class", "wide", "up", "ascent", "number",
    }  # fmt: skip


def test_control_flow_of_both_forms_has_the_same_tokens() -> None:
    old = (
        '<ul><ng-container *ngIf="trails.length"><li *ngFor="let trail of trails; trackBy: byId">'
        '{{ trail.name }}</li></ng-container></ul><p *ngIf="!trails.length">None</p>'
    )
    new = (
        "<ul>@if (trails.length) { @for (trail of trails; track byId) {<li>{{ trail.name }}</li>} }"
        "</ul>@if (!trails.length) {<p>None</p>}"
    )
    assert template_tokens(old) == template_tokens(new)


def test_names_of_bindings_are_one() -> None:
    forms = ("value", "[value]", "(value)", "[(value)]", "bind-value", "attr.value", "#value")
    assert {frozenset(template_tokens(f"<i {form}></i>")) for form in forms} == {
        frozenset({"<i", "@value"})
    }


@given(st.text(alphabet="<>/='\"a- {}@!", max_size=200))
def test_templates_never_fail(text: str) -> None:
    assert isinstance(template_tokens(text), dict)


def test_recall() -> None:
    assert token_recall({"a": 3, "b": 1}, {"a": 1, "b": 5, "c": 1}) == 0.5
    assert token_recall({}, {}) == 1.0


def test_names_in_selectors() -> None:
    assert selector_names("button[tbFoo], [tb-bar=x]:not(.off), tb-x.wide") == {
        "button",
        "tbfoo",
        "tb-bar",
        "tb-x",
    }


# --- JSON with comments ------------------------------------------------------------------------


def test_jsonc() -> None:
    document = parse('\ufeff{ // one\n "a": [1, 2,], /* two */ "b": {"c": "\\u0041",},\n"a": 3,}')
    assert document.value == {"a": 3, "b": {"c": "A"}}
    assert document.duplicates == [("a",)]
    assert document.line("b", "c") == 2
    assert document.line("b", "gone") == 2
    assert document.line("gone") is None


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a" 1}', '{"a": 1 "b": 2}', "[,]", "{,}", "NaN", "'a'", '"a\n"', "[1]]", "{a: 1}",
     "/* open", '{"a": // x\u2028 1}', "[" * 1000, "01", '"\\x"'],
)  # fmt: skip
def test_jsonc_errors(text: str) -> None:
    with pytest.raises(JsoncError):
        parse(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_jsonc_reads_json(value: object) -> None:
    assert parse(json.dumps(value, indent=1)).value == value


@given(st.text(alphabet='{}[]:,"\\/*1atrue \n', max_size=60))
def test_jsonc_fails_only_with_its_own_error(text: str) -> None:
    with suppress(JsoncError):
        json.dumps(parse(text).value)


# --- inventories -------------------------------------------------------------------------------


def test_inventory_of_our_application(base: Base) -> None:
    inventory = base.snapshot.inventory
    assert inventory.reachable_only
    assert len(inventory.components) == 10
    assert {each.selector for each in inventory.directives} == {"[tbSteepness]"}
    assert {each.name for each in inventory.pipes} == {"DurationPipe", "GradePipe"}
    assert all(each.used for each in inventory.declared)
    assert Inventory.model_validate_json(inventory.model_dump_json()) == inventory


def gutted(tree: Tree) -> None:
    """The whole application replaced by one component; the sources stay, unused."""
    tree.write(
        "src/main.ts",
        "import { Component } from '@angular/core';\n"
        "import { bootstrapApplication } from '@angular/platform-browser';\n"
        "@Component({ selector: 'tb-root', template: 'Hello' }) class AppComponent {}\n"
        "bootstrapApplication(AppComponent);\n",
    )


def emptied(tree: Tree) -> None:
    """Every template emptied."""
    for path in (tree.root / "src").rglob("*.html"):
        if path.name != "index.html":
            path.write_text("<p></p>")


def shadowed(tree: Tree) -> None:
    """Decorators of its own, that compile to nothing."""
    tree.write("src/ng.ts", "export const Component = (_: object) => (_: unknown) => undefined;")
    for path in (tree.root / "src" / "app").rglob("*.component.ts"):
        text = path.read_text()
        path.write_text(
            text.replace("import { Component, ", "import { ").replace(
                "import { Component }", "import {}"
            )
            + "\nimport { Component } from 'src/ng';\n"
        )


def renamed(tree: Tree) -> None:
    """Other components in place of the application's."""
    for path in (tree.root / "src" / "app").rglob("*.component.ts"):
        path.write_text(
            path.read_text()
            .replace("selector: 'tb-", "selector: 'old-")
            .replace("Component {", "Widget {")
        )


def replaced_in_production(tree: Tree) -> None:
    """Sources intact, and others put in their place by the production configuration."""
    tree.write(
        "src/stub.ts",
        "import { Component } from '@angular/core';\n"
        "@Component({ selector: 'tb-root', template: '' }) export class AppComponent {}\n",
    )
    stub = [
        {"replace": "src/app/app.component.ts", "with": "src/stub.ts"},
        {"replace": "src/app/app.config.ts", "with": "src/config.stub.ts"},
    ]
    tree.write("src/config.stub.ts", "export const appConfig = { providers: [] };")
    tree.build(lambda c: c["production"].update(fileReplacements=stub), "configurations")


@pytest.mark.parametrize("change", [gutted, emptied, shadowed, renamed, replaced_in_production])
def test_replaced_applications_are_caught(tree: Tree, change: Callable[[Tree], None]) -> None:
    change(tree)
    findings = tree.check().findings
    assert {code for code in fatal(findings) if code.startswith("inventory-")}, findings


def moved_and_standalone(tree: Tree) -> None:
    """Folders moved, an alias for them, classes renamed as Angular 20 names them."""
    tree.move("src/app/home", "src/app/pages/home")
    tree.replace("src/app/app.routes.ts", "./home/home.component", "@pages/home/home.component")
    tree.replace("src/app/pages/home/home.component.ts", "'../", "'../../")
    tree.edit(
        "tsconfig.json",
        lambda v: v["compilerOptions"].update(paths={"@pages/*": ["./src/app/pages/*"]}),
    )
    for path in ("src/app/app.component.ts", "src/main.ts"):
        tree.replace(path, "AppComponent", "App")


def functional_interceptor(tree: Tree) -> None:
    """A service less, a route less, templates in the source."""
    html = tree.text("src/app/about/about.component.html")
    (tree.root / "src/app/about/about.component.html").unlink()
    tree.replace(
        "src/app/about/about.component.ts",
        "templateUrl: './about.component.html'",
        f"template: `{html}`",
    )


@pytest.mark.parametrize("change", [moved_and_standalone, functional_interceptor])
def test_honest_changes_keep_the_inventory(tree: Tree, change: Callable[[Tree], None]) -> None:
    change(tree)
    report = tree.check()
    assert fatal(report.findings) == set(), report.findings
    assert report.recalls["components"] == 1.0
    assert report.recalls["template tokens"] > 0.99
    assert report.inventory.reachable_only


def test_component_that_nothing_uses_may_go(base: Base, tmp_path: Path) -> None:
    old = base.copy(tmp_path / "base")
    dead = "import {{ Component }} from '@angular/core';\n" + "".join(
        f"@Component({{{{ selector: 'tb-dead{n}', template: '<b>dead {n}</b>' }}}})\n"
        f"export class Dead{n}Component {{{{}}}}\n"
        for n in range(30)
    )
    old.write("src/app/dead.ts", dead.replace("{{", "{").replace("}}", "}"))
    old.append("src/main.ts", "import './app/dead';\n")
    new = base.copy(tmp_path / "patched")
    report = check_sources(old.root, new.root, ALL_COPIED, instance(19))
    assert len(report.baseline_inventory.components) == 40
    assert fatal(report.findings) == set(), report.findings


def test_import_that_leads_nowhere_has_all_sources_taken_in(tree: Tree) -> None:
    tree.append("src/main.ts", "import './generated/routes';\n")
    report = tree.check()
    assert not report.inventory.reachable_only
    assert report.recalls["components"] == 1.0
    assert fatal(report.findings) == {"application-uncertain"}


@pytest.mark.parametrize(
    "place",
    [
        "../node_modules/@angular/core",
        "../node_modules/rxjs/../@angular/common/http/index",
        "node_modules/@angular/core",
        "../node_modules/old/node_modules/@angular/core/index",
    ],
)
def test_the_framework_may_not_be_declared_by_its_place(tree: Tree, place: str) -> None:
    tree.append("src/main.ts", f"declare module '{place}' {{ interface Old {{}} }}\n")
    assert "framework-declared" in fatal(tree.check().findings)


@pytest.mark.parametrize("place", ["./app/shared/types", "../node_modules/own-library/index"])
def test_other_modules_may_be_declared_by_their_place(tree: Tree, place: str) -> None:
    tree.append("src/main.ts", f"declare module '{place}' {{ interface Old {{}} }}\n")
    assert fatal(tree.check().findings) == set()


def test_thresholds() -> None:
    base = Inventory(tokens={"a": 100})
    for kept, fatals, warnings in ((59, 1, 0), (60, 0, 1), (79, 0, 1), (80, 0, 0)):
        findings = Findings()
        compare_inventories(base, Inventory(tokens={"a": kept}), findings)
        assert len(fatal(findings.result())) == fatals
        assert len(warned(findings.result())) == warnings


def test_modules_services_and_routes_move_with_a_warning() -> None:
    findings = Findings()
    base = Inventory(modules=16, services=14, routes=tuple("abcdefghij"))
    compare_inventories(base, Inventory(modules=2, services=9), findings)
    assert fatal(findings.result()) == set()
    assert warned(findings.result()) == {"inventory-modules", "inventory-routes"}


@pytest.mark.parametrize("name", OWN)
def test_own_silver_patches_are_clean(tmp_path: Path, name: str) -> None:
    target = int(name.rpartition("_v")[2])
    patched = Base(name, target).copy(tmp_path / "patched")
    subprocess.run(["git", "init", "-q"], cwd=patched.root, check=True)
    subprocess.run(
        ["git", "apply", str(INSTANCES / name / "silver.patch")], cwd=patched.root, check=True
    )
    subprocess.run(["rm", "-r", ".git"], cwd=patched.root, check=True)
    report = patched.check()
    assert fatal(report.findings) == set(), report.findings
    assert report.builds_can_differ == ()
    assert min(report.recalls.values()) >= 0.95


@pytest.mark.skipif(
    not os.environ.get(MIRROR), reason=f"the thesis's repository is read from {MIRROR}"
)
@pytest.mark.parametrize("name", THESIS)
def test_thesis_silver_patches_are_clean(tmp_path: Path, name: str) -> None:
    loaded = load_instance(INSTANCES / name / "instance.toml")
    assert loaded.silver is not None
    trees: list[Path] = []
    for commit in (loaded.source.commit, loaded.silver.commit):
        repository = "/".join((loaded.source.git or "").rstrip("/").split("/")[-2:])
        git = Path(os.environ[MIRROR], repository.removesuffix(".git") + ".git")
        archive = subprocess.run(
            ["git", "--git-dir", str(git), "archive", str(commit)], capture_output=True, check=True
        )
        folder = tmp_path / str(commit)
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        trees.append(folder)
    target = int(name.rpartition("_v")[2])
    report = check_sources(trees[0], trees[1], ALL_COPIED, instance(target))
    assert fatal(report.findings) == set(), report.findings
    assert report.recalls["components"] == 1.0
    assert min(report.recalls.values()) >= 0.9
    assert len(report.inventory.components) == 18
    assert report.builds_can_differ == ()


# --- bundles -----------------------------------------------------------------------------------


def made(folder: Path, scripts: dict[str, int]) -> SourceTree:
    """An output with scripts of so many bytes."""
    for name, size in {"index.html": 10, **scripts}.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"x" * size)
    return SourceTree.scan(folder)


def scripts_judged(artifacts: SourceTree, baseline: int | None, **options: object) -> set[str]:
    findings = Findings()
    target = BuildTarget("app", "application", "", "src", "", options, None)
    check_scripts_made(artifacts, baseline, (target,), findings)
    return fatal(findings.result())


def test_bundle_must_not_shrink_too_far(tmp_path: Path) -> None:
    artifacts = made(tmp_path, {"main.js": 3_000})
    assert scripts_judged(artifacts, None) == set()
    assert scripts_judged(artifacts, int(3_000 / 0.31)) == set()
    assert scripts_judged(artifacts, int(3_000 / 0.29)) == {"bundle-too-small"}
    assert scripts_judged(artifacts, 30_000, optimization=False) == set()


def test_scripts_among_assets_and_for_old_browsers_do_not_count(tmp_path: Path) -> None:
    artifacts = made(tmp_path, {"assets/old.js": 10, "main-es5.abc.js": 10})
    assert script_bytes(artifacts) == 0
    assert scripts_judged(artifacts, None) == {"bundle-empty"}


def test_scripts_lie_beside_their_page(tmp_path: Path) -> None:
    """In a folder of a language, too; those elsewhere are nobody's who opens the page."""
    pages = {"de/index.html": 5, "de/main.js": 7, "main.js": 100, "de/assets/x.js": 100}
    artifacts = made(tmp_path, pages)
    (tmp_path / "index.html").unlink()
    assert script_bytes(SourceTree.scan(tmp_path)) == 7
    assert script_bytes(artifacts) == 107
