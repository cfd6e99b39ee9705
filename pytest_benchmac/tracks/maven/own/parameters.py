"""Names of parameters, which class files may tell, and by which some users give arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.declared import read_rows, rows_of
from pytest_benchmac.tracks.maven.own.redeclared import TAKEN
from pytest_benchmac.tracks.maven.own.renaming import new_descriptor, new_name, with_slashes
from pytest_benchmac.tracks.maven.own.samecode import parameters_of
from pytest_benchmac.tracks.maven.own.units import MAIN


def named_parameters(
    compiled: OwnCompile, folders: Collection[str]
) -> dict[str, dict[str, list[str]]]:
    """Class -> method that others may call -> its parameters, of the modules in these folders."""
    found: dict[str, dict[str, list[str]]] = {}
    known, rows = compiled.classes(MAIN), rows_of(compiled)
    for folder in folders:
        declared = read_rows(rows.get(folder, ()))
        for each in declared.own():
            if declared.is_open(each) and each.name in known:
                told = parameters_of(compiled.content(known[each.name][1])) or {}
                methods = {f"{one.name}{one.descriptor}" for one in each.members}
                of_class = {method: list(told[method]) for method in methods & told.keys()}
                if of_class:
                    found[each.name] = of_class
    return found


def renamed_parameters(
    base: Mapping[str, Mapping[str, list[str]]], compiled: OwnCompile, renamed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Methods whose parameters the patch's class files call otherwise, and what they call them.

    Args:
        base: of `named_parameters`.
        compiled: the patched tree, by the harness.
        renamed: class of the base -> the patch's.
    """
    known, slashed = compiled.classes(MAIN), with_slashes(renamed)
    for of, methods in sorted(base.items()):
        _, path = known.get(new_name(of, renamed), ("", ""))
        told = (parameters_of(compiled.content(path)) if path else None) or {}
        for method, names in sorted(methods.items()):
            now = told.get(new_descriptor(method, slashed))
            if now is not None and any(
                one != other and one not in TAKEN for one, other in zip(names, now, strict=False)
            ):
                yield f"{of}: {method}", ", ".join(now)


def check_parameters(
    findings: Findings,
    facts: Mapping[str, Any],
    compiled: OwnCompile,
    renamed: Mapping[str, str],
) -> None:
    """Report other names of parameters, where the base's class files told them."""
    found = list(renamed_parameters(facts.get("parameters", {}), compiled, renamed))
    if found:
        findings.fatal(
            "declaration-changed",
            f"Class files call parameters otherwise than the base's: {len(found)} methods.",
            file=found[0][0].partition(":")[0],
            seen="; ".join(f"{method} has {names}" for method, names in found[:5]),
        )
