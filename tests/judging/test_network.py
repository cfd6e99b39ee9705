"""What the network did to a stage is nobody's failure."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_benchmac.judging.network import check_network
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.evaluation import Outcome, StageResult
from pytest_benchmac.network.access import NetworkReport
from pytest_benchmac.tracks.registry import get_stage

pytestmark = pytest.mark.promise("fault")

RESULT = StageResult(name="build", outcome=Outcome.FAILED)


def check(*reports: NetworkReport, failed: bool) -> None:
    """Of a case whose sandboxes' networks reported this."""
    attachments = [SimpleNamespace(report=lambda report=report: report) for report in reports]
    state = SimpleNamespace(attachments=attachments, network=SimpleNamespace(policy="proxied"))
    check_network(state, get_stage("toy", "build"), RESULT, failed=failed)  # type: ignore[arg-type]


QUIET = NetworkReport()
BROKEN = NetworkReport(failures=("https://registry.example/a: 502",))
MISSING = NetworkReport(misses=("https://registry.example/a", "https://registry.example/b"))


def test_a_quiet_network_blames_nobody() -> None:
    check(QUIET, QUIET, failed=True)


def test_a_broken_registry_excuses_a_stage_that_failed() -> None:
    with pytest.raises(NetworkError, match=r"build: https://registry.example/a: 502"):
        check(QUIET, BROKEN, failed=True)
    # It came along without what it asked for.
    check(QUIET, BROKEN, failed=False)


@pytest.mark.parametrize("failed", [True, False])
def test_what_offline_lacks_is_an_error_whatever_became_of_the_stage(failed: bool) -> None:
    with pytest.raises(NetworkError, match=r"nothing is stored for .*/a and 1 more") as caught:
        check(MISSING, failed=failed)
    assert "--network=proxied" in caught.value.remedy
