"""Java migrations with Maven: MigrationBench's criteria r1 to r5, and whether the case is resolved.

Resolved is what the paper calls a minimal migration (r1 to r4), with nothing fatal found by the
integrity checks; `maximal_migration` in the record adds r5. A test whose stage was not reached is
skipped when the stage that failed is reported too, and fails otherwise.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Verdict

pytestmark = pytest.mark.benchmac_track("maven")


@pytest.mark.benchmac_stage("patch")
def test_patch(evaluation: Evaluation) -> None:
    """The patch applies to the base commit with `git apply`."""
    assert evaluation.metrics["patch_application_success"] is True


@pytest.mark.benchmac_stage("compile")
def test_compile(evaluation: Evaluation) -> None:
    """`mvn clean compile` exits 0 under the target JDK, in a sandbox where no test has run."""
    assert evaluation.metrics["maven_compile_success"] is True


@pytest.mark.benchmac_stage("class_files")
def test_class_files(evaluation: Evaluation) -> None:
    """r2: every class under */target/classes has exactly the target's major version."""
    assert evaluation.metrics["class_version_achieved"] is True


@pytest.mark.benchmac_stage("verify")
def test_verify(evaluation: Evaluation) -> None:
    """r1: `mvn clean verify` exits 0 under the target JDK."""
    assert evaluation.metrics["maven_verify_success"] is True


@pytest.mark.benchmac_stage("test_methods")
def test_test_methods(evaluation: Evaluation) -> None:
    """r3: the test classes and methods under src/test are the same as at the base."""
    assert evaluation.metrics["test_methods_kept"] is True


@pytest.mark.benchmac_stage("test_counts")
def test_test_counts(evaluation: Evaluation) -> None:
    """r4: no fewer tests ran than at the base, skipped ones not counted."""
    assert evaluation.metrics["test_count_kept"] is True


@pytest.mark.benchmac_stage("dependencies")
def test_dependencies(evaluation: Evaluation) -> None:
    """r5: dependencies, parents and managed versions have the required major versions."""
    assert evaluation.metrics["dependencies_latest"] is True


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """The migration is minimal (r1 to r4), and no integrity check found anything fatal."""
    assert evaluation.integrity.verdict != Verdict.REJECTED
    assert evaluation.resolved
