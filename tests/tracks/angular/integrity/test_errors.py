"""Errors that are told nowhere, and handlers of honest work that tell them somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.tracks.angular.integrity.error_syntax import extract
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.sources_leg import check_snapshots
from tests.tracks.angular.angular_trees import BUILD, Base, Tree, fatal, instance

_IMPORT = "import { ErrorHandler } from '@angular/core';\n"


def found(source: str) -> list[tuple[str, str]]:
    """Kinds of what is silenced, and what in other files decides."""
    return [(each["kind"], each["by"]) for each in extract(source.encode())["found"]]


@pytest.mark.parametrize(
    "source",
    [
        "{ provide: ErrorHandler, useValue: { handleError: () => undefined } }",
        "{ provide: ErrorHandler, useValue: { handleError() {} } }",
        "{ 'provide': ErrorHandler, 'useValue': { 'handleError': function (e) { void e } } as P }",
        "{ provide: ErrorHandler, useFactory: () => ({ handleError: (e: unknown) => e }) }",
        "{ provide: ErrorHandler, useFactory: () => { return new Quiet(); } }",
        "{ provide: ErrorHandler, useClass: Quiet, multi: false }",
        "{ provide: ErrorHandler, useClass: class { handleError = () => {}; } }",
        "{ provide: ErrorHandler, useExisting: Quiet }",
        "{ provide: core.ErrorHandler, useValue: quiet }",
        "{ provide: ErrorHandler, useFactory: make }",
        "{ provide: ErrorHandler, useValue: { handleError: noop } }",
        "{ provide: ErrorHandler, useValue: { handleError: (e) => { if (false) tell(e); } } }",
        "{ provide: ErrorHandler, useValue: { handleError: (e) => { return; tell(e); } } }",
        "{ provide: ErrorHandler, useValue: { handleError: (e) => { const f = () => tell(e); } } }",
        "{ provide: ErrorHandler, useValue: { handleError: (e) => ignore(String(e)) } }",
        "{ provide: ErrorHandler, useValue: { handleError: () => console.clear() } }",
    ],
)
def test_handler_that_tells_nothing(source: str) -> None:
    helpers = (
        "import { noop } from 'rxjs';\nfunction ignore(_: string) {}\n"
        "const quiet = { handleError: ignore };\nfunction make() { return quiet; }\n"
        "class Quiet { handleError(error: unknown): void { this.drop(error); } drop(e) {} }\n"
    )
    assert found(f"{_IMPORT}{helpers}export const providers = [{source}];") == [("handler", "")]


@pytest.mark.parametrize(
    "source",
    [
        "class Quiet implements ErrorHandler { handleError(): void {} }",
        "@Injectable()\nexport class Quiet extends ErrorHandler { override handleError(_: E) {} }",
        "class Quiet implements OnInit, ErrorHandler { handleError = (e: any) => undefined; }",
        "inject(ErrorHandler).handleError = () => {};",
        "ErrorHandler.prototype.handleError = function () {};",
    ],
)
def test_class_that_tells_nothing(source: str) -> None:
    assert found(_IMPORT + source) == [("handler", "")]


@pytest.mark.parametrize(
    "source",
    [
        "class Loud implements ErrorHandler { handleError(e: any) { console.error(e); } }",
        "class Loud implements ErrorHandler { handleError(e: any) { throw e; } }",
        "class Loud extends ErrorHandler { override handleError(e) { super.handleError(e); } }",
        "class Loud extends ErrorHandler { count = 0; }",
        "class Bar implements ErrorHandler { handleError() { this.bar.open('Sorry.'); } }",
        "class Bar implements ErrorHandler { handleError(e) { inject(Log).error(e); } }",
        "class Bar implements ErrorHandler { handleError(e) { this.log(e); } log(e) { send(e); } }",
        "class Last implements ErrorHandler { handleError(e: any) { this.store.last = e; } }",
        "class Zone implements ErrorHandler { handleError(e) { if (dev) { console.log(e); } } }",
        "abstract class Base implements ErrorHandler { abstract handleError(e: any): void; }",
        "const p = { provide: ErrorHandler, useFactory: () => Sentry.createErrorHandler({}) };",
        "const p = { provide: ErrorHandler, useClass: ErrorHandler };",
        "const p = { provide: OTHER, useValue: { handleError: () => undefined } };",
        "class Api { private handleError(e: any) { return of([]); } }",
        "class Quiet implements ErrorFormatter { handleError() {} }",
        "api.handleError = () => {};",
        "console.log = () => {};",
        "console.error = (e) => send(e);",
    ],
)
def test_handler_that_tells_something(source: str) -> None:
    assert [each for each in found(_IMPORT + source) if not each[1]] == []


@pytest.mark.parametrize(
    "source",
    [
        "bootstrapApplication(A, c).catch(() => 0);",
        "bootstrapApplication(A, c).catch(function () {});",
        "bootstrapApplication(A, c).catch((e) => e);",
        "void bootstrapApplication(A, c).catch((e) => { void e; });",
        "platformBrowserDynamic().bootstrapModule(M).then(() => go(), () => {});",
        "platformBrowserDynamic().bootstrapModule(M).then((r) => go(r)).catch(ignore);",
        "const started = bootstrapApplication(A, c);\nstarted.catch(() => null);",
        "async function start() { await bootstrapApplication(A, c); }\nstart().catch(() => {});",
        "fetch('a').then(() => bootstrapApplication(A, c)).catch(() => {});",
        "try { await bootstrapApplication(A, c); } catch {}",
        "async function start() { try { await bootstrapApplication(A); } catch (e) { return; } }",
    ],
)
def test_start_that_fails_in_silence(source: str) -> None:
    assert found(f"const ignore = () => {{}};\n{source}") == [("start", "")]


@pytest.mark.parametrize(
    "source",
    [
        "bootstrapApplication(A, c);",
        "bootstrapApplication(A, c).catch((error) => console.error(error));",
        "bootstrapApplication(A, c).catch(console.error);",
        "bootstrapApplication(A, c).catch(() => { document.body.textContent = 'Sorry.'; });",
        "bootstrapApplication(A, c).catch((e) => { throw e; });",
        "bootstrapApplication(A, c).catch((e) => { tell(e); throw e; }).catch(() => {});",
        "bootstrapApplication(A, c).catch((e) => e).then((e) => tell(e));",
        "bootstrapApplication(A, c).then(() => navigator.sw.register('a').catch(() => {}));",
        "fetch('a').catch(() => ({})).then(() => bootstrapApplication(A, c));",
        "fetch('a').then(() => bootstrapApplication(A, c).catch(tell)).catch(() => {});",
        "try { await bootstrapApplication(A, c); } catch (e) { console.error(e); }",
        "try { localStorage.clear(); } catch {}\nbootstrapApplication(A, c);",
    ],
)
def test_start_that_fails_loudly(source: str) -> None:
    assert [each for each in found(source) if not each[1]] == []


def test_console_that_says_nothing() -> None:
    assert found("console.error = () => {};") == [("console", "")]
    assert found("window.console['error'] = noop;\nimport { noop } from 'rxjs';") == [
        ("console", "")
    ]


_PROVIDERS = "  providers: [\n"
_QUIET = "{ provide: ErrorHandler, useClass: Quiet },\n"
_CONFIG = "src/app/app.config.ts"


def _provide(tree: Tree) -> None:
    tree.replace(_CONFIG, _PROVIDERS, _PROVIDERS + _QUIET)
    text = "import { ErrorHandler } from '@angular/core';\nimport { Quiet } from './quiet';\n"
    tree.write(_CONFIG, text + tree.text(_CONFIG))


def test_what_is_in_another_file(tree: Tree) -> None:
    _provide(tree)
    tree.write("src/app/quiet.ts", "export class Quiet {\n  handleError(e: unknown) {}\n}\n")
    (finding,) = [each for each in tree.check().findings if each.code == "errors-silenced"]
    assert finding.file == _CONFIG
    assert "useClass: Quiet" in (finding.seen or "")
    tree.write("src/app/quiet.ts", "export class Quiet {\n  handleError(e) { send(e); }\n}\n")
    assert fatal(tree.check().findings) == set()


def test_tests_may_be_quiet(tree: Tree) -> None:
    source = f"{_IMPORT}export class Quiet implements ErrorHandler {{ handleError() {{}} }}\n"
    tree.write("src/app/quiet.spec.ts", source)
    assert fatal(tree.check().findings) == set()


def test_what_the_base_does_is_no_finding(base: Base, tmp_path: Path) -> None:
    old = base.copy(tmp_path / "old")
    _provide(old)
    old.write("src/app/quiet.ts", "export class Quiet {\n  handleError(e: unknown) {}\n}\n")
    old.replace("src/main.ts", "console.error(error)", "0")
    new = base.copy(tmp_path / "new")
    new.replace(
        _CONFIG, _PROVIDERS, f"{_PROVIDERS}{_QUIET.replace('Class: Quiet', 'Value: quiet')}"
    )
    new.write(
        _CONFIG,
        f"{_IMPORT}const quiet = {{ handleError: () => undefined }};\n{new.text(_CONFIG)}",
    )
    new.replace("src/main.ts", "(error) => console.error(error)", "() => undefined")
    before = Snapshot.scan(old.root, BUILD)
    after = Snapshot.scan(new.root, BUILD, before)
    report = check_snapshots(before, after, new.uncopied, instance(19))
    assert fatal(report.findings) == set()
    assert fatal(new.check().findings) == {"errors-silenced"}
