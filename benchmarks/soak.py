"""Does a process that judges case after case grow?

    python benchmarks/soak.py [--cases 500] [--sandbox bubblewrap]

One worker of `api.Judge` judges that many different patches of the toy track
(`pip install -e tests/toy_track`). A line per tenth: seconds a case, resident memory, open
descriptors, folders of sandboxes and records that are left.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path

from pytest_benchmac.api import Judge, Settings, load_instances, silver_patch
from pytest_benchmac.model.settings import MIB

TOY = Path(__file__).parent.parent / "tests/toy_track/instances/tiny_v1_to_v2"


def worker_of(parent: int) -> int:
    """The process id of the only worker."""
    told = subprocess.run(
        ["pgrep", "-P", str(parent), "-f", "pytest_benchmac.api"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (worker,) = told.stdout.split()
    return int(worker)


async def soak(settings: Settings, cases: int) -> None:
    """Judge, and print what the worker holds."""
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
            process = Path(f"/proc/{worker_of(os.getpid())}")
            resident = int((process / "statm").read_text().split()[1]) * 4096 / MIB
            print(
                f"{number:6d} {(time.monotonic() - began) / max(1, cases // 10):7.2f} "
                f"{resident:7.1f} {len(list((process / 'fd').iterdir())):5d} "
                f"{len(list((settings.reports / 'running').iterdir())):8d} "
                f"{len(list(settings.reports.glob('evaluations/*/*.json'))):8d}",
                flush=True,
            )
            began = time.monotonic()


def main() -> None:
    """Measure and print; it fails where a case is not resolved."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument(
        "--sandbox", choices=("docker", "bubblewrap", "local"), default="bubblewrap"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        Path(name).chmod(0o755)
        network = "open" if args.sandbox == "local" else "offline"
        settings = Settings(reports=Path(name), sandbox=args.sandbox, network=network)
        asyncio.run(soak(settings, args.cases))


if __name__ == "__main__":
    main()
