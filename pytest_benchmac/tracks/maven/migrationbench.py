"""`benchmac import`: writes instances from the tables that other benchmarks publish.

MigrationBench publishes CSV files with a row per repository: `repo` (owner/name on GitHub),
`base_commit`, `license` and counts, among them `num_test_cases` (not in the UTG set, whose
repositories have no tests). JSON Lines with the same keys are read too.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from pytest_benchmac.model.base import Commit, Model
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.maven.instance import PINNED_IMAGES

#: The Java release of all repositories of MigrationBench.
SOURCE_VERSION = "8"

_ID_CHARACTERS = 128


def _count(value: object) -> object:
    """CSV has text only; a table that went through other tools may have `56.0`, or nothing."""
    if isinstance(value, str):
        value = value.strip().removesuffix(".0")
        return int(value) if value.isdecimal() else value or None
    return value


class MigrationBenchRow(Model):
    """A row of the published table; columns that are not named here are not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    repo: Annotated[
        str,
        BeforeValidator(
            lambda value: (
                re.sub(r"^https://github\.com/|(\.git)?/?$", "", value.strip())
                if isinstance(value, str)
                else value
            )
        ),
        StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$"),
        Field(description="owner/name"),
    ]
    base_commit: Commit
    license: str = "unknown"
    num_test_cases: Annotated[int | None, BeforeValidator(_count), Field(ge=0)] = None


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac import migrationbench`."""
    parser = subparsers.add_parser(
        "migrationbench",
        help="MigrationBench's table of repositories (Java)",
        description="Write an instance folder for every row of the table: CSV (repo, base_commit, "
        "license, num_test_cases), or JSON Lines with these keys. Nothing is fetched; the sources "
        "are, when the instances are judged.",
        epilog="examples:\n"
        "  benchmac import migrationbench selected.csv --out instances/selected\n"
        "  benchmac import migrationbench full.csv --target 21 --out instances/full-21\n"
        "then: benchmac validate --instances instances/selected 'owner__name_*'",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the table: .csv or .jsonl")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="where instance folders go"
    )
    parser.add_argument(
        "--target",
        choices=tuple(release for release in PINNED_IMAGES if release != SOURCE_VERSION),
        default="17",
        help="Java release to migrate to (default: %(default)s)",
    )
    parser.set_defaults(run=lambda args: run(args, harness))


def run(args: argparse.Namespace, harness: Harness) -> int:
    """Write the instances, or name every problem of the table and write none."""
    rows = read_table(args.file)
    for row in rows:
        folder = args.out / instance_id(row.repo, args.target)
        harness.write_instance(folder, instance_toml(row, args.target))
    harness.say(f"{len(rows)} instances written to {args.out}")
    return 0


def read_table(file: Path) -> list[MigrationBenchRow]:
    """The rows of a table.

    Raises:
        InputError: names every problem with its line.
    """
    rows: dict[str, MigrationBenchRow] = {}
    problems: list[InputError] = []
    for line, data in _raw_rows(file):
        try:
            row = MigrationBenchRow.model_validate(data)
        except ValidationError as error:
            for problem in error.errors(include_url=False):
                column = ".".join(map(str, problem["loc"]))
                seen = data.get(column) if isinstance(data, Mapping) else data
                what = (
                    f"column `{column}` is missing"
                    if problem["type"] == "missing"
                    else f"column `{column}` is {seen!r}: {problem['msg']}"
                )
                problems.append(InputError(what, where=f"{file}:{line}"))
            continue
        if row.repo in rows:
            problems.append(InputError(f"{row.repo} has a row already", where=f"{file}:{line}"))
        rows[row.repo] = row
    if not rows and not problems:
        problems.append(InputError("holds no row", where=file))
    if problems:
        raise InputError.join(problems, where=file)
    return list(rows.values())


def _raw_rows(file: Path) -> Iterator[tuple[int, Any]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            if file.suffix == ".jsonl":
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield number, json.loads(line)
                return
            reader = csv.DictReader(lines)
            for row in reader:
                yield reader.line_num, {name: row[name] for name in row if name and row[name]}
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=file) from error
    except (ValueError, RecursionError, csv.Error) as error:
        remedy = "The table is UTF-8: CSV with a header, or JSON Lines where it ends in .jsonl."
        raise InputError(f"is no table: {error}", where=file, remedy=remedy) from error


def instance_id(repo: str, target: str) -> str:
    """`<owner>__<name>_java8_to_<target>`; a long name is cut, and a digest keeps it unique."""
    name, suffix = repo.replace("/", "__"), f"_java8_to_{target}"
    room = _ID_CHARACTERS - len(suffix)
    if len(name) > room:
        digest = hashlib.sha256(repo.encode()).hexdigest()[:12]
        name = f"{name[: room - 13]}-{digest}"
    return name + suffix


def instance_toml(row: MigrationBenchRow, target: str) -> str:
    """The text of instance.toml. TOML's basic strings are JSON's."""
    tests = "" if row.num_test_cases is None else f", {row.num_test_cases} test cases"
    return "\n".join(
        [
            f"id = {_quoted(instance_id(row.repo, target))}",
            'track = "maven"',
            f"license = {_quoted(row.license)}",
            f"description = {_quoted(f'MigrationBench: {row.repo}{tests}.')}",
            "",
            "[source]",
            f"git = {_quoted(f'https://github.com/{row.repo}.git')}",
            f"commit = {_quoted(row.base_commit)}",
            "",
            "[migration]",
            f"source_version = {_quoted(SOURCE_VERSION)}",
            f"target_version = {_quoted(target)}",
            "",
            "[environment]",
            f"image = {_quoted(PINNED_IMAGES[target])}",
            f"java = {_quoted(target)}",
            'maven = "3"',
            "",
        ]
    )


def _quoted(text: str) -> str:
    """A basic string of TOML, which has JSON's escapes, but none for halves of a pair."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
