"""What a migration has no reason to do to files and Java sources.

As in `pom_rules`, what the base does already is nobody's fault.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.javafiles import JavaType, is_test
from pytest_benchmac.tracks.maven.javatests import declared_tests
from pytest_benchmac.tracks.maven.survey import Survey

#: Packages of the JDK, of Maven and of the libraries that tests are judged by.
_RESERVED = re.compile(
    r"^(java|javax|jdk|sun|com\.sun|junit|org\.junit|org\.opentest4j|org\.hamcrest|org\.testng"
    r"|org\.mockito|org\.assertj|org\.apache\.maven|org\.codehaus\.plexus|org\.apiguardian)(\.|$)"
)
#: Types that decide which tests run, or what becomes of a failure.
_MACHINERY = frozenset(
    {
        "BlockJUnit4ClassRunner",
        "ExecutionCondition",
        "IAnnotationTransformer",
        "IHookable",
        "IInvokedMethodListener",
        "IMethodInterceptor",
        "IRetryAnalyzer",
        "ITestListener",
        "InstrumentationImpl",
        "Instrumentation",
        "InvocationInterceptor",
        "JUnitCore",
        "Launcher",
        "LauncherSessionListener",
        "LifecycleMethodExecutionExceptionHandler",
        "MethodRule",
        "PostDiscoveryFilter",
        "RunListener",
        "Runner",
        "RunnerBuilder",
        "Statement",
        "TestEngine",
        "TestExecutionExceptionHandler",
        "TestExecutionListener",
        "TestRule",
        "TestWatcher",
    }
)
_SERVICES = re.compile(
    r"(^|/)(META-INF/services/(javax\.annotation\.processing|org\.junit|org\.testng|junit\."
    r"|org\.apache\.maven|java\.)[^/]*|junit-platform\.properties|testng(-.*)?\.xml"
    r"|META-INF/maven/.*plugin\.xml|META-INF/(sisu|plexus)/.*)$"
)
#: Files that Maven reads beside project files, whatever folder it was told of.
_SETTINGS = re.compile(
    r"(^|/)(\.mvn/(?!wrapper/).*|\.m2/.*|settings(-security)?\.xml|toolchains\.xml|\.mavenrc"
    r"|maven\.config|jvm\.config|extensions\.xml)$"
)
#: What a repository in the tree says of its artifacts.
_PUBLISHED = re.compile(r"(^|/)([^/]+\.pom|maven-metadata[^/]*\.xml)$")
_WRAPPER = re.compile(r"(^|/)(mvnw(\.cmd)?|\.mvn/wrapper/.*)$")
_BUILD_OUTPUT = re.compile(r"(^|/)(target/|TEST-[^/]*\.xml$)")
_OUTPUT_TEXT = re.compile(
    r"(surefire|failsafe)-?reports|target/(test-)?classes|TEST-[^\n]{0,200}\.xml|\.m2/repo"
)
_LINK_MODE = re.compile(rb"^(?:new file mode|new mode) (120000|160000)\s*$", re.MULTILINE)


def check_files(findings: Findings, base: Survey, patched: Survey, patch: Path | None) -> None:
    """Report files that steer Maven, hold compiled code, or hide behind links."""
    changed = [p for p, digest in patched.files.items() if base.files.get(p) != digest]
    binaries = set(patched.binaries)
    for path in changed:
        if _SETTINGS.search(path):
            findings.fatal("maven-settings", "A file changes how Maven itself runs.", file=path)
        elif _SERVICES.search(path):
            findings.fatal(
                "test-machinery",
                "A file changes how the compiler or the test runner runs.",
                file=path,
            )
        elif _BUILD_OUTPUT.search(path):
            findings.fatal("build-output", "The patch brings what a build has to make.", file=path)
        elif _PUBLISHED.search(path):
            findings.fatal(
                "relocation",
                "A repository in the tree says something else of an artifact.",
                file=path,
            )
        elif path in binaries and not _WRAPPER.search(path):
            findings.fatal("prebuilt", "The patch brings compiled code or an archive.", file=path)
        elif _WRAPPER.search(path):
            findings.warning("wrapper", "The Maven wrapper, which is not used, changed.", file=path)
    if patch is not None and (match := _LINK_MODE.search(patch.read_bytes())):
        kind = "symbolic link" if match[1] == b"120000" else "submodule"
        findings.fatal("link", f"The patch makes a {kind}.")
    for path in sorted(set(patched.left_out) - set(base.left_out)):
        findings.fatal(
            "file-not-readable",
            "The patch adds a file whose name is no text or acts on terminals.",
            file=path,
            seen=shown(path),
        )
    for path, why in patched.unread.items():
        if path.endswith(".java") and path not in base.unread:
            findings.fatal("unreadable", f"A source cannot be read: {why}", file=path)


def check_java(findings: Findings, base: Survey, patched: Survey) -> None:
    """Report sources that are gone, tests that assert less, and code that judges itself."""
    _check_types(findings, base, patched)
    _check_packages(findings, base, patched)
    _check_names(findings, base, patched)
    _check_tests(findings, base, patched)


def _check_types(findings: Findings, base: Survey, patched: Survey) -> None:
    """Types may be renamed and split, but a module must not have fewer."""
    before, after = _types_by_module(base), _types_by_module(patched)
    for module, types in before.items():
        left = after.get(module, set())
        if len(left) < len(types):
            gone = sorted(types - left)
            findings.fatal(
                "sources-deleted",
                "A module has fewer types than at the base.",
                file=module,
                expected=len(types),
                seen=f"{len(left)}; gone: {', '.join(gone[:10])}",
            )


def _types_by_module(survey: Survey) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path, name, _ in _types(survey):
        if not is_test(path):
            found.setdefault(path.partition("src/")[0] or ".", set()).add(name)
    return found


def _types(survey: Survey) -> Iterator[tuple[str, str, JavaType]]:
    for path, source in survey.java.items():
        package = f"{source.package}." if source.package else ""
        for type_ in source.types:
            yield path, package + type_.name, type_


def _check_packages(findings: Findings, base: Survey, patched: Survey) -> None:
    old = {source.package for source in base.java.values()}
    for path, source in patched.java.items():
        if source.package not in old and _RESERVED.match(source.package):
            findings.fatal(
                "reserved-package",
                "A class takes the place of a library's.",
                file=path,
                seen=source.package,
            )
    shadowed = _shadowed(patched) - _shadowed(base)
    for name in sorted(shadowed):
        findings.fatal(
            "shadowed-class", "A class of the tests takes the place of a tested one.", seen=name
        )
    for path, name in _taken(base, patched):
        findings.fatal(
            "shadowed-class",
            "A new class has a name by which code of its package means another class at the base.",
            file=path,
            seen=name,
        )


def _shadowed(survey: Survey) -> set[str]:
    tested: set[str] = set()
    tests: set[str] = set()
    for path, name, _ in _types(survey):
        (tests if is_test(path) else tested).add(name)
    return tested & tests


def _taken(base: Survey, patched: Survey) -> Iterator[tuple[str, str]]:
    """New types of a package whose names the base's files of it know from elsewhere."""
    # Also of sources that no parser understands.
    known = {PurePosixPath(path).stem for path in base.java}
    for source in base.java.values():
        known |= {part for type_ in source.types for part in type_.name.split("$")}
    meant: dict[str, set[str]] = {}
    for source in base.java.values():
        imported = {each.rpartition(".")[2] for each in source.imports}
        meant.setdefault(source.package, set()).update(set(source.names) - imported - known)
    for path, source in patched.java.items():
        for type_ in source.types:
            if type_.name in meant.get(source.package, ()):
                yield path, type_.name


def _check_names(findings: Findings, base: Survey, patched: Survey) -> None:
    old_names = {name for source in base.java.values() for name in source.names}
    old_texts = {text for source in base.java.values() for text in source.strings}
    for path, source in patched.java.items():
        for name in sorted((_MACHINERY & set(source.names)) - old_names):
            findings.fatal(
                "test-machinery",
                "Code decides which tests run, or what becomes of a failure.",
                file=path,
                seen=name,
            )
        for text in source.strings:
            if text not in old_texts and _OUTPUT_TEXT.search(text):
                findings.fatal(
                    "names-build-output",
                    "Code names a file that the build makes and the harness reads.",
                    file=path,
                    seen=text,
                )


def _check_tests(findings: Findings, base: Survey, patched: Survey) -> None:
    before, after = declared_tests(base.java), declared_tests(patched.java)
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        if new.assertions < old.assertions:
            findings.fatal(
                "assertions-removed",
                f"{name} asserts less than at the base.",
                file=new.file,
                line=new.line,
                expected=f"{old.assertions} assertions",
                seen=f"{new.assertions}",
            )
        if old.calls and not new.calls:
            findings.fatal(
                "test-gutted",
                f"{name} calls nothing any more that it could test.",
                file=new.file,
                line=new.line,
            )
        if new.evasions > old.evasions:
            findings.fatal(
                "test-evaded",
                f"{name} can end, or swallow what failed, where it could not at the base.",
                file=new.file,
                line=new.line,
            )
        if new.disabled and not old.disabled:
            findings.fatal("test-disabled", f"{name} is disabled.", file=new.file, line=new.line)
    # Helpers, set-up and constants of a test class count too.
    old_types = {name: type_ for path, name, type_ in _types(base) if is_test(path)}
    for path, name, type_ in _types(patched):
        known = old_types.get(name)
        if known is not None and is_test(path) and type_.assertions < known.assertions:
            findings.fatal(
                "assertions-removed",
                f"{name} asserts less than at the base.",
                file=path,
                line=type_.line,
                expected=f"{known.assertions} assertions",
                seen=f"{type_.assertions}",
            )


def check_reports(
    findings: Findings,
    base_cases: Iterable[str],
    cases: Iterable[str],
    patched: Survey,
) -> None:
    """Report tests that others make up for in number, and reports of no known class.

    Too few tests in all is no cheat: r4 says so.

    Args:
        findings: where to.
        base_cases: `class#method` of the tests that ran on the untouched base.
        cases: the same of the patched tree.
        patched: the patched tree.
    """
    before, after = _by_class(base_cases), _by_class(cases)
    declared = {name for _, name, _ in _types(patched)}
    enough = after.total() >= before.total()
    for name in sorted(before.keys()) if enough else ():
        if after[name] < before[name]:
            findings.fatal(
                "tests-missing",
                f"Fewer tests of {name} ran than at the base.",
                expected=before[name],
                seen=after[name],
            )
    for name in sorted(after.keys() - before.keys() - declared):
        findings.fatal(
            "report-forged", "A test report is about a class that does not exist.", seen=name
        )


def _by_class(cases: Iterable[str]) -> Counter[str]:
    return Counter(case.partition("#")[0] for case in cases)
