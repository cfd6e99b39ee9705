"""A long session of real cases while faults happen: does anything grow, get lost, or get blamed?

    python -m benchmarks.soak [--cases 500] [--sandbox bubblewrap] [--workers 2] [--seed 1]

Patches of the toy track (`pip install -e tests/toy_track`), good and bad ones, whose build asks a
registry on loopback through the proxy. Meanwhile the registry fails in each way for moments, and
proxies, workers and sandboxes are killed. A line per tenth; then `--retry-errors` judges what ended
in an error. It fails where a verdict is another than the patch deserves, or anything is left.

    python -m benchmarks.soak --api

One worker of `api.Judge` judges as many good patches, without faults.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import docker

from pytest_benchmac.api import Judge, Settings, load_instances, silver_patch
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.settings import MIB, SandboxName, default_cache
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from tests.ecosystems.faults import TOOLS, FaultyRegistry, serving_faults
from tests.toy_bench import BASE, Bench, make_bench, make_template

TOY = Path(__file__).parent.parent / "tests/toy_track/instances" / BASE
#: What a build asks the registry for, a package that nobody asked for before: by the proxy.
FETCH = r"""perl -MIO::Socket::INET -e '
my ($proxy) = $ENV{HTTP_PROXY} =~ m{//([^/]+)};
my ($host) = $ENV{npm_config_registry} =~ m{//([^/]+)};
my $url = "$ENV{npm_config_registry}soak-" . time . "-" . int(rand(1e9));
my $socket = IO::Socket::INET->new(PeerAddr => $proxy) or die "ECONNREFUSED";
print $socket "GET $url HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n";
my $answer = <$socket>;
print STDERR $answer;
exit($answer =~ m{ 200 } ? 0 : 1);' && sh build.sh"""
#: The toy track has no registry of its own; events tell who judges.
CONFTEST = """
import os, pathlib
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.tracks.registry import get_track
get_track("toy").ecosystems = (npm,)
def pytest_benchmac_stage(event):
    with pathlib.Path("events").open("a") as file:
        file.write(f"{os.getpid()} {event.state}\\n")
"""
#: Patches and whether they are resolved.
KINDS = {"good": True, "broken_build": False, "wrong_version": False}
REGISTRY = ("status_503", "status_429", "reset", "closed", "truncated", "corrupt")
FAULTS = ("registry", "proxy", "worker", "sandbox")
#: Events between two faults: about two cases of seven events.
BETWEEN = (6, 26)


class _Packages(dict[str, bytes]):
    def get(self, path: str, default: object = None) -> bytes:  # type: ignore[override]
        return json.dumps({"name": path, "dist-tags": {}, "versions": {}}).encode()


def packages() -> dict[str, bytes]:
    """A registry's files: each package that anybody asks for is there, without versions."""
    return _Packages()


@dataclass
class Soak:
    """A session under way, and what was done to it."""

    bench: Bench
    registry: FaultyRegistry
    sandbox: SandboxName
    workers: int
    cases: int
    moments: random.Random
    done: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    #: Is the next sandbox that runs something to be killed?
    hunting: bool = False

    @property
    def temporary(self) -> Path:
        """Where all of its sessions' temporary files are."""
        return self.bench.root / "tmp"

    def run(self) -> Counter[str]:
        """Judge all, with faults; then what ended in errors, without. What was done, how often.

        Raises:
            SystemExit: a verdict is wrong, or something is left.
        """
        self._say("cases     s/case  controller    workers       proxies   sandboxes  records")
        self._say("                  MiB   fds    MiB   fds     MiB   fds")
        self._session()
        errors = self._errors()
        if errors:
            self._session("--retry-errors", faults=False)
        self._say(f"done to it: {dict(sorted(self.done.items()))}; errors at first: {errors}")
        self._check()
        return self.done

    def _session(self, *options: str, faults: bool = True) -> None:
        (self.bench.root / "events").write_text("")
        command = self.bench.command(
            *("--patch-dir=patches", f"--sandbox={self.sandbox}", "--network=proxied", "-q"),
            *(f"-n{self.workers}", "--max-worker-restart=100000", *options),
        )
        with (self.bench.root / "output").open("ab") as output:
            session = subprocess.Popen(
                command, cwd=self.bench.root, env=self.bench.env, stdout=output, stderr=output
            )
            self._follow(session, faults=faults)

    def _follow(self, session: subprocess.Popen[bytes], *, faults: bool) -> None:
        """Until it ends: measure, and do something to it now and then."""
        step = max(1, self.cases // 10)
        measured, following, began = 0, self.moments.randint(*BETWEEN), time.monotonic()
        healed = 0.0
        while session.poll() is None:
            time.sleep(0.05)
            told = (self.bench.root / "events").read_text().splitlines()
            finished = sum(line.endswith("finished") for line in told)
            if self.registry.fault and time.monotonic() > healed:
                self.registry.fault = ""
            if self.hunting and kill_sandbox(self.sandbox, "soak-", self._workers_of(session.pid)):
                self.hunting = False
                self.done["sandbox killed"] += 1
            if faults and len(told) >= following:
                following = len(told) + self.moments.randint(*BETWEEN)
                judging = [int(line.split()[0]) for line in told[-20:]]
                healed = time.monotonic() + self._fault(judging)
            if finished >= measured + step:
                per_case = (time.monotonic() - began) / (finished - measured)
                self._measure(session.pid, finished, per_case)
                measured, began = finished, time.monotonic()
        self.registry.fault = ""

    def _fault(self, judging: Sequence[int]) -> float:
        """One fault; for how many seconds, where it is the registry's."""
        kind = self.moments.choice(FAULTS)
        if kind == "registry":
            self.registry.fault = self.moments.choice(REGISTRY)
            self.done[self.registry.fault] += 1
            return self.moments.uniform(0.2, 8.0)
        if kind == "sandbox":
            self.hunting = True
            return 0.0
        pids = _proxies(self.temporary) if kind == "proxy" else [*set(judging)]
        pids = [pid for pid in pids if _is_alive(pid)]
        if pids:
            os.kill(self.moments.choice(pids), signal.SIGKILL)
            self.done[f"{kind} killed"] += 1
        return 0.0

    def _workers_of(self, controller: int) -> list[int]:
        return [pid for pid, _ in _commands() if _parent(pid) == controller]

    def _measure(self, controller: int, finished: int, per_case: float) -> None:
        told = (
            f"{finished:5d} {per_case:10.2f} {_held([controller])} "
            f"{_held(self._workers_of(controller))}  "
            f"{_held(_proxies(self.temporary))} {len(self.sandboxes()):8d} {self._records():9d}"
        )
        self._say(told)

    def sandboxes(self) -> list[str]:
        """What the engine has of its cases' now."""
        if self.sandbox == "docker":
            client = docker.from_env()
            containers = client.containers.list(all=True, ignore_removed=True)
            volumes = client.volumes.list()
            labels = [(each.name, each.labels) for each in containers]
            labels += [(each.name, each.attrs["Labels"] or {}) for each in volumes]
            return [name for name, told in labels if "soak-" in told.get(CASE_LABEL, "")]
        return [path.name for path in self.temporary.glob("benchmac-*/*")]

    def _records(self) -> int:
        return len(list(self.bench.reports.glob("evaluations/*/*.json")))

    def _errors(self) -> int:
        return sum(each.status == "error" for each in EvaluationStore(self.bench.reports).all()) + (
            self.cases - self._records()
        )

    def _check(self) -> None:
        """Every case has the verdict that its patch deserves, and nothing is left."""
        wrong = []
        for record in EvaluationStore(self.bench.reports).all():
            expected = KINDS[record.sut.partition("-")[2].rpartition("-")[0]]
            if record.status != "completed" or record.resolved is not expected:
                wrong.append(f"{record.case.id}: {record.status}, resolved {record.resolved}")
            elif record.integrity.verdict == "rejected":
                wrong.append(f"{record.case.id}: rejected {record.integrity.findings}")
        if self._records() != self.cases:
            wrong.append(f"{self._records()} records of {self.cases} cases")
        left = [*self.sandboxes(), *(self.bench.reports / "running").iterdir()]
        left += [f"proxy {pid}" for pid in _proxies(self.temporary)]
        if str(self.temporary) in Path("/proc/self/mountinfo").read_text():
            left.append("a mount")
        self._say(f"right: {self.cases - len(wrong)} of {self.cases}; left: {len(left)}")
        if wrong or left:
            raise SystemExit("\n".join([*wrong, *map(str, left)]))

    def _say(self, line: str) -> None:
        self.lines.append(line)
        print(line, flush=True)


def soak(cases: int, sandbox: SandboxName, *, workers: int = 2, seed: int = 1) -> Soak:
    """Judge so many cases under faults; see the module."""
    moments = random.Random(seed)
    with (
        tempfile.TemporaryDirectory(prefix="soak-") as name,
        serving_faults(TOOLS["npm"]) as registry,
    ):
        root = Path(name)
        # The stages' user goes through it.
        root.chmod(0o755)
        (root / "template").mkdir()
        make_template(root / "template")
        bench = make_bench(root / "bench", root / "template", default_cache())
        for variable in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
            bench.env[variable] = registry.url
        registry.files = packages()
        bench.instance(build=FETCH)
        bench.write("conftest.py", CONFTEST)
        for number in range(cases):
            kind = moments.choice(list(KINDS))
            _write_patch(bench, kind, number)
        under_way = Soak(bench, registry, sandbox, workers, cases, moments)
        try:
            under_way.run()
        except BaseException:
            kept = Path(tempfile.mkdtemp(prefix="failed-soak-"))
            shutil.copytree(bench.reports, kept / "reports", dirs_exist_ok=True)
            shutil.copy(bench.root / "output", kept)
            print(f"reports and output of the session: {kept}")
            raise
    return under_way


def kill_sandbox(engine: str, sut: str, harness: Sequence[int]) -> bool:
    """Kill what runs a command of a sandbox, as somebody of the host may; False if none does.

    Args:
        engine: of containers any, of bubblewrap the outermost process, which is not in the sandbox.
        sut: part of the case's label, of containers.
        harness: processes whose sandboxes they are, of bubblewrap.
    """
    with suppress(ProcessLookupError, docker.errors.APIError):
        if engine == "docker":
            for container in docker.from_env().containers.list(ignore_removed=True):
                if sut in container.labels.get(CASE_LABEL, ""):
                    container.kill()
                    return True
        for pid, command in _commands():
            if command.startswith("bwrap\0") and _parent(pid) in harness:
                os.kill(pid, signal.SIGKILL)
                return True
    return False


def _write_patch(bench: Bench, kind: str, number: int) -> None:
    """Each another patch, so that none is reused."""
    sut = f"soak-{kind}-{number:05d}"
    bench.patch(kind, sut=sut)
    path = bench.root / "patches" / sut / f"{BASE}.patch"
    path.write_bytes(f"# {number}\n".encode() + path.read_bytes())


def _commands() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                yield int(entry.name), (entry / "cmdline").read_text(errors="replace")


def _proxies(temporary: Path) -> list[int]:
    return [
        pid
        for pid, command in _commands()
        if "pytest_benchmac.network.proxy.server" in command
        and str(temporary) in _environment_of(pid)
    ]


def _environment_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    return ""


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}/exe").exists()


def _held(pids: Sequence[int]) -> str:
    """Resident MiB and descriptors of the largest of them."""
    resident, descriptors = [0.0], [0]
    for pid in pids:
        with suppress(OSError):
            process = Path(f"/proc/{pid}")
            resident.append(int((process / "statm").read_text().split()[1]) * 4096 / MIB)
            descriptors.append(len(list((process / "fd").iterdir())))
    return f"{max(resident):6.1f} {max(descriptors):5d}"


def _worker_of(parent: int) -> int:
    """The process id of the only worker."""
    (worker,) = [
        pid
        for pid, command in _commands()
        if _parent(pid) == parent and "pytest_benchmac.api" in command
    ]
    return worker


async def soak_api(settings: Settings, cases: int) -> None:
    """Judge with one worker of `api.Judge`, and print what it holds."""
    (instance,) = load_instances([TOY]).values()
    patch = silver_patch(instance)
    print(f"{'cases':>6} {'s/case':>7} {'MiB':>7} {'fds':>5} {'running':>8} {'records':>8}")
    async with Judge(settings, workers=1) as judge:
        began = time.monotonic()
        for number in range(1, cases + 1):
            judged = await judge.evaluate(instance, f"# {number}\n".encode() + patch)
            if not judged.resolved:
                raise SystemExit(f"case {number}: {judged.error or 'not resolved'}")
            if number % max(1, cases // 10):
                continue
            print(
                f"{number:6d} {(time.monotonic() - began) / max(1, cases // 10):7.2f} "
                f"{_held([_worker_of(os.getpid())])} "
                f"{len(list((settings.reports / 'running').iterdir())):8d} "
                f"{len(list(settings.reports.glob('evaluations/*/*.json'))):8d}",
                flush=True,
            )
            began = time.monotonic()


def main() -> None:
    """Measure and print; it fails where a case has the wrong verdict."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--sandbox", choices=("docker", "bubblewrap"), default="bubblewrap")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--api", action="store_true")
    args = parser.parse_args()
    if not args.api:
        soak(args.cases, args.sandbox, workers=args.workers, seed=args.seed)
        return
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        Path(name).chmod(0o755)
        settings = Settings(reports=Path(name), sandbox=args.sandbox, network="offline")
        asyncio.run(soak_api(settings, args.cases))


if __name__ == "__main__":
    main()
