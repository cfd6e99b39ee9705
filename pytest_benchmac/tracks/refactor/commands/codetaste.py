"""`benchmac import codetaste`: writes instances from a checkout of CodeTaste's public repository.

Read are `instances.csv` and, below `assets/`, a folder per kind and instance:
`descriptions|rules|diffs/<owner>/<repo>/<first 8 digits of the commit>/`. Sources come from the
repositories themselves when the instances are judged. Nothing of it is part of this package.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.base import Commit, Model
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.refactor.instance import Language

_SHORT = 8
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
#: File of ours -> kind and file of theirs.
_FILES = {
    "instructed.md": ("descriptions", "description.md"),
    "open.md": ("descriptions", "open_description.md"),
    "rules/additive.yml": ("rules", "rules_positive.yml"),
    "rules/reductive.yml": ("rules", "rules_negative.yml"),
    "golden.patch": ("diffs", "golden.diff"),
}


class CodeTasteRow(Model):
    """A row of `instances.csv`; columns that are not named here are not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    owner: Annotated[str, StringConstraints(pattern=_NAME), Field(description="a name on GitHub")]
    repo: Annotated[str, StringConstraints(pattern=_NAME), Field(description="a repository")]
    commit_hash: Commit
    golden_commit_hash: Commit
    category: str = ""
    language: str

    @property
    def id(self) -> str:
        """Of the instance."""
        return f"{self.owner}__{self.repo}_{self.commit_hash[:_SHORT]}"

    @property
    def place(self) -> str:
        """Its folder below each kind of asset."""
        return f"{self.owner}/{self.repo}/{self.commit_hash[:_SHORT]}"


#: Tools, commands and reporter that instances of a language get; some need others.
_LANGUAGES: Mapping[str, tuple[Language, Mapping[str, str], str, str, str]] = {
    "go": ("go", {"go": "1.19"}, "", "go test ./...", "go"),
    "python": ("python", {"python": "3.11"}, "", "python -m pytest", "pytest"),
    "java": (
        "java",
        {"java": "17", "maven": "3"},
        "mvn -B -q test-compile",
        "mvn -B test",
        "surefire",
    ),
    "typescript": (
        "typescript",
        {"node": "20.19.4", "npm": "10.8.2"},
        "npm ci",
        "npx jest",
        "jest",
    ),
}


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac import codetaste`."""
    parser = subparsers.add_parser(
        "codetaste",
        help="CodeTaste's refactorings, from a checkout of its repository",
        description="Write an instance folder for every row of DIR/instances.csv whose files are "
        "there and whose language is known. Commands and tools are guessed by the language: "
        "correct instance.toml where they are others. Then record the tests' runs.",
        epilog="examples:\n"
        "  benchmac import codetaste checkout --out instances/codetaste\n"
        "  benchmac import codetaste checkout --repo tektoncd/pipeline --out instances/codetaste\n"
        "then: benchmac rules check ID --instances instances/codetaste\n"
        "      benchmac record-tests ID --instances instances/codetaste",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the checkout")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="where instance folders go"
    )
    parser.add_argument("--repo", metavar="OWNER/NAME", help="this repository's instances only")
    parser.set_defaults(run=lambda args: run(args, harness))


def run(args: argparse.Namespace, harness: Harness) -> int:
    """Write the instances, or name every problem and write none."""
    rows = [
        row
        for row in read_rows(args.folder / "instances.csv")
        if args.repo in (None, f"{row.owner}/{row.repo}")
    ]
    if not rows:
        raise InputError("holds no such row", where=args.folder / "instances.csv")
    written = [_read_files(args.folder, row) for row in rows]
    left_out = [row.id for row in rows if row.language.lower() not in _LANGUAGES]
    for row, contents in zip(rows, written, strict=True):
        if row.id in left_out:
            continue
        folder = args.out / row.id
        for name, content in contents.items():
            write_whole(folder / name, content)
        harness.write_instance(folder, instance_toml(row))
    harness.say(f"{len(rows) - len(left_out)} instances written to {args.out}")
    for name in left_out:
        harness.say(f"left out, of another language: {name}")
    return 0


def read_rows(file: Path) -> list[CodeTasteRow]:
    """The rows of `instances.csv`.

    Raises:
        InputError: names every problem with its line.
    """
    rows: list[CodeTasteRow] = []
    problems: list[InputError] = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            for row in reader:
                try:
                    rows.append(CodeTasteRow.model_validate({k: v for k, v in row.items() if k}))
                except ValidationError as error:
                    problems += [
                        InputError(
                            f"column `{'.'.join(map(str, each['loc']))}`: {each['msg']}",
                            where=f"{file}:{reader.line_num}",
                        )
                        for each in error.errors(include_url=False)
                    ]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(
            f"is no table: {error}",
            where=file,
            remedy="Expected: CSV with owner, repo, commit_hash, golden_commit_hash, category, "
            "language.",
        ) from None
    if problems:
        raise InputError.join(problems, where=file)
    return rows


def _read_files(folder: Path, row: CodeTasteRow) -> dict[str, bytes]:
    contents = {}
    for ours, (kind, theirs) in _FILES.items():
        file = folder / "assets" / kind / row.place / theirs
        try:
            contents[ours] = file.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=file) from None
    return contents


def instance_toml(row: CodeTasteRow) -> str:
    """The text of instance.toml. TOML's basic strings are JSON's."""
    language, tools, install, test, reporter = _LANGUAGES[row.language.lower()]
    lines = [
        f"id = {_quoted(row.id)}",
        'track = "refactor"',
        'license = "unknown"',
        f"description = {_quoted(f'CodeTaste: {row.owner}/{row.repo}, {row.category}.')}",
        "",
        "[source]",
        f"git = {_quoted(f'https://github.com/{row.owner}/{row.repo}.git')}",
        f"commit = {_quoted(row.commit_hash)}",
        "",
        "[silver]",
        'patch = "golden.patch"',
        "",
        "[environment]",
        f"language = {_quoted(language)}",
        *(f"{tool} = {_quoted(version)}" for tool, version in tools.items()),
        "",
        "[commands]",
        *([f"install = {_quoted(install)}"] if install else []),
        f"test = {_quoted(test)}",
        "",
        "[tests]",
        f"reporter = {_quoted(reporter)}",
        "",
        "[timeouts]",
        "install = 1800",
        "test = 3600",
        "scan = 1800",
        "",
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A basic string of TOML, which has JSON's escapes, but none for halves of a pair."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
