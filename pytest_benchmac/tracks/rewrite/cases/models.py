"""Cases of a suite: inputs, and what has to be answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints

from pytest_benchmac.model.base import Model, Seconds

#: Of one suite.
MAX_CASES = 5_000


def _below(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise ValueError(f"{path!r} is no path below the case's folder")
    return path


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("there is a NUL in it, which no program can be given")
    text.encode()  # half a surrogate pair is a UnicodeEncodeError, which is a ValueError
    return text


CaseId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Area = Annotated[str, StringConstraints(pattern=r"^\S[^\n]{0,99}$")]
Word = Annotated[str, AfterValidator(_no_nul)]
CasePath = Annotated[str, AfterValidator(_below), AfterValidator(_no_nul)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
CaptureName = Annotated[str, StringConstraints(pattern=r"^[a-z][A-Za-z0-9_]*$")]
Pointer = Annotated[str, StringConstraints(pattern=r"^(/[^/]*)*$")]
Kind = Literal["exact", "whitespace", "json", "number", "regex", "ignored"]


class Matcher(Model):
    """What one field has to be."""

    match: Kind
    value: JsonValue = None
    #: Of `number`: relative or absolute.
    tolerance: Annotated[float, Field(ge=0)] = 1e-9


def _matcher(value: Any) -> Any:
    """A plain value has to be met exactly; an object or a list is compared as JSON."""
    if isinstance(value, Matcher) or (isinstance(value, dict) and "match" in value):
        return value
    kind = "json" if isinstance(value, dict | list) else "exact"
    return {"match": kind, "value": value}


Expected = Annotated[Matcher, BeforeValidator(_matcher)]
#: A field that is not looked at.
IGNORED = Matcher(match="ignored")


class CliExpected(Model):
    """What a run has to leave."""

    exit: Expected = Matcher(match="exact", value=0)
    stdout: Expected = IGNORED
    stderr: Expected = IGNORED
    #: By path below the case's folder; null for a file that must not be there.
    files: dict[CasePath, Expected] = Field(default_factory=dict)


class CliCase(Model):
    """One run of a program. Texts are UTF-8."""

    id: CaseId
    #: What of the program it asks: a subcommand, for one.
    area: Area = "program"
    argv: tuple[Word, ...] = ()
    stdin: str = ""
    #: Content by path in the case's folder, which is the current one.
    files: dict[CasePath, str] = Field(default_factory=dict)
    env: dict[VariableName, Word] = Field(default_factory=dict)
    timeout_s: Seconds | None = None
    #: None for an input alone.
    expect: CliExpected | None = None


class StepExpected(Model):
    """What a request has to be answered with."""

    status: Expected = IGNORED
    #: Those that are looked at; names as anybody writes them.
    headers: dict[Word, Expected] = Field(default_factory=dict)
    body: Expected = IGNORED


class Step(Model):
    """One request; `{name}` of an earlier capture is replaced in path, headers and body."""

    method: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3,10}$")] = "GET"
    path: Annotated[str, StringConstraints(pattern=r"^/[^\s\x00-\x1f]*$")]
    headers: dict[Word, Annotated[str, StringConstraints(pattern=r"^[^\r\n\x00]*$")]] = Field(
        default_factory=dict
    )
    #: A text as it is, anything else as JSON.
    body: JsonValue = None
    #: Name -> JSON pointer into the answer's body.
    capture: dict[CaptureName, Pointer] = Field(default_factory=dict)
    expect: StepExpected | None = None


class ApiCase(Model):
    """Requests to a fresh server, one after the other."""

    id: CaseId
    area: Area = "server"
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=100)]

    @property
    def expect(self) -> bool | None:
        """Does every step say what it expects? None where one does not, as in an input alone."""
        return True if all(step.expect is not None for step in self.steps) else None


Case: TypeAlias = CliCase | ApiCase


def inputs_alone(cases: Sequence[Case]) -> list[Case]:
    """The same without what they expect."""
    found: list[Case] = []
    for case in cases:
        if isinstance(case, CliCase):
            found.append(case.model_copy(update={"expect": None}))
        else:
            steps = tuple(step.model_copy(update={"expect": None}) for step in case.steps)
            found.append(case.model_copy(update={"steps": steps}))
    return found
