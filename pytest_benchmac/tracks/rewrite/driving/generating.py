"""Fresh inputs, made by the instance's own generator in a sandbox that has nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_benchmac.model.errors import BaselineError, CopyLimitError, InstanceError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.rewrite.cases.files import parse_inputs
from pytest_benchmac.tracks.rewrite.cases.models import Case
from pytest_benchmac.tracks.rewrite.instance import FRESH_FILE, RewriteInstance

_BYTES = 64 * MIB
_TIMEOUT_S = 300.0
_RUN = """\
import json, runpy, sys
cases = runpy.run_path(sys.argv[1])["cases"](int(sys.argv[2]), int(sys.argv[3]))
with open(sys.argv[4], "w", encoding="utf-8") as file:
    json.dump(cases, file)
"""


def generate_inputs(
    instance: RewriteInstance, sandbox: Sandbox, seed: int, count: int, log: Path
) -> list[Case]:
    """So many inputs that the seed decides.

    Args:
        instance: whose `suite/fresh.py` it is.
        sandbox: of `environment.generator_recipe`.
        seed: a whole number.
        count: how many.
        log: what the generator prints.

    Raises:
        BaselineError: the generator fails, or makes other things than inputs.
    """
    file, script = sandbox.inbox / "fresh.py", sandbox.inbox / "run.py"
    made = sandbox.home / "inputs.json"
    sandbox.copy_in((instance.directory / FRESH_FILE).read_bytes(), file)
    sandbox.copy_in(_RUN.encode(), script)
    ran = sandbox.run(
        f"python3 {script} {file} {seed} {count} {made}",
        timeout_s=_TIMEOUT_S,
        log=log,
        env={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
    )
    where = f"{instance.id}/{FRESH_FILE}"
    if ran.exit_code != 0:
        raise BaselineError(f"{where} fails: {ran.stderr[-1000:]}")
    try:
        rows = json.loads(read_file(sandbox, made, max_bytes=_BYTES) or b"")
        cases = parse_inputs(rows, where, api=instance.benchmark.is_api)
    except (InstanceError, CopyLimitError, TypeError, ValueError) as error:
        raise BaselineError(f"{where} makes no inputs: {error}") from error
    if len(cases) != count:
        raise BaselineError(f"{where} makes {len(cases)} inputs, not {count}")
    return cases
