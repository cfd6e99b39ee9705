"""Some cases beside faults, as benchmarks/soak.py judges hundreds.

`BENCHMAC_SOAK=100 pytest tests/sandbox/test_soak.py` judges a hundred.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from benchmarks.soak import soak
from pytest_benchmac.model.settings import Settings
from tests.engines import require

CASES = int(os.environ.get("BENCHMAC_SOAK", "12"))


def test_faults_change_no_verdict_and_leave_nothing(
    settings: Settings, record_property: Callable[[str, object], None]
) -> None:
    """It raises SystemExit where a verdict is not what its patch deserves, or things are left."""
    require("bubblewrap", settings)
    told = soak(CASES, "bubblewrap", seed=5)
    assert told.done
    record_property("benchmac_promise", ("fault", sum(told.done.values())))
