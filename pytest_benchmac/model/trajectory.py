"""The trajectory of one generation: JSON lines, one per command that ran."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.errors import RecordError

#: Output kept per step: this many bytes of its beginning, and as many of its end.
OUTPUT_HEAD_BYTES = OUTPUT_TAIL_BYTES = 16 * 1024


class Step(Model):
    """One line of a trajectory: a command with what came of it, or a message without a command."""

    #: Counts from 1.
    step: Annotated[int, Field(ge=1)]
    #: None when the model's answer held no command that could be run.
    command: ForeignText | None = None
    #: None when the command was killed by the harness, or there was none.
    exit_code: int | None = None
    timed_out: bool = False
    duration_s: float = 0.0
    #: Both streams as they came; of a long output the beginning and the end.
    output: ForeignText = ""
    #: What the model said when it asked for this command.
    message: ForeignText | None = None
    #: The command is a program of its own: what it ran in turn is not seen here.
    opaque: bool = False


def read_trajectory(path: Path) -> tuple[Step, ...]:
    """The steps in a trajectory file.

    A last line without its newline is what a killed process left: it is dropped.

    Raises:
        RecordError: the file cannot be read, or another line is no step.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordError(f"the trajectory cannot be read: {error.strerror}", where=path) from error
    steps = []
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            steps.append(Step.model_validate(json.loads(line)))
        except (ValidationError, ValueError, RecursionError) as error:
            first = str(error).splitlines()[0]
            raise RecordError(f"not a step: {first}", where=f"{path}:{number}") from error
    return tuple(steps)
