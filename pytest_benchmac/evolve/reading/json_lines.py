"""Programs out of JSON Lines: HumanEval's rows and CRUXEval's."""

from __future__ import annotations

import ast
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pytest_benchmac.evolve.errors import ProgramError
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.names import defined_names, kept_names, parsed
from pytest_benchmac.evolve.reading.subject import Example, ScriptTests, Subject
from pytest_benchmac.model.settings import MIB

#: Of a whole file, unpacked.
_MOST_BYTES = 1024 * MIB
_CRUX_ENTRY = "f"


def read_json_lines(path: Path) -> Sequence[Subject]:
    """Every row's program, in order.

    Raises:
        ProgramError: names the line of each problem.
    """
    subjects: dict[str, Subject] = {}
    problems: list[ProgramError] = []
    for number, line in enumerate(_lines(path), start=1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            subject = _row(line, number, where)
        except ProgramError as problem:
            problems.append(problem)
            continue
        if subject.id in subjects:
            told = f"there is another program {subject.id!r} above"
            problems.append(ProgramError(told, where=where))
        subjects[subject.id] = subject
    if problems:
        raise ProgramError.join(problems, where=path)
    return tuple(subjects.values())


def _lines(path: Path) -> Iterator[bytes]:
    read = 0
    opened: Callable[..., gzip.GzipFile] = gzip.open if path.suffix == ".gz" else open  # type: ignore[assignment]
    try:
        with opened(path, "rb") as file:
            for line in file:
                read += len(line)
                if read > _MOST_BYTES:
                    raise ProgramError(f"holds more than {_MOST_BYTES // MIB} MiB", where=path)
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise ProgramError(f"cannot be read: {error}", where=path) from error


def _row(line: bytes, number: int, where: str) -> Subject:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"is not valid JSON: {error}", where=where) from None
    if not isinstance(row, dict):
        raise ProgramError("is no JSON object", where=where)
    if "prompt" in row or "task_id" in row:
        return _human_eval(row, where)
    if "code" in row:
        return _crux_eval(row, number, where)
    raise ProgramError(
        f"has the keys {', '.join(sorted(map(str, row)))[:200]}",
        where=where,
        remedy="Expected: task_id, prompt, entry_point, canonical_solution and test, as HumanEval "
        "has them; or code, input and output, as CRUXEval has them.",
    )


def _human_eval(row: dict[str, object], where: str) -> Subject:
    name, prompt, entry, solution, test = (
        _text(row, key, where)
        for key in ("task_id", "prompt", "entry_point", "canonical_solution", "test")
    )
    main = f"{prompt}{solution}".rstrip() + "\n"
    tree = _parsed(main, "the program", where)
    _check_entry(tree, entry, where)
    _parsed(test, "key `test`", where)
    script = f"{test.rstrip()}\n\n\ncheck({entry})\n"
    program = Program(id=name, main=main, kept=kept_names(main, [script, entry]), entry=entry)
    return Subject(program, ScriptTests(script), tuple(_examples(test)))


def _examples(test: str) -> Iterator[Example]:
    """Assertions `candidate(literals) == literal`."""
    for node in ast.walk(ast.parse(test)):
        match node:
            case ast.Assert(
                test=ast.Compare(
                    left=ast.Call(func=ast.Name(id="candidate")) as call,
                    ops=[ast.Eq()],
                    comparators=[wanted],
                )
            ):
                arguments: list[ast.expr] = [*call.args, *(each.value for each in call.keywords)]
                if all(map(_is_literal, [*arguments, wanted])):
                    text = ast.unparse(call)
                    yield Example(text[text.index("(") + 1 : -1], ast.unparse(wanted))


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _crux_eval(row: dict[str, object], number: int, where: str) -> Subject:
    code, given, wanted = (_text(row, key, where) for key in ("code", "input", "output"))
    name = row.get("id", f"line_{number}")
    if not isinstance(name, str):
        raise ProgramError("key `id` is no text", where=where)
    main = code.rstrip() + "\n"
    _check_entry(_parsed(main, "key `code`", where), _CRUX_ENTRY, where)
    test = f"assert {_CRUX_ENTRY}({given}) == {wanted}\n"
    _parsed(test, "a test of keys `input` and `output`", where)
    program = Program(id=name, main=main, kept=frozenset({_CRUX_ENTRY}), entry=_CRUX_ENTRY)
    return Subject(program, ScriptTests(test), (Example(given, wanted),))


def _text(row: dict[str, object], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise ProgramError(
            f"key `{key}` is {'missing' if key not in row else 'no text'}", where=where
        )
    return value


def _parsed(text: str, what: str, where: str) -> ast.Module:
    try:
        return parsed(text)
    except SyntaxError as error:
        raise ProgramError(
            f"{what} is no Python: {error.msg}, its line {error.lineno}", where=where
        ) from None


def _check_entry(tree: ast.Module, entry: str, where: str) -> None:
    if entry not in defined_names(tree):
        raise ProgramError(f"the program defines no {entry!r}", where=where)
