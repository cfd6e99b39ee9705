"""What the network policies cost: `npm ci` of one project, direct and through the proxy.

    python benchmarks/proxy_cost.py [--project DIR] [--rounds N] [--without-resolved]

Each round installs the same lock file with an empty npm cache: direct, `proxied` with an empty
cache, `proxied` with a filled one (its metadata current, then out of date), and `offline`. Runs on
the host, without a sandbox, so that the network is all that differs; a forwarder like the
sandboxes' own stands between npm and the proxy's socket. Times are wall seconds, ratios are to the
same round's direct install.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.model.settings import NetworkName
from pytest_benchmac.network.network import Attachment, Network, NetworkReport
from pytest_benchmac.sandbox.base import CA_BUNDLE, PROXY_PORT

REPOSITORY = Path(__file__).resolve().parents[1]
FORWARDER = REPOSITORY / "pytest_benchmac" / "sandbox" / "forwarder.pl"
DEFAULT_PROJECT = REPOSITORY / "instances" / "trailbook_v16_to_v17" / "source"
RUNS: tuple[tuple[str, NetworkName], ...] = (
    ("proxied, cold", "proxied"),
    ("proxied, warm", "proxied"),
    ("proxied, outdated", "proxied"),
    ("offline", "offline"),
)


@contextmanager
def forwarded(attachment: Attachment) -> Iterator[dict[str, str]]:
    """The environment of a sandbox, for a process of the host."""
    socket = attachment.sandbox.socket
    if socket is None:
        raise SystemExit("no socket")
    process = subprocess.Popen(["perl", FORWARDER, socket, str(PROXY_PORT)])
    try:
        time.sleep(0.3)
        env = dict(attachment.sandbox.env)
        for name, value in env.items():
            if value == str(CA_BUNDLE):
                env[name] = str(attachment.sandbox.ca_bundle)
        yield env
    finally:
        process.terminate()
        process.wait()


def children_cpu() -> float:
    """CPU seconds of all child processes that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def install(project: Path, env: dict[str, str], work: Path) -> tuple[float, float]:
    """Wall and CPU seconds that `npm ci --ignore-scripts` takes with an empty npm cache."""
    folder = Path(tempfile.mkdtemp(dir=work))
    for name in ("package.json", "package-lock.json"):
        shutil.copy(project / name, folder / name)
    started, cpu = time.monotonic(), children_cpu()
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"],
        cwd=folder,
        env={**os.environ, **env, "npm_config_cache": str(folder / ".npm")},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, cpu = time.monotonic() - started, children_cpu() - cpu
    if done.returncode:
        raise SystemExit(f"npm ci failed:\n{done.stdout}{done.stderr}")
    shutil.rmtree(folder)
    return seconds, cpu


def through(
    policy: NetworkName, cache: Path, project: Path, work: Path
) -> tuple[float, float, float, NetworkReport]:
    """An install through the proxy: wall and CPU seconds, CPU seconds of the proxy, the report."""
    before = children_cpu()
    with Network(policy, cache) as network, network.attach("all", ecosystems=[npm]) as attachment:
        with forwarded(attachment) as env:
            seconds, npm_cpu = install(project, env, work)
        report = attachment.report()
    return seconds, npm_cpu, children_cpu() - before - npm_cpu, report


def outdate(cache: Path) -> None:
    """Make stored metadata old enough for the proxy to ask the registry again."""
    for path in (cache / "http").rglob("*"):
        if path.is_file():
            os.utime(path, (0, time.time() - 86_400))


def main() -> None:
    """Print one line per install and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, default=DEFAULT_PROJECT)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--without-resolved",
        action="store_true",
        help="drop the URLs from the lock file: npm then asks for every package's metadata",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmac-proxy-cost-") as temporary:
        work = Path(temporary)
        project = work / "project"
        project.mkdir()
        shutil.copy(options.project / "package.json", project)
        lock = json.loads((options.project / "package-lock.json").read_text())
        packages = [each for path, each in lock["packages"].items() if path]
        if options.without_resolved:
            for each in packages:
                each.pop("resolved", None)
        (project / "package-lock.json").write_text(json.dumps(lock))
        resolved = sum("resolved" in each for each in packages)
        print(f"{len(packages)} packages, {resolved} with a URL in the lock file")

        seconds: dict[str, list[float]] = {}
        for number in range(1, options.rounds + 1):
            cache = Path(tempfile.mkdtemp(dir=work))
            direct, npm_cpu = install(project, {}, work)
            seconds.setdefault("direct", []).append(direct)
            print(
                f"round {number}: {'direct':18} {direct:6.2f} s  1.00x  CPU: npm {npm_cpu:.1f} s",
                flush=True,
            )
            for name, policy in RUNS:
                if name == "proxied, outdated":
                    outdate(cache)
                taken, npm_cpu, cpu, report = through(policy, cache, project, work)
                seconds.setdefault(name, []).append(taken)
                origins = {
                    origin.value: count
                    for host in report.hosts
                    for origin, count in host.origins.items()
                }
                print(
                    f"round {number}: {name:18} {taken:6.2f} s  {taken / direct:4.2f}x  "
                    f"CPU: npm {npm_cpu:.1f} s, proxy and forwarder {cpu:.1f} s  {origins}",
                    flush=True,
                )
            shutil.rmtree(cache)
        print("medians:")
        base = statistics.median(seconds["direct"])
        for name, values in seconds.items():
            median = statistics.median(values)
            print(f"  {name:18} {median:6.2f} s  {median / base:4.2f}x")


if __name__ == "__main__":
    main()
