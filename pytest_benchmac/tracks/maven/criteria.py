"""MigrationBench's criteria and predicates."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_benchmac.model.base import MetricValue

#: Criterion -> the stage that decides it.
CRITERIA = {
    "patch_application_success": "patch",
    "maven_compile_success": "compile",
    "maven_verify_success": "verify",
    "class_version_achieved": "class_files",
    "test_methods_kept": "test_methods",
    "test_count_kept": "test_counts",
    "dependencies_latest": "dependencies",
}
#: Predicate -> the criteria it asks for.
_MINIMAL = (
    "patch_application_success",
    "maven_verify_success",
    "class_version_achieved",
    "test_methods_kept",
    "test_count_kept",
)
_COMPILE_ONLY = (
    "patch_application_success",
    "maven_compile_success",
    "class_version_achieved",
)
PREDICATES = {
    "minimal_migration": _MINIMAL,
    "maximal_migration": (*_MINIMAL, "dependencies_latest"),
    "minimal_migration_compile_only": _COMPILE_ONLY,
    "maximal_migration_compile_only": (*_COMPILE_ONLY, "dependencies_latest"),
}


def all_met(values: Iterable[MetricValue]) -> bool | None:
    """True, false, or None where none is false and some was not reached."""
    seen = list(values)
    if any(value is False for value in seen):
        return False
    return None if None in seen else True
