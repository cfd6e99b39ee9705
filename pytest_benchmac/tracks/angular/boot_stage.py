"""The boot stage: the build in a browser, beside the boot of the untouched base."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.base_build import BaseBuild
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.compare import BootResult, faults
from pytest_benchmac.tracks.angular.boot.known import KnownBoots
from pytest_benchmac.tracks.angular.boot.record import Executed
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.stage import boot_and_compare
from pytest_benchmac.tracks.angular.build import BuildStage
from pytest_benchmac.tracks.angular.execution import check_execution, templates_of
from pytest_benchmac.tracks.angular.failures import diagnose_boot
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity import legs
from pytest_benchmac.tracks.angular.integrity.bill import Bill, library_elements
from pytest_benchmac.tracks.angular.integrity.script_reading import read_syntax
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

    def standby(self, context: StageContext[AngularInstance]) -> Standby | None:
        """A browser that boots the base, and then waits for the case."""
        return boot_plan(context).standby

    def run(self, context: StageContext[AngularInstance]) -> BootResult:
        """Boot what the case built."""
        instance = context.instance
        untouched = context.submission.kind is SubmissionKind.BASELINE
        migration = instance.migration
        version = migration.source_version if untouched else migration.target_version
        bill = context.of(BuildStage()).bill
        base_bill = BaseBuild.bill_of(context.baseline_facts)
        # Where one of the two is not known, all elements are the application's own.
        libraries = (
            frozenset() if base_bill is None or bill is None else library_elements(base_bill, bill)
        )
        return boot_and_compare(
            context,
            replace(boot_plan(context), libraries=libraries),
            source_major=_major(migration.source_version),
            expected_major=_major(version),
            # What the clean room built, where there was one.
            templates=templates_of(bill) if bill is not None else {},
            check=lambda base, case: _check(context, (base_bill, bill), base, case),
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


def _check(
    context: StageContext[AngularInstance],
    bills: tuple[Bill | None, Bill | None],
    base: Executed,
    case: Executed,
) -> None:
    """The integrity leg: what is executed is what was built, and no less than the base's."""
    base_bill, bill = bills
    if bill is None or base_bill is None or context.integrity.unchecked:
        return
    with context.integrity.leg(legs.EXECUTION) as leg:
        check_execution(
            base,
            base_bill,
            case,
            bill,
            leg.findings,
            values_changed=lambda name: _values_changed(context, name, base, case),
        )


def _values_changed(
    context: StageContext[AngularInstance], name: str, base: Executed, case: Executed
) -> bool:
    """Is a script what the base has there, but for values that nothing in it can run?"""
    build = BaseBuild.load(context)
    if build is None or context.artifacts is None:
        return False
    sites = Site.find(build.folder), Site.find(context.artifacts)
    scripts = [site.read(name) if site is not None else None for site in sites]
    written = [each for each in scripts if each is not None]
    if [hashlib.sha256(each).hexdigest() for each in written] != [
        base.files[name],
        case.files[name],
    ]:
        # What was executed is not what is here.
        return False
    before, after = read_syntax(written)
    return after.without_values is not None and after.without_values == before.without_values


def _major(version: str) -> int:
    """Of a version, or of a target, which may be a major alone."""
    return int(version.partition(".")[0])


def boot_plan(context: StageContext[AngularInstance]) -> BootPlan:
    """What the instance declares; ValueError where it declares no boot."""
    instance = context.instance
    if instance.boot is None:
        raise ValueError(f"{instance.id} declares no boot")
    base = None
    if (build := BaseBuild.load(context)) is not None:
        base = Site.find(build.folder)
        base = base and replace(base, templates=templates_of(build.bill))
    return BootPlan(
        boot=instance.boot,
        fixtures=instance.http_fixtures,
        directory=instance.directory,
        timeout_s=instance.timeouts.boot,
        seed=context.seed,
        base=base,
        known=None if context.plain else KnownBoots.of(context.cache),
    )
