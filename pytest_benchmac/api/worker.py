"""A process that judges one patch after another, as `Judge` asks by lines of JSON.

Its standard input has the settings in the first line and a request in each other; its standard
output has an answer for each. It ends when its input does, and in good order on SIGTERM.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from pytest_benchmac.api.function import evaluate
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.select import remove_leftovers

SETTINGS = TypeAdapter(Settings)


class Request(BaseModel):
    """One patch to judge."""

    #: The folder of the instance.
    instance: Path
    patch: Path
    sut: str


class Answer(BaseModel):
    """What became of it: one of the two."""

    evaluation: Evaluation | None = None
    #: Why it could not be judged at all.
    problem: str = ""


def serve() -> None:
    """Answer until standard input ends."""
    # Whatever a library prints goes to standard error: answers have a file of their own.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    settings = SETTINGS.validate_json(sys.stdin.readline())
    # Of workers that were killed, and of an earlier run's.
    remove_leftovers(settings)
    network = Network.of(settings)
    try:
        for line in sys.stdin:
            asked = Request.model_validate_json(line)
            try:
                instance = load_instance(asked.instance / INSTANCE_FILE)
                answer = Answer(
                    evaluation=evaluate(
                        instance, asked.patch, settings, sut=asked.sut, network=network
                    )
                )
            except BenchmacError as error:
                answer = Answer(problem=str(error))
            answers.write(answer.model_dump_json() + "\n")
            answers.flush()
    finally:
        network.close()
