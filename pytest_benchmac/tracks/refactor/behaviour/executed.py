"""What of a project runs while its behaviour is looked at.

Python tells lines by coverage.py, which a `sitecustomize` of the harness starts; Node tells counts
of ranges by V8 (`NODE_V8_COVERAGE`), which source maps lead back to the sources; Java tells the
classes that it loads (`-Xlog:class+load`). Whoever wrote the program could tell lies about it: the
code that this takes is looked for by `integrity.hidden`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.foreign.sourcemap import MapError, SourceMap, read_map
from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.refactor.instance import Language
from pytest_benchmac.tracks.refactor.rules.matches import Match

_FILE_BYTES, _TRACE_BYTES, _TRACE_FILES = 64 * MIB, 1024 * MIB, 20_000
_SITECUSTOMIZE = files("pytest_benchmac.tracks.refactor.behaviour") / "tracing/sitecustomize.py"
_LOADED = re.compile(r"\] ([\w.$]+) source: file:")
_MAP_COMMENT = re.compile(r"^//# sourceMappingURL=(\S{1,500})\s*$", re.MULTILINE)


#: First and last lines of bodies of functions, by file.
Bodies = Mapping[str, Sequence[tuple[int, int]]]


@dataclass
class Executed:
    """Lines that ran, by file; where lines are not told, files that ran are whole."""

    lines: dict[str, set[int]] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def add(self, path: str, numbers: Iterable[int]) -> None:
        """Lines of a file ran."""
        self.lines.setdefault(path, set()).update(numbers)

    def share(self, match: Match, bodies: Bodies) -> float:
        """Of a match's lines in bodies of functions, the share that ran.

        Of all its lines, where it has none of these, or no parser tells them.
        """
        if match.path in self.whole:
            return 1.0
        span = set(range(match.start, match.end + 1))
        inner = {
            number
            for first, last in bodies.get(match.path, ())
            for number in range(max(first, match.start), min(last, match.end) + 1)
        }
        ran, counted = self.lines.get(match.path, set()), inner or span
        return len(ran & counted) / len(counted)


@dataclass(frozen=True)
class Tracing:
    """How a language's programs tell what of them runs."""

    #: Variables of every case, by the folder that they write to and the harness's own.
    env: Callable[[PurePosixPath, PurePosixPath, PurePosixPath], Mapping[str, str]]
    #: Reads what they wrote.
    read: Callable[[SourceTree, str, SourceTree], Executed]


class Tracer:
    """Brings what tracing takes into a sandbox, and reads what was traced."""

    def __init__(self, sandbox: Sandbox, language: Language) -> None:
        self._sandbox = sandbox
        self._tracing = TRACINGS[language]
        self._folder = sandbox.home / "trace"
        own = sandbox.inbox / "trace"
        sandbox.copy_in(_SITECUSTOMIZE.read_bytes(), own / "sitecustomize.py")
        self.env = dict(self._tracing.env(self._folder, own, sandbox.project))

    @property
    def set_up(self) -> str:
        """The command that makes the folder that traces go to."""
        return f"mkdir -p {self._folder}"

    def read(self, folder: Path, built: SourceTree) -> Executed:
        """What ran in all cases so far.

        Args:
            folder: an empty one on the host.
            built: the project as it was installed, with source maps.

        Raises:
            CopyLimitError: there is more than the harness reads.
        """
        self._sandbox.copy_out(self._folder, folder, max_bytes=_TRACE_BYTES, max_files=_TRACE_FILES)
        return self._tracing.read(SourceTree.scan(folder), str(self._sandbox.project), built)


def _python_env(
    folder: PurePosixPath, own: PurePosixPath, project: PurePosixPath
) -> Mapping[str, str]:
    return {"BENCHMAC_TRACE": str(folder), "PYTHONPATH": f"{own}:{project}"}


def _python_read(traces: SourceTree, project: str, built: SourceTree) -> Executed:
    executed = Executed()
    for told in _documents(traces):
        for path, numbers in told.items():
            if isinstance(numbers, list):
                executed.add(path, (each for each in numbers if isinstance(each, int)))
    return executed


def _node_env(
    folder: PurePosixPath, own: PurePosixPath, project: PurePosixPath
) -> Mapping[str, str]:
    return {"NODE_V8_COVERAGE": str(folder)}


def _node_read(traces: SourceTree, project: str, built: SourceTree) -> Executed:
    executed = Executed()
    prefix = f"file://{project}/"
    scripts: dict[str, list[bytearray]] = {}
    for told in _documents(traces):
        results = told.get("result")
        for script in results if isinstance(results, list) else ():
            path = str(script.get("url", "")).removeprefix(prefix)
            text = built.text(path, _FILE_BYTES)
            if text is not None and not path.startswith("node_modules/"):
                scripts.setdefault(path, []).append(_counted(script.get("functions"), len(text)))
    for path, runs in scripts.items():
        text = built.text(path, _FILE_BYTES) or ""
        ran = bytes(map(max, zip(*runs, strict=True))) if len(runs) > 1 else bytes(runs[0])
        _take_lines(executed, path, text, ran, built)
    return executed


def _counted(functions: object, length: int) -> bytearray:
    """For each character of a script, whether it ran: ranges come from the outside in."""
    ran = bytearray(length)
    for function in functions if isinstance(functions, list) else ():
        for each in function.get("ranges", ()):
            start, end = int(each["startOffset"]), min(int(each["endOffset"]), length)
            ran[start:end] = (b"\1" if each["count"] else b"\0") * max(0, end - start)
    return ran


def _take_lines(executed: Executed, path: str, text: str, ran: bytes, built: SourceTree) -> None:
    """Lines of a script, and of the sources that its map leads to."""
    mapped = _map_of(path, text, built)
    offset = 0
    for number, line in enumerate(text.split("\n")):
        for column, character in enumerate(line):
            if character.isspace() or not ran[offset + column]:
                continue
            executed.add(path, (number + 1,))
            if mapped is None:
                break
            if (origin := mapped.at(number, column)) is not None:
                executed.add(_beside(path, origin[0]), (origin[1],))
        offset += len(line) + 1


def _map_of(path: str, text: str, built: SourceTree) -> SourceMap | None:
    named = _MAP_COMMENT.search(text)
    if named is None:
        return None
    content = built.read(_beside(path, named[1]), _FILE_BYTES)
    try:
        return None if content is None else read_map(content)
    except MapError:
        return None


def _beside(path: str, name: str) -> str:
    """A path that a file names, from the project's folder."""
    return normal_path(*PurePosixPath(path).parent.parts, *PurePosixPath(name).parts) or name


def _java_env(
    folder: PurePosixPath, own: PurePosixPath, project: PurePosixPath
) -> Mapping[str, str]:
    return {"JAVA_TOOL_OPTIONS": f"-Xlog:class+load=info:file={folder}/%p.log"}


def _java_read(traces: SourceTree, project: str, built: SourceTree) -> Executed:
    loaded: set[str] = set()
    for path in traces.files:
        text = traces.text(path, _FILE_BYTES) or ""
        loaded |= {match[1].partition("$")[0] for match in _LOADED.finditer(text)}
    suffixes = {f"/{name.replace('.', '/')}.java" for name in loaded if "." in name}
    return Executed(whole={p for p in built.files if _has_suffix(p, suffixes)})


def _has_suffix(path: str, suffixes: Set[str]) -> bool:
    """Does a path end with one of these, each of which begins with a slash?"""
    at = -1
    while (at := f"/{path}".find("/", at + 1)) >= 0:
        if f"/{path}"[at:] in suffixes:
            return True
    return False


def _documents(traces: SourceTree) -> Iterator[dict[str, Any]]:
    for path in traces.files:
        content = traces.read(path, _FILE_BYTES)
        try:
            told = json.loads(content or b"null")
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict):
            yield told


TRACINGS: Mapping[Language, Tracing] = {
    "python": Tracing(_python_env, _python_read),
    "typescript": Tracing(_node_env, _node_read),
    "java": Tracing(_java_env, _java_read),
}
