"""A check of your own, run once per case: the built application stays within a budget.

`pytest --patch-dir=patches examples/test_bundle_size.py` runs it beside the packaged suite.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation

#: Bytes of all scripts together, uncompressed.
BUDGET_BYTES = 2_000_000


@pytest.mark.benchmac_track("angular")
@pytest.mark.benchmac_stage("build")
def test_bundle_size(evaluation: Evaluation) -> None:
    scripts = {a.path: a.bytes for a in evaluation.artifacts if a.path.endswith(".js")}
    assert scripts, "the build left no scripts"
    assert sum(scripts.values()) <= BUDGET_BYTES, scripts
