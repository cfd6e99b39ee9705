"""The boot stage, and what it learns from the untouched base."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.model.errors import BaselineError, CopyLimitError, InfrastructureError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.angular.boot.browser import (
    BootPlan,
    BrokenBootError,
    NoBrowserError,
)
from pytest_benchmac.tracks.angular.boot.compare import (
    BootResult,
    base_faults,
    compare,
    faults,
    hosts_of,
    looks_of,
)
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.control import ControlResult, compare_controls
from pytest_benchmac.tracks.angular.boot.errors import error_keys
from pytest_benchmac.tracks.angular.boot.picture_pairs import ARTIFACTS, Pictures
from pytest_benchmac.tracks.angular.boot.policy import LEARNING, policy_like
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Executed
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.uses import new_uses
from pytest_benchmac.tracks.angular.boot.walk import (
    NAMED,
    WalkResult,
    compare_walks,
    once_more,
    unfinished_walks,
)
from pytest_benchmac.tracks.angular.boot.walked import Walks
from pytest_benchmac.tracks.protocol import StageContext, StartedStandby

_NO_INDEX = "the build left no index.html"
#: How often the base's walks are taken once more, where that fails.
_TRIES = 2


def boot_and_compare(
    context: StageContext[Instance],
    plan: BootPlan,
    *,
    source_major: int,
    expected_major: int,
    build_output: Callable[[], Path],
    templates: Mapping[str, Sequence[int]],
    check: Callable[[Executed, Executed], None],
) -> BootResult:
    """Boot what the case built, and compare it with the boot of the base where the plan has one.

    Where anything is wrong, it is booted once more, and nothing is unless it is then; but for what
    no busy machine brings about.

    Args:
        context: of the boot stage.
        plan: what the instance declares.
        source_major: major version of the framework at the base.
        expected_major: major version that the running framework has to have.
        build_output: the folder on the host with what was built.
        templates: where its template functions start, by script.
        check: told what the base and the case executed.

    Raises:
        BaselineError: the base does not boot, with nothing of the case beside it.
        CopyLimitError: the application is too large.
        InfrastructureError: the sandbox or the harness failed.
    """
    result = BootResult(
        expected_major=expected_major,
        min_tree_similarity=plan.boot.min_tree_similarity,
        margins=plan.boot.margins,
        compared=plan.base is not None,
        declared=plan.boot.pages,
        seed=plan.seed,
    )
    site = Site.find(build_output())
    if site is None:
        return result.model_copy(update={"problem": _NO_INDEX})
    site = replace(site, templates=templates)

    def carried(folder: Path) -> _Carried:
        return _carry_out(context, plan, site, source_major, result, folder)

    with TemporaryDirectory(dir=context.scratch) as folder:
        boot = carried(Path(folder) / "1")
        if (wrong := faults(boot.result)) and not _is_sure(boot.result):
            # A busy machine shows a frame late; what an application does wrong, it does again.
            again = carried(Path(folder) / "2")
            seen = _once_more(again.result, boot.result)
            boot = boot if faults(seen) else replace(again, result=seen)
            told = {"boots": 2, "first_faults": tuple(wrong[:NAMED])}
            boot = replace(boot, result=boot.result.model_copy(update=told))
        if boot.executed is not None:
            check(*boot.executed)
        if boot.kept is not None:
            context.keep(boot.kept, ARTIFACTS)
    return boot.result


def _is_sure(result: BootResult) -> bool:
    return result.walk is not None and result.walk.is_sure


def _once_more(result: BootResult, earlier: BootResult) -> BootResult:
    if result.walk is None or earlier.walk is None:
        return result
    return result.model_copy(update={"walk": once_more(result.walk, earlier.walk)})


@dataclass(frozen=True)
class _Carried:
    """A boot that was carried out."""

    result: BootResult
    #: Folder of its artifacts; None where it broke off.
    kept: Path | None = None
    #: What the base and the case executed; None without a base.
    executed: tuple[Executed, Executed] | None = None


def _carry_out(
    context: StageContext[Instance],
    plan: BootPlan,
    site: Site,
    source_major: int,
    result: BootResult,
    folder: Path,
) -> _Carried:
    """Boot the case once, and compare it.

    Args:
        context: of the boot stage.
        plan: what the instance declares.
        site: the application.
        source_major: major version of the framework at the base.
        result: what is known of it before.
        folder: a new one, for what is kept.
    """
    kept, before = folder / ARTIFACTS, folder / "base"
    try:
        booted = _booted(context, site, plan, source_major, kept, before)
    except BrokenBootError as error:
        return _Carried(result.model_copy(update={"problem": str(error)}))
    pictures = Pictures(kept, before, result.margins)
    if booted.base is not None:
        pictures.compare(booted.case, booted.base)
        _write(kept / "baseline.json", booted.base)
    _write(kept / "boot.json", booted.case)
    pages = [
        page.model_copy(update=pictures.paths(page.name, page.screenshot))
        for page in compare(booted.case, booted.base, booted.boot, pictures.shares, pictures.hidden)
    ]
    walk = None
    controls: tuple[ControlResult, ...] = ()
    uses: tuple[str, ...] = ()
    if (base := booted.base) is not None:
        uses = new_uses(base.executed, booted.case.executed)[:NAMED]
        controls = compare_controls(
            booted.case.controls, base.controls, _known_errors(base), hosts_of(base.pages)
        )
        if base.walks:
            walk = _walked(context, plan, booted, base, pictures.hidden_steps)
    more = {
        "browser": booted.case.browser,
        "plain": booted.plain,
        "pages": tuple(pages),
        "looks": looks_of(booted.case),
        "baseline_looks": looks_of(booted.base),
        "walk": walk,
        "controls": controls,
        "uses": uses,
    }
    return _Carried(
        result.model_copy(update=more),
        kept,
        None if booted.base is None else (booted.base.executed, booted.case.executed),
    )


def _walked(
    context: StageContext[Instance],
    plan: BootPlan,
    booted: _Booted,
    base: BootRecord,
    hidden: Mapping[tuple[int, int], Sequence[str]],
) -> WalkResult:
    """Hold the case's walks against the base's.

    What differs between two walks of the base is no difference of the case. Where the case differs
    in nothing, there is none to be told from noise, and the base is not walked through once more.
    """

    def compared(again: Walks | None) -> WalkResult:
        return compare_walks(
            base.walks,
            again,
            booted.case.walks,
            max_other_steps=booted.boot.max_other_steps,
            margins=booted.boot.margins,
            other_values=frozenset(booted.boot.other_values),
            literals=plan.literals,
            answered=plan.answered,
            known_errors=_known_errors(base),
            known_hosts=hosts_of(base.pages),
            libraries=plan.libraries,
            hidden=hidden,
        )

    first = compared(None)
    if not first.differs:
        return first
    return compared(_later(context, replace(plan, plain=booted.plain), base))


def _known_errors(base: BootRecord) -> frozenset[str]:
    return error_keys(
        error for page in base.pages for error in (*page.console_errors, *page.exceptions)
    )


def _later(context: StageContext[Instance], plan: BootPlan, base: BootRecord) -> Walks:
    """The base's walks, taken by the base once more."""
    known = plan.known
    if known is not None and (walks := known.later(plan.key)) is not None:
        return walks
    told = ""
    for number in range(_TRIES):
        with (
            TemporaryDirectory(dir=context.scratch) as folder,
            context.bare(plan.standby.recipe) as browser,
        ):
            try:
                again = plan.walks_later(
                    browser.sandbox,
                    base.way,
                    log=context.logs / f"boot.base.{number + 1}.log",
                    screenshots=Path(folder) / "later",
                )
            except (BrokenBootError, CopyLimitError, NoBrowserError) as error:
                told = str(error)
                continue
        told = unfinished_walks(base.walks, again)
        if not told:
            if known is not None:
                known.keep_later(plan.key, again)
            return again
    raise _too_slow(context, told)


def learn_boot(
    context: StageContext[Instance], plan: BootPlan, built: Path, *, source_major: int
) -> None:
    """See that the untouched base boots.

    Args:
        context: for learning.
        plan: what the instance declares.
        built: folder on the host with what the base built.
        source_major: major version of the framework at the base.

    Raises:
        BaselineError: the base does not do what every patch is asked to.
        InfrastructureError: the sandbox or the harness failed.
    """
    site = Site.find(built)
    if site is None:
        raise BaselineError(f"{context.instance.id}: {_NO_INDEX}")
    wrong: Sequence[str] = ()
    for each in (plan, replace(plan, plain=True)):
        with (
            TemporaryDirectory(dir=context.scratch) as folder,
            context.standby(each.standby) as browser,
        ):
            try:
                record = _driven(browser, site, each, Path(folder) / ARTIFACTS)
            except BrokenBootError as error:
                raise BaselineError(f"{context.instance.id}: {error}") from error
        wrong = base_faults(record, plan.boot, source_major)
        if not wrong:
            return
    raise _base_does_not_boot(context, wrong)


@dataclass(frozen=True)
class _Booted:
    case: BootRecord
    base: BootRecord | None
    plain: bool
    #: What was expected of both, with the data that they got.
    boot: Boot


def _booted(
    context: StageContext[Instance],
    site: Site,
    plan: BootPlan,
    source_major: int,
    kept: Path,
    before: Path,
) -> _Booted:
    """Boot the base, and then the case.

    A base that fails, which it may under conditions that its instance's author never saw, does so
    before anything of the case is in the browser's sandbox. What was started ahead ran beside the
    case's build, though, which may have taken its time: it is booted once more under the same.
    """
    failure: InfrastructureError | None = None
    for each in (plan, plan, replace(plan, plain=True)):
        with context.standby(each.standby) as browser:
            try:
                base = None
                if each.base is not None:
                    base = _base_boot(context, browser, each, source_major, before)
                own = _driven(browser, site, each, kept, base)
                return _Booted(own, base, each.plain, each.data[0])
            except (BaselineError, NoBrowserError) as error:
                failure = error
    raise failure or RuntimeError("it was tried")


def _base_boot(
    context: StageContext[Instance],
    browser: StartedStandby,
    plan: BootPlan,
    source_major: int,
    screenshots: Path,
) -> BootRecord:
    shutil.rmtree(screenshots, ignore_errors=True)
    try:
        base = plan.base_record(browser.sandbox, screenshots)
    except (BrokenBootError, CopyLimitError) as error:
        raise _base_does_not_boot(context, [str(error)]) from error
    if wrong := base_faults(base, plan.data[0], source_major):
        raise _base_does_not_boot(context, wrong)
    if base.walks_problem:
        raise BaselineError(
            f"{context.instance.id}: no walks through the untouched base: {base.walks_problem}",
            remedy="Run again. Please report it, with the instance, if it stays so.",
        )
    if unfinished := unfinished_walks(base.walks, base.walks):
        raise _too_slow(context, unfinished)
    if plan.known is not None:
        plan.known.keep(plan.key, base, screenshots)
    return base


def _too_slow(context: StageContext[Instance], told: str) -> BaselineError:
    return BaselineError(
        f"{context.instance.id}: {told}",
        remedy="Run fewer cases at a time, or give [timeouts] boot more seconds.",
    )


def _base_does_not_boot(context: StageContext[Instance], wrong: Sequence[str]) -> BaselineError:
    return BaselineError(
        f"{context.instance.id}: the untouched base does not boot: {'; '.join(wrong)}",
        remedy="Correct [boot] in instance.toml; `benchmac propose-boot` proposes one.",
    )


def _driven(
    browser: StartedStandby,
    site: Site,
    plan: BootPlan,
    screenshots: Path,
    base: BootRecord | None = None,
) -> BootRecord:
    return plan.drive(
        browser.sandbox,
        lambda timeout_s: browser.finish(timeout_s=timeout_s).attempt.exit_code,
        site,
        screenshots=screenshots,
        policy=LEARNING if base is None else policy_like(base),
    )


def _write(file: Path, record: BootRecord) -> None:
    file.write_text(json.dumps(record.model_dump(mode="json"), indent=1) + "\n")
