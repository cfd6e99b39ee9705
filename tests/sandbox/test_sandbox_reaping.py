"""A harness that is killed leaves things behind; the next one removes those, and only those."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.sandbox.base import OWNER_LABEL, PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import engine
from tests.sandbox.tiny import ENV, LIMITS, OPEN, MakeSandbox

HARNESS = """
import sys
from pathlib import Path
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.model.settings import Settings
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, make_instance

name, folder, cache, log = sys.argv[1:]
settings = Settings(reports=Path(folder), cache=Path(cache))
used = engine(name, settings.cache)
image = used.prepare(RECIPE, make_project(make_instance(Path(folder), {}), settings))
with used.sandbox(image, limits=LIMITS, network=OPEN, label="killed") as sandbox:
    print("started", flush=True)
    beat = "while :; do date +%s%N; sleep 0.05; done"
    sandbox.run(f"setsid sh -c '{beat}'", timeout_s=600, log=Path(log))
"""


REAP = """
import sys
from pathlib import Path
from pytest_benchmac.sandbox.select import engine

engine(sys.argv[1], Path(sys.argv[2])).reap()
"""


@contextmanager
def harness(
    name: str, instance: Instance, cache: Path, log: Path
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HARNESS, name, str(instance.directory), str(cache), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENV) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "started\n"
            deadline = time.monotonic() + 20
            while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.05)
            yield process
        finally:
            process.kill()


def things(name: str) -> set[str]:
    """Everything of ours that an engine holds at present."""
    if name == "docker":
        client = docker.from_env()
        filters: dict[str, str | list[str] | bool] = {"label": OWNER_LABEL}
        containers = client.containers.list(all=True, filters=filters, ignore_removed=True)
        found = {f"container {each.name}" for each in containers}
        return found | {f"volume {each.name}" for each in client.volumes.list(filters=filters)}
    mounts = Path("/proc/self/mountinfo").read_text()
    kind = f"{name}-"
    found = set()
    for folder in Path(f"/tmp/benchmac-{os.geteuid()}").glob(f"{kind}*"):
        found.add(f"folder {folder.name}")
        if folder.name in mounts:
            found.add(f"mount {folder.name}")
    for group in Path("/sys/fs/cgroup").rglob(f"{kind}*"):
        found.add(f"cgroup {group.relative_to('/sys/fs/cgroup')}")
    return found


def foreign(name: str, pid: int) -> set[str]:
    """Names of the sandboxes that other processes than this one own."""
    if name == "docker":
        client = docker.from_env()
        containers = client.containers.list(all=True, ignore_removed=True)
        owners = {str(each.name): each.labels.get(OWNER_LABEL, "") for each in containers}
        for volume in client.volumes.list():
            owners[volume.name] = (volume.attrs["Labels"] or {}).get(OWNER_LABEL, "")
    else:
        owners = {}
        for folder in Path(f"/tmp/benchmac-{os.geteuid()}").glob(f"{name}-*"):
            with suppress(FileNotFoundError):
                owners[folder.name] = (folder / "owner").read_text()
    return {each for each, owner in owners.items() if owner and owner.split(":")[2] != str(pid)}


def things_of(name: str, pid: int) -> set[str]:
    """What is not known to be another process's: tests beside this one have theirs."""
    others = foreign(name, pid)
    found = things(name)
    others |= foreign(name, pid)
    return {each for each in found if not any(other in each for other in others)}


@pytest.fixture(params=["docker", "bubblewrap", "local"])
def any_engine(request: pytest.FixtureRequest, settings_cache: Path) -> str:
    if not engine(request.param, settings_cache).available().ok:
        pytest.skip(f"{request.param} cannot be used here")
    return str(request.param)


@pytest.mark.promise("crash")
def test_a_killed_harness_leaves_nothing_for_long(
    any_engine: str, instance: Instance, settings_cache: Path, tmp_path: Path
) -> None:
    before = things(any_engine)
    log = tmp_path / "log"
    with harness(any_engine, instance, settings_cache, log) as process:
        running = things_of(any_engine, process.pid) - before
        assert running
        # A harness that is alive loses nothing.
        engine(any_engine, settings_cache).reap()
        assert things_of(any_engine, process.pid) - before == running
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = things(any_engine) & running
        assert left
        assert engine(any_engine, settings_cache).reap() >= 1
        assert things(any_engine) & running == set()
        assert (
            engine(any_engine, settings_cache).reap() == 0 or things(any_engine) & running == set()
        )
    # What ran inside is dead as well: nobody writes any more, neither log nor clock.
    size = log.stat().st_size
    time.sleep(0.5)
    assert log.stat().st_size == size


@pytest.mark.promise("crash")
def test_two_runs_may_reap_at_the_same_time(
    any_engine: str, instance: Instance, settings_cache: Path, tmp_path: Path
) -> None:
    before = things(any_engine)
    with harness(any_engine, instance, settings_cache, tmp_path / "log") as process:
        running = things_of(any_engine, process.pid) - before
        assert running
        process.send_signal(signal.SIGKILL)
        process.wait()
        command = [sys.executable, "-c", REAP, any_engine, str(settings_cache)]
        reapers = [subprocess.Popen(command, env=ENV) for _ in range(3)]
        assert [each.wait() for each in reapers] == [0, 0, 0]
    assert things(any_engine) & running == set()


def test_leaving_a_sandbox_leaves_nothing(make: MakeSandbox, engine_name: str, log: Path) -> None:
    before = things(engine_name)
    with make() as sandbox:
        sandbox.run("setsid sleep 1000 &", timeout_s=20, log=log)
        assert things_of(engine_name, os.getpid()) - before
    assert things_of(engine_name, os.getpid()) - before == set()


def test_a_sandbox_that_does_not_start_leaves_nothing(
    engine_name: str, image: PreparedImage, settings_cache: Path, tmp_path: Path
) -> None:
    before = things(engine_name)
    broken = tmp_path / "broken.tar"
    broken.write_bytes(b"this is no tar " * 1000)
    sandbox: Sandbox = engine(engine_name, settings_cache).sandbox(
        replace(image, project=broken), limits=LIMITS, network=OPEN, label="test"
    )
    with pytest.raises(SandboxError), sandbox:
        pass
    assert things_of(engine_name, os.getpid()) - before == set()
