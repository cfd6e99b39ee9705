"""Bills of materials: read from what builders leave, and what they may say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.npm.published import Manifest
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.angular.integrity import bill as bill_module
from pytest_benchmac.tracks.angular.integrity.bill import (
    Bill,
    harness_files,
    library_elements,
    read_bill,
)
from pytest_benchmac.tracks.angular.integrity.bill_rules import Materials, check_bill
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld, InstalledPackage
from pytest_benchmac.tracks.angular.integrity.component_rules import (
    check_components,
    is_compiled_by_browsers,
)
from pytest_benchmac.tracks.angular.integrity.definitions import definitions
from pytest_benchmac.tracks.angular.integrity.inventory import Declared, Inventory
from pytest_benchmac.tracks.angular.integrity.published_files import (
    ByDigest,
    OnDisk,
    PublishedFiles,
)
from pytest_benchmac.tracks.angular.integrity.ranges import holds
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.integrity.outputs import FORMS, Output

COMPONENTS = {
    "src/app/a.component.ts": "tb-a",
    "src/app/b.component.ts": "tb-b",
    "src/app/c.directive.ts": "[tbC]",
}
CORE = "node_modules/@angular/core/index.mjs"
ZONE = "node_modules/zone.js/zone.js"


def package(folder: str, name: str, version: str, **requires: str) -> InstalledPackage:
    wanted = {each.replace("_", "."): spec for each, spec in requires.items()}
    return InstalledPackage(folder, name, version, (), wanted)


WORLD = {
    each.folder: each
    for each in (
        package("@angular/core", "@angular/core", "19.2.0", rxjs="^7.4.0", zone_js="~0.15.0"),
        package("zone.js", "zone.js", "0.15.1"),
        package("old", "old", "1.0.0", tslib="^1.0.0"),
        package("old/node_modules/tslib", "tslib", "1.14.0"),
        package("old/node_modules/@angular/core", "@angular/core", "18.2.0"),
        package("ng18", "@angular/core", "18.2.0"),
    )
}


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """The base and the patched tree, with the components' sources."""
    for name in ("base", "patched"):
        for path in (*COMPONENTS, "src/lib/old.js"):
            place = tmp_path / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"// {path}\n")
    return tmp_path / "base", tmp_path / "patched"


def materials(trees: tuple[Path, Path], base_bill: Bill | None = None) -> Materials:
    return Materials(
        base=SourceTree.scan(trees[0]),
        tree=SourceTree.scan(trees[1]),
        world=ClosedWorld(WORLD, ByDigest({})),
        compiled=frozenset(path.removesuffix(".ts") for path in COMPONENTS),
        target_major=19,
        base_bill=base_bill,
    )


def codes(findings: Findings, severity: Severity = Severity.FATAL) -> set[str]:
    return {each.code for each in findings.result() if each.severity is severity}


def judged(
    trees: tuple[Path, Path], artifacts: SourceTree, base_bill: Bill | None = None
) -> Findings:
    findings = Findings()
    check_bill(read_bill(artifacts), artifacts, materials(trees, base_bill), findings)
    return findings


def honest(tmp_path: Path) -> Output:
    output = Output(tmp_path / "out")
    output.components(COMPONENTS)
    output.script("vendor.js", [(CORE, "core();"), (ZONE, "zone();")])
    return output


@pytest.mark.parametrize("kind", ["esbuild", "webpack"])
@pytest.mark.parametrize("form", FORMS)
def test_bill_of_both_builders(tmp_path: Path, kind: str, form: str) -> None:
    output = Output(tmp_path / "out")
    output.components(COMPONENTS, form)
    output.write("assets/chart.js", "chart()")
    artifacts = output.esbuild() if kind == "esbuild" else output.webpack()
    bill = read_bill(artifacts)
    assert bill.problem == ""
    assert bill.scripts["assets/chart.js"].asset
    script = bill.scripts["main.js"]
    text = (output.folder / "main.js").read_text()
    assert list(script.inputs) == list(COMPONENTS)
    assert sum(script.inputs.values()) == len(text)
    assert {each.source: each.selector for each in script.components} == COMPONENTS
    for each in script.components:
        assert each.template_offset is not None
        assert text[each.template_offset :].startswith(
            ("function(t,n)", "function e_T", "(t, n) =>")
        )
    assert harness_files(artifacts) == ["dist/stats.json", "dist/main.js.map"]


def test_classes_get_their_names_from_the_inventory(tmp_path: Path) -> None:
    output = honest(tmp_path)
    path = "src/app/a.component.ts"
    inventory = Inventory(components=(Declared(name="A", file=path, line=1, selector="tb-a"),))
    named = read_bill(output.esbuild()).named(inventory)
    assert {each.source: each.class_name for each in named.components}[path] == "A"


def test_classes_that_only_their_template_tells_of(tmp_path: Path) -> None:
    output = Output(tmp_path / "out")
    output.components({"src/a.html": "tb-a"})
    declared = Declared(name="A", file="src/a.ts", line=3, selector="tb-a", template="src/a.html")
    (built,) = read_bill(output.esbuild()).named(Inventory(components=(declared,))).components
    assert (built.source, built.class_name, built.line) == ("src/a.ts", "A", 3)


def test_offsets_count_as_browsers_do(tmp_path: Path) -> None:
    output = Output(tmp_path / "out")
    output.components({"src/a.ts": "tb-a"}, "'😀';" + FORMS[0])
    (built,) = read_bill(output.esbuild()).components
    text = (output.folder / "main.js").read_text().encode("utf-16-le")
    assert built.template_offset is not None
    assert text[2 * built.template_offset :].decode("utf-16-le").startswith("function(t,n)")


def test_scripts_renamed_after_webpack_and_for_old_browsers(tmp_path: Path) -> None:
    output = honest(tmp_path)
    artifacts = output.webpack()
    for name in ("main", "vendor"):
        (output.folder / f"{name}.js").rename(output.folder / f"{name}-es2015.{'a1' * 10}.js")
        output.write(f"{name}-es5.{'b2' * 10}.js", "old()")
    artifacts = SourceTree.scan(output.root)
    scripts = read_bill(artifacts).scripts
    assert set(scripts) == {f"{name}-es2015.{'a1' * 10}.js" for name in ("main", "vendor")}
    assert not any(script.asset for script in scripts.values())


def test_the_name_of_a_script_for_old_browsers_hides_no_asset(tmp_path: Path) -> None:
    output = honest(tmp_path)
    output.webpack()
    output.write("old/about-es5.js", "about()")
    output.write(f"main-es5.{'b2' * 10}.js", "about()")
    scripts = read_bill(SourceTree.scan(output.root)).scripts
    assert scripts["old/about-es5.js"].asset
    assert scripts[f"main-es5.{'b2' * 10}.js"].asset


def test_selectors_in_definitions() -> None:
    script = """
        e.ɵcmp=(0,a.b)({type:e,selectors:[['tb-a'],[`button`,`tbB`,``]]}) x.selectors=[['no']]
        static ɵdir = /*@__PURE__*/ i0.f({ type: E, selectors:[["",8,"c"]]}); ({selectors:[["no"]]})
        s.ɵdir=f({type:s,selectors:[["form",3,"ngNoForm","","type","text","x",""]]})
    """
    found = [each.selectors for each in definitions(script)]
    assert found == [
        (frozenset({"tb-a"}), frozenset({"button", "tbb"})),
        (frozenset(),),
        (frozenset({"form"}),),
    ]


def _without_stats(output: Output) -> SourceTree:
    return SourceTree.scan(output.root)


def _stats(text: str) -> Callable[[Output], SourceTree]:
    def write(output: Output) -> SourceTree:
        output.write("stats.json", text)
        return SourceTree.scan(output.root)

    return write


@pytest.mark.parametrize(
    "make",
    [
        _without_stats,
        _stats("["),
        _stats("[" * 100_000),
        _stats("{}"),
        _stats('{"outputs": {"main.js": {"inputs": {"a": {"bytesInOutput": -1}}}}}'),
        _stats('{"chunks": [{"files": ["main.js"], "modules": [], "filteredModules": 3}]}'),
        _stats('{"outputs": {"other.js": {"inputs": {"a": {"bytesInOutput": 1}}}}}'),
        _stats('{"outputs": {}, "a": ' + "9" * 5000 + "}"),
    ],
)
def test_a_bill_that_cannot_be_read_is_fatal(
    tmp_path: Path, trees: tuple[Path, Path], make: Callable[[Output], SourceTree]
) -> None:
    artifacts = make(honest(tmp_path))
    assert codes(judged(trees, artifacts)) == {"bill-unreadable"}
    excused = judged(trees, artifacts, Bill(problem="neither does the base's"))
    assert codes(excused) == set()


def test_honest_output(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    artifacts = honest(tmp_path).esbuild()
    findings = judged(trees, artifacts, read_bill(artifacts))
    assert findings.result() == ()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("src/app/unseen.ts", "input-unknown"),
        ("src/legacy/app.js", "input-unknown"),
        ("src/picture.png", "input-unknown"),
        ("src/big.json", "input-unknown"),
        ("../elsewhere.js", "input-unknown"),
        ("data:text/javascript,x()", "input-unknown"),
        ("node_modules/nobody/index.js", "input-unknown"),
        ("angular:script/mine.js", "input-unknown"),
        ("node_modules/old/node_modules/@angular/core/core.mjs", "framework-twice"),
        ("node_modules/ng18/core.mjs", "framework-twice"),
    ],
)
def test_inputs_that_no_honest_build_has(
    tmp_path: Path, trees: tuple[Path, Path], source: str, code: str
) -> None:
    base_bill = read_bill(honest(tmp_path / "base-build").esbuild())
    if source.startswith(("src/", "angular:script/")):
        place = trees[1] / source
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x" * (100_000 if "big" in source else 10))
    output = honest(tmp_path)
    output.script("more.js", [(source, "x();")])
    assert codes(judged(trees, output.esbuild(), base_bill)) == {code}


@pytest.mark.parametrize(
    "source",
    [
        "src/messages.json",
        "angular:polyfills:angular:polyfills",
        "(disabled):node_modules/old/crypto.js",
        "webpack/runtime/define property getters",
        "./$$_lazy_route_resource lazy namespace object",
        "$_lazy_route_resources/ lazy namespace object",
        "node_modules/old/index.js",
        "node_modules/old/node_modules/tslib/tslib.js",
    ],
)
def test_inputs_that_honest_builds_have(
    tmp_path: Path, trees: tuple[Path, Path], source: str
) -> None:
    base_bill = read_bill(honest(tmp_path / "base-build").esbuild())
    (trees[1] / "src/messages.json").write_text("{}")
    output = honest(tmp_path)
    output.script("more.js", [(source, "x();")])
    assert codes(judged(trees, output.esbuild(), base_bill)) == set()


def test_scripts_of_the_base_stay_as_they_were(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    output = honest(tmp_path)
    output.script("more.js", [("src/lib/old.js", "x();")])
    artifacts = output.esbuild()
    assert codes(judged(trees, artifacts, read_bill(artifacts))) == set()
    (trees[1] / "src/lib/old.js").write_text("y" * 20_000)
    assert codes(judged(trees, artifacts, read_bill(artifacts))) == {"input-unknown"}


@pytest.mark.parametrize(("size", "code"), [(720, set()), (5_000, {"input-unknown"})])
def test_a_script_made_of_nothing_has_the_bundler_s_helpers_at_most(
    tmp_path: Path, trees: tuple[Path, Path], size: int, code: set[str]
) -> None:
    output = honest(tmp_path)
    output.script("chunk-SQ5UK6SD.js", [])
    (output.folder / "chunk-SQ5UK6SD.js").write_text("x" * size)
    assert codes(judged(trees, output.esbuild())) == code


def test_versions_go_together(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    artifacts = honest(tmp_path).esbuild()
    bill = read_bill(artifacts)
    for folder, version in (("zone.js", "0.14.10"), ("@angular/core", "18.2.0")):
        world = {**WORLD, folder: replace(WORLD[folder], version=version)}
        findings = Findings()
        given = replace(materials(trees), world=ClosedWorld(world, ByDigest({})))
        check_bill(bill, artifacts, given, findings)
        assert codes(findings) == {"mixed-framework"}, folder


def test_libraries_with_versions_of_their_own_may_lag(
    tmp_path: Path, trees: tuple[Path, Path]
) -> None:
    layout = InstalledPackage(
        "@angular/flex-layout",
        "@angular/flex-layout",
        "15.0.0-beta.42",
        (),
        {"@angular/core": "^15.0.0"},
    )
    output = honest(tmp_path)
    output.script("more.js", [("node_modules/@angular/flex-layout/index.mjs", "x();")])
    artifacts, findings = output.esbuild(), Findings()
    world = ClosedWorld({**WORLD, layout.folder: layout}, ByDigest({}))
    given = replace(materials(trees), world=world)
    check_bill(read_bill(artifacts), artifacts, given, findings)
    assert codes(findings) == set()
    assert codes(findings, Severity.WARNING) == {"mixed-framework"}


def test_names_that_the_base_s_build_had(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    output = honest(tmp_path)
    output.script("more.js", [('external "window.L"', "x();")])
    artifacts = output.webpack()
    assert codes(judged(trees, artifacts)) == {"input-unknown"}
    assert codes(judged(trees, artifacts, read_bill(artifacts))) == set()


@pytest.mark.parametrize(
    ("range_", "version", "held"),
    [
        ("^6.5.3 || ^7.4.0", "7.8.1", True),
        ("^6.5.3 || ^7.4.0", "7.3.0", False),
        ("~0.15.0", "0.15.1", True),
        ("~0.15.0", "0.14.10", False),
        ("^0.2.3", "0.3.0", False),
        (">=12.0.0", "13.1.0", True),
        ("19.2.1", "19.2.1", True),
        ("19.2.1", "19.2.2", False),
        ("a form that nobody knows", "1.0.0", True),
    ],
)
def test_ranges(range_: str, version: str, held: bool) -> None:
    assert holds(range_, version) is held


def test_files_in_the_place_of_outputs(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    output = honest(tmp_path)
    artifacts = output.esbuild()
    for name in ("stats.json", "main.js.map", "vendor.js"):
        place = trees[1] / "public" / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes((output.folder / name).read_bytes())
        assert codes(judged(trees, artifacts)) == {"output-replaced"}, name
        place.unlink()


@pytest.mark.parametrize("laid", [False, True])
def test_published_files_in_the_place_of_outputs(
    tmp_path: Path, trees: tuple[Path, Path], laid: bool
) -> None:
    output = honest(tmp_path)
    artifacts, findings = output.esbuild(), Findings()
    content = (output.folder / "stats.json").read_bytes()
    files = published(tmp_path / "liar", {"stats.json": content}, laid=laid)
    given = replace(materials(trees), world=ClosedWorld(WORLD, files))
    check_bill(read_bill(artifacts), artifacts, given, findings)
    (finding,) = findings.result()
    assert (finding.code, finding.file) == ("output-replaced", "node_modules/liar/stats.json")


@pytest.mark.parametrize("laid", [False, True])
def test_published_files_are_found_by_content_and_ending(tmp_path: Path, laid: bool) -> None:
    files = published(tmp_path, {"lib/a.js": b"one", "a.txt": b"two", "b.js": b"six"}, laid=laid)
    assert files.find(b"one", (".js",)) == "node_modules/liar/lib/a.js"
    assert files.find(b"six") == "node_modules/liar/b.js"
    assert files.find(b"two") == "node_modules/liar/a.txt"
    assert files.find(b"two", (".js", ".mjs")) is None
    # As long as three that are there.
    assert files.find(b"ten") is None


def published(folder: Path, contents: dict[str, bytes], *, laid: bool) -> PublishedFiles:
    """One package's files, known by a manifest or unpacked."""
    if not laid:
        digests = {path: (hashlib.sha512(each).hexdigest(),) for path, each in contents.items()}
        return ByDigest({"liar": Manifest(digests, {})})
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return OnDisk({"liar": folder})


def test_scripts_that_are_copied(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    output = honest(tmp_path)
    for tree in trees:
        (tree / "known.js").write_text("known();" * 10_000)
    (trees[1] / "config.js").write_text("small();")
    output.write("assets/known.js", "known();" * 10_000)
    output.write("config.js", "small();")
    findings = judged(trees, output.esbuild())
    assert codes(findings) == set()
    assert codes(findings, Severity.WARNING) == {"asset-script"}
    output.write("made.js", "nobody();")
    assert codes(judged(trees, output.esbuild())) == {"asset-script"}


def test_own_code_neither_grows_nor_goes(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    def built(name: str, sizes: dict[str, int]) -> SourceTree:
        output = Output(tmp_path / name)
        output.script("main.js", [(path, "x" * size) for path, size in sizes.items()])
        return output.esbuild()

    paths = list(COMPONENTS)
    base = read_bill(built("base-build", dict.fromkeys(paths, 40_000)))
    assert codes(judged(trees, built("half", dict.fromkeys(paths, 20_000)), base)) == set()
    grown = built("grown", {**dict.fromkeys(paths, 40_000), paths[0]: 250_000})
    assert codes(judged(trees, grown, base)) == {"application-grown"}
    one = built("one", {**dict.fromkeys(paths, 40_000), paths[0]: 500})
    findings = judged(trees, one, base)
    assert codes(findings) == set()
    assert codes(findings, Severity.WARNING) == {"source-emptied"}
    two = built("two", {**dict.fromkeys(paths, 500), paths[0]: 40_000})
    assert codes(judged(trees, two, base)) == {"sources-emptied"}


def test_packages_that_the_base_was_not_made_of(tmp_path: Path, trees: tuple[Path, Path]) -> None:
    base = read_bill(honest(tmp_path / "base-build").esbuild())
    output = honest(tmp_path)
    output.script("more.js", [("node_modules/old/index.js", "x" * 5_000)])
    findings = judged(trees, output.esbuild(), base)
    assert codes(findings) == set()
    (told,) = findings.result()
    assert told.code == "new-package-in-build"
    assert told.seen == "old: 5000 bytes"


def inventory() -> Inventory:
    declared = [
        Declared(name=path[8:9].upper(), file=path, line=1, selector=selector, tokens=10)
        for path, selector in COMPONENTS.items()
    ]
    return Inventory(
        components=tuple(declared[:2]), directives=tuple(declared[2:]), tokens={"x": 40}
    )


def built_of(tmp_path: Path, declared: dict[str, str]) -> Bill:
    output = Output(tmp_path / f"components-{len(list(tmp_path.iterdir()))}")
    output.components(declared)
    return read_bill(output.esbuild())


def components_judged(patched: Inventory, base_bill: Bill | None, bill: Bill) -> Findings:
    findings = Findings()
    check_components(inventory(), patched, base_bill, bill, findings)
    return findings


def test_every_component_by_its_own_class(tmp_path: Path) -> None:
    base = built_of(tmp_path, COMPONENTS)
    assert components_judged(inventory(), base, base).result() == ()
    elsewhere = built_of(tmp_path, {"src/dummy.ts": "tb-a", **COMPONENTS})
    assert codes(components_judged(inventory(), base, elsewhere)) == {"component-not-own"}
    stand_in = {path: selector for path, selector in COMPONENTS.items() if selector != "tb-a"}
    bill = built_of(tmp_path, {"src/dummy.ts": "tb-a", **stand_in})
    found = codes(components_judged(inventory(), base, bill))
    assert found == {"component-not-own", "selector-not-in-bundle"}
    missing = built_of(tmp_path, stand_in)
    assert codes(components_judged(inventory(), base, missing)) == {"selector-not-in-bundle"}


def test_one_definition_with_all_names_is_none_of_them(tmp_path: Path) -> None:
    output = Output(tmp_path / "dummy")
    form = FORMS[0].replace("@", '["tb-a"],["tb-b"],["","tbC",""]')
    output.script("main.js", [("src/app/a.component.ts", form)])
    found = codes(components_judged(inventory(), None, read_bill(output.esbuild())))
    assert found == {"selector-not-in-bundle", "bundle-selectors-lost", "inventory-template-tokens"}


def test_components_that_are_moved_dropped_or_new(tmp_path: Path) -> None:
    base = built_of(tmp_path, COMPONENTS)
    old = inventory()
    moved = old.model_copy(
        update={
            "components": (
                old.components[0].model_copy(update={"file": "src/a.ts", "name": "Alpha"}),
                old.components[1],
            )
        }
    )
    places = {
        "src/a.ts": "tb-a",
        "src/app/b.component.ts": "tb-b",
        "src/app/c.directive.ts": "[tbC]",
    }
    assert components_judged(moved, base, built_of(tmp_path, places)).result() == ()
    dropped = old.model_copy(update={"components": old.components[:1]})
    without = {path: selector for path, selector in COMPONENTS.items() if selector != "tb-b"}
    findings = components_judged(dropped, base, built_of(tmp_path, without))
    assert codes(findings) == set()
    assert codes(findings, Severity.WARNING) == {"baseline-selector-not-in-bundle"}


def test_what_the_base_did_not_build_need_not_be_built(tmp_path: Path) -> None:
    dead = built_of(
        tmp_path, {path: selector for path, selector in COMPONENTS.items() if selector != "tb-b"}
    )
    assert codes(components_judged(inventory(), dead, dead)) == set()
    one = built_of(tmp_path, dict(list(COMPONENTS.items())[:1]))
    assert codes(components_judged(inventory(), one, one)) == set()


def test_elements_of_libraries_are_those_that_packages_alone_define(tmp_path: Path) -> None:
    card, tree = "node_modules/old/card.js", "node_modules/old/tree.js"
    base = built_of(tmp_path, {**COMPONENTS, card: "mat-card", tree: "mat-tree"})
    case = built_of(tmp_path, {**COMPONENTS, card: "mat-card", "src/tree.ts": "mat-tree"})
    assert library_elements(base, base) == {"mat-card", "mat-tree"}
    assert library_elements(base, case) == {"mat-card"}


def test_a_build_without_any_definition_leaves_compiling_to_browsers(tmp_path: Path) -> None:
    assert not is_compiled_by_browsers(inventory(), built_of(tmp_path, COMPONENTS))
    libraries = built_of(tmp_path, {"node_modules/old/index.js": "mat-card"})
    assert is_compiled_by_browsers(inventory(), libraries)
    assert not is_compiled_by_browsers(Inventory(), libraries)


def test_bytes_of_webpack_come_from_the_map(tmp_path: Path) -> None:
    output = Output(tmp_path / "out")
    pieces = [("src/a.ts", "aaaa"), ("src/a.html", "bbbbbb"), ("src/b.ts", "cc")]
    output.script("main.js", pieces, files=["src/a.ts", "src/b.ts"])
    assert read_bill(output.webpack()).scripts["main.js"].inputs == {"src/a.ts": 10, "src/b.ts": 2}


def test_modules_of_the_bundler_itself_are_told_by_their_own_names(tmp_path: Path) -> None:
    output = honest(tmp_path)
    modules = [
        {"name": "./src/a.ts", "size": 3},
        {"name": "webpack/runtime/global", "moduleType": "runtime", "size": 2},
        {"identifier": "external node-only", "size": 1},
    ]
    output.write("stats.json", json.dumps({"chunks": [{"files": ["main.js"], "modules": modules}]}))
    told = read_bill(SourceTree.scan(output.root)).scripts["main.js"].inputs
    assert set(told) == {"src/a.ts", "webpack/runtime/global", "external node-only"}


@pytest.mark.parametrize(("one", "all_"), [(10, 10**6), (10**6, 30)])
def test_scripts_that_are_larger_than_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one: int, all_: int
) -> None:
    artifacts = honest(tmp_path).esbuild()
    assert read_bill(artifacts).problem == ""
    monkeypatch.setattr(bill_module, "_MAX_SCRIPT_BYTES", one)
    monkeypatch.setattr(bill_module, "_MAX_ALL_BYTES", all_)
    assert read_bill(artifacts).problem


def test_a_script_of_too_deep_statistics(tmp_path: Path) -> None:
    output = honest(tmp_path)
    module: object = {"name": "./src/a.ts"}
    for _ in range(20):
        module = {"name": "x", "modules": [module]}
    output.write(
        "stats.json", json.dumps({"chunks": [{"files": ["main.js"], "modules": [module]}]})
    )
    assert "chunk" in read_bill(SourceTree.scan(output.root)).problem
