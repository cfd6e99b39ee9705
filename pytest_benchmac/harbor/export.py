"""`benchmac export harbor`: instances as tasks of Harbor."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import tempfile
from pathlib import Path

from rich.console import Console

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.environment.source import silver_patch
from pytest_benchmac.generate.task import task_of
from pytest_benchmac.generate.worktree import left_out
from pytest_benchmac.harbor.needed import require_harbor
from pytest_benchmac.harbor.places import INSTANCES_FOLDER, METADATA, PATCH
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.options import run_options
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.commands import PROJECT
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track

_COLLECT_S = 600.0
_VERIFIER_S = 4 * 3600.0
_BUILD_S = 3600.0
_TEST = """\
#!/bin/sh
# The verdict comes from evaluating the patch in sandboxes of its own, which Harbor's default
# verifier cannot start: there is no reward without the one that this names.
echo "run with --verifier pytest_benchmac.harbor:Verifier" >&2
exit 1
"""
#: Applies the silver patch beside it.
SOLVE = f"""\
#!/bin/sh
set -e
cd {PROJECT}
git apply --whitespace=nowarn "$(dirname "$0")/silver.patch"
"""
_JOB = {
    "environment": {"import_path": "pytest_benchmac.harbor:Environment"},
    "verifier": {"import_path": "pytest_benchmac.harbor:Verifier"},
}


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac export harbor`."""
    parser = subparsers.add_parser(
        "harbor",
        help="write instances as tasks of Harbor",
        description="Write a Harbor task for each selected instance, and job.json, a "
        "configuration that runs them in our environment with our verifier.",
        epilog="example:\n  benchmac export harbor tasks --instance 'trailbook_*'\n"
        "  harbor run -c tasks/job.json -a oracle",
    )
    parser.add_argument("out", metavar="DIR", type=Path, help="where the tasks go; it is made")
    parser.add_argument("--instance", metavar="GLOB", default="*", help="only ids that match")
    options = run_options(Path)
    for flag in ("--instances", "--source-mirror"):
        parser.add_argument(flag, **options[flag])
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the tasks."""
    require_harbor()
    instances = load_instances(args.instances, args.instance)
    if not instances:
        raise InputError(f"no instance matches {args.instance!r}", where="--instance")
    settings = Settings(
        reports=Path("unused"),
        source_mirror=None if args.source_mirror is None else args.source_mirror.absolute(),
    )
    console = Console(highlight=False, soft_wrap=True)
    for instance in instances.values():
        folder = export(instance, args.out, settings)
        console.print(str(folder), markup=False)
    job = {**_JOB, "datasets": [{"path": str(args.out.absolute())}]}
    (args.out / "job.json").write_text(json.dumps(job, indent=2) + "\n")
    return 0


def export(instance: Instance, out: Path, settings: Settings) -> Path:
    """Write one task, whole or not at all; its folder.

    Raises:
        InputError: there is such a task already, or Harbor does not take it.
        SourceError: the source cannot be had.
    """
    final = out / instance.id
    if final.exists():
        raise InputError("is there already", where=final, remedy="Remove it, or take another DIR.")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".task-") as scratch:
        folder = Path(scratch) / instance.id
        _write(instance, folder, settings)
        _check(folder)
        folder.rename(final)
    return final


def _write(instance: Instance, folder: Path, settings: Settings) -> None:
    track = get_track(instance.track)
    place = track.workplace(instance)
    environment, tests = folder / "environment", folder / "tests"
    environment.mkdir(parents=True)
    project = make_project(instance, settings, place.tree)
    shutil.copyfile(project.tar, environment / "project.tar")
    (environment / "Dockerfile").write_text(_dockerfile(place.recipe))
    shutil.copytree(instance.directory, folder / INSTANCES_FOLDER / instance.id, symlinks=True)
    _script(tests / "test.sh", _TEST)
    if instance.silver is not None:
        solution = folder / "solution"
        solution.mkdir()
        shutil.copyfile(silver_patch(instance, settings), solution / "silver.patch")
        _script(solution / "solve.sh", SOLVE)
    (folder / "instruction.md").write_text(
        f"{task_of(instance)}\n\nThe project is the folder `{PROJECT}`. Change its files: what "
        "you leave there is your answer.\n"
    )
    (folder / "task.toml").write_text(_task_toml(instance))


def _task_toml(instance: Instance) -> str:
    from harbor.models.task.config import (
        AgentConfig,
        EnvironmentConfig,
        PackageInfo,
        TaskConfig,
        VerifierCollectConfig,
        VerifierConfig,
        VerifierEnvironmentMode,
    )

    track = get_track(instance.track)
    text: str = TaskConfig(
        task=PackageInfo(name=f"benchmac/{instance.id}", keywords=[instance.track, "migration"]),
        metadata={METADATA: {"instance": instance.id, "track": instance.track}},
        agent=AgentConfig(timeout_sec=track.work_s),
        verifier=VerifierConfig(
            timeout_sec=_VERIFIER_S,
            environment_mode=VerifierEnvironmentMode.SEPARATE,
            collect=[VerifierCollectConfig(command=_collect(instance), timeout_sec=_COLLECT_S)],
        ),
        environment=EnvironmentConfig(build_timeout_sec=_BUILD_S, workdir=str(PROJECT)),
    ).model_dump_toml()
    return text


def _collect(instance: Instance) -> str:
    """The command that takes the diff; an index of its own, so that an agent's own is nothing."""
    track = get_track(instance.track)
    below = track.submitted or "."
    out = " ".join(
        shlex.quote(f":(exclude,glob)**/{name}/**") for name in sorted(left_out(track.ecosystems))
    )
    git = "git -c core.hooksPath=/dev/null -c core.quotePath=true"
    return (
        f"cd {PROJECT} && mkdir -p {PATCH.parent} && export GIT_INDEX_FILE=/tmp/.harbor-index && "
        f"rm -f $GIT_INDEX_FILE && {git} read-tree baseline && "
        f"{git} add --all -- {shlex.quote(below)} {out} && "
        f"{git} diff --cached --binary --no-color --no-ext-diff --no-textconv baseline "
        f"> {PATCH}"
    )


def _dockerfile(recipe: BaseRecipe) -> str:
    """For environments other than ours, which makes the instance's own image."""
    # An image that is pulled has the tools.
    of_debian = () if recipe.reference else recipe.apt_packages
    packages = " ".join(sorted({"ca-certificates", "git", *of_debian}))
    # An argument: where no registry answers, `--build-arg BASE=` names an image that is there.
    lines = [f"ARG BASE={recipe.reference or 'debian:bookworm-slim'}", "FROM ${BASE}"]
    if recipe.reference is None and recipe.packages:
        lines.insert(0, "# Lacks tools that Debian has not: pytest_benchmac.harbor:Environment")
    lines += [
        "USER root",
        f"RUN apt-get update && apt-get install -y --no-install-recommends {packages}",
        "ADD project.tar /benchmac/",
        f"WORKDIR {PROJECT}",
    ]
    return "\n".join(lines) + "\n"


def _script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _check(folder: Path) -> None:
    """Raise InputError where Harbor's own classes do not load a task."""
    from harbor.models.task.task import Task

    try:
        Task(folder)
    except (OSError, ValueError) as error:
        raise InputError(f"Harbor refuses the task: {error}", where=folder.name) from error
