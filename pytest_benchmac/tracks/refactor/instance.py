"""An instance of the refactor track: task, tests, rules, behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from pytest_benchmac.model.base import Model, Seconds, Sha256
from pytest_benchmac.model.instance import BesideFile, Commands, Environment, Instance, Timeouts

#: Characters of the two descriptions: sections 3 and 4.1 of CodeTaste.
MAX_INSTRUCTED, MAX_OPEN = 3_500, 70

Language = Literal["python", "typescript", "java", "go"]
ReporterName = Literal["pytest", "jest", "vitest", "node", "surefire", "go"]
Release = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]+(\.[0-9]+){0,2}$"),
    Field(description="a version of up to three numbers, such as 3.11 or 20.19.4"),
]
PathPattern = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(description="a path in the project, where `*` stays in its folder and `**` does not"),
]
#: Runner of each reporter's language.
_REPORTERS: dict[Language, frozenset[str]] = {
    "python": frozenset({"pytest"}),
    "typescript": frozenset({"jest", "vitest", "node"}),
    "java": frozenset({"surefire"}),
    "go": frozenset({"go"}),
}
_TOOLS: dict[Language, tuple[str, ...]] = {
    "python": ("python",),
    "typescript": ("node", "npm"),
    "java": ("java", "maven"),
    "go": ("go",),
}


class Task(Model):
    """The two descriptions of what is to be done, each a file."""

    #: Title, summary and reasons: up to 3,500 characters.
    instructed: BesideFile = "instructed.md"
    #: One line of up to 70 characters: where to look, no decision.
    open: BesideFile = "open.md"


class LockedPackage(Model):
    """A wheel from PyPI that a Python instance needs in its base."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    version: Annotated[str, StringConstraints(pattern=r"^[0-9][\w.!+]*$")]
    sha256: Sha256


class RefactorEnvironment(Environment):
    """The language and its exact tools; what the language does not need is not given."""

    #: Nobody publishes these bases, which have the harness's own tools: they are bootstrapped.
    image: None = None  # type: ignore[assignment]
    language: Language
    #: Major and minor, that of Debian.
    python: Release | None = None
    #: Exact.
    node: Release | None = None
    #: Exact.
    npm: Release | None = None
    #: A Java release.
    java: Release | None = None
    #: Maven's major.
    maven: Release | None = None
    #: Major and minor.
    go: Release | None = None
    #: Beside pytest and what it imports.
    packages: tuple[LockedPackage, ...] = ()

    @model_validator(mode="after")
    def _tools_of_the_language(self) -> Self:
        wanted = _TOOLS[self.language]
        for tools in _TOOLS.values():
            for tool in tools:
                given = getattr(self, tool) is not None
                if given != (tool in wanted):
                    said = "is missing" if tool in wanted else "is of another language"
                    raise ValueError(f"`{tool}` {said}: {self.language} has {', '.join(wanted)}")
        if self.packages and self.language != "python":
            raise ValueError('`packages` are PyPI\'s: for language = "python" only')
        return self


class RefactorCommands(Commands):
    """Shell commands, run in the project."""

    #: Also builds, where tests or behaviour need what was built.
    install: str | None = None
    #: Options of the harness's reporter are added to it.
    test: str


class RefactorTimeouts(Timeouts):
    """Seconds per command."""

    install: Seconds = 600.0
    test: Seconds = 600.0
    #: The static rules, on one tree.
    scan: Seconds = 600.0
    #: One case of the behaviour.
    case: Seconds = 60.0


class OwnTestsTable(Model):
    """How the instance's own tests are run."""

    reporter: ReporterName
    #: What steers the runner, beside the names that `integrity/guarded.py` knows.
    guarded: tuple[PathPattern, ...] = ()
    #: Recorded runs: `benchmac record-tests` writes them.
    runs: BesideFile = "tests.json"


class Rules(Model):
    """Static rules in Semgrep's language, in two files."""

    #: Patterns that have to appear.
    additive: BesideFile = "rules/additive.yml"
    #: Patterns that have to go.
    reductive: BesideFile = "rules/reductive.yml"
    #: Files that are not scanned.
    exclude: tuple[PathPattern, ...] = ()


class Behaviour(Model):
    """The program's command line, and what it has to do."""

    #: A shell command; `$PROJECT` is the project, the current folder is the case's own.
    run: Annotated[str, StringConstraints(pattern=r"\S")]
    #: One JSON object per line: see `behaviour.cases`.
    cases: BesideFile = "behaviour/cases.jsonl"


class RefactorInstance(Instance):
    """An instance of the refactor track; its silver patch is the golden one."""

    task: Task = Task()
    environment: RefactorEnvironment
    commands: RefactorCommands
    timeouts: RefactorTimeouts = RefactorTimeouts()
    tests: OwnTestsTable
    rules: Rules = Rules()
    #: Without it there is no stage `behaviour`, and no code is known to be dead.
    behaviour: Behaviour | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        language = self.environment.language
        if self.tests.reporter not in _REPORTERS[language]:
            raise ValueError(
                f"`tests.reporter` = {self.tests.reporter!r} does not run {language}: expected "
                f"{' or '.join(sorted(_REPORTERS[language]))}"
            )
        if self.silver is None or self.silver.patch is None:
            raise ValueError("`silver.patch` is missing: rules are held against the golden patch")
        for key, name in self.named_files.items():
            if ".." in PurePosixPath(name).parts or not (self.directory / name).is_file():
                raise ValueError(f"`{key}` = {name!r} is no file below {self.directory}")
        for key, most in (("instructed", MAX_INSTRUCTED), ("open", MAX_OPEN)):
            text = self.description_of(key)
            if not text or len(text) > most or (key == "open" and "\n" in text):
                what = f"1 to {most} characters" + (" in one line" if key == "open" else "")
                raise ValueError(f"`task.{key}` names a text of {len(text)} characters, not {what}")
        return self

    def description_of(self, name: str) -> str:
        """One of the descriptions of the task: `instructed` or `open`."""
        file = self.directory / (self.task.instructed if name == "instructed" else self.task.open)
        return file.read_text("utf-8").strip()

    @property
    def golden(self) -> bytes:
        """The golden patch."""
        if self.silver is None or self.silver.patch is None:
            raise ValueError(f"{self.id} has no golden patch")
        return (self.directory / self.silver.patch).read_bytes()

    @property
    def named_files(self) -> dict[str, str]:
        """Key of instance.toml -> the file that it names and that has to be there."""
        named = {
            "task.instructed": self.task.instructed,
            "task.open": self.task.open,
            "rules.additive": self.rules.additive,
            "rules.reductive": self.rules.reductive,
        }
        if self.behaviour is not None:
            named["behaviour.cases"] = self.behaviour.cases
        return named

    @property
    def decisive_files(self) -> Sequence[Path]:
        """Tests, rules, cases and golden patch: facts and verdicts follow from all of them."""
        silver = self.silver.patch if self.silver is not None else None
        named = [*self.named_files.values(), self.tests.runs, *([silver] if silver else [])]
        files = [self.directory / PurePosixPath(name) for name in named]
        return [*super().decisive_files, *(file for file in files if file.is_file())]


def descriptions_of(instance: Instance) -> dict[str, str]:
    """The descriptions of an instance's task, the fullest first; none of another track's."""
    if not isinstance(instance, RefactorInstance):
        return {}
    return {name: instance.description_of(name) for name in ("instructed", "open")}
