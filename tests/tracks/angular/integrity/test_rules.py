"""Rules that need no build: what each catches, and the honest patch next to it.

Every tree is our own application with a change made by code. `ATTACKS` want a fatal finding of the
code that they are listed with; `HONEST` ones want no fatal finding at all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import ALL_COPIED, Uncopied
from pytest_benchmac.model.evaluation import Severity, Verdict
from pytest_benchmac.tracks.angular.integrity.sources_leg import check_sources
from pytest_benchmac.tracks.findings import verdict_of
from tests.tracks.angular.angular_trees import REGISTRY, Base, Tree, fatal, instance, warned

Change = Callable[[Tree], object]

COMPILED = 'class A{}A.\u0275cmp=i0.\u0275\u0275defineComponent({type:A,selectors:[["tb-root"]]});'
ATTACKS: dict[str, tuple[str, Change]] = {}
HONEST: dict[str, Change] = {}


def attack(code: str) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        ATTACKS[change.__name__] = code, change
        return change

    return register


def honest(change: Change) -> Change:
    HONEST[change.__name__] = change
    return change


# --- the tree ----------------------------------------------------------------------------------


@attack("symlink-added")
def link_out_of_the_tree(tree: Tree) -> None:
    tree.uncopied = Uncopied(links={"src/assets": "/etc"})


@attack("symlink-added")
def link_that_names_a_configuration(tree: Tree) -> None:
    tree.uncopied = Uncopied(links={"tailwind.config.js": "src/harmless.txt"})


@attack("file-not-readable")
def terminal_escape_in_a_name(tree: Tree) -> None:
    tree.uncopied = Uncopied(files=frozenset({"src/\x1b[2Jgreen.ts"}))


@attack("node-modules-committed")
def packages_of_its_own(tree: Tree) -> None:
    tree.write("src/app/node_modules/@angular/core/index.js", "exports.fake = 1;")


@attack("git-committed")
def nested_repository(tree: Tree) -> None:
    tree.write("vendor/.git/config", "[core]\n  fsmonitor = ./evil\n")


@honest
def cache_by_git_add_all(tree: Tree) -> None:
    tree.write(".angular/cache/19.2.25/babel-webpack/abc.json", "{}")


@attack("cache-committed")
def poisoned_cache_elsewhere(tree: Tree) -> None:
    tree.edit("angular.json", lambda v: v["cli"].update(cache={"path": "tools/warm"}))
    tree.write("tools/warm/abc.json", "{}")


@honest
def output_by_git_add_all(tree: Tree) -> None:
    tree.write("dist/trailbook/browser/index.html", "<tb-root></tb-root>")


@attack("output-committed")
def output_folder_moved_to_where_scripts_lie(tree: Tree) -> None:
    tree.build(lambda o: o.update(outputPath="src"))
    tree.write("src/old/main.js", "old()")


@honest
def husky_and_git_attributes(tree: Tree) -> None:
    tree.write(".husky/pre-commit", "#!/bin/sh\nnpx lint-staged\n")
    tree.write(".gitattributes", "*.ts text eol=lf\n*.png filter=lfs diff=lfs merge=lfs -text\n")
    tree.edit("package.json", lambda v: v["scripts"].update(prepare="husky"))


@honest
def other_output_folder_and_project_name(tree: Tree) -> None:
    tree.build(lambda o: o.update(outputPath={"base": "out/web", "browser": ""}))
    tree.append(".gitignore", "/out\n")
    tree.replace("angular.json", '"trailbook"', '"trailbook-web"')
    tree.replace("angular.json", "trailbook:build", "trailbook-web:build")


# --- package.json and the lock file ------------------------------------------------------------


@attack("package-self-name")
def application_called_like_the_framework(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(name="@angular/core", exports="./src/fake.js"))


@attack("package-self-name")
def folder_called_like_the_framework(tree: Tree) -> None:
    tree.write("src/app/core/package.json", '{"name": "rxjs", "exports": "./fake.js"}')


@attack("package-capture")
def browser_field_captures_the_framework(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(browser={"@angular/core": "./src/fake.js"}))


@attack("package-capture")
def nested_browser_field_captures_the_framework(tree: Tree) -> None:
    tree.write("src/package.json", '{"browser": {"rxjs/operators": "./fake.js"}}')


@attack("package-capture")
def conditional_import_captures_the_framework(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(imports={"@angular/core": {"default": "./x"}}))


@attack("command-captured")
def own_ng_command(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(bin={"ng": "./tools/ng.js"}))


@attack("command-captured")
def dependency_that_brings_ng(tree: Tree) -> None:
    tree.lock(
        "node_modules/ng-helper", version="1.0.0", integrity="sha512-x", bin={"ng": "bin/ng.js"}
    )


@attack("dependency-alias")
def old_framework_by_the_new_name(tree: Tree) -> None:
    tree.edit(
        "package.json",
        lambda v: v["dependencies"].update({"@angular/core": "npm:@angular/core-old@18"}),
    )


@attack("dependency-alias")
def old_framework_by_the_side(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v["dependencies"].update(ngold="npm:@angular/core@18.2.0"))


@attack("dependency-not-registry")
def framework_from_a_folder(tree: Tree) -> None:
    tree.edit(
        "package.json", lambda v: v["devDependencies"].update({"@angular/cli": "file:tools/cli"})
    )


@attack("dependency-not-registry")
def compiler_from_a_repository(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v["devDependencies"].update(typescript="someone/ts#v5"))


@attack("override-not-registry")
def override_of_a_bundler(tree: Tree) -> None:
    tree.edit(
        "package.json",
        lambda v: v.update(overrides={"@angular/build": {"esbuild": "file:tools/esbuild"}}),
    )


@attack("override-alias")
def resolution_of_the_framework(tree: Tree) -> None:
    tree.edit(
        "package.json", lambda v: v.update(resolutions={"**/@angular/core": "npm:fake-core@19"})
    )


@attack("manifest-unreadable")
def manifest_that_python_reads_and_node_does_not(tree: Tree) -> None:
    tree.replace("package.json", '"private": true', '"private": NaN')


@attack("lock-alias")
def lock_alone_has_another_compiler(tree: Tree) -> None:
    tree.lock("node_modules/typescript", name="typescript-fork")


@attack("lock-not-registry")
def lock_alone_has_another_address(tree: Tree) -> None:
    tree.lock("node_modules/@angular/core", resolved="https://files.invalid/core.tgz")


@attack("lock-not-registry")
def lock_names_another_package_of_the_registry(tree: Tree) -> None:
    tree.lock(
        "node_modules/@angular/core",
        version="19.2.25",
        resolved=f"https://{REGISTRY}/@angular/core/-/core-18.2.0.tgz",
    )


@attack("lock-not-registry")
def lock_has_a_file_for_what_the_tool_chain_needs(tree: Tree) -> None:
    tree.lock("node_modules/semver", resolved="file:tools/semver.tgz")


@attack("lock-unknown-registry")
def lock_names_an_unknown_host(tree: Tree) -> None:
    tree.registry_hosts = frozenset({f"{REGISTRY}:443"})
    version = "9.9.9"
    tree.lock(
        "node_modules/zone.js",
        version=version,
        resolved=f"https://evil.invalid/zone.js/-/zone.js-{version}.tgz",
    )


@attack("lock-unknown-registry")
def lock_names_another_port_of_the_registry(tree: Tree) -> None:
    """As 127.0.0.1:1 is not the proxy: npm fails there, with the words of a network's failure."""
    tree.registry_hosts = frozenset({f"{REGISTRY}:443"})
    tree.lock(
        "node_modules/zone.js",
        version="9.9.9",
        resolved=f"https://{REGISTRY}:1/zone.js/-/zone.js-9.9.9.tgz",
    )


@attack("lock-local")
def lock_links_the_framework(tree: Tree) -> None:
    tree.lock("node_modules/@angular/core", resolved="tools/core", link=True)


@attack("lock-bundled")
def lock_says_that_it_is_there_already(tree: Tree) -> None:
    tree.lock("node_modules/rxjs", inBundle=True)


@attack("lock-not-registry")
def shrinkwrap_hides_the_lock(tree: Tree) -> None:
    tree.write("npm-shrinkwrap.json", tree.text("package-lock.json"))
    tree.edit(
        "npm-shrinkwrap.json",
        lambda v: v["packages"]["node_modules/tslib"].update(resolved="git+ssh://git@x.invalid/t"),
    )


@attack("lock-alias")
def old_form_of_the_lock(tree: Tree) -> None:
    tree.edit(
        "package-lock.json",
        lambda v: (
            v.pop("packages"),
            v.update(
                lockfileVersion=1,
                dependencies={"typescript": {"version": "npm:ts-fork@5.8.3", "integrity": "x"}},
            ),
        ),
    )


@attack("npmrc-runs-code")
def shell_of_its_own(tree: Tree) -> None:
    tree.write(".npmrc", "legacy-peer-deps=true\nscript-shell=./tools/sh\n")


@attack("npmrc-runs-code")
def module_loaded_into_every_node(tree: Tree) -> None:
    tree.write(".npmrc", "node-options=--max-old-space-size=4096 --require ./tools/hook.js\n")


@honest
def npmrc_as_people_write_it(tree: Tree) -> None:
    tree.write(".npmrc", "legacy-peer-deps=true\nnode-options=--max-old-space-size=4096\n")


@honest
def new_versions_and_dependencies(tree: Tree) -> None:
    def change(value: dict[str, dict[str, str]]) -> None:
        value["dependencies"] |= {"@angular/core": "^19.2.0", "date-fns": "~4.1.0"}
        value["dependencies"]["lodash-four"] = "npm:lodash@4"
        value["devDependencies"] |= {"eslint": ">=9 <10 || 10.x", "husky": "latest"}
        value["overrides"] = {"@angular/build": {"vite": "6.2.0"}, "rxjs": "$rxjs"}  # type: ignore[assignment]

    tree.edit("package.json", change)
    tree.registry_hosts = frozenset({f"{REGISTRY}:443"})
    for path, package, version in (
        ("node_modules/date-fns", "date-fns", "4.1.0"),
        ("node_modules/@angular/core", "@angular/core", "19.2.25"),
    ):
        bare = package.rpartition("/")[2]
        address = f"https://{REGISTRY}/{package}/-/{bare}-{version}.tgz"
        tree.lock(path, version=version, resolved=address, integrity="sha512-x")
    tree.lock("node_modules/lodash-four", name="lodash", version="4.17.21", integrity="sha512-y")


@honest
def nested_alias_and_bundled_package_of_a_published_one(tree: Tree) -> None:
    tree.lock("node_modules/string-width-cjs", name="string-width", version="4.2.4")
    tree.lock("node_modules/@s/wasm/node_modules/tslib", version="2.8.1", inBundle=True)


@honest
def browser_field_for_node_modules(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(browser={"fs": False, "path": False}))


# --- angular.json ------------------------------------------------------------------------------


@attack("workspace-unreadable")
def comma_that_only_some_readers_miss(tree: Tree) -> None:
    tree.replace("angular.json", '"version": 1,', '"version": 1')


@attack("workspace-unreadable")
def comment_that_readers_end_differently(tree: Tree) -> None:
    tree.replace("angular.json", '"version": 1,', '"version": 1, // \u2028 "cli": {},\n')


@attack("workspace-duplicate-key")
def two_builders(tree: Tree) -> None:
    builder = '"builder": "@angular-devkit/build-angular:application",'
    tree.replace("angular.json", builder, f'"builder": "./tools:noop", {builder}')


@attack("workspace-duplicate-key")
def two_builders_one_escaped(tree: Tree) -> None:
    builder = '"builder": "@angular-devkit/build-angular:application",'
    tree.replace("angular.json", builder, f'{builder} "b\\u0075ilder": "./tools:noop",')


@attack("workspace-two-target-sections")
def architect_and_targets(tree: Tree) -> None:
    tree.edit(
        "angular.json",
        lambda v: v["projects"]["trailbook"].update(targets={"build": {"builder": "./tools:noop"}}),
    )


@attack("workspace-prototype-key")
def option_by_the_prototype(tree: Tree) -> None:
    tree.replace("angular.json", '"version": 1,', '"version": 1, "__proto__": {"projects": {}},')


@attack("builder-unknown")
def builder_of_its_own(tree: Tree) -> None:
    tree.replace("angular.json", "@angular-devkit/build-angular:application", "./tools:noop")


@attack("builder-unknown")
def builder_of_the_vendor_that_does_nothing(tree: Tree) -> None:
    tree.replace(
        "angular.json",
        "@angular-devkit/build-angular:application",
        "@angular-devkit/architect:true",
    )


@attack("build-target-missing")
def no_build_at_all(tree: Tree) -> None:
    tree.edit("angular.json", lambda v: v["projects"]["trailbook"]["architect"].pop("build"))


@attack("aot-off")
def compilation_left_to_the_browser(tree: Tree) -> None:
    tree.build(lambda c: c["production"].update(aot=False), "configurations")


@honest
def application_rendered_in_the_build(tree: Tree) -> None:
    tree.build(lambda o: o.update(server="src/main.server.ts", prerender=True))


@honest
def output_mode_of_pages(tree: Tree) -> None:
    tree.build(lambda o: o.update(outputMode="static"))


@attack("entry-not-typescript")
def entry_that_is_a_script(tree: Tree) -> None:
    tree.write("src/main.js", "console.log('old');")
    tree.build(lambda o: o.update(browser="src/main.js"))


@attack("option-outside")
def page_from_outside(tree: Tree) -> None:
    tree.build(lambda o: o.update(index="../project/src/evil.html"))


@attack("framework-external")
def framework_left_out_of_the_bundle(tree: Tree) -> None:
    tree.build(lambda o: o.update(externalDependencies=["@angular/*"]))


@attack("entry-script")
def old_application_as_a_global_script(tree: Tree) -> None:
    tree.write("src/legacy.js", "console.log('old application');")
    tree.build(lambda o: o.update(scripts=["src/legacy.js"]))


@attack("entry-script")
def old_application_as_a_polyfill(tree: Tree) -> None:
    tree.write("src/shim.js", "console.log('old application');")
    tree.build(lambda o: o.update(polyfills=["zone.js", "./src/shim.js"]))


@attack("asset-among-outputs")
def page_replaced_by_an_asset(tree: Tree) -> None:
    tree.write("public/index.html", "<h1>an old build</h1>")


@attack("asset-among-outputs")
def main_script_replaced_by_an_asset(tree: Tree) -> None:
    tree.build(lambda c: c["production"].update(outputHashing="none"), "configurations")
    tree.build(lambda o: o["assets"].append({"glob": "*.js", "input": "old", "output": "/"}))
    tree.write("old/main.js", "old()")


@attack("prebuilt-application")
def old_bundle_as_an_asset(tree: Tree) -> None:
    tree.write("public/lib/chart.js", COMPILED)


@attack("prebuilt-application")
def old_bundle_escaped_and_named_as_data(tree: Tree) -> None:
    tree.write("public/data/chart.bin", COMPILED.replace("\u0275", "\\u0275"))


@honest
def builder_of_the_same_vendor(tree: Tree) -> None:
    for path, old, new in (
        ("angular.json", "@angular-devkit/build-angular:", "@angular/build:"),
        ("angular.json", '"assets"', '/* moved */ "assets"'),
    ):
        tree.replace(path, old, new)


@honest
def comments_commas_and_a_byte_order_mark(tree: Tree) -> None:
    text = tree.text("angular.json").replace('"version": 1,', '// the first\n  "version": 1,')
    tree.write("angular.json", "\ufeff" + text.replace("]\n", "],\n", 1).replace("],,", "],"))


@honest
def development_as_the_default(tree: Tree) -> None:
    tree.build(lambda o: o.update(optimization=False, sourceMap=True, aot=True))
    tree.build(lambda c: c["production"].update(optimization=True), "configurations")
    tree.build(
        lambda c: c["production"].update(
            fileReplacements=[{"replace": "src/app/core/models.ts", "with": "src/models.prod.ts"}]
        ),
        "configurations",
    )
    tree.write("src/models.prod.ts", tree.text("src/app/core/models.ts"))


@honest
def scripts_of_a_published_package_and_an_asset_page(tree: Tree) -> None:
    tree.build(lambda o: o.update(scripts=["node_modules/bootstrap/dist/js/bootstrap.min.js"]))
    tree.write("public/maintenance.html", "<p>We will be back.</p>")
    tree.write("public/lib/clock.js", "setInterval(() => {}, 1000);")


@honest
def zoneless(tree: Tree) -> None:
    tree.build(lambda o: o.update(polyfills=[], allowedCommonJsDependencies=["lodash"]))


# --- the entry page ----------------------------------------------------------------------------


@attack("page-script")
def script_on_the_page(tree: Tree) -> None:
    tree.replace("src/index.html", "</body>", '<script src="assets/old.js"></script></body>')


@attack("page-script")
def script_hidden_behind_a_title(tree: Tree) -> None:
    tree.replace(
        "src/index.html",
        "</head>",
        "<title><!--</title><script src=//evil.invalid/x.js></script><!-- --></head>",
    )


@attack("page-script")
def script_in_the_page(tree: Tree) -> None:
    tree.replace("src/index.html", "</body>", "<SCRIPT\n>boot()</SCRIPT ></body>")


@attack("page-script")
def handler_on_the_page(tree: Tree) -> None:
    tree.replace("src/index.html", "<body>", "<body OnLoad='boot()'>")


@attack("page-frame")
def old_application_in_a_frame(tree: Tree) -> None:
    tree.replace("src/index.html", "</body>", '<iframe src="old/index.html"></iframe></body>')


@attack("page-frame")
def page_that_leads_elsewhere(tree: Tree) -> None:
    tree.replace(
        "src/index.html", "</head>", '<meta http-equiv="Refresh" content="0; url=old/"></head>'
    )


@attack("page-script")
def other_page_with_a_script(tree: Tree) -> None:
    page = tree.text("src/index.html").replace("</body>", "<script src=old.js></script></body>")
    tree.write("src/index.prod.html", page)
    index = {"input": "src/index.prod.html", "output": "index.html"}
    tree.build(lambda c: c["production"].update(index=index), "configurations")


@attack("page-script")
def page_by_an_absolute_name(tree: Tree) -> None:
    tree.write("src/old.html", "<script src=old.js></script>")
    tree.build(lambda o: o.update(index="/src/old.html"))


@honest
def page_with_data_styles_and_comments(tree: Tree) -> None:
    tree.replace(
        "src/index.html",
        "</head>",
        '<script type="application/ld+json">{"@type": "WebSite"}</script>\n'
        "<!-- <script src=gone.js></script> -->\n</head>",
    )


# --- styles ------------------------------------------------------------------------------------


@attack("style-plugin")
def less_plugin(tree: Tree) -> None:
    tree.write("src/theme.less", '@plugin "./evil.js";\n')


@attack("style-plugin")
def less_plugin_behind_what_looks_like_a_comment(tree: Tree) -> None:
    tree.write("src/theme.less", 'a { b: url(//x.invalid/y) } @plugin "./evil.js";\n')


@attack("style-plugin")
def less_plugin_in_a_file_of_another_name(tree: Tree) -> None:
    tree.write("src/theme.less", '@import (less) "notes.txt";\n')
    tree.write("src/notes.txt", "@plugin './evil';")


@attack("style-inline-javascript")
def less_with_javascript(tree: Tree) -> None:
    tree.write("src/theme.less", "@x: `require('fs').writeFileSync('dist/x', '')`;\n")


@attack("style-plugin")
def plugin_in_a_components_styles(tree: Tree) -> None:
    tree.replace(
        "src/app/app.component.ts",
        "styleUrl: './app.component.scss'",
        "styles: [`@plugin './evil';`]",
    )


@attack("postcss-configuration")
def postcss(tree: Tree) -> None:
    tree.write(".postcssrc.json", '{"plugins": {"./evil.js": {}}}')


@attack("tailwind-configuration")
def tailwind(tree: Tree) -> None:
    tree.write("tailwind.config.js", "require('fs'); module.exports = {};")


@attack("browserslist-extends")
def browsers_computed(tree: Tree) -> None:
    tree.write(".browserslistrc", "last 2 versions\n  extends browserslist-config-evil\n")


@attack("browserslist-extends")
def browsers_computed_by_the_manifest(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v.update(browserslist={"production": ["extends x-y"]}))


@honest
def styles_that_only_style(tree: Tree) -> None:
    tree.write("src/theme.less", "// `old` @plugin\n/* @plugin 'x' `y` */\n@a: 1px;\n.b{c:@a}\n")
    tree.write("src/more.scss", '@use "tokens";\n// see `tokens`\n')
    tree.write(".browserslistrc", "# extends nothing\nlast 2 Chrome versions\n")


# --- TypeScript --------------------------------------------------------------------------------


@attack("types-silenced")
def file_not_checked(tree: Tree) -> None:
    tree.write(
        "src/app/home/home.component.ts",
        "// @ts-nocheck\n" + tree.text("src/app/home/home.component.ts"),
    )


@attack("types-silenced")
def line_not_checked(tree: Tree) -> None:
    tree.replace(
        "src/app/home/home.component.ts", "const LATEST", "/* see\n   @ts-ignore */\nconst LATEST"
    )


@attack("types-silenced")
def silenced_in_what_is_called_a_test(tree: Tree) -> None:
    tree.write("src/app/boot.spec.ts", "// @ts-nocheck\nexport const boot = 1 as string;\n")
    tree.append("src/main.ts", "import './app/boot.spec';\n")


@attack("types-silenced")
def silenced_in_another_encoding(tree: Tree) -> None:
    path = "src/app/home/home.component.ts"
    text = "// @ts-nocheck\n" + tree.text(path)
    tree.write(path, b"\xff\xfe" + text.encode("utf-16-le"))


@attack("framework-declared")
def framework_augmented(tree: Tree) -> None:
    tree.append(
        "src/main.ts", "declare module '@angular/core' { interface Component { old: any } }\n"
    )


@attack("framework-declared")
def framework_declared_anew(tree: Tree) -> None:
    tree.write("src/shims.d.ts", 'declare module "@angular/*";\n')


@attack("framework-declared")
def everything_declared(tree: Tree) -> None:
    tree.write("src/shims.d.ts", "declare module '*';\n")


@attack("jit-declared")
def component_left_to_the_browser(tree: Tree) -> None:
    tree.replace("src/app/home/home.component.ts", "@Component({", "@Component({ jit: true,")


@attack("paths-capture")
def paths_to_a_shadow_framework(tree: Tree) -> None:
    tree.edit(
        "tsconfig.json",
        lambda v: v["compilerOptions"].update(paths={"@angular/*": ["./src/shadow/*"]}),
    )


@attack("paths-capture")
def paths_for_everything(tree: Tree) -> None:
    tree.write("src/shadow/rxjs/index.ts", "export {};")
    tree.edit(
        "tsconfig.app.json", lambda v: v["compilerOptions"].update(paths={"*": ["./src/shadow/*"]})
    )


@attack("base-url-capture")
def base_url_to_a_shadow_framework(tree: Tree) -> None:
    tree.write("src/shadow/@angular/core.ts", "export {};")
    tree.edit("tsconfig.json", lambda v: v["compilerOptions"].update(baseUrl="src/shadow"))


@attack("tsconfig-unreadable")
def paths_twice(tree: Tree) -> None:
    tree.replace(
        "tsconfig.json", '"strict": true', '"strict": true, "paths": {}, "paths": {"a": ["b"]}'
    )


@attack("source-unreadable")
def source_that_brings_the_parser_down(tree: Tree) -> None:
    tree.write("src/app/deep.ts", "{a:" * 100_000)


@honest
def sources_that_only_talk_about_it(tree: Tree) -> None:
    tree.append("src/main.ts", "const text = '// @ts-nocheck';\n// we need no @ts-ignore\n")
    tree.write("src/app/more.spec.ts", "// @ts-nocheck\n")
    tree.write("src/types.d.ts", "declare module 'marked';\ndeclare module '*.svg';\n")


@honest
def paths_of_the_application(tree: Tree) -> None:
    paths = {
        "@core/*": ["./src/app/core/*"],
        "@angular/*": ["./node_modules/@angular/*"],
        "*": ["./src/types/*"],
    }
    tree.edit("tsconfig.json", lambda v: v["compilerOptions"].update(paths=paths))
    tree.replace("src/app/app.component.ts", "./core/notice.service", "@core/notice.service")


@honest
def looser_compiler_options(tree: Tree) -> None:
    tree.edit("tsconfig.json", lambda v: v["angularCompilerOptions"].pop("strictTemplates"))


# --- the tests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_caught(tree: Tree, name: str) -> None:
    code, change = ATTACKS[name]
    change(tree)
    findings = tree.check().findings
    assert code in fatal(findings), [each.code for each in findings]
    assert verdict_of(findings) is Verdict.REJECTED
    for finding in findings:
        told = f"{finding.message}{finding.file}{finding.seen}{finding.expected}"
        assert told.isprintable()
        assert finding.message.endswith((".", "like these"))
    first = next(each for each in findings if each.code == code)
    assert first.file
    assert first.severity is Severity.FATAL


@pytest.mark.parametrize("name", HONEST)
def test_honest_neighbour_is_not_rejected(tree: Tree, name: str) -> None:
    HONEST[name](tree)
    findings = tree.check().findings
    assert fatal(findings) == set(), findings
    assert verdict_of(findings) is Verdict.CLEAN


def test_untouched_tree_has_no_findings(tree: Tree) -> None:
    report = tree.check()
    assert report.findings == ()
    assert report.builds_can_differ == ()


def test_findings_tell_file_and_line(tree: Tree) -> None:
    tree.build(lambda o: o.update(aot=False))
    finding = tree.check().findings[0]
    assert finding.file == "angular.json"
    lines = tree.text("angular.json").splitlines()
    assert finding.line is not None
    assert '"aot": false' in lines[finding.line - 1]
    assert (finding.expected, finding.seen) == ("True", "False")


def test_lock_findings_tell_the_line(tree: Tree) -> None:
    tree.lock("node_modules/typescript", name="typescript-fork")
    finding = tree.check().findings[0]
    assert finding.line is not None
    line = tree.text("package-lock.json").splitlines()[finding.line - 1]
    assert line.strip() == '"node_modules/typescript": {'


def test_baseline_with_postcss_may_get_tailwind(base: Base, tmp_path: Path) -> None:
    tree = base.copy(tmp_path / "base")
    tree.write("postcss.config.json", '{"plugins": {"autoprefixer": {}}}')
    patched = base.copy(tmp_path / "patched")
    patched.write("postcss.config.json", '{"plugins": {"tailwindcss": {}, "autoprefixer": {}}}')
    patched.write("tailwind.config.js", "module.exports = { content: ['./src/**/*.html'] };")
    report = check_sources(tree.root, patched.root, ALL_COPIED, instance(19))
    assert fatal(report.findings) == set()
    assert any("Tailwind" in reason for reason in report.builds_can_differ)
    patched.write("postcss.config.json", '{"plugins": {"./evil.js": {}}}')
    report = check_sources(tree.root, patched.root, ALL_COPIED, instance(19))
    assert fatal(report.findings) == {"postcss-local-plugin"}


def test_a_builder_that_the_instance_names_is_no_finding(base: Base, tree: Tree) -> None:
    builder = "@angular-builders/custom-esbuild:application"
    tree.replace("angular.json", "@angular-devkit/build-angular:application", builder)
    for builders, codes in [((), {"builder-unknown", "build-target-missing"}), ((builder,), set())]:
        asked = instance(19, builders=builders)
        report = check_sources(base.folder, tree.root, ALL_COPIED, asked)
        assert fatal(report.findings) == codes


def test_what_the_baseline_had_is_no_finding(base: Base, tmp_path: Path) -> None:
    trees = [base.copy(tmp_path / name) for name in ("base", "patched")]
    for tree in trees:
        tree.replace("src/index.html", "</body>", "<script src=counter.js></script></body>")
        tree.write("src/legacy.js", COMPILED)
        tree.build(lambda o: o.update(scripts=["src/legacy.js"], prerender=True, aot=False))
        tree.write("src/theme.less", '@plugin "./grid.js";')
        tree.write(".browserslistrc", "extends browserslist-config-ours\n")
        tree.replace(
            "src/app/home/home.component.ts", "const LATEST", "// @ts-ignore\nconst LATEST"
        )
        tree.write("src/shims.d.ts", "declare module '@angular/material/legacy';")
        tree.edit("package.json", lambda v: v["dependencies"].update(rxjs="file:vendor/rxjs"))
        tree.write("vendor/rxjs/node_modules/tslib/tslib.js", "")
    trees[1].move("src/legacy.js", "src/js/legacy.js")
    trees[1].build(lambda o: o.update(scripts=["src/js/legacy.js"]))
    report = check_sources(trees[0].root, trees[1].root, ALL_COPIED, instance(19))
    assert fatal(report.findings) == set(), report.findings


def test_unknown_host_is_a_doubt_where_no_registry_is_known(tree: Tree) -> None:
    tree.lock(
        "node_modules/rxjs",
        version="7.8.2",
        resolved="https://mirror.invalid/npm/rxjs/-/rxjs-7.8.2.tgz",
    )
    findings = tree.check().findings
    assert fatal(findings) == set()
    assert "lock-unknown-registry" in warned(findings)


def test_ordinary_package_from_elsewhere_is_a_warning(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v["dependencies"].update(trails="file:libs/trails"))
    tree.lock("node_modules/trails", resolved="libs/trails", link=True)
    report = tree.check()
    assert fatal(report.findings) == set()
    assert {"dependency-not-registry", "lock-not-registry"} <= warned(report.findings)
    assert report.builds_can_differ


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda t: t.edit("package.json", lambda v: v["scripts"].update(postinstall="node x")),
            "postinstall",
        ),
        (
            lambda t: t.edit("package.json", lambda v: v["scripts"].update(prepare="husky")),
            "prepare",
        ),
        (lambda t: t.write(".npmrc", "legacy-peer-deps=true"), ".npmrc"),
        (lambda t: t.write("binding.gyp", "{}"), "binding.gyp"),
        (lambda t: t.write(".angular/x", ""), ".angular"),
        (lambda t: t.edit("package.json", lambda v: v.update(workspaces=["libs/*"])), "workspaces"),
        (
            lambda t: t.lock("node_modules/nasty", version="1.0.0", hasInstallScript=True),
            "install script",
        ),
        (lambda t: t.build(lambda o: o.update(deleteOutputPath=False)), "output folder"),
    ],
)
def test_what_makes_the_builds_differ(tree: Tree, change: Change, reason: str) -> None:
    change(tree)
    assert any(reason in each for each in tree.check().builds_can_differ)


def test_what_cannot_make_the_builds_differ(tree: Tree) -> None:
    tree.lock("node_modules/husky", version="9.1.7", integrity="sha512-x", bin={"husky": "bin.js"})
    tree.lock("node_modules/esbuild", version="0.99.0", hasInstallScript=True)
    tree.edit("package.json", lambda v: v["scripts"].update(prepare="husky || true", lint="x"))
    tree.append("src/app/core/models.ts", "export const more = 1;\n")
    assert tree.check().builds_can_differ == ()


def test_script_that_the_build_command_runs(tree: Tree) -> None:
    tree.edit("package.json", lambda v: v["scripts"].update(prebuild="node x"))
    assert tree.check().builds_can_differ == ()
    assert any("prebuild" in each for each in tree.check("npm run build").builds_can_differ)


def test_no_end_of_hostile_input(tree: Tree) -> None:
    """Whatever is written into the files that are read, there is a report."""
    junk: list[str | bytes] = [
        b"\xff\xfe\x00\xd8",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"projects": {"trailbook": {"architect": {"build": {"options": 7}}}}}',
        '{"projects": [], "packages": {"node_modules/x": 1, "": []}, "dependencies": 3}',
        '{"compilerOptions": {"paths": {"*": 1, "a": ["/", "../../.."]}, "baseUrl": "../.."}}',
        '{"extends": ["./tsconfig.json", 4, "../../../etc/passwd"]}',
        '"\\ud800"',
        "1" * 10_000,
    ]
    files = ("angular.json", "package.json", "package-lock.json", "tsconfig.app.json")
    for content in junk:
        for file in files:
            before = tree.text(file)
            tree.write(file, content)
            assert isinstance(tree.check().findings, tuple)
            tree.write(file, before)
    for file in files:
        (tree.root / file).unlink()
    assert {"workspace-missing", "manifest-unreadable"} <= fatal(tree.check().findings)
