"""A sandbox in which programs are run, one after the other, by a process that stays warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pytest_benchmac.environment.project import make_empty_project
from pytest_benchmac.evolve.errors import NondeterministicError, ProgramError
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import StreamTests, Subject
from pytest_benchmac.evolve.running.answers import (
    Difference,
    Original,
    Outcome,
    Verdict,
)
from pytest_benchmac.evolve.running.comparing import (
    did_of,
    first_difference,
)
from pytest_benchmac.evolve.running.inputs import Input, make_inputs, sound_inputs
from pytest_benchmac.evolve.running.requests import RunLimits, inputs_request, tests_request
from pytest_benchmac.evolve.running.vetting import find_original
from pytest_benchmac.evolve.running.worker import Ran, Worker
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import GIB, MIB, Limits, Settings
from pytest_benchmac.sandbox.base import CUT_OFF, Engine, Sandbox
from pytest_benchmac.tracks.program.environment import python_recipe

#: Of the sandbox: one run, the process that it is forked from, and files in memory.
_LIMITS = Limits(memory_bytes=4 * GIB, pids=256, disk_bytes=512 * MIB, output_bytes=16 * MIB)


class Laboratory:
    """A context manager; one run at a time, so that each of several processes opens its own.

    Args:
        engine: an engine with images.
        settings: with the cache.
        log: what the process in the sandbox says beside its answers; a file.
        limits: of one run.

    Raises (on entering):
        ImageError: the base cannot be made.
        SandboxError: the sandbox cannot be started.
    """

    def __init__(
        self, engine: Engine, settings: Settings, *, log: Path, limits: RunLimits | None = None
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._limits = limits or RunLimits()
        self._worker = Worker(self._sandbox, log)
        self._inputs: dict[tuple[str, str], Sequence[Input]] = {}
        self._originals: dict[tuple[str, str, int, int], Original] = {}

    def __enter__(self) -> Self:
        if not self._engine.has_images:
            raise SandboxError(
                f"the {self._engine.name} sandbox isolates nothing, and programs are anybody's",
                remedy="take --sandbox=docker or --sandbox=bubblewrap",
            )
        self._image = self._engine.prepare(
            python_recipe(), make_empty_project(self._settings.cache)
        )
        self._worker.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._worker.close()

    def _sandbox(self) -> Sandbox:
        return self._engine.sandbox(self._image, limits=_LIMITS, network=CUT_OFF, label="evolve")

    # --- tests ---

    def tests_pass(self, subject: Subject, program: Program) -> Verdict:
        """Run the subject's tests on a program: the subject's own, or one evolved from it.

        Raises:
            SandboxError: the sandbox failed.
        """
        if isinstance(subject.tests, StreamTests):
            return self._pairs_pass(subject.tests, program)
        ran = self._ask(tests_request(program, subject.tests, self._limits, task="tests"))
        return _verdict(ran)

    def _pairs_pass(self, tests: StreamTests, program: Program) -> Verdict:
        given = [pair.stdin for pair in tests.pairs]
        tests_s = self._limits.tests_s
        ran = self._ask(inputs_request(program, given, tests_s, self._limits, all_s=tests_s))
        for number, pair in enumerate(tests.pairs):
            did = did_of(ran.said[number]) if number < len(ran.said) else None
            if not did:
                return replace(_ending(ran), reason=f"{pair.name}: {ran.end}")
            problem = did[0].result or _text_difference(pair.stdout, did[0].stdout)
            if problem:
                return Verdict(Outcome.FAILED, f"{pair.name}: {problem}", ran.duration_s)
        return Verdict(Outcome.PASSED, duration_s=ran.duration_s)

    def coverage(self, subject: Subject, program: Program) -> float:
        """The share of a program's lines, modules beside it included, that its tests run.

        It is 0 where they do not come to their end.

        Raises:
            SandboxError: the sandbox failed.
        """
        counted = [program.file, *program.modules]
        ran = self._ask(
            tests_request(program, subject.tests, self._limits, task="coverage", counted=counted)
        )
        match ran.said[-1:]:
            case [{"lines": {"all": int(lines), "run": int(run)}}]:
                return run / lines if lines else 1.0
        return 0.0

    # --- the differential check ---

    def differences(
        self, subject: Subject, program: Program, *, seed: int, inputs: int = 200
    ) -> Difference | None:
        """The first input on which a program does something else than the subject's own.

        Inputs are made from those of the tests; the same seed makes the same ones. Those on which
        the original takes too long, or runs out of memory or stack, are left out.

        Raises:
            NondeterministicError: the original does one thing now and another then.
            ProgramError: there is no input to compare on.
            SandboxError: the sandbox failed.
        """
        original = self.original(subject, seed=seed, inputs=inputs)
        request = inputs_request(program, original.inputs, self._limits.input_s, self._limits)
        return first_difference(original, self._ask(request))

    def original(self, subject: Subject, *, seed: int, inputs: int = 200) -> Original:
        """What the subject's own program does on the inputs; found out once.

        Raises:
            NondeterministicError: the original does one thing now and another then.
            ProgramError: there is no input to compare on.
            SandboxError: the sandbox failed.
        """
        key = (subject.id, subject.program.key, seed, inputs)
        if key not in self._originals:
            self._originals[key] = self._find_original(subject, seed, inputs)
        return self._originals[key]

    def recorded(self, subject: Subject) -> Sequence[Input]:
        """What the tests give to the program: calls that can be written down, or texts.

        Raises:
            SandboxError: the sandbox failed.
        """
        key = (subject.id, subject.program.key)
        if key not in self._inputs:
            self._inputs[key] = self._record(subject)
        return self._inputs[key]

    def _record(self, subject: Subject) -> Sequence[Input]:
        if isinstance(subject.tests, StreamTests):
            return tuple(dict.fromkeys(pair.stdin for pair in subject.tests.pairs))
        names = sorted(subject.program.kept)
        ran = self._ask(
            tests_request(subject.program, subject.tests, self._limits, task="record", names=names)
        )
        match ran.said[-1:]:
            case [{"inputs": [*inputs]}]:
                return tuple(sound_inputs(inputs))
        return ()

    def _find_original(self, subject: Subject, seed: int, count: int) -> Original:
        inputs = make_inputs(self.recorded(subject), seed=seed, count=count)
        original = find_original(self._ask, subject.program, inputs, self._limits)
        if not original.inputs:
            raise ProgramError(
                "no input can be drawn from its tests on which it could be compared",
                where=subject.id,
                remedy="Tests have to call it with plain values, and it has to answer in time.",
            )
        again = self._ask(
            inputs_request(
                subject.program,
                original.inputs,
                self._limits.input_s,
                self._limits,
                scattered=True,
            )
        )
        if (difference := first_difference(original, again)) is not None:
            raise NondeterministicError(f"{subject.id} is not deterministic: {difference}")
        return original

    def _ask(self, request: dict[str, Any]) -> Ran:
        return self._worker.run(request, all_s=request["limits"]["all_s"])


def _verdict(ran: Ran) -> Verdict:
    match ran.said:
        case [{"broken": str(reason)}]:
            return Verdict(Outcome.BROKEN, reason, ran.duration_s)
        case [{"loaded": _}, {"failed": str(reason)}]:
            outcome = Outcome.FAILED if reason else Outcome.PASSED
            return Verdict(outcome, reason, ran.duration_s)
    return _ending(ran)


def _ending(ran: Ran) -> Verdict:
    outcome = Outcome.TIMED_OUT if ran.end == "timeout" else Outcome.ENDED
    return Verdict(outcome, ran.end, ran.duration_s)


def _text_difference(wanted: str, seen: str) -> str:
    """How printed text differs, blanks at the end of lines and of the text apart."""
    before = [line.rstrip() for line in wanted.rstrip().split("\n")]
    after = [line.rstrip() for line in seen.rstrip().split("\n")]
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one != other:
            return f"line {number} is {other[:80]!r}, expected: {one[:80]!r}"
    if len(before) != len(after):
        return f"{len(after)} lines, expected: {len(before)}"
    return ""
