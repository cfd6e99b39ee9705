"""Version ranges as npm, pnpm and yarn read them.

Source: the README and the grammar of npm's `semver` (version 7), without its option `loose`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NUMBER = r"0|[1-9][0-9]{0,14}"
_VERSION = re.compile(
    rf"[v=\s]*(?P<major>{_NUMBER})\.(?P<minor>{_NUMBER})\.(?P<patch>{_NUMBER})"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
)
_X = rf"{_NUMBER}|[xX*]"
_PARTIAL = (
    rf"[v=\s]*(?P<major>{_X})(?:\.(?P<minor>{_X})(?:\.(?P<patch>{_X})"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?)?)?"
)
_COMPARATOR = re.compile(rf"(?P<sign>\^|~>?|[<>]=?|=|)\s*(?:{_PARTIAL})?")
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
#: Spaces between a sign and its version.
_GAP = re.compile(r"([<>]=?|~>?|\^|=)\s+")
_MAX_LENGTH = 2048

_Core = tuple[int, int, int]


@dataclass(frozen=True)
class Version:
    """A version. Build metadata does not count."""

    core: _Core
    pre: tuple[int | str, ...] = ()

    def key(self) -> tuple[object, ...]:
        """What versions are compared by: pre-releases come first, numbers before words."""
        return self.core, not self.pre, tuple((isinstance(p, str), p) for p in self.pre)

    def __lt__(self, other: Version) -> bool:
        return self.key() < other.key()


@dataclass(frozen=True)
class _Bound:
    sign: str
    version: Version

    def holds(self, version: Version) -> bool:
        if self.sign in (">=", "<=", "=") and version == self.version:
            return True
        return (self.sign[0] == ">" and self.version < version) or (
            self.sign[0] == "<" and version < self.version
        )


_LOWEST = _Bound(">=", Version((0, 0, 0)))


def parse_version(text: str) -> Version | None:
    """An exact version; None for anything else."""
    match = _VERSION.fullmatch(text.strip()) if len(text) <= _MAX_LENGTH else None
    return None if match is None else Version(_core(match), _pre(match["pre"]))


def satisfies(version: str, range_: str) -> bool | None:
    """Is a version in a range?

    Args:
        version: an exact one.
        range_: such as `^1.2.0 || >=2 <4`.

    Returns:
        None where one of the two cannot be read: a tag, say.
    """
    found = parse_version(version)
    if found is None or len(range_) > _MAX_LENGTH:
        return None
    alternatives: list[list[_Bound]] = []
    for each in range_.split("||"):
        bounds = _bounds(each.strip())
        if bounds is None:
            return None
        # npm takes `>=0.0.0` for `*`, as which it holds no pre-release.
        alternatives.append([bound for bound in bounds if bound != _LOWEST])
    # As npm has it: beside one that holds everything, no other alternative counts.
    counting = [[]] if [] in alternatives else alternatives
    return any(_holds(bounds, found) for bounds in counting)


def _holds(bounds: list[_Bound], version: Version) -> bool:
    """A pre-release counts only where a bound names one of the same version."""
    return all(bound.holds(version) for bound in bounds) and (
        not version.pre
        or any(bound.version.pre and bound.version.core == version.core for bound in bounds)
    )


def _bounds(text: str) -> list[_Bound] | None:
    """What a version has to be, all of it; None where the text is no range."""
    if hyphen := _HYPHEN.fullmatch(text):
        low, high = _partial(hyphen[1], ">="), _partial(hyphen[2], "<=")
        return None if low is None or high is None else [*low, *high]
    bounds: list[_Bound] = []
    for part in _GAP.sub(r"\1", text).split():
        match = _COMPARATOR.fullmatch(part)
        if match is None or not _whole(match):
            return None
        bounds += _of(match, match["sign"] or "=")
    return bounds


def _partial(text: str, sign: str) -> list[_Bound] | None:
    match = _COMPARATOR.fullmatch(text)
    if match is None or match["sign"] or not _whole(match):
        return None
    return list(_of(match, sign))


def _whole(match: re.Match[str]) -> bool:
    """Has it a first number, or an x, and none after an x?"""
    given = [match[part] for part in ("major", "minor", "patch")]
    known = [each is not None and each not in "xX*" for each in given]
    return given[0] is not None and known == sorted(known, reverse=True)


def _of(match: re.Match[str], sign: str) -> Iterator[_Bound]:
    """The bounds of one comparator, whose version may lack its last numbers."""
    given = [match[part] for part in ("major", "minor", "patch")]
    numbers = [int(each) for each in given if each is not None and each not in "xX*"]
    known = len(numbers)
    low: _Core = (*numbers, 0, 0, 0)[:3]  # type: ignore[assignment]
    pre = _pre(match["pre"]) if known == len(given) else ()
    if sign in ("^", "~", "~>"):
        if not known:
            return
        yield _Bound(">=", Version(low, pre))
        if sign == "^":
            fixed = next((i for i, number in enumerate(numbers) if number), known - 1)
        else:
            fixed = min(1, known - 1)
        yield _Bound("<", _next(low, fixed))
    elif known == len(given):
        yield _Bound(sign, Version(low, pre))
    elif sign == "=":
        if known:
            yield _Bound(">=", Version(low))
            yield _Bound("<", _next(low, known - 1))
    elif not known:
        if sign in ("<", ">"):
            yield _Bound("<", Version((0, 0, 0), (0,)))
    elif sign in (">", "<="):
        after = _next(low, known - 1)
        yield _Bound(">=", Version(after.core)) if sign == ">" else _Bound("<", after)
    elif sign == "<":
        yield _Bound("<", Version(low, (0,)))
    else:
        yield _Bound(">=", Version(low))


def _next(core: _Core, position: int) -> Version:
    """Below every pre-release of what comes after all that begin with the same numbers."""
    numbers = [*core[:position], core[position] + 1, 0, 0][:3]
    return Version((numbers[0], numbers[1], numbers[2]), (0,))


def _core(match: re.Match[str]) -> _Core:
    return int(match["major"]), int(match["minor"]), int(match["patch"])


def _pre(text: str | None) -> tuple[int | str, ...]:
    return tuple(int(p) if p.isdigit() else p for p in text.split(".")) if text else ()
