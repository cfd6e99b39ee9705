"""What a verified verdict costs beside plain engine commands that verify nothing.

    python benchmarks/versus_plain.py [--instance GLOB] [--suts N] [--rounds N] [--ways abce]
        [--source-mirror DIR]

Judges the silver patches of instances, without their own tests, each as the patch of N SUTs, two at
a time, in five ways, interleaved:

    a  plain engine commands on the same images: run, apply, `npm ci` from a warm npm cache, build,
       remove
    b  ours with --plain
    c  ours
    d  ours with an empty cache for packages and facts; images, sources and what the instances ship
       of their bases are there
    e  ours again, with nothing changed

Everything else is warm: bases are learnt and shipped first, then (a) and (c) run once uncounted.
What an instance has recorded answers for (web fonts that a build fetches), (a) gets from a server
on the loopback interface. Prints medians of wall seconds, their ratios to (a), the seconds that the
whole machine's processors worked and that its host took away meanwhile, how much more memory was
in use at most than before, and what came in by the network. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from processors import processor_seconds

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.environment.source import silver_patch
from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.model.settings import Settings, default_cache
from pytest_benchmac.network.fixtures import fixture_message
from pytest_benchmac.sandbox.docker.engine import DockerEngine
from pytest_benchmac.tracks.angular.install import ENV, last_command, needs_legacy_peer_deps
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.patch import strip_level
from pytest_benchmac.tracks.registry import get_track

#: Folders of the cache that (d) goes without.
_LEARNT = ("facts", "http", "manifests", "packages", "trees")
_CA = "/tmp/ca.pem"
#: Cases at a time.
_WORKERS = 2
#: From one look at the memory in use to the next.
_LOOK_S = 0.2
#: Tables and lines of an instance that only its tests are about.
_TESTS = re.compile(r"^\[tests\]\n(?:[^\[\n].*\n|\n)*|^test = .*\n", re.MULTILINE)


def without_tests(pattern: str, folder: Path) -> None:
    """Copy the instances that a pattern selects, less what is about their own tests."""
    for source in sorted(packaged_instances().glob(pattern)):
        place = folder / source.name
        shutil.copytree(source, place)
        text = (place / "instance.toml").read_text()
        (place / "instance.toml").write_text(_TESTS.sub("", text))


@dataclass(frozen=True)
class ByHand:
    """What cases by hand have beside their image."""

    settings: Settings
    npm_cache: Path
    #: Certificates that node trusts besides its own.
    bundle: Path
    #: Hosts whose answers are recorded.
    hosts: Sequence[str]


@contextmanager
def by_hand(
    loaded: Sequence[AngularInstance], folder: Path, mirror: Path | None
) -> Iterator[ByHand]:
    """What (a) needs: an npm cache, and a server for what instances have recorded answers for."""
    npm_cache, bundle = folder / "npm", folder / "ca.pem"
    npm_cache.mkdir()
    npm_cache.chmod(0o777)
    messages = [
        fixture_message(each, instance.directory)
        for instance in loaded
        for each in instance.http_fixtures
    ]
    parts = [urlsplit(each["url"]) for each in messages]
    answers = {(at.hostname or "", at.path): each for at, each in zip(parts, messages, strict=True)}
    hosts = sorted({host for host, _ in answers})
    machine = os.environ.get("NODE_EXTRA_CA_CERTS")
    bundle.write_text(Path(machine).read_text() if machine else "")
    ready = ByHand(Settings(reports=Path(), source_mirror=mirror), npm_cache, bundle, hosts)
    if not hosts:
        yield ready
        return
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = ",".join(f"DNS:{host}" for host in hosts)
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=versus-plain", "-addext", f"subjectAltName={names}"]
    words += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    with bundle.open("a") as added:
        added.write("\n" + certificate.read_text())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 443), _handler(answers)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield ready
        server.shutdown()


def _handler(
    answers: Mapping[tuple[str, str], Mapping[str, Any]],
) -> type[BaseHTTPRequestHandler]:
    class Recorded(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            found = answers.get((host, urlsplit(self.path).path))
            if found is None:
                self.send_error(404)
                return
            body = base64.b64decode(found["body"])
            self.send_response(found["status"])
            self.send_header("Content-Type", found["content_type"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's
            """Say nothing."""

    return Recorded


def engine_commands(instance: AngularInstance, ready: ByHand) -> None:
    """One case by hand: no limits, the ordinary network, nothing looked at."""
    image = DockerEngine(ready.settings.cache).prepare(
        get_track(instance.track).base_recipe(instance), make_project(instance, ready.settings)
    )
    patch = silver_patch(instance, ready.settings)
    env = {**ENV, "npm_config_registry": npm.registry(os.environ).url, "npm_config_cache": "/npm"}
    # What is there is not asked for again, as where lock files name addresses.
    env["npm_config_prefer_offline"] = "true"
    options = ["--network=host", "--user=1000:1000", "--workdir=/benchmac/project"]
    options += [f"--volume={ready.npm_cache}:/npm", "--env=HOME=/benchmac/home"]
    options += [f"--volume={ready.bundle}:{_CA}:ro"]
    options += [f"--add-host={host}:127.0.0.1" for host in ready.hosts]
    env["NODE_EXTRA_CA_CERTS"] = _CA
    options += [f"--env={name}={value}" for name, value in env.items()]
    # Cases of one instance may run at the same time.
    name = f"versus-plain-{uuid4().hex[:8]}-{instance.id}"
    words = ["run", "--detach", f"--name={name}", *options, "--entrypoint=sleep"]
    _docker(*words, str(image.docker_id), "3600")
    try:
        applied = ["git", "apply", f"-p{strip_level(patch)}", "-"]
        _docker("exec", "-i", name, *applied, stdin=patch.read_bytes())
        shell = ["exec", name, "sh", "-c"]
        install = instance.commands.install
        done = _run_docker(*shell, install)
        if needs_legacy_peer_deps(install, done.returncode, done.stderr.decode()):
            _docker(*shell, last_command(install, retried=True))
        elif done.returncode != 0:
            raise SystemExit(f"{instance.id}: {install}: {done.stderr.decode()[-2000:]}")
        _docker(*shell, instance.commands.build)
    finally:
        _docker("rm", "--force", "--volumes", name)


def _run_docker(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["docker", *words], input=stdin, capture_output=True, check=False)


def _docker(*words: str, stdin: bytes = b"") -> None:
    done = _run_docker(*words, stdin=stdin)
    if done.returncode != 0:
        raise SystemExit(f"docker {' '.join(words)}: {done.stderr.decode()[-2000:]}")


def learn(instances: Path, reports: Path, *options: str) -> None:
    """Ship what is learnt of the bases with the copies: they are other instances, without tests."""
    benchmac = Path(sys.executable).with_name("benchmac")
    command = [str(benchmac), "learn", "*", "--sandbox=docker", *options]
    command += [f"--instances={instances}", f"--reports={reports}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-1000:])


def submit(loaded: Sequence[AngularInstance], settings: Settings, suts: int, folder: Path) -> None:
    """Write the silver patches as those of so many SUTs."""
    for number in range(suts):
        sut = folder / f"sut-{number + 1}"
        sut.mkdir(parents=True)
        for instance in loaded:
            shutil.copyfile(silver_patch(instance, settings), sut / f"{instance.id}.patch")


def ours(
    instances: Path, patches: Path, reports: Path, *options: str, cache: Path | None = None
) -> None:
    """A run of the plugin over the patches; what is not resolved is printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"-n{_WORKERS}"]
    command += [f"--instances={instances}", f"--patch-dir={patches}", f"--reports={reports}"]
    command += ["--sandbox=docker", *options]
    env = dict(os.environ) if cache is None else os.environ | {"BENCHMAC_CACHE": str(cache)}
    done = subprocess.run(
        command, env=env, cwd=reports.parent, capture_output=True, text=True, check=False
    )
    if done.returncode == pytest.ExitCode.TESTS_FAILED:
        print(done.stdout[-3000:], flush=True)
    elif done.returncode != 0:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-1000:])


def unlearnt(folder: Path) -> Path:
    """A cache without what is asked of registries and learnt of bases; the rest is linked to."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir()
    for each in default_cache().iterdir():
        if each.name not in _LEARNT:
            (cache / each.name).symlink_to(each)
    return cache


@dataclass(frozen=True)
class Cost:
    """What the whole machine spent on one way."""

    wall_s: float
    #: Seconds that processors worked.
    worked_s: float
    #: Seconds that the machine's host took away.
    stolen_s: float
    #: Memory in use at most, less what was in use before, in MiB.
    memory_mib: float
    #: What came in by the interface of the default route, in MiB.
    fetched_mib: float


def measured(way: Callable[[], None]) -> Cost:
    """Go one way, and tell what it cost."""
    began, worked, stolen, fetched = time.perf_counter(), *processor_seconds(), _fetched()
    available = least = _available()
    over = threading.Event()

    def look() -> None:
        nonlocal least
        while not over.wait(_LOOK_S):
            least = min(least, _available())

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        way()
    finally:
        over.set()
        watcher.join()
    now_worked, now_stolen = processor_seconds()
    return Cost(
        wall_s=time.perf_counter() - began,
        worked_s=now_worked - worked,
        stolen_s=now_stolen - stolen,
        memory_mib=(available - least) / 1024,
        fetched_mib=(_fetched() - fetched) / 2**20,
    )


def _available() -> int:
    """Memory that could be had, in KiB."""
    found = re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())
    if found is None:
        raise SystemExit("/proc/meminfo has no MemAvailable")
    return int(found[1])


def _fetched() -> int:
    """Bytes that came in by the interface of the default route."""
    routes = [line.split() for line in Path("/proc/net/route").read_text().splitlines()[1:]]
    for interface in {route[0] for route in routes if route[1] == "00000000"}:
        return int(Path(f"/sys/class/net/{interface}/statistics/rx_bytes").read_text())
    return 0


def main() -> None:
    """Measure and print; a case that is not resolved is told, and costs what it costs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instance", default="trailbook_*", metavar="GLOB")
    parser.add_argument("--suts", type=int, default=1, metavar="N")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", default="abcde", help="which of them (default: all)")
    parser.add_argument("--source-mirror", type=Path, help="git repositories of the sources")
    args = parser.parse_args()
    mirrored = [f"--source-mirror={args.source_mirror}"] if args.source_mirror else []
    with tempfile.TemporaryDirectory(prefix="versus-plain-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        instances, patches, reports = (
            folder / each for each in ("instances", "patches", "reports")
        )
        without_tests(args.instance, instances)
        loaded = [
            each
            for each in load_instances((instances,)).values()
            if isinstance(each, AngularInstance)
        ]
        with by_hand(loaded, folder, args.source_mirror) as ready:
            submit(loaded, ready.settings, args.suts, patches)

            def plainly() -> None:
                with ThreadPoolExecutor(_WORKERS) as pool:
                    for _ in pool.map(
                        lambda each: engine_commands(each, ready), loaded * args.suts
                    ):
                        pass

            def harness(*options: str, cache: Path | None = None) -> None:
                ours(instances, patches, reports, *mirrored, *options, cache=cache)

            ways: Mapping[str, Callable[[], None]] = {
                "a": plainly,
                "b": lambda: harness("--rerun", "--plain"),
                "c": lambda: harness("--rerun"),
                "d": lambda: harness("--rerun", cache=unlearnt(folder)),
                "e": harness,
            }
            learn(instances, reports, *mirrored)
            for letter in "ac":
                ways[letter]()
            costs: dict[str, list[Cost]] = defaultdict(list)
            for number in range(args.rounds):
                for letter in args.ways:
                    costs[letter].append(measured(ways[letter]))
                    told = costs[letter][-1].wall_s
                    print(f"round {number + 1} {letter}: {told:.1f} s", flush=True)
    _tell(costs)


def _tell(costs: Mapping[str, Sequence[Cost]]) -> None:
    names = [field.name for field in fields(Cost)]
    medians = {
        letter: [statistics.median(getattr(each, name) for each in spent) for name in names]
        for letter, spent in costs.items()
    }
    print("way  of a" + "".join(f"{name:>13}" for name in names))
    for letter, row in medians.items():
        ratio = f"{row[0] / medians['a'][0]:5.2f}" if "a" in medians else " " * 5
        print(f"{letter:4}{ratio}" + "".join(f"{value:13.1f}" for value in row))


if __name__ == "__main__":
    main()
