"""Tasks from what `benchmac evolve run` left: each before and after, from the same question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Literal

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.search.results import StoredFolder, read_results
from pytest_benchmac.evolve.tasks.asking import Asking
from pytest_benchmac.evolve.tasks.cases import cases_of, choose
from pytest_benchmac.evolve.tasks.faults import find_faults, with_faults
from pytest_benchmac.evolve.tasks.java_table import check_translatable, table_in_java
from pytest_benchmac.evolve.tasks.prompts import Prompts
from pytest_benchmac.evolve.tasks.running_text import runs_text
from pytest_benchmac.evolve.tasks.writing import Task, write_instance
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import Engine
from pytest_benchmac.tracks.program.instance import ProgramCase, TaskKind, Version
from pytest_benchmac.tracks.program.running.json_form import NoJsonError

#: Predictions beside the instances: an answer to each that is wrong.
WRONG_FILE = "wrong.jsonl"
#: Why a prompt of the other kinds has no example.
_NO_EXAMPLE: Mapping[TaskKind, str] = {
    "translate": "no translation of another point of the front is known",
    "repair": "an example's answer, a program without faults, would solve the task",
}
#: Runs of a translated program that reads standard input: each is a virtual machine of its own.
_MAX_RUNS = 10
_VERSIONS: tuple[Version, Version] = ("before", "after")


class NoTaskError(ValueError):
    """There is no such task on a program; the message says why."""


@dataclass
class Made:
    """What was written, and what not."""

    #: Ids of instances.
    written: list[str] = field(default_factory=list)
    #: Why not, by program.
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """What to make."""

    kind: TaskKind
    prompts: Prompts
    #: Decides every choice.
    seed: int = 0
    #: Does a prompt have an example, from another point of the front?
    few_shot: bool = False
    #: Of the programs.
    license_id: str = "unknown"


def make_tasks(
    results: Path,
    out: Path,
    wanted: Wanted,
    engine: Engine,
    settings: Settings,
    said: Callable[[str], None] = lambda _: None,
) -> Made:
    """Write an instance before and after evolution for every program of a run that has the task.

    Args:
        results: what `benchmac evolve run` left.
        out: the folder of the instances, and of `wrong.jsonl`.
        wanted: what to make.
        engine: of the sandboxes in which programs are asked.
        settings: with the cache.
        said: told a line per program.

    Raises:
        InputError: there are no results, or a prompt is none.
        InfrastructureError: a sandbox failed.
        StoreError: the instances cannot be written.
    """
    if wanted.few_shot and wanted.kind in _NO_EXAMPLE:
        raise InputError(
            _NO_EXAMPLE[wanted.kind],
            where="--few-shot",
            remedy="Leave it out, or write an example into a prompt of your own (--prompts=DIR).",
        )
    folders = read_results(results)
    made, wrong = Made(), []
    out.mkdir(parents=True, exist_ok=True)
    with (
        Laboratory(engine, settings, log=out / "tasks.log") as laboratory,
        Asking(engine, settings, out / "tasks.log") as asking,
    ):
        for stored in folders:
            name = stored.record.id
            try:
                tasks = _tasks(stored, wanted, laboratory, asking)
            except NoTaskError as why:
                made.left_out[name] = str(why)
                said(f"{name}: left out: {why}")
                continue
            for task in tasks:
                written = write_instance(out, task, license_id=wanted.license_id)
                made.written.append(written)
                row = {"instance_id": written, "model_name_or_path": "wrong", "answer": task.wrong}
                wrong.append(json.dumps(row) + "\n")
            said(f"{name}: written")
    (out / "tasks.log").unlink(missing_ok=True)
    write_whole(out / WRONG_FILE, "".join(wrong))
    return made


def _tasks(
    stored: StoredFolder, wanted: Wanted, laboratory: Laboratory, asking: Asking
) -> list[Task]:
    """The task before and after. Raises NoTaskError."""
    record = stored.record
    before, after = stored.program(record.before), stored.program(record.after)
    shown = _another_point(stored, (before, after)) if wanted.few_shot else None
    versions = [before, after, *([shown] if shown else [])]
    random = Random(f"{wanted.seed}/{record.id}/{wanted.kind}")  # noqa: S311 - choices, no secrets
    subject = stored.subject()
    cases = cases_of(subject, versions, laboratory, asking, wanted.seed)
    if not cases:
        raise NoTaskError("no call of its tests is made and answered with literals alone")
    make = {"input": _input, "output": _output, "translate": _translate, "repair": _repair}
    return make[wanted.kind](versions, cases, wanted.prompts, random, asking)


def _another_point(stored: StoredFolder, used: Sequence[Program]) -> Program | None:
    """The most complex program of the front that is neither of the two that are asked about."""
    keys = {each.key for each in used}
    points = (stored.program(each) for each in stored.record.front)
    return next((each for each in points if each.key not in keys), None)


def _output(
    versions: Sequence[Program],
    cases: Sequence[ProgramCase],
    prompts: Prompts,
    random: Random,
    asking: Asking,
) -> list[Task]:
    case, others = choose(cases, random, printed=versions[0].entry is None)
    return _predicted("output", versions, case, others, prompts, wrong=f"[{case.output}]")


def _input(
    versions: Sequence[Program],
    cases: Sequence[ProgramCase],
    prompts: Prompts,
    random: Random,
    asking: Asking,
) -> list[Task]:
    if any(map(runs_text, versions)):
        raise NoTaskError("it may run its input as code: an answer would be more than a value")
    asked = [case for case in cases if case.input.strip()]
    if not asked:
        raise NoTaskError("it takes no arguments")
    case, others = choose(asked, random, printed=versions[0].entry is None)
    if not others:
        raise NoTaskError("every call is answered with the same value: any input would be right")
    return _predicted("input", versions, case, others, prompts)


def _predicted(
    kind: Literal["input", "output"],
    versions: Sequence[Program],
    case: ProgramCase,
    others: Sequence[ProgramCase],
    prompts: Prompts,
    wrong: str = "",
) -> list[Task]:
    """One case's input or output is asked for; `wrong` is an answer where there are no others."""
    answer: Callable[[ProgramCase], str] = attrgetter(kind)
    example = ""
    if others:
        wrong = answer(others[0])
        if len(versions) > len(_VERSIONS):
            example = prompts.example(kind, versions[2], others[0], wrong)
    return [
        Task(
            kind,
            version,
            program,
            [case],
            prompts.question(kind, program, case, example),
            silver=answer(case),
            wrong=wrong,
        )
        for version, program in zip(_VERSIONS, versions, strict=False)
    ]


def _translate(
    versions: Sequence[Program],
    cases: Sequence[ProgramCase],
    prompts: Prompts,
    random: Random,
    asking: Asking,
) -> list[Task]:
    program = versions[0]
    asked = cases if program.entry is not None else cases[:_MAX_RUNS]
    try:
        check_translatable(program, asked)
    except NoJsonError as why:
        raise NoTaskError(f"it cannot be asked in Java: {why}") from None
    return [
        Task(
            "translate",
            version,
            each,
            asked,
            prompts.question("translate", each, asked[0]),
            silver=table_in_java(each, asked),
            wrong=table_in_java(each, asked, wrong=True),
        )
        for version, each in zip(_VERSIONS, versions, strict=False)
    ]


def _repair(
    versions: Sequence[Program],
    cases: Sequence[ProgramCase],
    prompts: Prompts,
    random: Random,
    asking: Asking,
) -> list[Task]:
    faults = find_faults(versions, cases, asking, random)
    if not faults:
        raise NoTaskError("no fault in what both versions share shows in some calls alone")
    return [
        Task(
            "repair",
            version,
            faulty,
            cases,
            prompts.question("repair", faulty, cases[0]),
            silver=program.main,
            wrong=faulty.main,
        )
        for version, program, faulty in (
            (version, program, with_faults(program, faults))
            for version, program in zip(_VERSIONS, versions, strict=True)
        )
    ]
