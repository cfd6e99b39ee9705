"""The boot stage: the build in a browser, beside the boot of the untouched base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.compare import BootResult, faults
from pytest_benchmac.tracks.angular.boot.stage import boot_and_compare
from pytest_benchmac.tracks.angular.failures import diagnose_boot
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.output import output_folders_of
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Stage, StageContext, Standby

#: Faults of a boot that its reason names.
_FAULTS_TOLD = 5


class BootStage(Stage[AngularInstance, BootResult]):
    """In a browser, the built application runs on the target's version, as the baseline did."""

    name = "boot"
    needs = ("build",)
    observations = BootResult

    def standby(self, instance: AngularInstance) -> Standby | None:
        """A browser with open pages."""
        return boot_plan(instance).standby

    def run(self, context: StageContext[AngularInstance]) -> BootResult:
        """Boot what the case built."""
        instance = context.instance
        untouched = context.submission.kind is SubmissionKind.BASELINE
        migration = instance.migration
        version = migration.source_version if untouched else migration.target_version
        return boot_and_compare(
            context,
            boot_plan(instance),
            expected_major=int(version.partition(".")[0]),
            # What the clean room built, where there was one.
            build_output=lambda: context.artifacts or context.collect(output_folders_of(context)),
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What the boot did that the baseline's did not, at most five of it."""
        found = faults(self.seen(result))
        more = f" (and {len(found) - _FAULTS_TOLD} more)" if len(found) > _FAULTS_TOLD else ""
        return "; ".join(found[:_FAULTS_TOLD]) + more

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """By what the pages did."""
        try:
            return diagnose_boot(BootResult.model_validate(observations))
        except ValidationError:
            # It was broken off before it saw anything.
            return None


def boot_plan(instance: AngularInstance) -> BootPlan:
    """What the instance declares; ValueError where it declares no boot."""
    if instance.boot is None:
        raise ValueError(f"{instance.id} declares no boot")
    return BootPlan(
        boot=instance.boot,
        fixtures=instance.http_fixtures,
        directory=instance.directory,
        timeout_s=instance.timeouts.boot,
    )
