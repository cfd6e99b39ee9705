"""Writes an instance of the track `program`: its files, and its silver answer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.answers import patch_of_answer
from pytest_benchmac.input.instances import INSTANCE_FILE
from pytest_benchmac.tracks.program.instance import (
    CASES_FILE,
    PROGRAM,
    PROMPT_FILE,
    ProgramCase,
    ProgramInstance,
    TaskKind,
    Version,
)

_SILVER = "silver.patch"
_MAX_NAME = 90


@dataclass(frozen=True)
class Task:
    """One task on one version of a program."""

    kind: TaskKind
    version: Version
    #: For a repair, with its faults.
    program: Program
    cases: Sequence[ProgramCase]
    prompt: str
    silver: str
    #: An answer that is wrong.
    wrong: str


def instance_id(program: str, kind: TaskKind, version: Version) -> str:
    """The id of an instance; different programs have different ones."""
    name = re.sub(r"[^A-Za-z0-9-]+", "_", program).strip("_-")
    if name != program.replace("/", "_") or len(name) > _MAX_NAME:
        name = f"{name[:_MAX_NAME]}_{hashlib.sha256(program.encode()).hexdigest()[:8]}".lstrip("_-")
    return f"{name}_{kind}_{version}"


def write_instance(folder: Path, task: Task, *, license_id: str) -> str:
    """Write the folder of an instance below `folder`; its id.

    Raises:
        StoreError: it cannot be written.
    """
    program = task.program
    name = instance_id(program.id, task.kind, task.version)
    into = folder / name
    files = {program.file: program.main, **program.modules}
    for each, text in files.items():
        write_whole(into / PROGRAM / each, text)
    rows = [json.dumps(case.model_dump(), ensure_ascii=False) + "\n" for case in task.cases]
    write_whole(into / CASES_FILE, "".join(rows))
    write_whole(into / PROMPT_FILE, task.prompt)
    lines = [
        f"id = {_toml(name)}",
        'track = "program"',
        f"license = {_toml(license_id)}",
        "",
        "[program]",
        f"name = {_toml(program.id)}",
        f"version = {_toml(task.version)}",
        f"files = [{', '.join(map(_toml, files))}]",
        *([f"entry = {_toml(program.entry)}"] if program.entry is not None else []),
        "",
        "[task]",
        f"kind = {_toml(task.kind)}",
        "",
        "[silver]",
        f"patch = {_toml(_SILVER)}",
        "",
    ]
    answer = ProgramInstance.file_of(task.kind, program.file)
    write_whole(into / _SILVER, patch_of_answer(answer, task.silver.encode()))
    # Last: without it, the folder is no instance.
    write_whole(into / INSTANCE_FILE, "\n".join(lines))
    return name


def _toml(text: str) -> str:
    # A basic string of TOML has the escapes of JSON; JSON alone escapes nothing beyond ASCII here.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
