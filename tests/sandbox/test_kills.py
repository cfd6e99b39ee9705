"""Sessions in real sandboxes, behind the proxy, that are killed at moments that nobody chose.

`BENCHMAC_KILLS=50 pytest tests/sandbox/test_kills.py` kills each kind five times, on the toy track
and on Maven's. scripts/test has one of them in each engine; without a sandbox,
tests/plugin/test_kills.py has more.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import docker
import pytest

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox import cgroup
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from tests.engines import require
from tests.killing import CASES, KINDS, Kill, fill, running, survive, tell
from tests.network.test_lifecycle import proxies
from tests.network.tiny import eventually
from tests.toy_bench import Bench, make_bench

#: By which engines' images say what they are for.
INSTANCE_LABEL = "org.pytest-benchmac.instance"
KILLS = int(os.environ.get("BENCHMAC_KILLS", "0"))
takes_minutes = pytest.mark.skipif(not KILLS, reason="takes minutes: BENCHMAC_KILLS asks for it")
#: A session without workers is one of tests/plugin/test_kills.py.
REAL_KINDS = {
    **{name: kill for name, kill in KINDS.items() if kill.workers},
    "proxy": Kill(whom="proxy"),
}
#: What is killed where nobody asks for more.
FEW = ("group",)


@pytest.fixture
def four(template: Path, settings_cache: Path) -> Iterator[Bench]:
    """With temporary files of its own, in a folder that the stages' user can reach."""
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        Path(name).chmod(0o755)
        bench = make_bench(Path(name), template, settings_cache)
        fill(bench)
        sut = f"sut-{uuid.uuid4().hex[:12]}"
        (bench.root / "patches" / "tiny-sut").rename(bench.root / "patches" / sut)
        yield bench


@pytest.fixture(scope="module")
def images(engine_name: str) -> Iterator[None]:
    """What these four cases need of Docker goes in the end."""
    yield
    if engine_name == "docker":
        with closing(docker.from_env()) as client:
            for name in CASES:
                for image in client.images.list(filters={"label": f"{INSTANCE_LABEL}={name}"}):
                    client.images.remove(str(image.id), force=True)


#: Of Maven's track, whose tests need nothing of a registry that the cache does not have.
REAL = "waymark_java8_to_17"


@pytest.fixture
def real(template: Path, settings_cache: Path) -> Iterator[Bench]:
    """The silver patch of an instance of Maven's track."""
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        Path(name).chmod(0o755)
        bench = make_bench(Path(name), template, settings_cache)
        instance = bench.root / "instances" / REAL
        shutil.copytree(Path(__file__).parents[2] / "instances" / REAL, instance)
        patches = bench.root / "patches" / f"sut-{uuid.uuid4().hex[:12]}"
        patches.mkdir(parents=True)
        shutil.copy(instance / "silver.patch", patches / f"{REAL}.patch")
        tell(bench)
        yield bench


def things_in(bench: Bench, engine_name: str) -> list[str]:
    """Everything of its sessions' sandboxes that an engine still holds."""
    if engine_name == "docker":
        (sut,) = (bench.root / "patches").iterdir()
        client = docker.from_env()
        objects = [*client.containers.list(all=True, ignore_removed=True)]
        found = [f"container {each.name}" for each in objects if sut.name in _case(each.labels)]
        volumes = client.volumes.list()
        labels = {each.name: each.attrs["Labels"] or {} for each in volumes}
        return found + [
            f"volume {name}" for name, told in labels.items() if sut.name in _case(told)
        ]
    found = [path.name for path in (bench.root / "tmp").glob("benchmac-*/bubblewrap-*")]
    mounts = Path("/proc/self/mountinfo").read_text()
    found += ["mount"] if f"{bench.root}/tmp/" in mounts else []
    # Of others that run now there are more.
    ours = set((bench.root / "sandboxes").read_text().split())
    groups = {path.name for path in cgroup.find("bubblewrap-*")} & ours
    return found + [f"cgroup {name}" for name in groups]


def _case(labels: dict[str, str]) -> str:
    return labels.get(CASE_LABEL, "")


@pytest.mark.usefixtures("images")
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in FEW else takes_minutes) for kind in REAL_KINDS],
)
def test_whatever_is_killed_leaves_nothing_that_the_next_run_does_not_remove(
    four: Bench, engine_name: str, kind: str, record_property: Callable[[str, object], None]
) -> None:
    kill_sessions(four, engine_name, kind, record_property)


@takes_minutes
@pytest.mark.parametrize("kind", REAL_KINDS)
def test_a_case_of_a_real_track_that_is_killed(
    real: Bench,
    settings: Settings,
    kind: str,
    record_property: Callable[[str, object], None],
) -> None:
    require("bubblewrap", settings)
    kill_sessions(real, "bubblewrap", kind, record_property, events=18)


def kill_sessions(
    bench: Bench,
    engine_name: str,
    kind: str,
    record_property: Callable[[str, object], None],
    **more: int,
) -> None:
    """Kill sessions of a bench, and have one judge to the end; nothing of them is left."""
    temporary = bench.root / "tmp"

    def left() -> list[str]:
        folders = [path.name for path in temporary.iterdir() if not path.name.startswith("pytest-")]
        kept = [each for each in folders if any((temporary / each).iterdir())]
        return [*things_in(bench, engine_name), *map(str, running(bench)), *kept]

    killed = 1
    try:
        killed = survive(
            bench,
            REAL_KINDS[kind],
            max(1, KILLS // 10),
            seed=f"{kind} in {engine_name}",
            options=(f"--sandbox={engine_name}", "--network=proxied"),
            proxies=lambda: proxies(temporary),
            sandboxes=lambda: things_in(bench, engine_name),
            left=left,
            **more,
        )
    finally:
        record_property("benchmac_promise", ("crash", killed))
    assert eventually(lambda: not proxies(temporary))
