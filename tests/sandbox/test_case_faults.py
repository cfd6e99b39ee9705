"""What faults become of whole cases in real sandboxes, whose build asks a registry by the proxy."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest

from benchmarks.soak import FETCH, kill_sandbox, packages
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.provoked import RUNS
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.network.network import Network
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from pytest_benchmac.tracks.registry import get_track
from tests.ecosystems.faults import TOOLS, FaultyRegistry, serving_faults
from tests.network.test_lifecycle import proxies
from tests.network.tiny import eventually
from tests.sandbox.tiny import ENV
from tests.toy_bench import make_bench

pytestmark = pytest.mark.promise("fault")

#: By which engines' images say what they are for.
INSTANCE_LABEL = "org.pytest-benchmac.instance"
NAME = "faulty_v1_to_v2"
#: So many kills, at most, for one that comes while there is something to lose.
KILLS = 5
Judge = Callable[..., Evaluation]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyRegistry]:
    with serving_faults(TOOLS["npm"]) as registry:
        registry.files = packages()
        for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
            monkeypatch.setenv(name, registry.url)
        monkeypatch.setattr(get_track("toy"), "ecosystems", (npm,))
        yield registry


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone, which the stages' user can reach."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        Path(name).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


@pytest.fixture
def judge(
    engine_name: str, template: Path, registry: FaultyRegistry, temporary: Path, settings: Settings
) -> Iterator[Judge]:
    if engine_name == "docker" and not os.environ.get("BENCHMAC_KILLS"):
        pytest.skip("takes minutes: BENCHMAC_KILLS asks for it")
    yield make_judge(engine_name, template, temporary, settings)
    if engine_name == "docker":
        with closing(docker.from_env()) as client:
            for image in client.images.list(filters={"label": f"{INSTANCE_LABEL}={NAME}"}):
                client.images.remove(str(image.id), force=True)


def make_judge(
    engine_name: str,
    template: Path,
    temporary: Path,
    settings: Settings,
    *,
    seconds: float = 0.5,
    retry_wait_s: float = 0.0,
) -> Judge:
    """What judges the good patch; `once` is called with the first event of a build.

    Args:
        engine_name: whose sandboxes.
        template: of the toy bench.
        temporary: a folder that the stages' user can reach.
        settings: whose cache is used.
        seconds: that a build goes on after its registry answered.
        retry_wait_s: until a case with an error is run again.
    """
    bench = make_bench(temporary / "bench", template, settings.cache)
    bench.instance(NAME, build=f"{FETCH} && sleep {seconds}")
    bench.patch(name=NAME, sut=f"sut-{uuid.uuid4().hex[:8]}")
    instances = load_instances([bench.root / "instances"])
    (submission,) = read_submissions([bench.root / "patches"], instances, bench.root / "staging")

    def run(network: str = "proxied", once: Callable[[str], None] = lambda _: None) -> Evaluation:
        built = []

        def observe(event: StageEvent) -> None:
            if (event.stage, event.state) == ("build", "started"):
                built.append(event)
                if len(built) == 1:
                    once(submission.case.sut)

        chosen = Settings(
            reports=bench.reports,
            sandbox=engine_name,  # type: ignore[arg-type]
            network=network,  # type: ignore[arg-type]
            cache=settings.cache,
            retry_wait_s=retry_wait_s,
            rerun=True,
        )
        with Network.of(chosen) as shared:
            return run_case(instances[NAME], submission, chosen, network=shared, observer=observe)[
                0
            ]

    return run


def test_a_registry_that_fails_and_comes_back(judge: Judge, registry: FaultyRegistry) -> None:
    """While it fails, what was had before is there still, and what was not is an error."""
    registry.fault = "closed"
    evaluation = judge()
    assert evaluation.error is not None
    assert (evaluation.error.kind, evaluation.error.stage) == ("NetworkError", "build")
    assert len(evaluation.failed_runs) == RUNS - 1
    assert not CaseResult.of(evaluation).judged
    registry.fault = ""
    evaluation = judge()
    assert evaluation.resolved
    assert evaluation.failed_runs == ()


def test_what_offline_lacks_is_an_error_at_once(judge: Judge) -> None:
    evaluation = judge("offline")
    assert evaluation.error is not None
    assert (evaluation.error.kind, evaluation.error.stage) == ("UnansweredError", "build")
    assert "nothing is stored for" in evaluation.error.message
    assert evaluation.failed_runs == ()


def test_a_proxy_that_is_killed_in_a_case(judge: Judge, temporary: Path) -> None:
    def kill(_: str) -> None:
        (proxy,) = proxies(temporary)
        os.kill(proxy, signal.SIGKILL)

    evaluation = judge(once=kill)
    assert evaluation.resolved
    assert [run.error.kind for run in evaluation.failed_runs] == ["NetworkError"]


def test_a_sandbox_that_is_killed_in_a_case(judge: Judge, engine_name: str) -> None:
    """By somebody of the host: of bubblewrap, the process outside."""
    for _ in range(KILLS):
        evaluation = _killed_on_the_way(judge, engine_name)
        assert evaluation.resolved
        if evaluation.failed_runs:
            break
        # The process was at its end already.
    assert [run.error.kind for run in evaluation.failed_runs] == ["SandboxError"]


def _killed_on_the_way(judge: Judge, engine_name: str) -> Evaluation:
    killed = threading.Event()

    def kill(sut: str) -> None:
        while not killed.is_set():
            if kill_sandbox(engine_name, sut, [os.getpid()]):
                killed.set()
            time.sleep(0.01)

    killer: list[threading.Thread] = []

    def begin(sut: str) -> None:
        killer.append(threading.Thread(target=kill, args=(sut,)))
        killer[0].start()

    try:
        evaluation = judge(once=begin)
    finally:
        there = killed.is_set()
        killed.set()
        for each in killer:
            each.join()
    assert there
    return evaluation


HOG = """
    import os, sys, tempfile
    from pathlib import Path
    for each in sys.argv[3:]:
        Path(each, "cgroup.procs").write_text(str(os.getpid()))
    from pytest_benchmac.environment.project import make_project
    from pytest_benchmac.model.errors import SandboxError
    from pytest_benchmac.model.settings import Settings
    from pytest_benchmac.sandbox.select import engine
    from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, make_instance
    folder = Path(sys.argv[1])
    settings = Settings(reports=folder, cache=Path(sys.argv[2]))
    used = engine("bubblewrap", settings.cache)
    image = used.prepare(RECIPE, make_project(make_instance(folder, {"file": "x"}), settings))
    with used.sandbox(image, limits=LIMITS, network=OPEN, label="hog") as sandbox:
        try:
            done = sandbox.run("perl -e '$x = \\"x\\" x 5e8'", timeout_s=60, log=folder / "log")
            print("ended", done.exit_code, done.limits_hit)
        except SandboxError as error:
            print("error", error)
"""


@contextmanager
def machine_with(memory_bytes: int) -> Iterator[list[Path]]:
    """Groups for a process that is to believe that its machine has no more memory."""
    top = Path("/sys/fs/cgroup")
    old = top / "memory"
    outer = (old if old.is_dir() else top) / f"machine-{uuid.uuid4().hex[:8]}"
    file = "memory.limit_in_bytes" if old.is_dir() else "memory.max"
    try:
        outer.mkdir()
        if not old.is_dir():
            (outer / "cgroup.subtree_control").write_text("+memory +pids")
        (outer / file).write_text(str(memory_bytes))
        (outer / "harness").mkdir()
    except OSError:
        with suppress(OSError):
            outer.rmdir()
        pytest.skip("memory_bytes cannot be enforced here, and the record says so")
    try:
        yield [outer / "harness"]
    finally:
        for folder in (*(outer / "harness").glob("*/"), outer / "harness", outer):
            with suppress(OSError):
                folder.rmdir()


def test_a_machine_without_memory_is_no_bound_of_the_case(
    settings: Settings, temporary: Path
) -> None:
    """The kernel kills in a group around ours, of 300 MB, where the case may have 1 GiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    with machine_with(300_000_000) as groups:
        command = [sys.executable, "-c", textwrap.dedent(HOG), str(temporary), str(settings.cache)]
        done = subprocess.run(
            [*command, *map(str, groups)], env=ENV, capture_output=True, text=True, check=False
        )
    assert done.stdout.startswith("error this machine ran out of memory"), done


@dataclass
class OwnEngine:
    """A Docker engine of this test alone, beside the machine's; without networks of its own."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def host(self) -> str:
        """Its address, for DOCKER_HOST."""
        return f"unix://{self.folder}/engine.sock"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        # An engine without a bridge removes docker0 where it sees one: it has a network of its own.
        command = ["unshare", "--net", "dockerd"]
        command += [f"--host={self.host}", f"--pidfile={self.folder}/pid"]
        command += [f"--data-root={self.folder}/data", f"--exec-root={self.folder}/exec"]
        command += ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        # It ends its old containers first.
        assert eventually(self._answers, timeout_s=180), (self.folder / "log").read_text()[-3000:]

    def _answers(self) -> bool:
        asked = ["docker", "--host", self.host, "version"]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0

    def end(self) -> None:
        """End it in good order: its containers are stopped."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)


@pytest.fixture
def own_engine(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnEngine]:
    if shutil.which("dockerd") is None:
        pytest.skip("dockerd is not installed here")
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    engine = OwnEngine(temporary / "engine")
    engine.folder.mkdir()
    engine.start()
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    try:
        yield engine
    finally:
        # In good order, so that it ends its own containers, mounts and containerd.
        engine.end()


@pytest.mark.usefixtures("registry")
def test_an_engine_that_is_restarted_in_a_case(
    template: Path, temporary: Path, settings: Settings, own_engine: OwnEngine
) -> None:
    """The case is judged again when the engine is back; what ran before does not go on."""
    restarted: list[threading.Thread] = []

    def restart(sut: str) -> None:
        with closing(docker.from_env()) as client:
            assert eventually(lambda: _runs_something(client, sut))
        own_engine.end()
        own_engine.start()

    def begin(sut: str) -> None:
        restarted.append(threading.Thread(target=restart, args=(sut,)))
        restarted[0].start()

    judge = make_judge("docker", template, temporary, settings, seconds=8, retry_wait_s=5)
    evaluation = judge(once=begin)
    restarted[0].join()
    errors = [run.error for run in evaluation.failed_runs]
    if evaluation.error is not None:
        # It was away for longer than all three runs.
        errors.append(evaluation.error)
        evaluation = judge()
    assert evaluation.resolved, evaluation
    assert {error.kind for error in errors} <= {"SandboxError", "ImageError"}
    assert errors
    with closing(docker.from_env()) as client:
        assert client.containers.list() == []


def _runs_something(client: docker.DockerClient, sut: str) -> bool:
    """Does a stage's command run in a container of the case?"""
    for container in client.containers.list(ignore_removed=True):
        if sut in container.labels.get(CASE_LABEL, ""):
            return any("sleep 8" in " ".join(each) for each in container.top()["Processes"])
    return False
