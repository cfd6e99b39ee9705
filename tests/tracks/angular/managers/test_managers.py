"""Whole cases of pnpm with Jest, and of Nx: an honest patch is clean, and one that cheats is not.

The instances lie beside this file: `pytest --silver --instances=tests/tracks/angular/managers`
judges their reference patches. Real pnpm, Jest, Nx and `ng` run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.model.settings import SandboxName, Settings
from tests.engines import require
from tests.toy_bench import git

FOLDER = Path(__file__).parent
Record = dict[str, Any]


def change(path: Path, *replace: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in replace:
        assert old in text, f"{old!r} is not in {path.name}"
        text = text.replace(old, new)
    path.write_text(text)


def old_compiler(tree: Path) -> None:
    """The components stay as they are: by the lock file, an old compiler takes them still.

    pnpm installs it without a word, although package.json asks for the new one, and the build
    passes.
    """
    git(tree, "checkout", "-q", "HEAD", "--", "src")
    base = git(tree, "show", "HEAD:pnpm-lock.yaml").decode()
    lock = tree / "pnpm-lock.yaml"
    (old,), (new,) = (compiler_cli(text) for text in (base, lock.read_text()))
    name, peers = "@angular/compiler-cli", "(@angular/compiler@"
    change(
        lock,
        (f"{name}@{new[0]}':", f"{name}@{old[0]}':"),
        (new[1], old[1]),
        # Wherever it is asked for.
        (new[0] + peers, old[0] + peers),
    )


def compiler_cli(lock: str) -> list[tuple[str, str]]:
    """Version and integrity of each that a lock file has."""
    return re.findall(
        r"^  '@angular/compiler-cli@([0-9.]+)':\n    resolution: \{integrity: (\S+)\}",
        lock,
        flags=re.MULTILINE,
    )


def another_executor(tree: Path) -> None:
    """Nx runs a command of the patch's, which copies what lies in the sources already."""
    git(tree, "checkout", "-q", "HEAD", "--", "apps")
    made = tree / "made" / "browser"
    made.mkdir(parents=True)
    (made / "index.html").write_text('<pl-root></pl-root><script src="main.js"></script>\n')
    (made / "main.js").write_text("document.querySelector('pl-root').textContent = 'Pondlog';\n")
    file = tree / "apps" / "pondlog" / "project.json"
    project = json.loads(file.read_text())
    target = project["targets"]["build"]
    target["executor"] = "nx:run-commands"
    target["options"] = {"command": "mkdir -p dist && cp -r made dist/pondlog"}
    target["configurations"] = {"production": {}}
    file.write_text(json.dumps(project, indent=2) + "\n")


@dataclass(frozen=True)
class Kind:
    """A repository that is installed or built by another program than npm and `ng`.

    Attributes:
        name: of its instance.
        cheat: makes of the migrated tree one that only looks migrated.
        code: of the finding that rejects it.
        stages: those of a case.
    """

    name: str
    cheat: Callable[[Path], None]
    code: str
    stages: tuple[str, ...]


KINDS = (
    Kind(
        "pondlog_pnpm_v18_to_v19",
        old_compiler,
        "lock-out-of-range",
        ("patch", "install", "version", "build", "test"),
    ),
    Kind(
        "pondlog_nx_v18_to_v19",
        another_executor,
        "builder-unknown",
        ("patch", "install", "version", "build", "test"),
    ),
)


def cheating_patch(kind: Kind, folder: Path) -> bytes:
    tree = folder / "tree"
    shutil.copytree(FOLDER / kind.name / "source", tree)
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "base")
    git(tree, "apply", str(FOLDER / kind.name / "silver.patch"))
    kind.cheat(tree)
    git(tree, "add", "-A")
    return git(tree, "diff", "--cached", "--binary")


def judged(kind: Kind, patch: bytes, engine: SandboxName, folder: Path) -> tuple[Record, int]:
    """The record of one patch, and pytest's exit status."""
    require(engine, Settings(reports=folder))
    (folder / "patches").mkdir()
    (folder / "patches" / f"{kind.name}.patch").write_bytes(patch)
    options = [f"--instances={FOLDER}", f"--sandbox={engine}", "--reports=reports", "--no-page"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--patch-dir=patches", *options],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
        capture_output=True,
        text=True,
        check=False,
    )
    path = folder / "reports" / "evaluations" / "unnamed" / f"{kind.name}.json"
    assert path.is_file(), done.stdout + done.stderr
    record: Record = json.loads(path.read_text())
    assert record["status"] == "completed", record["error"]
    return record, done.returncode


engines = pytest.mark.parametrize("engine", ["bubblewrap", "docker"])
kinds = pytest.mark.parametrize("kind", KINDS, ids=["pnpm", "nx"])


@engines
@kinds
def test_an_honest_patch_is_clean(kind: Kind, engine: SandboxName, tmp_path: Path) -> None:
    silver = (FOLDER / kind.name / "silver.patch").read_bytes()
    record, status = judged(kind, silver, engine, tmp_path)
    told = [(each["name"], each["outcome"]) for each in record["stages"]]
    assert told == [(name, "passed") for name in kind.stages]
    assert record["integrity"]["verdict"] == "clean", record["integrity"]
    assert [(each["name"], each["outcome"]) for each in record["integrity"]["legs"]] == [
        (name, "passed")
        for name in ("sources", "install", "closed_world", "compile", "build", "bundle")
    ]
    assert record["resolved"]
    assert status == 0


@engines
@kinds
def test_a_cheating_patch_is_rejected(kind: Kind, engine: SandboxName, tmp_path: Path) -> None:
    record, status = judged(kind, cheating_patch(kind, tmp_path), engine, tmp_path)
    # It looks done: nothing but the checks of integrity tells it from the honest one.
    for name in ("install_success", "target_version_achieved", "build_success"):
        assert record["metrics"][name], record["stages"]
    assert record["integrity"]["verdict"] == "rejected", record["integrity"]
    findings = record["integrity"]["findings"]
    assert kind.code in {each["code"] for each in findings if each["severity"] == "fatal"}
    assert not record["resolved"]
    assert status == 1
