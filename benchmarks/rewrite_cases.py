"""How many black-box cases of a fast program the driver of the rewrite track runs.

    python benchmarks/rewrite_cases.py [--sandbox bubblewrap|docker] [--cases 2000] [--jobs 4]

The program is `/usr/bin/awk`, which adds the numbers of a file and writes another: what is measured
is all around it. Prints seconds for everything from the first input to the last compared answer,
and cases per second. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.rewrite.cases.comparing import difference
from pytest_benchmac.tracks.rewrite.cases.models import CliCase
from pytest_benchmac.tracks.rewrite.driving.batch import Program
from pytest_benchmac.tracks.rewrite.driving.running import Runner

RECIPE = BaseRecipe(reference=None, apt_packages=("ca-certificates", "git"))


def main() -> None:
    """Measure once, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sandbox", choices=("bubblewrap", "docker"), default="bubblewrap")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=4)
    args = parser.parse_args()
    script = '{ total += $1 } END { print total; print NR > "out" }'
    cases = [
        CliCase.model_validate(
            {
                "id": f"c{number}",
                "argv": (script, "in/numbers"),
                "files": {"in/numbers": "\n".join(map(str, range(number % 50))) + "\n"},
                "expect": {
                    "stdout": f"{sum(range(number % 50))}\n",
                    "files": {"out": f"{max(1, number % 50)}\n"},
                },
            }
        )
        for number in range(args.cases)
    ]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder), sandbox=args.sandbox)
        engine, _ = select_engine(args.sandbox, settings)
        with bare_sandbox(RECIPE, engine, settings, label="rewrite_cases") as sandbox:
            program = Program("awk", str(sandbox.project))
            runner = Runner(sandbox, program, args.jobs, 10.0, Path(folder) / "log")
            began = time.monotonic()
            did = runner.run(cases, budget_s=600)
            failed = [each.id for each in cases if difference(each, did[each.id])]
            spent = time.monotonic() - began
    print(
        f"{args.sandbox}, {args.jobs} at a time: {len(cases)} cases in {spent:.1f} s, "
        f"{len(cases) / spent:.0f} per second, {len(failed)} failed"
    )


if __name__ == "__main__":
    main()
