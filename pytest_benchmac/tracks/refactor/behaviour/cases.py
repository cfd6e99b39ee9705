"""Black-box cases: what the program is given, and what it has to do."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.refactor.instance import RefactorInstance

_MAX_CASES = 2_000


def _below(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"{path!r} is no path below the case's folder")
    return path


CasePath = Annotated[str, AfterValidator(_below)]


class Expected(Model):
    """What a case has to leave; what is null is not looked at."""

    exit: Annotated[int, Field(ge=0, le=255)] = 0
    stdout: str | None = None
    stderr: str | None = None
    #: Content of files below the case's folder; null for one that must not be there.
    files: dict[CasePath, str | None] = Field(default_factory=dict)


class BehaviourCase(Model):
    """One run of the program. Texts are UTF-8."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    argv: tuple[str, ...] = ()
    stdin: str = ""
    #: Files in the case's folder, which is the current one.
    files: dict[CasePath, str] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    expect: Expected


class Did(Model):
    """What a run of the program left; text with replacement where it is no UTF-8."""

    #: None where it was killed.
    exit: int | None
    stdout: ForeignText = ""
    stderr: ForeignText = ""
    #: Content of the files that the case asks for, and that there are.
    files: dict[str, ForeignText] = Field(default_factory=dict)


def difference(case: BehaviourCase, did: Did) -> str:
    """How a run differs from what is expected, in a sentence; empty where it does not. Pure."""
    expect = case.expect
    if did.exit is None:
        return "it did not come to its end"
    if did.exit != expect.exit:
        return f"exit code {did.exit}, expected: {expect.exit}"
    for name, wanted, seen in (
        ("standard output", expect.stdout, did.stdout),
        ("standard error", expect.stderr, did.stderr),
    ):
        if wanted is not None and wanted != seen:
            return f"{name} differs: {_first_difference(wanted, seen)}"
    for path, content in expect.files.items():
        found = did.files.get(path)
        if found != content:
            if content is None:
                return f"{path} is there"
            told = "is not there" if found is None else _first_difference(content, found)
            return f"{path} differs: {told}"
    return ""


def _first_difference(wanted: str, seen: str) -> str:
    before, after = wanted.split("\n"), seen.split("\n")
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one != other:
            return f"line {number} is {shown(other, 80)!r}, expected: {shown(one, 80)!r}"
    return f"{len(after)} lines, expected: {len(before)}"


def read_cases(instance: RefactorInstance) -> tuple[BehaviourCase, ...]:
    """The behaviour cases of an instance; none where it declares none.

    Raises:
        InstanceError: the file holds something else.
    """
    if instance.behaviour is None:
        return ()
    file = instance.directory / instance.behaviour.cases
    cases: list[BehaviourCase] = []
    try:
        lines = file.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"cannot be read: {error}", where=file) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            cases.append(BehaviourCase.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"]))
            raise InstanceError(
                f"is no case: `{key}`: {first['msg']}",
                where=f"{file}:{number}",
                remedy="Expected: an object with id, argv, stdin, files, env and expect.",
            ) from None
    ids = [case.id for case in cases]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice or not cases or len(cases) > _MAX_CASES:
        what = f"has more than one case {twice[0]!r}" if twice else f"holds {len(cases)} cases"
        raise InstanceError(what, where=file, remedy=f"Expected: 1 to {_MAX_CASES}, each once.")
    return tuple(cases)
