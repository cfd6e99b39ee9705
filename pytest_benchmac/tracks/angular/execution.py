"""Whether a boot executed what was built, and all of the base's components: pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pytest_benchmac.tracks.angular.boot.record import Executed, ForeignScript
from pytest_benchmac.tracks.angular.integrity.bill import Bill, BuiltComponent
from pytest_benchmac.tracks.findings import Findings

#: So large a share of the components that the base ran may be gone, rounded down: 1 of 20.
TOLERATED = 0.05
#: What libraries ask to find the global object, as `Function('return this')()`.
_GLOBAL = re.compile(r"\(?function anonymous\(\s*\) \{\s*return (this|globalThis);?\s*\}\)?")


def templates_of(bill: Bill) -> dict[str, list[int]]:
    """Where template functions start, by script: UTF-16 code units."""
    return {
        name: [
            each.template_offset for each in script.components if each.template_offset is not None
        ]
        for name, script in bill.scripts.items()
    }


def check_execution(
    base: Executed,
    base_bill: Bill,
    case: Executed,
    bill: Bill,
    findings: Findings,
    *,
    values_changed: Callable[[str], bool],
) -> None:
    """Compare what the case executed with its bill of materials, and with what the base did.

    Args:
        base: what the boot of the untouched base executed.
        base_bill: of that base's build.
        case: what the case's boot executed.
        bill: of the case's build.
        findings: what does not hold is added here.
        values_changed: is a copied file of this path a script that the base has at the same path,
            but for values that nothing in it can run?
    """
    for foreign in _foreign(base, case):
        findings.fatal(
            "foreign-script-executed",
            f"A page executes a script that is no file of the build, or tries to, of a kind "
            f"({foreign.kind}) that the base does not.",
            expected="files of the build",
            seen=f"{foreign.address} {foreign.start}".strip(),
        )
    if case.more > base.more:
        findings.fatal(
            "foreign-script-executed",
            "Pages execute more scripts than are looked at.",
            expected=base.more,
            seen=case.more,
        )
    if case.peers and not base.peers:
        findings.fatal(
            "peer-connection",
            "A page connects to other browsers (WebRTC), which no request tells, and the base does "
            "not.",
            expected="requests alone",
            seen="a peer connection",
        )
    known = set(base.files.values())
    for name, sha256 in case.files.items():
        billed = bill.scripts.get(name)
        built = billed is not None and not billed.asset and billed.sha256 == sha256
        if built or sha256 in known:
            continue
        if name not in base.files or not values_changed(name):
            findings.fatal(
                "asset-executed",
                "A page executes a file that the build only copied, and that the base does not.",
                file=name,
                expected="a script that the builder made",
                seen="another file",
            )
    _check_components(_ran(base, base_bill), _ran(case, bill), findings)


def _foreign(base: Executed, case: Executed) -> Iterable[ForeignScript]:
    known = {_known(each) for each in base.foreign if not _harmless(each)}
    return (each for each in case.foreign if _known(each) not in known and not _harmless(each))


def _harmless(script: ForeignScript) -> bool:
    return script.kind == "eval" and _GLOBAL.fullmatch(script.start.strip()) is not None


def _known(script: ForeignScript) -> tuple[str, str]:
    """What makes a script one that the base has, too: most are made anew each time."""
    told = {"inline": script.sha256, "blocked": script.start}
    return script.kind, told.get(script.kind, "")


def _ran(executed: Executed, bill: Bill) -> list[BuiltComponent]:
    """The components whose template functions ran."""
    return [
        component
        for name, offsets in executed.templates.items()
        if (script := bill.scripts.get(name)) is not None
        for component in script.components
        if component.template_offset in offsets
    ]


def _keys(component: BuiltComponent) -> Iterable[tuple[object, ...]]:
    """What a component may be known by: a migration may move its file or rename its class."""
    yield "file", component.source, component.names
    if component.class_name:
        yield "class", component.class_name
    # What the compiler calls a component that has none.
    if component.selector != "ng-component":
        yield "selector", component.names


def _check_components(
    base: Iterable[BuiltComponent], case: Iterable[BuiltComponent], findings: Findings
) -> None:
    known = {key for each in case for key in _keys(each)}
    wanted = {f"{each.class_name or each.selector} of {each.source}": each for each in base}
    missing = [name for name, each in wanted.items() if known.isdisjoint(_keys(each))]
    tell = findings.fatal if len(missing) > int(TOLERATED * len(wanted)) else findings.warning
    for name in sorted(missing):
        tell(
            "component-not-run",
            "A component that the base shows on these pages is not run by the case.",
            expected=name,
            seen=f"{len(wanted) - len(missing)} of {len(wanted)} ran",
        )
