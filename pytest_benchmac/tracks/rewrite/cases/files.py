"""Reading and writing an instance's `suite/cases.jsonl`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.rewrite.cases.models import MAX_CASES, ApiCase, Case, CliCase
from pytest_benchmac.tracks.rewrite.instance import CASES_FILE, RewriteInstance


def read_cases(instance: RewriteInstance) -> list[Case]:
    """The recorded cases, with or without what they expect.

    Raises:
        InstanceError: the file holds something else.
    """
    file = instance.directory / CASES_FILE
    try:
        lines = file.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"cannot be read: {error}", where=file) from None
    cases = [
        _read(line, f"{file}:{number}", api=instance.benchmark.is_api)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    _check(cases, file)
    return cases


def expecting_cases(instance: RewriteInstance) -> list[Case]:
    """The recorded cases, each of which has to say what it expects.

    Raises:
        InstanceError: one does not, or the file holds something else.
    """
    cases = read_cases(instance)
    silent = [case.id for case in cases if case.expect is None]
    if silent:
        raise InstanceError(
            f"case {silent[0]} does not say what it expects ({len(silent)} such)",
            where=instance.directory / CASES_FILE,
            remedy=f"`benchmac record-cases {instance.id}` writes it.",
        )
    return cases


def parse_inputs(rows: Iterable[object], where: str, *, api: bool) -> list[Case]:
    """Inputs that a generator made.

    Raises:
        InstanceError: a row is no case, or says what it expects.
    """
    cases = [_read(json.dumps(row), f"{where} ({n})", api=api) for n, row in enumerate(rows, 1)]
    told = [case.id for case in cases if case.expect is not None]
    if told:
        raise InstanceError(f"{told[0]} says what it expects", where=where)
    _check(cases, where)
    return cases


def write_cases(cases: Sequence[Case]) -> str:
    """As lines of JSON, without what is as by default."""
    told = (case.model_dump(mode="json", exclude_defaults=True) for case in cases)
    return "".join(f"{json.dumps(_short(each), ensure_ascii=False)}\n" for each in told)


def _short(value: object) -> object:
    """Exact matchers as the plain value."""
    if isinstance(value, dict):
        if value.keys() <= {"match", "value"} and value.get("match") == "exact":
            return value.get("value")
        return {key: _short(each) for key, each in value.items()}
    return [_short(each) for each in value] if isinstance(value, list) else value


def _read(line: str, where: str, *, api: bool) -> Case:
    kind = ApiCase if api else CliCase
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        wanted = "id, area, steps" if api else "id, area, argv, stdin, files, env, expect"
        raise InstanceError(
            f"is no case: `{key}`: {first['msg']}",
            where=where,
            remedy=f"Expected: an object with {wanted}.",
        ) from None


def _check(cases: Sequence[Case], where: str | Path) -> None:
    counts = Counter(case.id for case in cases)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None or not 1 <= len(cases) <= MAX_CASES:
        what = f"has more than one case {twice!r}" if twice else f"holds {len(cases)} cases"
        raise InstanceError(what, where=where, remedy=f"Expected: 1 to {MAX_CASES}, each once.")
