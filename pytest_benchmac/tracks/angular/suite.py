"""Angular major-version upgrades: the thesis's four metrics, boot, tests, and is it resolved?

Each metric is true, false, or null where the case did not get there; a test whose stage was not
reached is skipped when the stage that failed is reported too, and fails otherwise.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Verdict

pytestmark = pytest.mark.benchmac_track("angular")


@pytest.mark.benchmac_stage("patch")
def test_patch(evaluation: Evaluation) -> None:
    """The patch applies to the base commit with `git apply`."""
    assert evaluation.metrics["patch_application_success"] is True


@pytest.mark.benchmac_stage("install")
def test_install(evaluation: Evaluation) -> None:
    """The instance's install command succeeds on the patched manifest and lock file."""
    assert evaluation.metrics["install_success"] is True


@pytest.mark.benchmac_stage("version")
def test_version(evaluation: Evaluation) -> None:
    """Both @angular/core and @angular/cli are installed with the target's major version."""
    assert evaluation.metrics["target_version_achieved"] is True


@pytest.mark.benchmac_stage("build")
def test_build(evaluation: Evaluation) -> None:
    """The instance's production build succeeds."""
    assert evaluation.metrics["build_success"] is True


@pytest.mark.benchmac_stage("boot")
def test_boot(evaluation: Evaluation) -> None:
    """In a browser, the built application runs on the target's version, as the baseline did."""
    assert evaluation.metrics["boot_success"] is True


@pytest.mark.benchmac_stage("test")
def test_test(evaluation: Evaluation) -> None:
    """Of the application's own tests no fewer pass, and no more fail, than base and silver have."""
    assert evaluation.metrics["tests_success"] is True


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """Every metric of the case is true, and no integrity check found anything fatal."""
    assert evaluation.integrity.verdict != Verdict.REJECTED
    assert evaluation.resolved
