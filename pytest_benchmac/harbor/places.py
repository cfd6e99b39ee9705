"""Names that an exported task, its verifier and its jobs share."""

from pathlib import Path, PurePosixPath

from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance
from pytest_benchmac.model.instance import Instance

#: Folders below the root that tasks and agents write, each a link into the sandbox's volume.
FOLDERS = (
    "app", "data", "home", "installed-agent", "logs", "mnt", "opt", "output", "root", "skills",
    "solution", "srv", "testbed", "tests", "workspace",
)  # fmt: skip
#: Where an exported task keeps its instance, in a folder of the instance's name; seen from the
#: task's folder.
INSTANCES_FOLDER = PurePosixPath("tests/instance")
#: The diff that is taken in the agent's container, as it is called there.
PATCH = PurePosixPath("/logs/artifacts/patch.diff")
#: The record of a judged trial, in its folder `verifier`.
EVALUATION = "evaluation.json"
#: Section of `[metadata]` in task.toml.
METADATA = "benchmac"


def instance_of(task: Path) -> Instance | None:
    """The instance that a task was written from; None of a task that nobody exported.

    Raises:
        InstanceError: it cannot be read.
    """
    file = next(iter(sorted((task / INSTANCES_FOLDER).glob(f"*/{INSTANCE_FILE}"))), None)
    return None if file is None else load_instance(file)
