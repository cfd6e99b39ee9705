"""Tracks by name: every package that registers one in the entry point group `benchmac.tracks`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pytest_benchmac.model.errors import TrackError
from pytest_benchmac.tracks.protocol import Stage, Track

GROUP = "benchmac.tracks"


@cache
def _registered() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        if entry.name in found and entry.value != found[entry.name].value:
            raise TrackError(
                f"two packages register the track {entry.name!r}: {found[entry.name].value} and "
                f"{entry.value}",
                remedy="Uninstall one of them.",
            )
        found[entry.name] = entry
    return found


def track_names() -> tuple[str, ...]:
    """The names of all installed tracks, sorted; none of them is imported."""
    return tuple(_registered())


@cache
def get_track(name: str) -> Track[Any]:
    """The track of that name, imported now if it was not.

    Raises:
        TrackError: there is none, its package is broken, or it contradicts itself.
    """
    entry = _registered().get(name)
    if entry is None:
        raise TrackError(
            f"no track {name!r} is installed; there are: {', '.join(track_names()) or 'none'}",
            remedy="Install the package that brings it, or correct the name.",
        )
    try:
        track = entry.load()
    except (ImportError, AttributeError) as error:
        raise TrackError(
            f"the track {name!r} cannot be imported: {error}",
            remedy="Install the package that brings it again.",
        ) from error
    if not isinstance(track, Track) or track.name != name:
        raise TrackError(
            f"{entry.value} is registered as the track {name!r} and is none",
            remedy="Correct the entry point in its pyproject.toml.",
        )
    if unknown := _unknown_stages(track):
        raise TrackError(
            f"the track {name!r} names stages that it does not have (before): {unknown}",
            remedy="Correct `needs` of its stages and the stages of its metrics.",
        )
    return track


def _unknown_stages(track: Track[Any]) -> str:
    """Needs that no earlier stage has the name of, and metrics of no stage."""
    known: set[str] = set()
    unknown: list[str] = []
    for stage in track.all_stages:
        unknown += [f"{stage.name} needs {need}" for need in stage.needs if need not in known]
        known.add(stage.name)
    unknown += [
        f"{name} is of {metric.stage}"
        for name, metric in track.metrics.items()
        if metric.stage not in known
    ]
    return ", ".join(unknown)


def get_stage(track: str, name: str) -> Stage[Any, Any]:
    """The stage of a track by its name.

    Raises:
        TrackError: the track has no such stage, as in a record of another version.
    """
    stages = {stage.name: stage for stage in get_track(track).all_stages}
    if name not in stages:
        raise TrackError(
            f"the track {track!r} has no stage {name!r}; it has: {', '.join(stages)}",
            remedy="Read the record with the version of the package that wrote it.",
        )
    return stages[name]
