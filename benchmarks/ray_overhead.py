"""What a case costs through Ray beside pytest's own ways, side by side, several rounds by turns.

`python benchmarks/ray_overhead.py [--cases 20] [--rounds 3]` judges cases of the toy track in the local
sandbox; with `--instance waymark_java8_to_17 --sandbox bubblewrap`, the silver patch of a real one. A cluster
with one node of as many slots as there are processors runs all the time, so that its start is not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_benchmac.model.settings import GIB

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.toy_bench import make_bench, make_template
from tests.with_ray.cluster import nodes


def main() -> None:
    """Print the median of each way, and of the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instance", default="")
    parser.add_argument("--sandbox", default="local")
    asked = parser.parse_args()
    slots = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "template").mkdir()
        make_template(root / "template")
        bench = make_bench(root / "bench", root / "template", root / "cache")
        environment = bench.env
        if asked.instance:
            # The machine's own cache: its bases are not to be made anew.
            environment.pop("BENCHMAC_CACHE")
            command = [
                *(sys.executable, "-m", "pytest", "--silver", f"--instance={asked.instance}"),
                *(f"--sandbox={asked.sandbox}", "--no-page"),
            ]
            cases = 1
        else:
            cases = asked.cases
            for number in range(cases):
                name = bench.instance(f"a{number}_v1_to_v2")
                bench.patch(name=name)
            command = bench.command("--patch-dir=patches")
        with nodes(root / "nodes") as cluster:
            cluster.add(
                "one",
                num_cpus=slots,
                memory=slots * 8 * GIB,
                resources={f"benchmac_{asked.sandbox}": slots},
            )
            ways = {
                "one process": [],
                f"-n {slots}": ["-n", str(slots)],
                "ray": ["--executor=ray", f"--ray-address={cluster.address}"],
            }
            seconds: dict[str, list[float]] = {way: [] for way in ways}
            for number in range(asked.rounds + 1):
                for way, arguments in ways.items():
                    began = time.monotonic()
                    done = subprocess.run(
                        [*command, "--rerun", *arguments],
                        cwd=bench.root,
                        env=environment,
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    if done.returncode:
                        sys.exit(f"{way}: {done.stdout}\n{done.stderr}")
                    # The first round fills caches.
                    if number:
                        seconds[way].append(time.monotonic() - began)
                        print(f"{way}: {seconds[way][-1]:.1f} s", flush=True)
    print(f"\n{cases} case(s), {asked.rounds} round(s), load {os.getloadavg()[0]:.0f}")
    first = statistics.median(seconds["one process"])
    for way, measured in seconds.items():
        median = statistics.median(measured)
        print(f"| {way} | {median:.1f} s | {median / first:.2f} | {median / cases:.2f} s a case |")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor of all sessions: {spent.ru_utime + spent.ru_stime:.0f} s")


if __name__ == "__main__":
    main()
