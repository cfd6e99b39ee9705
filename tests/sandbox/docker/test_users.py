"""Two users of one machine have one Docker engine, each with a cache and sessions of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from pytest_benchmac.environment.debian import make_base
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import OWNER_LABEL
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from tests.engines import require
from tests.sandbox.test_sandbox_reaping import REAP, harness, things_of
from tests.sandbox.tiny import ENV, RECIPE
from tests.toy_bench import BASE, make_bench

#: Nobody's number on Debian.
OTHER = 64123


@pytest.fixture
def other() -> Iterator[tuple[Path, list[str]]]:
    """A folder of another user, and what runs a command as them.

    They may ask the engine, as a member of its group; and read what this user installed, for the
    interpreter is there.
    """
    require("docker", Settings(reports=Path()))
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root may give files away")
    socket = Path(os.environ.get("DOCKER_HOST", "/var/run/docker.sock").removeprefix("unix://"))
    if not socket.exists():
        pytest.skip("this engine is not reached by a Unix socket")
    group = socket.stat().st_gid
    with tempfile.TemporaryDirectory(prefix="other-") as name:
        os.chown(name, OTHER, OTHER)
        reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        ids = [f"--reuid={OTHER}", f"--regid={OTHER}", f"--groups={group}"]
        yield Path(name), ["setpriv", *ids, *reading]


def test_what_one_user_runs_is_not_reaped_by_another(
    instance: Instance, settings_cache: Path, tmp_path: Path, other: tuple[Path, list[str]]
) -> None:
    folder, as_other = other
    with harness("docker", instance, settings_cache, tmp_path / "log") as process:
        running = things_of("docker", process.pid)
        assert running
        command = [*as_other, sys.executable, "-c", REAP, "docker", str(folder / "cache")]
        subprocess.run(command, env=ENV | {"HOME": str(folder)}, check=True)
        assert running <= things_of("docker", process.pid)


def test_sessions_of_two_users_at_once(
    template: Path, settings: Settings, other: tuple[Path, list[str]], tmp_path: Path
) -> None:
    """Of the same instance and patch: both are judged, and nothing of either is left."""
    folder, as_other = other
    # What they bootstrapped earlier; everything else they make now.
    base = make_base(RECIPE, settings.cache)
    bases = folder / "cache/bases"
    bases.mkdir(parents=True)
    for path in (base.tar, base.tar.with_suffix(".sha256")):
        shutil.copy(path, bases)
    sessions = []
    for place, cache, prefix in (
        (tmp_path / "mine", settings.cache, []),
        (folder / "theirs", folder / "cache", as_other),
    ):
        bench = make_bench(place, template, cache)
        bench.instance()
        bench.patch(sut=f"{place.name}-users")
        if prefix:
            for path in folder.rglob("*"):
                os.chown(path, OTHER, OTHER)
        command = [*prefix, *bench.command("--patch-dir=patches", "--sandbox=docker")]
        env = bench.env | {"HOME": str(place)}
        with (tmp_path / f"{place.name}.log").open("wb") as log:
            session = subprocess.Popen(command, cwd=place, env=env, stdout=log, stderr=log)
        sessions.append((bench, session, tmp_path / f"{place.name}.log"))
    try:
        for _, session, log in sessions:
            assert session.wait(300) == 0, log.read_text()
    finally:
        for _, session, _ in sessions:
            session.kill()
    for bench, _, _ in sessions:
        assert bench.record(sut=f"{bench.root.name}-users")["resolved"]
    left = docker.from_env().containers.list(
        all=True, filters={"label": OWNER_LABEL}, ignore_removed=True
    )
    cases = [each.labels.get(CASE_LABEL, "") for each in left]
    assert not [case for case in cases if f"-users/{BASE}" in case]
