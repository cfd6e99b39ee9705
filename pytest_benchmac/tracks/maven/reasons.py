"""Why a criterion is not met, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchmac.tracks.maven.classfiles import class_major

SHOWN = 10


def class_reason(seen: Mapping[str, Any], target_version: str) -> str:
    """Why r2 is not met: some class is of another version, or there is none; empty when it is."""
    wanted = str(class_major(target_version))
    majors: Mapping[str, int] = seen.get("majors", {})
    if not majors:
        return "there is no class below */target/classes"
    if set(majors) == {wanted}:
        return ""
    told = ", ".join(f"{count} of {major}" for major, count in majors.items())
    example = (seen.get("others") or ["?"])[0]
    return f"class versions: {told}; wanted: {wanted} for each (not so: {example})"


def methods_reason(seen: Mapping[str, Any]) -> str:
    """Why r3 is not met: the test methods that came and went; empty when it is."""
    told = []
    for what in ("removed", "added"):
        names = seen.get(what, [])
        if names:
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            told.append(f"{what}: {', '.join(names[:SHOWN])}{more}")
    return "; ".join(told)


def counts_reason(seen: Mapping[str, Any]) -> str:
    """Why r4 is not met: fewer tests ran than at the base; empty when it is."""
    if unread := seen.get("unread"):
        path, why = next(iter(unread.items()))
        return f"{path} {why}"
    ran, baseline = seen["tests_run"], seen.get("baseline_run")
    wanted = 1 if baseline is None else baseline
    if ran >= wanted:
        return ""
    return f"{ran} tests ran ({seen['tests_skipped']} skipped); wanted: at least {wanted}"


def dependencies_reason(seen: Mapping[str, Any]) -> str:
    """Why r5 is not met: what is below its required major version; empty when it is."""
    if unread := seen.get("unread"):
        path, why = next(iter(unread.items()))
        return f"{path} {why}"
    short: Sequence[Mapping[str, str]] = seen.get("short", [])
    told = [f"{e['artifact']} {e['version']} (wanted: {e['wanted']})" for e in short[:SHOWN]]
    return ", ".join(told)
