"""Cases on a cluster of two nodes, each with a cache of its own, with what may befall them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest

pytest.importorskip("ray")

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from tests.engines import require
from tests.toy_bench import BASE, TOY_TRACK, Bench, make_bench, make_template
from tests.with_ray.cluster import Nodes, nodes

#: For what has to happen on a machine that may be very busy.
PATIENCE_S = 600.0


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Short: a socket's path has 107 bytes.
    return tmp_path_factory.mktemp("c")


@pytest.fixture(scope="module")
def cluster(root: Path) -> Iterator[Nodes]:
    with nodes(root / "nodes") as made:
        made.add("one")
        made.add("two")
        # Declares a place, and has no room in it.
        made.add("small", memory=1 << 30)
        yield made


@pytest.fixture(scope="module")
def template(root: Path) -> Path:
    folder = root / "template"
    folder.mkdir()
    make_template(folder)
    return folder


class Gated:
    """Cases whose builds say where they run, and wait until they may go on."""

    def __init__(self, bench: Bench, address: str) -> None:
        self.bench, self.address = bench, address
        (bench.root / "go").mkdir()
        (bench.root / "ran").mkdir()

    def case(self, name: str, *, open_: bool = False, kind: str = "good") -> None:
        ran, go = self.bench.root / "ran" / name, self.bench.root / "go" / name
        # The base is built as well, for its facts: it has version 1, and never waits.
        build = (
            f'if [ "$(cat VERSION)" = 2 ]; then pwd >> {ran}; '
            f"while [ ! -e {go} ]; do sleep 0.2; done; fi; sh build.sh"
        )
        self.bench.instance(name, build=build)
        self.bench.patch(kind, name=name)
        if open_:
            self.open(name)

    def open(self, *names: str) -> None:
        for name in names:
            (self.bench.root / "go" / name).touch()

    def starts(self, name: str) -> list[str]:
        """The project folder of each build of the patched tree."""
        file = self.bench.root / "ran" / name
        return file.read_text().splitlines() if file.exists() else []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = self.bench.command(
            "--patch-dir=patches", "--executor=ray", f"--ray-address={self.address}", *arguments
        )
        return subprocess.Popen(
            command,
            cwd=self.bench.root,
            env=self.bench.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        out, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out


@pytest.fixture
def gated(tmp_path: Path, root: Path, template: Path, cluster: Nodes) -> Gated:
    return Gated(make_bench(tmp_path / "b", template, root / "cache"), cluster.address)


def wait_for(what: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline
        if process is not None and process.poll() is not None:
            raise AssertionError(process.communicate()[0])
        time.sleep(0.1)


def running_below(root: Path) -> list[str]:
    """What runs in a folder below, such as the commands of a sandbox."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(root):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def sandboxes(root: Path) -> list[str]:
    return [path.name for path in root.glob("nodes/*/tmp/benchmac-*/local-*")]


def test_two_nodes_judge_what_one_machine_reports(gated: Gated, root: Path) -> None:
    for name in ("a_v1_to_v2", "b_v1_to_v2", "c_v1_to_v2"):
        gated.case(name, kind="broken_build" if name.startswith("c") else "good")
    process = gated.start("-rA")
    names = ("a_v1_to_v2", "b_v1_to_v2", "c_v1_to_v2")

    def places() -> set[str]:
        started = [folder for name in names for folder in gated.starts(name)]
        return {Path(folder).relative_to(root / "nodes").parts[0] for folder in started}

    # One case each: the third waits for a node that is free.
    wait_for(lambda: places() == {"one", "two"}, process)
    assert sum(bool(gated.starts(name)) for name in names) == 2
    gated.open(*names)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, out
    run = gated.bench.leaderboard()["run"]
    assert (run["cases"], run["unchecked"], run["failed"], run["errors"]) == (3, 2, 1, 0), out
    assert "3 node(s) with benchmac_local, 2 case(s) at a time" in out
    assert "a_v1_to_v2} build passed at" in out
    # Nothing was started twice; each node has its own cache, with what it loaded there.
    assert [len(gated.starts(name)) for name in names] == [1, 1, 1]
    assert places() == {"one", "two"}
    for node in ("one", "two"):
        assert list((root / "nodes" / node / "cache" / "instances").glob("*/*_v1_to_v2"))
    for name in names:
        record = gated.bench.record(name)
        for stage in record["stages"]:
            for attempt in stage["attempts"]:
                assert (gated.bench.reports / attempt["log"]).exists()
    assert (gated.bench.reports / "artifacts/tiny-sut/a_v1_to_v2/out/book.txt").exists()
    assert sandboxes(root) == []
    assert running_below(root / "nodes") == []


def test_a_lost_node_is_nobodys_fault(gated: Gated, cluster: Nodes, root: Path) -> None:
    three = cluster.add("three")
    names = ("a_v1_to_v2", "b_v1_to_v2", "c_v1_to_v2")
    for name in names:
        gated.case(name)
    process = gated.start()
    wait_for(lambda: all(gated.starts(name) for name in names), process)
    (lost,) = [name for name in names if "/nodes/three/" in gated.starts(name)[0]]
    cluster.kill(three)
    gated.open(*names)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, out
    assert f"{lost}}} " in out
    assert " lost at " in out
    assert [len(gated.starts(name)) for name in names] == [
        2 if name == lost else 1 for name in names
    ]
    assert gated.bench.leaderboard()["run"]["errors"] == 0
    # What the node was at ended with it.
    wait_for(lambda: running_below(root / "nodes" / "three") == [] and sandboxes(root) == [])


def test_a_killed_driver_goes_on_where_it_was(gated: Gated, root: Path) -> None:
    gated.case("a_v1_to_v2", open_=True)
    gated.case("b_v1_to_v2")
    process = gated.start()
    record = gated.bench.reports / "evaluations/tiny-sut/a_v1_to_v2.json"
    wait_for(lambda: record.exists() and gated.starts("b_v1_to_v2"), process)
    process.kill()
    process.communicate()
    # Nothing is left on the nodes, though nobody is there to say so.
    wait_for(lambda: running_below(root / "nodes") == [] and sandboxes(root) == [])
    gated.open("b_v1_to_v2")
    status, out = gated.run()
    assert status == 0, out
    assert "a_v1_to_v2} stored reused at" in out
    assert (len(gated.starts("a_v1_to_v2")), len(gated.starts("b_v1_to_v2"))) == (1, 2)


def test_control_c_leaves_nothing_running(gated: Gated, root: Path) -> None:
    for name in ("a_v1_to_v2", "b_v1_to_v2", "c_v1_to_v2"):
        gated.case(name)
    process = gated.start()
    wait_for(lambda: len(running_below(root / "nodes")) >= 2, process)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2, out
    assert running_below(root / "nodes") == []
    assert sandboxes(root) == []
    assert gated.bench.leaderboard()["run"]["skipped"] == 3


def test_other_code_on_a_node_is_refused_by_name(
    gated: Gated, cluster: Nodes, tmp_path: Path
) -> None:
    import pytest_benchmac

    package = Path(pytest_benchmac.__file__).parent
    other = tmp_path / "other" / package.name
    shutil.copytree(package, other, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "judging" / "verdict.py").open("a") as file:
        file.write("# Another opinion.\n")
    node = cluster.add("other", extra_env={"PYTHONPATH": str(other.parent)})
    gated.case("a_v1_to_v2", open_=True)
    try:
        status, out = gated.run()
    finally:
        cluster.kill(node)
    assert status == 4, out
    assert "has other code (pytest-benchmac " in out
    assert not gated.starts("a_v1_to_v2")


def test_what_no_node_can_hold_does_not_wait_for_ever(
    tmp_path: Path, root: Path, template: Path
) -> None:
    bench = make_bench(tmp_path / "b", template, root / "cache")
    bench.write(
        "hasty.py",
        "from pytest_benchmac.executors.ray import driver\ndriver.PATIENCE_S = 1.0\n",
    )
    with nodes(root / "nodes" / "gone") as cluster:
        cluster.add("small", memory=1 << 30)
        gated = Gated(bench, cluster.address)
        bench.env["PYTHONPATH"] = str(bench.root)
        for name in ("a_v1_to_v2", "b_v1_to_v2"):
            gated.case(name)
        status, out = gated.run()
        assert status == 4, out
        told = " ".join(out.split())
        assert "no node can ever hold a case, which takes 1 processor(s) and 8.0 GiB" in told
        assert "the 1 that declare benchmac_local have 1 processor(s) and 1.0 GiB" in told

        # There is one, and it is lost.
        only = cluster.add("only")
        process = gated.start("-p", "hasty")
        wait_for(lambda: gated.starts("a_v1_to_v2") or gated.starts("b_v1_to_v2"), process)
        cluster.kill(only)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, out
    assert "no node is left that can hold a case" in out
    assert bench.leaderboard()["run"]["errors"] == 2, out
    for name in ("a_v1_to_v2", "b_v1_to_v2"):
        assert bench.record(name)["error"]["kind"] == "NodeError"


def test_nodes_whose_sandbox_is_docker(tmp_path: Path) -> None:
    require("docker", Settings(reports=tmp_path))
    reports = tmp_path / "reports"
    toy = TOY_TRACK / "instances"
    (tmp_path / "patches/ray-docker").mkdir(parents=True)
    shutil.copy(toy / BASE / "silver.patch", tmp_path / f"patches/ray-docker/{BASE}.patch")
    declared = {"resources": {"benchmac_docker": 1}}
    with tempfile.TemporaryDirectory(prefix="c") as folder, nodes(Path(folder)) as cluster:
        cluster.add("one", **declared)
        cluster.add("two", **declared)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "--patch-dir=patches", f"--reports={reports}"),
                *(f"--instances={toy}", "--sandbox=docker", "--network=offline", "--no-page"),
                *("--executor=ray", f"--ray-address={cluster.address}", "-p", "no:cacheprovider"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 node(s) with benchmac_docker, 2 case(s) at a time" in done.stdout
        left = docker.from_env().containers.list(all=True, ignore_removed=True)
        assert f"ray-docker/{BASE}" not in [each.labels.get(CASE_LABEL) for each in left]
    record = json.loads((reports / f"evaluations/ray-docker/{BASE}.json").read_text())
    assert (record["resolved"], record["environment"]["sandbox"]) == (True, "docker")


def test_a_real_instance_on_nodes_that_had_nothing(tmp_path: Path) -> None:
    """Its bases come from the driver's machine, once for each node, and the silver patch passes."""
    require("bubblewrap", Settings(reports=tmp_path))
    reports = tmp_path / "reports"
    declared = {"resources": {"benchmac_bubblewrap": 1}}
    # Sandboxes run as somebody else, who has to reach the caches.
    with tempfile.TemporaryDirectory(prefix="c") as folder, nodes(Path(folder)) as cluster:
        Path(folder).chmod(0o755)
        cluster.add("one", **declared)
        cluster.add("two", **declared)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "--silver", "--instance=waymark_java8_to_17"),
                *(
                    "--sandbox=bubblewrap",
                    "--no-page",
                    f"--reports={reports}",
                    "-p",
                    "no:cacheprovider",
                ),
                *("--executor=ray", f"--ray-address={cluster.address}"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        # One case: the node that judged it has its base, in a cache of its own.
        caches = [cluster.cache(name) / "bases" for name in ("one", "two")]
        assert sum(bool(list(cache.glob("*.tar"))) for cache in caches) == 1
    record = json.loads((reports / "evaluations/silver/waymark_java8_to_17.json").read_text())
    assert record["resolved"] is True
    assert record["environment"]["base_provenance"] in ("bootstrapped", "pulled")
