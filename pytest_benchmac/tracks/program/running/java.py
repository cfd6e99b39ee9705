"""Answers in Java: compiled, and run with nothing but standard input and output."""

from __future__ import annotations

import shlex
from importlib.resources import files

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.tracks.program.comparing import same_lines
from pytest_benchmac.tracks.program.instance import JAVA_FILE, ProgramInstance
from pytest_benchmac.tracks.program.literals import read_arguments, read_literal
from pytest_benchmac.tracks.program.running.asking import CAPTURE_BYTES
from pytest_benchmac.tracks.program.running.json_form import as_json, is_json_of
from pytest_benchmac.tracks.protocol import Ran, StageContext

_DRIVER = files("pytest_benchmac.tracks.program.running") / "Main.java"
#: Short programs end before a better compiler would have paid.
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
_JAVA = f'exec java {" ".join(_QUICK)} -cp "$HOME/classes"'
#: Seconds that a virtual machine may take to start, beside those of a call.
_START_S = 10.0


def compile_answer(context: StageContext[ProgramInstance], text: str) -> Ran:
    """Compile the answer, and beside it what calls its method, unless it reads standard input."""
    sandbox = context.sandbox
    sources = {JAVA_FILE: text.encode("utf-8", "surrogateescape")}
    if context.instance.program.entry is not None:
        sources[_DRIVER.name] = _DRIVER.read_bytes()
    for name, content in sources.items():
        sandbox.copy_in(content, sandbox.inbox / "java" / name)
    named = " ".join(shlex.quote(str(sandbox.inbox / "java" / name)) for name in sources)
    quick = " ".join(f"-J{option}" for option in _QUICK)
    # What would run while it is compiled could do no harm, but answers are not for it.
    return context.run(
        f'exec javac {quick} -encoding UTF-8 -proc:none -nowarn -d "$HOME/classes" {named}',
        timeout_s=context.instance.timeouts.compile,
    )


def first_wrong(context: StageContext[ProgramInstance]) -> tuple[int, str]:
    """How many calls are answered right before the first that is not; what came of that one.

    The second is empty where all are right.
    """
    if context.instance.program.entry is None:
        return _first_wrong_run(context)
    instance, sandbox = context.instance, context.sandbox
    asked = [read_arguments(case.input) for case in instance.cases]
    lines = "".join(f"{as_json(list(each))}\n" for each in asked)
    sandbox.copy_in(lines.encode(), sandbox.inbox / "calls.jsonl")
    calls = shlex.quote(str(sandbox.inbox / "calls.jsonl"))
    ran = context.run(
        f"{_JAVA} Main {instance.program.entry} < {calls}",
        timeout_s=instance.timeouts.tests,
        capture_bytes=CAPTURE_BYTES,
    )
    told = ran.stdout.splitlines()
    for number, case in enumerate(instance.cases):
        if number >= len(told):
            return number, _ended(ran)
        if not is_json_of(told[number], read_literal(case.output)):
            return number, f"answered {shown(told[number].decode(errors='replace'), 200)}"
    # Whoever writes lines past the driver may be right, and then hang, fail or go on.
    if not ran.passed:
        return len(instance.cases) - 1, _ended(ran)
    if len(told) > len(instance.cases):
        return len(instance.cases) - 1, f"printed {len(told)} lines for {len(instance.cases)} calls"
    return len(instance.cases), ""


def _first_wrong_run(context: StageContext[ProgramInstance]) -> tuple[int, str]:
    instance, sandbox = context.instance, context.sandbox
    for number, case in enumerate(instance.cases):
        given = sandbox.inbox / f"given{number}.txt"
        sandbox.copy_in(read_literal(case.input).encode("utf-8", "surrogateescape"), given)
        ran = context.run(
            f"{_JAVA} Answer < {shlex.quote(str(given))}",
            timeout_s=instance.timeouts.call + _START_S,
            capture_bytes=CAPTURE_BYTES,
        )
        if not ran.passed:
            return number, _ended(ran)
        printed = ran.stdout.decode("utf-8", "replace")
        if not same_lines(read_literal(case.output), printed):
            return number, f"printed {shown(printed, 200)}"
    return len(instance.cases), ""


def _ended(ran: Ran) -> str:
    if ran.attempt.timed_out:
        return "timed out"
    said = next((line for line in ran.stderr.splitlines() if line.strip()), "")
    return f"exit code {ran.attempt.exit_code}: {shown(said, 200)}"
