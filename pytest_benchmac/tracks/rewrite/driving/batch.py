"""What the driver is given, and what it answers: netstrings, since perl-base has no JSON.

Nothing in a batch tells a recorded case from a fresh one, or what is expected: tokens instead of
ids, and every file that a run leaves comes back.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.rewrite.benchmark import Benchmark
from pytest_benchmac.tracks.rewrite.cases.answers import LOST, Answer, Did, Ended
from pytest_benchmac.tracks.rewrite.cases.models import ApiCase, Case, CliCase, Step

#: Of one stream of one case, of one file that it leaves, and how many of those.
STREAM_BYTES, FILE_BYTES, MOST_FILES = 1 * MIB, 1 * MIB, 64


@dataclass(frozen=True)
class Program:
    """How a program is started."""

    #: Shell text; of a command line, arguments are put behind it.
    command: str
    root: str
    port: int = 0
    health: str = ""
    start_s: float = 0.0

    @property
    def is_api(self) -> bool:
        """Is it a server?"""
        return bool(self.port)

    @classmethod
    def of(cls, benchmark: Benchmark, run_cmd: str, root: str) -> Program:
        """The program whose folder is `root`."""
        if benchmark.is_api:
            return cls(
                run_cmd,
                root,
                port=benchmark.port or 0,
                health=benchmark.health or "/",
                start_s=benchmark.start_timeout_s,
            )
        first, blank, rest = run_cmd.strip().partition(" ")
        if "/" in first and not first.startswith(("/", "$", '"', "'")):
            first = f'"$ROOT"/{first}'
        return cls(f"{first}{blank}{rest}", root)


def encode(
    program: Program,
    cases: Mapping[str, Case],
    *,
    jobs: int,
    folders: tuple[str, str],
    budget_s: float,
    timeout_s: float,
) -> bytes:
    """A batch.

    Args:
        program: what runs.
        cases: by token.
        jobs: how many at a time.
        folders: where cases run, and where answers go; neither is there yet.
        budget_s: seconds for all; no case begins later.
        timeout_s: seconds of a case that says nothing else.
    """
    mode = "api" if program.is_api else "cli"
    told = _nets(mode, program.command, program.root, jobs, *folders, budget_s)
    told += _nets(STREAM_BYTES, FILE_BYTES, MOST_FILES)
    told += _nets(program.port, program.health, program.start_s, len(cases))
    for token, case in cases.items():
        if isinstance(case, ApiCase):
            told += _nets(token, timeout_s, len(case.steps))
            told += b"".join(map(_step, case.steps))
        else:
            told += _nets(token, case.timeout_s or timeout_s)
            told += _run(case, program.command)
    return told


def _run(case: CliCase, command: str) -> bytes:
    line = f"{command} {shlex.join(case.argv)}" if case.argv else command
    return _nets(line, case.stdin) + _pairs(case.env) + _pairs(case.files)


def _step(step: Step) -> bytes:
    body = step.body
    headers = dict(step.headers)
    if body is not None and not isinstance(body, str):
        body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        if "content-type" not in {name.lower() for name in headers}:
            headers["Content-Type"] = "application/json"
    told = _nets(step.method, step.path, body or "")
    return told + _pairs(headers) + _pairs(step.capture)


def _pairs(pairs: Mapping[str, str]) -> bytes:
    flat = [part for pair in pairs.items() for part in pair]
    return _nets(len(flat), *flat)


def _nets(*values: object) -> bytes:
    encoded = (str(value).encode() for value in values)
    return b"".join(b"%d:%b," % (len(each), each) for each in encoded)


def decode(content: bytes) -> Did:
    """An answer; `LOST` for what is none: a case may have written it."""
    try:
        fields = list(_fields(content))
        ended, exit_code, duration, cut, ready, stdout, stderr, *rest = fields
        count = int(rest[0])
        flat, rest = rest[1 : 1 + count], rest[1 + count :]
        answers = rest[1 : 1 + int(rest[0])]
        return Did(
            ended=Ended(ended.decode()),
            exit=int(exit_code) if exit_code else None,
            duration_s=float(duration),
            cut=cut == b"1",
            ready=ready == b"1",
            stdout=stdout,
            stderr=stderr,
            files={
                path.decode("utf-8", "backslashreplace"): text
                for path, text in zip(flat[::2], flat[1::2], strict=True)
            },
            answers=tuple(_answers(answers)),
        )
    except (ValueError, IndexError):
        return LOST


def _fields(content: bytes) -> Iterable[bytes]:
    at = 0
    while at < len(content):
        colon = content.index(b":", at, at + 12)
        length = int(content[at:colon])
        end = colon + 1 + length
        if length < 0 or content[end : end + 1] != b",":
            raise ValueError("no netstring")
        yield content[colon + 1 : end]
        at = end + 1


def _answers(flat: Sequence[bytes]) -> Iterable[Answer]:
    for number in range(0, len(flat), 4):
        status, head, body, problem = flat[number : number + 4]
        headers: dict[str, str] = {}
        for line in head.decode("latin-1").split("\r\n"):
            name, colon, value = line.partition(":")
            if colon:
                headers.setdefault(name.strip().lower(), value.strip())
        yield Answer(
            status=int(status) if status else None,
            headers=headers,
            body=body,
            problem=problem.decode(errors="replace"),
        )
