"""What makes a verdict trustworthy, shared across tracks.

Findings and the verdict that follows from them, and the reading of a tree that a submission wrote:
copied to the host, never run, and hostile in its names, its sizes and its contents.
"""

from __future__ import annotations

import codecs
import os
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.errors import CopyLimitError
from pytest_benchmac.model import Finding, Integrity, IntegrityLeg, Outcome, Severity, Verdict
from pytest_benchmac.settings import MIB

#: Of one code, only so many findings are kept one by one.
MAX_FINDINGS_PER_CODE = 20
_SHOWN_CHARACTERS = 300
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Rejected takes at least one fatal finding; warnings leave a verdict clean."""
    fatal = any(finding.severity is Severity.FATAL for finding in findings)
    return Verdict.REJECTED if fatal else Verdict.CLEAN


def judged(integrity: Integrity) -> Integrity:
    """The same with the verdict that follows from findings and legs. Pure.

    Without a fatal finding, clean takes at least one leg, and no reason not to have looked.
    """
    verdict = verdict_of(integrity.findings)
    if verdict is Verdict.CLEAN and (integrity.unchecked or not integrity.legs):
        verdict = Verdict.UNCHECKED
    return integrity.model_copy(update={"verdict": verdict})


def shown(value: object, limit: int = _SHOWN_CHARACTERS) -> str:
    """Foreign text on one line, fit for terminals: control characters escaped, long text cut."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > limit:
        text = f"{text[: limit - 30]}... ({len(text)} characters)"
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode()
        for c in text
    )


@dataclass
class Findings:
    """Collects findings. Of one code only the first MAX_FINDINGS_PER_CODE are kept, and a count."""

    _kept: list[Finding] = field(default_factory=list)
    _counts: Counter[tuple[str, Severity]] = field(default_factory=Counter)

    def fatal(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        expected: object = None,
        seen: object = None,
    ) -> None:
        """Something that no honest patch does: it rejects the case."""
        self._add(Severity.FATAL, code, message, file, line, expected, seen)

    def warning(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        expected: object = None,
        seen: object = None,
    ) -> None:
        """Something that people should see, and that an honest patch may do."""
        self._add(Severity.WARNING, code, message, file, line, expected, seen)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        file: str | None,
        line: int | None,
        expected: object,
        seen: object,
    ) -> None:
        self._counts[code, severity] += 1
        if self._counts[code, severity] <= MAX_FINDINGS_PER_CODE:
            self._kept.append(
                Finding(
                    code=code,
                    severity=severity,
                    message=shown(message, 2 * _SHOWN_CHARACTERS),
                    file=None if file is None else shown(file),
                    line=line,
                    expected=None if expected is None else shown(expected),
                    seen=None if seen is None else shown(seen),
                )
            )

    @property
    def rejected(self) -> bool:
        """Is any of them fatal?"""
        return verdict_of(self._kept) is Verdict.REJECTED

    def result(self) -> tuple[Finding, ...]:
        """All that was kept, the fatal ones first."""
        left_out = [
            Finding(
                code=code,
                severity=severity,
                message=f"{count - MAX_FINDINGS_PER_CODE} more findings like these",
            )
            for (code, severity), count in self._counts.items()
            if count > MAX_FINDINGS_PER_CODE
        ]
        return tuple(
            sorted(self._kept + left_out, key=lambda each: each.severity is not Severity.FATAL)
        )


@dataclass
class Leg:
    """A check under way."""

    findings: Findings = field(default_factory=Findings)
    #: Set where the check could not be passed, but nothing that it found counts by itself.
    failed: str = ""
    _taken: list[Finding] = field(default_factory=list)

    def take(self, findings: Iterable[Finding]) -> None:
        """Add findings that are complete already."""
        self._taken += findings

    def result(self) -> tuple[Finding, ...]:
        """All that was found."""
        return (*self._taken, *self.findings.result())


@dataclass
class Legs:
    """The integrity of one case as its checks run; made by `evaluate`, filled by the track."""

    #: Why there is nothing to be looked at, or no way to; the track runs no leg then.
    unchecked: str = ""
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    done: dict[str, IntegrityLeg] = field(default_factory=dict)

    @property
    def rejected(self) -> bool:
        """Has anything fatal been found so far?"""
        return verdict_of(self.findings) is Verdict.REJECTED

    @property
    def failed(self) -> tuple[str, ...]:
        """The legs that did not pass so far."""
        return tuple(leg.name for leg in self.done.values() if leg.outcome is Outcome.FAILED)

    @contextmanager
    def leg(self, name: str) -> Iterator[Leg]:
        """Run a check, or a further part of it, and record what it found and how long it took.

        What is too large to be copied out of a sandbox, which is the submission's doing, is fatal.
        """
        leg, started = Leg(), time.monotonic()
        try:
            yield leg
        except CopyLimitError as error:
            leg.findings.fatal("too-large", f"More is to be read than the harness does: {error}")
        found = leg.result()
        self.findings += found
        codes = [each.code for each in found if each.severity is Severity.FATAL]
        reason = leg.failed or ", ".join(dict.fromkeys(codes))
        before = self.done.get(name)
        if before is not None:
            reason = ", ".join(filter(None, (before.reason, reason)))
        spent = time.monotonic() - started + (before.duration_s if before else 0.0)
        self.done[name] = IntegrityLeg(
            name=name,
            outcome=Outcome.FAILED if reason else Outcome.PASSED,
            duration_s=round(spent, 3),
            reason=reason,
        )

    def result(self) -> Integrity:
        """For the record, judged."""
        fatal_first = sorted(self.findings, key=lambda each: each.severity is not Severity.FATAL)
        unchecked = self.unchecked or ("" if self.done else "the case did not get to any check")
        return judged(
            Integrity(
                findings=tuple(fatal_first),
                legs=tuple(self.done.values()),
                unchecked=unchecked,
                facts=self.facts,
            )
        )


@dataclass(frozen=True)
class TreeBounds:
    """How much of a tree is looked at."""

    files: int = 50_000
    depth: int = 64
    bytes: int = 1024 * MIB


@dataclass(frozen=True)
class SourceTree:
    """A folder on the host as a submission left it. Reading never follows a link or raises.

    Paths are relative, with `/`.
    """

    root: Path
    #: Size in bytes of every regular file.
    files: Mapping[str, int]
    folders: frozenset[str]
    #: Why not all of the tree was seen; empty when all was.
    problem: str

    @classmethod
    def scan(cls, root: Path, bounds: TreeBounds | None = None) -> SourceTree:
        """List the tree, as far as the bounds allow."""
        limits = bounds or TreeBounds()
        files: dict[str, int] = {}
        folders: set[str] = set()
        others = 0
        problems: list[str] = []
        total = 0
        pending: list[tuple[str, int]] = [("", 0)]
        while pending and not problems:
            folder, depth = pending.pop()
            try:
                with os.scandir(root / folder) as entries:
                    for entry in entries:
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            folders.add(path)
                            pending.append((path, depth + 1))
                        elif entry.is_file(follow_symlinks=False):
                            files[path] = entry.stat(follow_symlinks=False).st_size
                            total += files[path]
                        else:
                            others += 1
                        if len(files) + len(folders) + others > limits.files:
                            problems.append(f"more than {limits.files} files")
                            break
            except OSError as error:
                problems.append(f"{shown(folder or '.')}: {error.strerror}")
            if depth >= limits.depth:
                problems.append(f"folders nested deeper than {limits.depth}")
            if total > limits.bytes:
                problems.append(f"more than {limits.bytes} bytes")
        return cls(
            root,
            dict(sorted(files.items())),
            frozenset(folders),
            "; ".join(problems),
        )

    def read(self, path: str, max_bytes: int) -> bytes | None:
        """The file's content; None when there is none, or it is larger than `max_bytes`."""
        if self.files.get(path, max_bytes + 1) > max_bytes:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with open(os.open(self.root / path, flags), "rb") as file:  # noqa: PTH123
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                content = file.read(max_bytes + 1)
        except OSError:
            return None
        return content if len(content) <= max_bytes else None

    def text(self, path: str, max_bytes: int) -> str | None:
        """As `read`, decoded by the byte order mark if there is one, else as UTF-8."""
        content = self.read(path, max_bytes)
        return None if content is None else decode(content)

    def __contains__(self, path: object) -> bool:
        return path in self.files

    def named(self, *names: str) -> list[str]:
        """The files of these names, in whatever folder."""
        return [path for path in self.files if path.rpartition("/")[2] in names]


@dataclass(frozen=True)
class Uncopied:
    """What lies in a sandbox's tree and in no copy of it: see `Sandbox.copy_out`."""

    #: Target of every symbolic link, by path.
    links: Mapping[str, str] = field(default_factory=dict)
    #: Files whose names are no text or act on terminals.
    files: frozenset[str] = frozenset()
    #: Why this is not all; empty when it is.
    problem: str = ""


#: Of trees on the host that nobody copied.
ALL_COPIED = Uncopied()


def decode(content: bytes) -> str:
    """Text as compilers read it: UTF-16 with a byte order mark, else UTF-8, never failing."""
    for mark, encoding in _ENCODINGS:
        if content.startswith(mark):
            return content.removeprefix(mark).decode(encoding, "replace")
    return content.decode("utf-8", "replace")


def line_of(text: str, position: int) -> int:
    """The line that a position in the text lies on, counted from 1."""
    return text.count("\n", 0, position) + 1


def normal_path(*parts: str) -> str | None:
    """The parts joined, without `.` and `..`; None when that leaves the tree."""
    result: list[str] = []
    for part in PurePosixPath(*parts).parts:
        if part.startswith("/"):
            return None
        if part == "..":
            if not result:
                return None
            result.pop()
        else:
            result.append(part)
    return "/".join(result)


def outside(path: str, folders: Sequence[str]) -> bool:
    """Does the path lie in none of the folders of these names, at whatever depth?"""
    return not any(part in folders for part in path.split("/")[:-1])
