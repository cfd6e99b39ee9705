"""Names that an exported task, its verifier and its jobs share."""

from pathlib import PurePosixPath

#: Folders below the root that tasks and agents write, each a link into the sandbox's volume.
FOLDERS = (
    "app", "data", "home", "installed-agent", "logs", "mnt", "opt", "output", "root", "skills",
    "solution", "srv", "testbed", "tests", "workspace",
)  # fmt: skip
#: Where an exported task keeps its instance, seen from the task's folder.
INSTANCE_FOLDER = PurePosixPath("tests/instance")
#: The diff that is taken in the agent's container, as it is called there.
PATCH = PurePosixPath("/logs/artifacts/patch.diff")
#: The record of a judged trial, in its folder `verifier`.
EVALUATION = "evaluation.json"
#: Section of `[metadata]` in task.toml.
METADATA = "benchmac"
