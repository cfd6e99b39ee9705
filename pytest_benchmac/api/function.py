"""One patch in, one evaluation out."""

from __future__ import annotations

from pathlib import Path

from pytest_benchmac.input.staging import with_patch, write_bytes
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network

#: Who wrote a patch, where nobody says.
SUT = "api"
#: Patches that were handed over as bytes, below the report folder.
_STAGED = "patches"
#: Characters of a patch's digest that tell it from others.
_DIGEST = 12


def evaluate(
    instance: Instance,
    patch: bytes | Path,
    settings: Settings,
    *,
    sut: str = SUT,
    network: Network | None = None,
) -> Evaluation:
    """Judge one patch, or return what is stored of the same patch under the same conditions.

    The record, with logs and artifacts, is kept in `settings.reports`, one for each patch: its SUT
    there is `<sut>-<first 12 digits of the patch's SHA-256>`. Blocks until it is known: seconds to
    minutes. Not for several threads of one process; `Judge` runs several at a time.

    Args:
        instance: the task.
        patch: a unified diff, or the file that has it.
        settings: where records go, which sandbox, which limits.
        sut: who wrote it.
        network: shared by the calls of one process; None makes one for this call.

    Returns:
        The evaluation. Its `status` is `error` where infrastructure failed, which does not raise.

    Raises:
        SubmissionError: the file cannot be read.
        StoreError: the record cannot be written.
    """
    file = patch if isinstance(patch, Path) else write_patch(patch, settings)
    read = with_patch(Submission(case=Case(instance_id=instance.id, sut=sut)), file)
    case = Case(instance_id=instance.id, sut=f"{sut}-{(read.patch_sha256 or '')[:_DIGEST]}")
    submission = read.model_copy(update={"case": case})
    evaluation, _ = run_case(instance, submission, settings, network=network)
    return evaluation


def write_patch(content: bytes, settings: Settings) -> Path:
    """Write a patch below the report folder, unless it is there; StoreError if it cannot be."""
    return write_bytes(content, settings.reports / _STAGED)


def silver_patch(instance: Instance) -> bytes:
    """The patch that is known to migrate an instance.

    Raises:
        SubmissionError: it has none in a file.
    """
    if instance.silver is None or instance.silver.patch is None:
        raise SubmissionError("it has no silver patch in a file", where=instance.directory)
    return (instance.directory / instance.silver.patch).read_bytes()
