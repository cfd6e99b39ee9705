"""What was asked for: the instances that every SUT of a leaderboard is measured on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pytest_benchmac.model.instance import Instance


@dataclass(frozen=True)
class Asked:
    """What was asked for of one track."""

    instances: frozenset[str] = frozenset()
    #: Who submitted anything; a SUT none of whose cases has a record is told, too.
    suts: frozenset[str] = frozenset()


def matches(instance_id: str, patterns: Sequence[str]) -> bool:
    """Does any of the shell patterns fit, or is there none?"""
    return not patterns or any(fnmatchcase(instance_id, pattern) for pattern in patterns)


def instances_asked(
    instances: Iterable[Instance], patterns: Sequence[str] = ()
) -> dict[str, Asked]:
    """Track -> the instances whose id matches one of the patterns; all without patterns."""
    named: dict[str, set[str]] = {}
    for instance in instances:
        if matches(instance.id, patterns):
            named.setdefault(instance.track, set()).add(instance.id)
    return {track: Asked(frozenset(names)) for track, names in named.items()}


def together(*parts: Mapping[str, Asked]) -> dict[str, Asked]:
    """All that any of the parts asks for."""
    found: dict[str, Asked] = {}
    for part in parts:
        for track, new in part.items():
            old = found.get(track, Asked())
            found[track] = Asked(old.instances | new.instances, old.suts | new.suts)
    return found


def asked_to_json(asked: Mapping[str, Asked]) -> dict[str, dict[str, list[str]]]:
    """For `leaderboard.json`, and `asked_from_json`."""
    return {
        track: {"instances": sorted(of.instances), "suts": sorted(of.suts)}
        for track, of in sorted(asked.items())
    }


def asked_from_json(fields: Mapping[str, Any]) -> dict[str, Asked]:
    """What `asked_to_json` wrote."""
    return {
        track: Asked(frozenset(of["instances"]), frozenset(of["suts"]))
        for track, of in fields.items()
    }


def asked_in(folders: Iterable[Path]) -> dict[str, Asked]:
    """What the last session in each report folder was asked for, in all its shards.

    Nothing where `leaderboard.json` does not say: an older one, another tool's, or none at all.
    """
    parts = []
    for folder in folders:
        try:
            fields = json.loads((folder / "leaderboard.json").read_bytes())
            parts.append(asked_from_json(fields["run"]["asked"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
    return together(*parts)
