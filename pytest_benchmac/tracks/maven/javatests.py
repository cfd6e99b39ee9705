"""Test methods of a source tree, as MigrationBench counts them: declared, not run.

JUnit 4 and 5 and TestNG mark test methods by annotations; TestNG also by one on the class; JUnit 3
by the names of public methods. A class has the tests of its superclasses too, as far as those
are sources of the same tree's tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.tracks.maven.javafiles import JavaFile, JavaMethod, JavaType, is_test

#: Annotations of a test method: JUnit 4, Jupiter and TestNG share `Test`; the others are Jupiter's.
TEST_ANNOTATIONS = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"}
)
#: Annotations that keep a test, or all tests of a class, from being run.
DISABLING = ("Ignore", "Disabled")
_NOT_RUN = ("interface", "annotation_type")
_MAX_ANCESTORS = 50
#: Each class has the tests that it inherits: few lines can declare more than anybody runs.
_MAX_TESTS = 200_000


@dataclass(frozen=True)
class DeclaredTest:
    """A test method of a class that can be run."""

    #: `package.Class#method`, with `/n` behind it for a method with n parameters.
    name: str
    file: str
    line: int
    assertions: int
    evasions: int
    calls: int
    #: Is it, or its class, annotated so that it does not run (or only sometimes)?
    disabled: bool


@dataclass(frozen=True)
class _Class:
    file: str
    source: JavaFile
    type: JavaType

    @property
    def name(self) -> str:
        package = self.source.package
        return f"{package}.{self.type.name}" if package else self.type.name


def declared_tests(files: Mapping[str, JavaFile]) -> dict[str, DeclaredTest]:
    """The test methods below every `src/test`, by name.

    Raises:
        CopyLimitError: they are more than the harness counts.
    """
    classes = {
        each.name: each
        for path, source in files.items()
        if is_test(path)
        for each in (_Class(path, source, type_) for type_ in source.types)
    }
    found: dict[str, DeclaredTest] = {}
    for each in classes.values():
        if "abstract" in each.type.modifiers or each.type.kind in _NOT_RUN:
            continue
        for test in _tests(each, classes):
            found.setdefault(test.name, test)
        if len(found) > _MAX_TESTS:
            raise CopyLimitError(f"more than {_MAX_TESTS} test methods are declared")
    return dict(sorted(found.items()))


def _tests(concrete: _Class, classes: Mapping[str, _Class]) -> Iterator[DeclaredTest]:
    lineage = list(_lineage(concrete, classes))
    junit3 = any(each.type.superclass == "TestCase" for each in lineage)
    overridden: set[tuple[str, int]] = set()
    for each in lineage:
        class_marked = "Test" in each.type.annotations
        for method in each.type.methods:
            key = (method.name, method.arity)
            if key in overridden:
                continue
            overridden.add(key)
            if not _is_test(method, class_marked=class_marked, junit3=junit3):
                continue
            suffix = f"/{method.arity}" if method.arity else ""
            annotations = [*method.annotations, *concrete.type.annotations, *each.type.annotations]
            yield DeclaredTest(
                name=f"{concrete.name}#{method.name}{suffix}",
                file=each.file,
                line=method.line,
                assertions=method.assertions,
                evasions=method.evasions,
                calls=method.calls,
                disabled=_disabled(annotations, method, concrete.type),
            )


def _disabled(annotations: Iterable[str], method: JavaMethod, type_: JavaType) -> bool:
    # Jupiter's conditions: @DisabledOnOs, @EnabledIf and their kind.
    if any(name in DISABLING or name.startswith(("Disabled", "Enabled")) for name in annotations):
        return True
    arguments = [method.annotations.get("Test", ""), type_.annotations.get("Test", "")]
    return any("enabled" in each.replace(" ", "").split("=")[0] for each in arguments)


def _is_test(method: JavaMethod, *, class_marked: bool, junit3: bool) -> bool:
    if TEST_ANNOTATIONS & method.annotations.keys():
        return True
    public = "public" in method.modifiers and "static" not in method.modifiers
    if class_marked:
        # TestNG: every public method; configuration methods have annotations of their own.
        return public and not method.annotations
    return junit3 and public and method.name.startswith("test") and method.arity == 0


def _lineage(concrete: _Class, classes: Mapping[str, _Class]) -> Iterator[_Class]:
    """The class, its superclasses and the interfaces of all, nearest first."""
    pending, seen = [concrete], {concrete.name}
    while pending and len(seen) <= _MAX_ANCESTORS:
        each = pending.pop(0)
        yield each
        for name in (each.type.superclass, *each.type.interfaces):
            ancestor = _resolve(name, each, classes) if name else None
            if ancestor is not None and ancestor.name not in seen:
                seen.add(ancestor.name)
                pending.append(ancestor)


def _resolve(name: str, user: _Class, classes: Mapping[str, _Class]) -> _Class | None:
    """What a simple name means in a class: nested, imported, of the package, by a wildcard."""
    outer = user.name
    candidates = []
    while "$" in outer:
        outer = outer.rpartition("$")[0]
        candidates.append(f"{outer}${name}")
    package = f"{user.source.package}." if user.source.package else ""
    imports = [each.removeprefix("static ").strip() for each in user.source.imports]
    candidates.insert(0, f"{user.name}${name}")
    candidates += [each for each in imports if each.rpartition(".")[2] == name]
    candidates.append(package + name)
    candidates += [each.removesuffix("*") + name for each in imports if each.endswith(".*")]
    return next((classes[each] for each in candidates if each in classes), None)
