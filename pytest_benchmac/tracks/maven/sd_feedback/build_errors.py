"""What a build of Maven finds wrong, as a list: file, line, column and message of each error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_benchmac.tracks.maven.pom import POM

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
#: `[ERROR] /project/src/A.java:[3,14] message`, as the compiler's plugin prints it.
_SOURCE = re.compile(
    r"\[(?:ERROR|FATAL)\] (?P<file>\S.*?\.(?:java|kt|groovy|scala))"
    r":\[(?P<line>\d+),(?P<column>\d+)\] (?P<message>.*)"
)
#: What javac says in further lines.
_MORE = re.compile(r"(?:\[ERROR\])?\s+(?P<what>symbol|location|required|found|reason)\s*:.*")
#: `... @ line 7, column 4`, of a project file.
_PROJECT_FILE = re.compile(
    r"\[(?:ERROR|FATAL)\]\s+(?P<message>\S.*?)"
    r"\s*@ (?:\S+, )?line (?P<line>\d+), column (?P<column>\d+)"
)
_WHOSE = re.compile(r"(?P<file>/\S+\.xml)\b")
#: `[ERROR]   SomeTest.method:23 message`, and with a package and more methods.
_TEST = re.compile(
    r"\[ERROR\]\s+(?P<name>[\w.$]+?)\.(?P<method>\w+):(?P<line>\d+)(?P<message>\D.*|)"
)
_GOAL = re.compile(r"\[ERROR\] (?P<message>Failed to execute goal .*)")
#: What a message may have that is different in every run.
_VARIES = re.compile(
    r"\b\d+(?:\.\d+)? ?(?:ms|s|min)\b|\b\d\d:\d\d:\d\d\b|@(?=[a-f]*\d)[0-9a-f]{4,8}\b"
)
_ANY = re.compile(r"\[(?:ERROR|FATAL)\] (?P<message>\S.*)")


@dataclass(frozen=True)
class BuildError:
    """One error of a build."""

    #: Below the project; of a failing test the class's name. Empty where the build names none.
    file: str
    #: From 1; None where the build names none.
    line: int | None
    column: int | None
    message: str

    @property
    def in_source(self) -> bool:
        """Does it name a line of a source, and not of a project file?"""
        return self.line is not None and not self.file.endswith(".xml")

    def __str__(self) -> str:
        place = [self.file or POM, *(str(n) for n in (self.line, self.column) if n)]
        return f"{':'.join(place)}: {self.message}"


def read_errors(output: str, project: str) -> tuple[BuildError, ...]:
    """The errors in what Maven printed, in its order, each once.

    Places in sources and project files count first, then tests that fail, then goals that do; where
    there is none of these, whatever Maven marks as an error.

    Args:
        output: both streams.
        project: the project's folder in the sandbox.
    """
    lines = [_ESCAPES.sub("", line).rstrip() for line in output.splitlines()]
    for read in (_of_places, _of_tests, _of_goals, _of_anything):
        found = [replace(each, file=_below(each.file, project)) for each in read(lines)]
        if found:
            return tuple(dict.fromkeys(found))
    return ()


def same_errors(one: Sequence[BuildError], other: Sequence[BuildError]) -> bool:
    """Do two builds find the same?

    An error that only moved within its file is the same, and one whose message only has another
    duration, time of day, or address of an object.
    """
    return _counted(one) == _counted(other)


def _counted(errors: Sequence[BuildError]) -> Counter[tuple[str, str]]:
    return Counter((each.file, _VARIES.sub("", each.message)) for each in errors)


def _of_places(lines: Sequence[str]) -> Iterator[BuildError]:
    found: dict[tuple[str, str, str], BuildError] = {}
    last = None
    whose = ""
    for line in lines:
        if match := _SOURCE.fullmatch(line):
            last = (match["file"], match["line"], match["column"])
            place = (int(match["line"]), int(match["column"]))
            found.setdefault(last, BuildError(match["file"], *place, match["message"]))
        elif last and (more := _MORE.fullmatch(line)):
            error, told = found[last], line[line.index(more["what"]) :]
            # Maven prints its summary with every error once more.
            if told not in error.message.splitlines():
                found[last] = replace(error, message=f"{error.message}\n{told}")
        elif match := _PROJECT_FILE.match(line):
            last = None
            named = _WHOSE.search(match["message"])
            place = (int(match["line"]), int(match["column"]))
            file = named["file"] if named else whose
            found.setdefault(
                (file, match["line"], match["column"]), BuildError(file, *place, match["message"])
            )
        else:
            last = None
            if "has" in line and (named := _WHOSE.search(line)):
                # The project g:a:v (/project/pom.xml) has 1 error
                whose = named["file"]
    yield from found.values()


def _of_tests(lines: Sequence[str]) -> Iterator[BuildError]:
    for line in lines:
        if match := _TEST.fullmatch(line):
            name = match["name"].rpartition(".")[2].partition("$")[0]
            said = f"{match['name']}.{match['method']}{match['message']}"
            yield BuildError(f"{name}.java", int(match["line"]), None, said)


def _of_goals(lines: Sequence[str]) -> Iterator[BuildError]:
    for line in lines:
        if match := _GOAL.fullmatch(line):
            yield BuildError("", None, None, match["message"])


def _of_anything(lines: Sequence[str]) -> Iterator[BuildError]:
    for line in lines:
        if match := _ANY.fullmatch(line):
            yield BuildError("", None, None, match["message"])


def _below(file: str, project: str) -> str:
    return file.removeprefix(project.rstrip("/") + "/")
