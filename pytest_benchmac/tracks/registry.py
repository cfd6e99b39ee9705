"""Tracks: one protocol, one module per family of instances."""

from pytest_benchmac.tracks.angular.track import AngularTrack
from pytest_benchmac.tracks.maven.track import MavenTrack
from pytest_benchmac.tracks.protocol import Track

_TRACKS: dict[str, Track] = {track.name: track for track in (AngularTrack(), MavenTrack())}

TRACK_NAMES: tuple[str, ...] = tuple(sorted(_TRACKS))


def get_track(name: str) -> Track:
    """The track of that name; KeyError names those there are."""
    if name not in _TRACKS:
        raise KeyError(f"no track {name!r}; there are: {', '.join(TRACK_NAMES)}")
    return _TRACKS[name]
