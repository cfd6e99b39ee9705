"""Is every component of the application in the scripts, once, and made from its own source?"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_benchmac.tracks.angular.integrity.bill import Bill, BuiltComponent
from pytest_benchmac.tracks.angular.integrity.inventory import (
    FATAL_RECALL,
    Declared,
    Inventory,
    selector_names,
)
from pytest_benchmac.tracks.findings import Findings

#: The selector that the compiler gives to a component without one.
_NO_SELECTOR = "ng-component"

Names = frozenset[frozenset[str]]


def check_components(
    base: Inventory, patched: Inventory, base_bill: Bill | None, bill: Bill, findings: Findings
) -> None:
    """See that what the sources declare was built from them. Never raises.

    Args:
        base: the baseline's inventory.
        patched: the patched tree's.
        base_bill: of the baseline's build; None where there is none.
        bill: of the build that is judged.
        findings: where to.
    """
    if bill.problem:
        return
    built = {(each.source, _built_names(each)) for each in bill.components}
    known = base_bill is not None and not base_bill.problem
    base_built = (
        {(each.source, _built_names(each)) for each in base_bill.components}
        if base_bill is not None and known
        else None
    )
    every = (*base.components, *base.directives)
    wanted = [
        each for each in every if each.used and (base_built is None or _key(each) in base_built)
    ]
    names = {each.name for each in wanted}
    selectors = {_names(each.selector) for each in wanted if each.selector}
    declared = [each for each in (*patched.components, *patched.directives) if each.used]
    unbuilt = [each for each in declared if _key(each) not in built]
    for each in unbuilt:
        old = each.name in names or (each.selector and _names(each.selector) in selectors)
        was_dead = base_built is not None and any(
            each.name == other.name and _key(other) not in base_built for other in every
        )
        (findings.fatal if old and not was_dead else findings.warning)(
            "selector-not-in-bundle",
            f"{each.name} is declared in the sources, but no script of the build defines it from "
            "there.",
            file=each.file,
            line=each.line,
            expected=f"a definition with the selector {each.selector or _NO_SELECTOR}",
            seen=_seen(each, bill.components),
        )
    _check_others(wanted, declared, base_built, bill, findings)
    made = {each.name for each in declared if _key(each) in built}
    made_selectors = {_names(each.selector) for each in declared if _key(each) in built}
    lost = [
        each
        for each in wanted
        if each.name not in made and _names(each.selector) not in made_selectors
    ]
    for each in lost:
        findings.warning(
            "baseline-selector-not-in-bundle",
            f"{each.name} of the baseline is not in the build.",
            expected=f"a definition with the selector {each.selector or _NO_SELECTOR}",
        )
    kept = 1 - len(lost) / len(wanted) if wanted else 1.0
    if kept < FATAL_RECALL:
        findings.fatal(
            "bundle-selectors-lost",
            f"The build holds only {kept:.0%} of the baseline's components and directives.",
            expected=f"at least {FATAL_RECALL:.0%}",
            seen=f"missing: {', '.join(each.name for each in lost)}",
        )
    dead = [e for e in every if e.used and base_built is not None and _key(e) not in base_built]
    _check_shown((base, dead), (patched, unbuilt), findings)


def is_compiled_by_browsers(base: Inventory, bill: Bill) -> bool:
    """Does a build leave it to browsers to compile its components, as `aot: false` has it?"""
    declared = {each.file for each in (*base.components, *base.directives) if each.used}
    return (
        bool(declared) and not bill.problem and not declared & {e.source for e in bill.components}
    )


def _check_others(
    wanted: Iterable[Declared],
    declared: Iterable[Declared],
    base_built: set[tuple[str, Names]] | None,
    bill: Bill,
    findings: Findings,
) -> None:
    """Nothing else in the scripts answers to a selector of the baseline's."""
    own: dict[Names, set[str]] = {}
    for each in wanted:
        if each.selector:
            own.setdefault(_names(each.selector), set())
    for each in declared:
        if _names(each.selector) in own:
            own[_names(each.selector)].add(each.file)
    for built in bill.components:
        names = _built_names(built)
        if names not in own or built.source in own[names]:
            continue
        if base_built is not None and (built.source, names) in base_built:
            continue
        findings.fatal(
            "component-not-own",
            "A component of the baseline is defined by something else than its own source.",
            file=built.source or None,
            line=built.line or None,
            expected=", ".join(sorted(own[names])) or "no definition",
            seen=f"{built.selector} defined in {built.source or 'no known source'}",
        )


def _check_shown(
    base: tuple[Inventory, Iterable[Declared]],
    patched: tuple[Inventory, Iterable[Declared]],
    findings: Findings,
) -> None:
    """Templates of components that were not built, which stand beside each, show nothing."""
    before, shown = (
        sum(inventory.tokens.values()) - sum(each.tokens for each in unbuilt)
        for inventory, unbuilt in (base, patched)
    )
    after = sum(patched[0].tokens.values())
    if shown < FATAL_RECALL * min(before, after):
        findings.fatal(
            "inventory-template-tokens",
            "Much of what the templates say belongs to components that were not built.",
            expected=f"at least {FATAL_RECALL:.0%} of {min(before, after)} tokens",
            seen=f"{shown} tokens",
        )


def _key(declared: Declared) -> tuple[str, Names]:
    return declared.file, _names(declared.selector)


def _names(selector: str | None) -> Names:
    """The names that each alternative of a selector asks for; those without names are left out."""
    parts = (selector_names(part) for part in (selector or _NO_SELECTOR).split(","))
    return frozenset(frozenset(part) for part in parts if part)


def _built_names(built: BuiltComponent) -> Names:
    return frozenset(frozenset(part) for part in built.names if part)


def _seen(declared: Declared, components: Iterable[BuiltComponent]) -> str:
    names = _names(declared.selector)
    found = [each.source or "no known source" for each in components if _built_names(each) == names]
    return f"defined in {', '.join(found)}" if found else "no such definition"
