"""The stages of a case: the answer is there, it compiles, it is right.

No sandbox ever holds what is expected. Into one go a program and calls, or an answer and calls;
out come literals, which are compared here. Whatever an answer does to the process that runs it,
there is nothing in there that says what to answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from pydantic import Field

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.outcomes import command_reason
from pytest_benchmac.tracks.patch import PatchSeen, apply_patch, patch_reason
from pytest_benchmac.tracks.program.comparing import is_answer
from pytest_benchmac.tracks.program.instance import ProgramInstance
from pytest_benchmac.tracks.program.literals import (
    NoLiteralError,
    read_arguments,
    read_literal,
)
from pytest_benchmac.tracks.program.running.asking import (
    CAPTURE_BYTES,
    VARIABLES,
    Job,
    Told,
    answers,
    bring,
)
from pytest_benchmac.tracks.program.running.bytecode import compiled_room
from pytest_benchmac.tracks.program.running.java import compile_answer, first_wrong
from pytest_benchmac.tracks.protocol import Observations, Stage, StageContext

ProgramContext: TypeAlias = StageContext[ProgramInstance]

#: Of a program that is an answer.
_MAX_ANSWER_BYTES = 500_000
#: Of all that a patch wrote, with the repository that is there.
_MAX_BYTES, _MAX_FILES = 5_000_000, 200
#: Seconds beside those of the calls.
_SPARE_S = 10.0


class AnswerSeen(PatchSeen):
    """The answer."""

    #: Why it is none; empty where it is one.
    problem: ForeignText = ""
    text: str = Field(default="", exclude=True)


class AnswerStage(Stage[ProgramInstance, AnswerSeen]):
    """The submission writes the file that an answer fills, with what can be one."""

    name = "answer"
    observations = AnswerSeen

    def run(self, context: ProgramContext) -> AnswerSeen:
        """Apply the patch where nothing else lies, and read the one file."""
        applied = apply_patch(context)
        if not applied.applied:
            return AnswerSeen(**dict(applied))
        content, beside = _written(context)
        if not context.integrity.unchecked:
            with context.integrity.leg("alone") as leg:
                for path in beside:
                    leg.findings.warning(
                        "beside", "The file is not part of the answer, and is not read.", file=path
                    )
        if content is None:
            return AnswerSeen(
                **dict(applied), problem=f"it has no file {context.instance.answer_file}"
            )
        try:
            text = content.decode()
            _check_form(context.instance, text)
        except UnicodeDecodeError:
            return AnswerSeen(**dict(applied), problem="it is not UTF-8")
        except NoLiteralError as error:
            return AnswerSeen(**dict(applied), problem=f"it is no literal: {error}")
        return AnswerSeen(**dict(applied), text=text)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said, or why it is no answer."""
        return patch_reason(result) or self.seen(result).problem

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """It is none."""
        told = observations.get("problem")
        return Diagnosis(cause="no_answer", evidence=str(told)[:300]) if told else None


class CompileSeen(Observations):
    """What the compiler leaves is used where it lies."""


class CompileStage(Stage[ProgramInstance, CompileSeen]):
    """An answer in Java compiles."""

    name = "compile"
    needs = ("answer",)
    observations = CompileSeen

    def run(self, context: ProgramContext) -> CompileSeen:
        """Compile it."""
        compile_answer(context, context.of(ANSWER).text)
        return CompileSeen()

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The compiler's exit code."""
        return command_reason(result)

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """What the compiler said first."""
        told = next((line for line in output.splitlines() if ": error: " in line), reason)
        return Diagnosis(cause="compile_error", evidence=told[:300])


class TestsSeen(Observations):
    """How many calls are answered right."""

    total: int
    #: In their order up to the first that is not; of an untouched program, all that are.
    passed: int
    #: What came of the first that is not.
    wrong: ForeignText = ""
    #: Is it an untouched program with a fault, which some calls show and some do not?
    faulty: bool = False


class TestsStage(Stage[ProgramInstance, TestsSeen]):
    """Every call is answered as the program answers it, or the program as the task says."""

    name = "tests"
    needs = ("compile", "answer")
    observations = TestsSeen

    def run(self, context: ProgramContext) -> TestsSeen:
        """Ask the program, or the answer, unless the answer is what it should say."""
        instance = context.instance
        kind, total = instance.task.kind, len(instance.cases)
        if context.submission.kind is SubmissionKind.BASELINE:
            inputs = [case.input for case in instance.cases]
            told = _ask(context, instance.texts, inputs, stop=False)
            wrong = _wrongs(instance, told)
            first = next(filter(None, wrong), "")
            right = wrong.count("")
            return TestsSeen(total=total, passed=right, wrong=first, faulty=kind == "repair")
        answer = context.of(ANSWER).text
        if kind == "output":
            wrong = _wrongs(instance, [Told(value=answer)])
        elif kind == "input":
            text = answer.strip().removesuffix(",")
            wrong = _wrongs(instance, _ask(context, instance.texts, [text], stop=True))
        elif kind == "repair":
            mended = {**instance.texts, instance.answer_file: answer}
            inputs = [case.input for case in instance.cases]
            wrong = _wrongs(instance, _ask(context, mended, inputs, stop=True))
        else:
            passed, what = first_wrong(context)
            return TestsSeen(total=total, passed=passed, wrong=what)
        passed = next((place for place, what in enumerate(wrong) if what), total)
        return TestsSeen(total=total, passed=passed, wrong="".join(wrong[passed : passed + 1]))

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The first call that is not answered right."""
        seen = self.seen(result)
        if seen.faulty:
            if 0 < seen.passed < seen.total:
                return ""
            return f"the fault shows in {seen.total - seen.passed} of {seen.total} calls"
        if seen.passed == seen.total > 0:
            return ""
        return f"call {seen.passed + 1} of {seen.total}: {seen.wrong}"

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """Another value, or none."""
        told = str(observations.get("wrong", ""))
        if told.startswith(("answered", "printed")):
            return Diagnosis(cause="wrong_value", evidence=told[:300])
        if "timed out" in told:
            return Diagnosis(cause="timed_out", evidence=told[:300])
        return Diagnosis(cause="no_value", evidence=told[:300])


def _written(context: ProgramContext) -> tuple[bytes | None, Sequence[str]]:
    """The file that an answer fills, if it is a plain one, and paths beside it.

    Raises:
        CopyLimitError: there is more than is read.
    """
    sandbox, name = context.sandbox, context.instance.answer_file
    with TemporaryDirectory(dir=context.scratch) as folder:
        copied = sandbox.copy_out(
            sandbox.project, Path(folder), max_bytes=_MAX_BYTES, max_files=_MAX_FILES
        )
        paths = {str(each.path) for each in copied.files}
        mine = sorted(path for path in paths if PurePosixPath(path).parts[0] != ".git")
        content = (Path(folder) / name).read_bytes() if name in paths else None
    if content is not None and len(content) > _MAX_ANSWER_BYTES:
        content = None
    return content, [path for path in mine if path != name]


def _check_form(instance: ProgramInstance, text: str) -> None:
    """See that a text can be an answer. Raises NoLiteralError."""
    if instance.task.kind == "output":
        read_literal(text)
    elif instance.task.kind == "input":
        values = read_arguments(text)
        if instance.program.entry is None and [type(each) for each in values] != [str]:
            raise NoLiteralError("standard input is one string")


def _ask(
    context: ProgramContext, texts: Mapping[str, str], calls: Sequence[str], *, stop: bool
) -> list[Told]:
    """What a program says to each call, in a sandbox that has nothing else."""
    instance = context.instance
    job = Job(
        texts,
        instance.program.files[0],
        instance.program.entry,
        calls,
        call_s=instance.timeouts.call,
        budget_s=instance.timeouts.tests,
        stop=stop,
    )
    with compiled_room(context) as (room, variables):
        ran = room.run(
            bring(room.sandbox, [job]),
            timeout_s=instance.timeouts.tests + _SPARE_S,
            env={**VARIABLES, **variables},
            capture_bytes=CAPTURE_BYTES,
        )
    return answers(ran.stdout, [job])[0]


def _wrongs(instance: ProgramInstance, told: Sequence[Told]) -> list[str]:
    """What is wrong with each answer; empty where nothing is."""
    close = instance.task.kind == "repair"
    return [
        _wrong(each, case.output, close=close, printed=instance.program.entry is None)
        for each, case in zip(told, instance.cases, strict=True)
    ]


def _wrong(told: Told, wanted: str, *, close: bool, printed: bool) -> str:
    if told.value is None:
        return shown(told.error)
    try:
        right = is_answer(told.value, wanted, printed=printed, close=close)
    except NoLiteralError as error:
        return shown(f"answered what is no literal: {error}")
    return "" if right else f"answered {shown(told.value, 200)}"


ANSWER, COMPILE, TESTS = AnswerStage(), CompileStage(), TestsStage()
#: In the order they run.
STAGES: tuple[Stage[ProgramInstance, Any], ...] = (ANSWER, COMPILE, TESTS)
