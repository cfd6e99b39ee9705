"""What judging one silver patch takes through each runner, side by side, by turns.

`python benchmarks/runner_overhead.py [--rounds 3] [--instance waymark_java8_to_17]` judges one case
in bubblewrap: by pytest, by `benchmac judge`, through Ray (a node that is there, its cache filled),
through Inspect (a played model that applies the patch), and, where Harbor is installed or
`--harbor-python` names a Python that has it, through Harbor (its `oracle` agent). Without
`--instance` it is the one of the toy track. Seconds are of whole processes: what a runner takes to
start, and for those that run an agent the sandbox of the agent, count as its overhead.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_benchmac.api import load_instances, silver_patch
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import GIB
from tests.toy_bench import TOY_TRACK

ROOT = Path(__file__).parents[1]

INSPECT = """\
import base64, sys
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

track, instances, instance, patch, out = sys.argv[1:]
encoded = base64.b64encode(open(patch, "rb").read()).decode()
# An argument has room for so much.
pieces = [encoded[at : at + 60_000] for at in range(0, len(encoded), 60_000)]
commands = [f"printf %s {each} >> ~/patch.b64" for each in pieces]
commands.append("base64 -d ~/patch.b64 | git apply -")
outputs = [
    *(ModelOutput.for_tool_call("mockllm", "bash", {"command": each}) for each in commands),
    ModelOutput.for_tool_call("mockllm", "submit", {"answer": "Done."}),
]
for each in outputs:
    each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
(log,) = inspect_eval(
    f"pytest_benchmac/{track}",
    model=get_model("mockllm/model", custom_outputs=outputs),
    task_args={
        "instances": instances,
        "instance": instance,
        "sandbox": "bubblewrap",
        "reports": f"{out}/reports",
    },
    log_dir=f"{out}/logs",
    display="none",
)
assert log.status == "success", log.error
value = log.samples[0].scores["verdict"].value
sys.exit(value["resolved"] != 1)
"""
HARBOR = """\
import asyncio, sys
from pathlib import Path
from harbor.models.trial.config import (
    AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig, VerifierConfig,
)
from harbor.trial.trial import Trial

task, out = sys.argv[1:]
config = TrialConfig(
    task=TaskConfig(path=Path(task)),
    trials_dir=Path(out),
    trial_name="oracle",
    agent=AgentConfig(name="oracle"),
    environment=EnvironmentConfig(
        import_path="pytest_benchmac.harbor:Environment", kwargs={"sandbox": "bubblewrap"}
    ),
    verifier=VerifierConfig(
        import_path="pytest_benchmac.harbor:Verifier", kwargs={"sandbox": "bubblewrap"}
    ),
)

async def ran():
    return await (await Trial.create(config)).run()

result = asyncio.run(ran())
assert result.exception_info is None, result.exception_info
sys.exit(result.verifier_result.rewards["resolved"] != 1)
"""


def main() -> None:
    """Print the median of each runner, and how much more than pytest's it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--instance", default="")
    parser.add_argument("--harbor-python", type=Path, default=ROOT / ".venv-harbor/bin/python")
    asked = parser.parse_args()
    folders = [] if asked.instance else [TOY_TRACK / "instances"]
    (instance,) = load_instances(folders, asked.instance or "*").values()
    with ExitStack() as stack:
        # Sandboxes run as somebody else, who has to reach what lies there.
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bm-")))
        root.chmod(0o755)
        patch = root / "silver.patch"
        patch.write_bytes(silver_patch(instance))
        # Commands run in another folder; what a link of an environment leads to is another Python.
        ways = _ways(instance, patch, root, asked.harbor_python.absolute(), stack)
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        # The first round fills caches.
        for number in range(asked.rounds + 1):
            for way, command in ways.items():
                began = time.monotonic()
                done = subprocess.run(
                    command(root / f"{way}-{number}"),
                    cwd=root,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                took = time.monotonic() - began
                if done.returncode:
                    sys.exit(f"{way}: {done.stdout}\n{done.stderr}")
                if number:
                    seconds[way].append(took)
                print(f"round {number}: {way}: {took:.1f} s", flush=True)
    print(f"\n{instance.id}, {asked.rounds} round(s), load {os.getloadavg()[0]:.0f}\n")
    print("| runner | a case | more than pytest |\n| --- | --- | --- |")
    first = statistics.median(seconds["pytest"])
    for way, measured in seconds.items():
        median = statistics.median(measured)
        print(f"| {way} | {median:.1f} s | {median - first:+.1f} s |")


Command = Callable[[Path], list[str]]


def _ways(
    instance: Instance, patch: Path, root: Path, harbor_python: Path, stack: ExitStack
) -> dict[str, Command]:
    """The command line of each runner that is here, given a folder for what it writes."""
    python = sys.executable
    found = [f"--instances={instance.directory.parent}", f"--instance={instance.id}"]
    session = [python, "-m", "pytest", "--silver", *found, "--sandbox=bubblewrap", "--no-page"]
    benchmac = [python, "-m", "pytest_benchmac.cli.main"]
    ways: dict[str, Command] = {
        "pytest": lambda out: [*session, f"--reports={out}"],
        "benchmac judge": lambda out: [
            *(*benchmac, "judge", instance.id, str(patch), found[0]),
            *("--sandbox=bubblewrap", f"--reports={out}"),
        ],
    }
    if importlib.util.find_spec("ray"):
        address = stack.enter_context(_node(root / "nodes"))
        ray = ["--executor=ray", f"--ray-address={address}"]
        ways["Ray"] = lambda out: [*session, f"--reports={out}", *ray]
    if importlib.util.find_spec("inspect_ai"):
        ways["Inspect"] = lambda out: [
            *(python, "-c", INSPECT, instance.track, str(instance.directory.parent), instance.id),
            *(str(patch), str(out)),
        ]
    if harbor_python.exists():
        tasks = root / "tasks"
        export = [
            str(harbor_python),
            "-m",
            "pytest_benchmac.cli.main",
            "export",
            "harbor",
            str(tasks),
        ]
        subprocess.run([*export, *found], check=True, capture_output=True)
        ways["Harbor"] = lambda out: [
            *(str(harbor_python), "-c", HARBOR, str(tasks / instance.id), str(out)),
        ]
    return ways


@contextmanager
def _node(root: Path) -> Iterator[str]:
    """A cluster with a node that judges one case at a time; its cache is its own, and stays."""
    from tests.with_ray.cluster import nodes

    with nodes(root) as cluster:
        cluster.add("one", memory=8 * GIB, resources={"benchmac_bubblewrap": 1})
        yield cluster.address


if __name__ == "__main__":
    main()
