"""What a verified verdict costs beside plain engine commands that verify nothing.

    python benchmarks/versus_plain.py [--instance GLOB] [--rounds N] [--ways abce]

Judges the silver patches of instances, without their own tests, two at a time, in five ways,
interleaved:

    a  plain engine commands on the same images: run, apply, `npm ci` from a warm npm cache, build,
       remove
    b  ours with --plain
    c  ours
    d  ours with an empty cache for packages and facts; images, sources and what the instances ship
       of their bases are there
    e  ours again, with nothing changed

Everything else is warm: bases are learnt and shipped first, then (a) and (c) run once uncounted.
Prints medians of wall seconds, their ratios to (a), and the seconds that the whole machine's
processors worked and that its host took away meanwhile. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.model.settings import Settings, default_cache
from pytest_benchmac.sandbox.docker.engine import DockerEngine
from pytest_benchmac.tracks.angular.install import ENV
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.patch import strip_level
from pytest_benchmac.tracks.registry import get_track

#: Folders of the cache that (d) goes without.
_LEARNT = ("facts", "http", "manifests", "packages", "trees")
_CA = "/tmp/ca.pem"
#: Cases at a time.
_WORKERS = 2
#: Tables and lines of an instance that only its tests are about.
_TESTS = re.compile(r"^\[tests\]\n(?:[^\[\n].*\n|\n)*|^test = .*\n", re.MULTILINE)


def without_tests(pattern: str, folder: Path) -> None:
    """Copy the instances that a pattern selects, less what is about their own tests."""
    for source in sorted(packaged_instances().glob(pattern)):
        place = folder / source.name
        shutil.copytree(source, place)
        text = (place / "instance.toml").read_text()
        (place / "instance.toml").write_text(_TESTS.sub("", text))


def engine_commands(instance: AngularInstance, npm_cache: Path) -> None:
    """One case by hand: no limits, the ordinary network, nothing looked at."""
    settings = Settings(reports=Path())
    image = DockerEngine(settings.cache).prepare(
        get_track(instance.track).base_recipe(instance), make_project(instance, settings)
    )
    if instance.silver is None or instance.silver.patch is None:
        raise SystemExit(f"{instance.id} has no silver patch in a file")
    patch = instance.directory / instance.silver.patch
    env = {**ENV, "npm_config_registry": npm.registry(os.environ).url, "npm_config_cache": "/npm"}
    options = ["--network=host", "--user=1000:1000", "--workdir=/benchmac/project"]
    options += [f"--volume={npm_cache}:/npm", "--env=HOME=/benchmac/home"]
    if bundle := os.environ.get("NODE_EXTRA_CA_CERTS"):
        options += [f"--volume={bundle}:{_CA}:ro"]
        env["NODE_EXTRA_CA_CERTS"] = _CA
    options += [f"--env={name}={value}" for name, value in env.items()]
    name = f"versus-plain-{os.getpid()}-{instance.id}"
    words = ["run", "--detach", f"--name={name}", *options, "--entrypoint=sleep"]
    _docker(*words, str(image.docker_id), "3600")
    try:
        applied = ["git", "apply", f"-p{strip_level(patch)}", "-"]
        _docker("exec", "-i", name, *applied, stdin=patch.read_bytes())
        for command in (instance.commands.install, instance.commands.build):
            _docker("exec", name, "sh", "-c", command)
    finally:
        _docker("rm", "--force", "--volumes", name)


def _docker(*words: str, stdin: bytes = b"") -> None:
    done = subprocess.run(["docker", *words], input=stdin, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"docker {' '.join(words)}: {done.stderr.decode()[-2000:]}")


def learn(instances: Path, reports: Path) -> None:
    """Ship what is learnt of the bases with the copies: they are other instances, without tests."""
    benchmac = Path(sys.executable).with_name("benchmac")
    command = [str(benchmac), "learn", "*", "--sandbox=docker"]
    command += [f"--instances={instances}", f"--reports={reports}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-1000:])


def ours(instances: Path, reports: Path, *options: str, cache: Path | None = None) -> None:
    """A run of the plugin over the silver patches; all have to be resolved."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--silver"]
    command += [f"-n{_WORKERS}", f"--instances={instances}", f"--reports={reports}"]
    command += ["--sandbox=docker", *options]
    env = dict(os.environ) if cache is None else os.environ | {"BENCHMAC_CACHE": str(cache)}
    done = subprocess.run(
        command, env=env, cwd=reports.parent, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
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


def processor_seconds() -> tuple[float, float]:
    """Seconds that the machine's processors worked since it started, and that were taken away."""
    fields = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = fields[:8]
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / tick, steal / tick


def main() -> None:
    """Measure and print; nothing is asserted but that every case is resolved."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--instance", default="trailbook_*", metavar="GLOB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", default="abcde", help="which of them (default: all)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="versus-plain-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        instances, reports, npm_cache = (folder / each for each in ("instances", "reports", "npm"))
        without_tests(args.instance, instances)
        npm_cache.mkdir()
        npm_cache.chmod(0o777)
        loaded = load_instances((instances,))

        def by_hand() -> None:
            angular = [each for each in loaded.values() if isinstance(each, AngularInstance)]
            with ThreadPoolExecutor(_WORKERS) as pool:
                for _ in pool.map(lambda each: engine_commands(each, npm_cache), angular):
                    pass

        ways: Mapping[str, Callable[[], None]] = {
            "a": by_hand,
            "b": lambda: ours(instances, reports, "--rerun", "--plain"),
            "c": lambda: ours(instances, reports, "--rerun"),
            "d": lambda: ours(instances, reports, "--rerun", cache=unlearnt(folder)),
            "e": lambda: ours(instances, reports),
        }
        wanted = {letter: ways[letter] for letter in args.ways}
        learn(instances, reports)
        for letter in "ac":
            ways[letter]()
        wall: dict[str, list[float]] = defaultdict(list)
        worked: dict[str, list[float]] = defaultdict(list)
        stolen: dict[str, list[float]] = defaultdict(list)
        for number in range(args.rounds):
            for letter, way in wanted.items():
                began, (busy, taken) = time.perf_counter(), processor_seconds()
                way()
                wall[letter].append(time.perf_counter() - began)
                after = processor_seconds()
                worked[letter].append(after[0] - busy)
                stolen[letter].append(after[1] - taken)
                print(f"round {number + 1} {letter}: {wall[letter][-1]:.1f} s", flush=True)
        base = statistics.median(wall["a"]) if "a" in wall else None
        for letter, seconds in wall.items():
            median = statistics.median(seconds)
            ratio = f"{median / base:6.2f} of a" if base else ""
            print(
                f"{letter}{median:9.1f} s wall {ratio} {statistics.median(worked[letter]):9.1f} s "
                f"of processors, {statistics.median(stolen[letter]):.1f} s stolen"
            )


if __name__ == "__main__":
    main()
