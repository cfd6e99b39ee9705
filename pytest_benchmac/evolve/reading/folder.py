"""Programs out of a folder, each `NAME.py` with its tests beside it.

Tests are `test_NAME.py` or `NAME_test.py` (pytest's or unittest's, which may import `NAME`, and
have a `conftest.py`), or a folder `NAME` of pairs `CASE.in` and `CASE.out`: what the program is
given on standard input, and has to print. Files that a program imports and that have no tests
belong to it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_benchmac.evolve.errors import ProgramError
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.names import is_taken, kept_names, parsed
from pytest_benchmac.evolve.reading.subject import (
    FileTests,
    Pair,
    StreamTests,
    Subject,
    Tests,
)
from pytest_benchmac.model.settings import MIB

_MOST_BYTES = 16 * MIB
_REMEDY = (
    "Put test_NAME.py or NAME_test.py beside NAME.py, or a folder NAME with CASE.in and CASE.out."
)


def read_folder(folder: Path) -> Sequence[Subject]:
    """Every program of a folder, by name.

    Raises:
        ProgramError: names file and line of each problem.
    """
    problems: list[ProgramError] = []
    texts: dict[str, str] = {}
    imports: dict[str, frozenset[str]] = {}
    for path in sorted(folder.glob("*.py")):
        try:
            text = _read(path)
            imports[path.stem] = _imported(_parsed(text, path))
            texts[path.stem] = text
        except ProgramError as problem:
            problems.append(problem)
    tests = {
        name: [each for each in (f"test_{name}", f"{name}_test") if each in texts] for name in texts
    }
    shared = {"conftest", *(each for some in tests.values() for each in some)}
    subjects: list[Subject] = []
    belonging: set[str] = set()
    without: list[str] = []
    for name, text in texts.items():
        if name in shared:
            continue
        try:
            found = _tests_of(folder, name, tests[name], texts)
            if found is None:
                without.append(name)
                continue
            _check_name(name, folder / f"{name}.py")
            modules = _modules(name, imports, {*texts} - shared)
            belonging |= modules
            subjects.append(_subject(name, text, found, {each: texts[each] for each in modules}))
        except ProgramError as problem:
            problems.append(problem)
    for name in without:
        if name not in belonging:
            problems.append(
                ProgramError("has no tests", where=folder / f"{name}.py", remedy=_REMEDY)
            )
    if problems:
        raise ProgramError.join(problems, where=folder)
    return tuple(subjects)


def _check_name(name: str, path: Path) -> None:
    if is_taken(name):
        raise ProgramError(
            f"{name!r} is the name of another module, or none at all",
            where=path,
            remedy="Rename it.",
        )


def _subject(name: str, text: str, tests: Tests, modules: Mapping[str, str]) -> Subject:
    kept: frozenset[str] = frozenset()
    if isinstance(tests, FileTests):
        # What the program's own files import from it stays, too.
        kept = kept_names(text, [*tests.files.values(), *modules.values()])
    program = Program(
        id=name,
        main=text,
        file=f"{name}.py",
        modules={f"{each}.py": content for each, content in modules.items()},
        kept=kept,
    )
    return Subject(program, tests)


def _tests_of(
    folder: Path, name: str, files: Sequence[str], texts: Mapping[str, str]
) -> Tests | None:
    if files:
        if "conftest" in texts:
            files = [*files, "conftest"]
        return FileTests({f"{each}.py": texts[each] for each in files})
    if (folder / name).is_dir() and any((folder / name).glob("*.in")):
        return StreamTests(tuple(_pairs(folder / name)))
    return None


def _pairs(folder: Path) -> Sequence[Pair]:
    pairs = []
    for given in sorted(folder.glob("*.in")):
        wanted = given.with_suffix(".out")
        if not wanted.is_file():
            raise ProgramError(f"there is no {wanted.name} beside it", where=given)
        pairs.append(Pair(given.stem, _read(given), _read(wanted)))
    return pairs


def _modules(name: str, imports: Mapping[str, frozenset[str]], there: set[str]) -> set[str]:
    """Files of the folder that a program imports, and those that they import."""
    found: set[str] = set()
    pending = [name]
    while pending:
        for each in imports[pending.pop()] & there - found - {name}:
            found.add(each)
            pending.append(each)
    return found


def _imported(tree: ast.Module) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names.update(alias.name.partition(".")[0] for alias in aliases)
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module.partition(".")[0])
    return frozenset(names)


def _parsed(text: str, path: Path) -> ast.Module:
    try:
        return parsed(text)
    except SyntaxError as error:
        raise ProgramError(
            f"is no Python: {error.msg}", where=f"{path}:{error.lineno or 1}"
        ) from None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ProgramError(f"cannot be read: {error}", where=path) from error
    if len(content) > _MOST_BYTES:
        raise ProgramError(f"holds more than {_MOST_BYTES // MIB} MiB", where=path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ProgramError("is not in UTF-8", where=f"{path}:{line}") from None
