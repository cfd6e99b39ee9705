"""Prepared images, of every engine: made once, named by what is in them."""

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

import docker
import pytest

from pytest_benchmac.environment.project import make_empty_project
from pytest_benchmac.environment.recipe import BaseFile, ToolCheck
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import PreparedImage, Sandbox
from pytest_benchmac.sandbox.local import LocalEngine
from pytest_benchmac.sandbox.select import engine
from tests.sandbox.tiny import ENV, LIMITS, OPEN, RECIPE, make_instance, prepare

#: A tool of our own, at a version that no machine has by chance.
TOOL = replace(
    RECIPE,
    files=(BaseFile(PurePosixPath("usr/local/bin/tool"), "#!/bin/sh\necho 18.20.8\n", True),),
    checks=(ToolCheck("tool", "tool --version", "18.20.8", "18.20.8"),),
)

PREPARE = """
import logging, sys
from pathlib import Path
from pytest_benchmac.model.settings import Settings
from tests.sandbox.tiny import RECIPE, make_instance, prepare

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
name, folder, cache, text = sys.argv[1:]
instance = make_instance(Path(folder), {"file": text})
settings = Settings(Path(folder), cache=Path(cache))
image = prepare(instance, RECIPE, name, settings)
print(image.tag, image.docker_id)
"""


def output(sandbox: Sandbox, command: str, log: Path) -> str:
    return sandbox.run(command, timeout_s=60, log=log, capture_bytes=100_000).stdout.decode()


def test_the_same_inputs_have_one_image_and_changed_ones_another(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    one = make_instance(tmp_path / "one", {"file": "text"})
    same = make_instance(tmp_path / "same", {"file": "text"})
    other = make_instance(tmp_path / "other", {"file": "text!"})
    first = prepare(one, RECIPE, engine_name, settings)
    assert prepare(same, RECIPE, engine_name, settings) == first
    second = prepare(other, RECIPE, engine_name, settings)
    assert second.tag != first.tag
    assert second.project != first.project
    assert second.digest == first.digest
    (one.directory / "source" / "file").chmod(0o755)
    assert prepare(one, RECIPE, engine_name, settings).tag != first.tag
    checked = replace(RECIPE, checks=(*RECIPE.checks, ToolCheck("id", "id -u", "1000", "1000")))
    third = prepare(same, checked, engine_name, settings)
    assert third.tag != first.tag
    assert third.tools == {"perl": "42", "id": "1000"}


def test_the_base_says_where_it_comes_from(image: PreparedImage) -> None:
    assert image.provenance == "bootstrapped"
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", image.digest)
    assert re.fullmatch(r"benchmac/instance:[0-9a-f]{16}", image.tag)


def test_both_engines_have_the_same_root(settings: Settings, instance: Instance) -> None:
    digests = set()
    for name in ("docker", "bubblewrap"):
        if engine(name, settings.cache).available().ok:
            prepared = prepare(instance, RECIPE, name, settings)
            digests.add((prepared.tag, prepared.digest, prepared.project))
    assert len(digests) == 1


def test_the_project_is_one_commit_without_a_past(
    sandbox: Sandbox, instance: Instance, log: Path
) -> None:
    assert output(sandbox, "git status --porcelain --ignored", log) == ""
    assert output(sandbox, "git log --all --format=%s%d", log) == (
        "baseline (HEAD -> main, tag: baseline)\n"
    )
    assert (
        output(sandbox, "git reflog; git remote; git stash list; ls .git/hooks 2>/dev/null", log)
        == ""
    )
    assert output(sandbox, "git cat-file --batch-check --batch-all-objects | wc -l", log) == "6\n"
    assert output(sandbox, "git fsck --strict 2>&1", log) == ""
    assert output(sandbox, "echo b >> src/a.txt; git diff --stat baseline | tail -1", log) == (
        " 1 file changed, 1 insertion(+)\n"
    )
    config = output(sandbox, "git config --list --show-origin", log)
    assert "worktree" not in config
    assert str(instance.directory) not in config


def test_four_processes_make_an_image_once(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    text = f"made by {os.getpid()} at {time.time_ns()}"
    workers = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [
            sys.executable,
            "-c",
            PREPARE,
            engine_name,
            str(folder),
            str(settings.cache),
            text,
        ]
        workers.append(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=ENV,
            )
        )
    said = [worker.communicate(timeout=600) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4, said
    assert len({out for out, _ in said}) == 1
    built = sum(err.count("building benchmac/instance") for _, err in said)
    # Two lines for one build: that it begins, and how long it took.
    assert built == (2 if engine_name == "docker" else 0)
    if engine_name == "docker":
        _, docker_id = said[0][0].split()
        docker.from_env().images.remove(docker_id)


def test_a_base_that_is_not_what_it_should_be_is_refused(
    engine_name: str, instance: Instance, settings: Settings
) -> None:
    wrong = replace(RECIPE, checks=(ToolCheck("perl", "echo 1.2.4", "1.2.3", "1.2.3"),))
    for _ in range(2):
        # Again and again: a base that failed is not taken for a checked one.
        with pytest.raises(ImageError, match=r"printed '1.2.4' instead of '1.2.3'"):
            prepare(instance, wrong, engine_name, settings)


def test_a_tool_of_the_base_is_found_by_its_name(
    engine_name: str, instance: Instance, settings: Settings, log: Path
) -> None:
    prepared = prepare(instance, TOOL, engine_name, settings)
    assert prepared.tools == {"tool": "18.20.8"}
    with engine(engine_name, settings.cache).sandbox(
        prepared, limits=LIMITS, network=OPEN, label="test"
    ) as sandbox:
        assert output(sandbox, "command -v tool; tool", log) == "/usr/local/bin/tool\n18.20.8\n"


def test_a_base_alone_has_an_empty_project(engine_name: str, settings: Settings, log: Path) -> None:
    used = engine(engine_name, settings.cache)
    prepared = used.prepare(RECIPE, make_empty_project(settings.cache))
    assert re.fullmatch(r"benchmac/base:[0-9a-f]{16}", prepared.tag)
    assert prepared.tools == {"perl": "42"}
    with used.sandbox(prepared, limits=LIMITS, network=OPEN, label="test") as sandbox:
        assert output(sandbox, "pwd; ls -A; ls -A ~", log) == "/benchmac/project\n"


def test_the_local_engine_has_no_base_alone(settings: Settings) -> None:
    with pytest.raises(ImageError, match="local sandbox has no images"):
        LocalEngine().prepare(RECIPE, make_empty_project(settings.cache))


def test_the_local_engine_names_the_hosts_tools(instance: Instance, settings: Settings) -> None:
    absent = replace(RECIPE, checks=(*RECIPE.checks, *TOOL.checks))
    prepared = prepare(instance, absent, "local", settings)
    assert (prepared.provenance, prepared.rootfs) == ("none", None)
    assert prepared.tools == {"perl": "42", "tool": "none"}
