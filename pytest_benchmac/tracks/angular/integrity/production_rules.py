"""What is built for production has to be built as such."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.served_folders import is_known
from pytest_benchmac.tracks.angular.integrity.workspace import (
    LIBRARY_BUILDERS,
    AngularWorkspace,
    BuildTarget,
    counterpart,
    mapping,
)
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import line_in
from pytest_benchmac.tracks.findings import Findings

_PRODUCTION = "production"
#: The one builder that bundles with webpack. What others do unasked, it does from version 12 on.
_WEBPACK = ":browser"
#: Option -> the code of what is found where it is off, and in words.
_OFF = {
    "optimization": (
        "optimization-off",
        "What is built for production is not optimised (`optimization`).",
    ),
    "extractLicenses": (
        "licenses-left-out",
        "What is built for production lacks the licenses of the packages in it "
        "(`extractLicenses`).",
    ),
    "buildOptimizer": (
        "optimization-off",
        "What is built for production keeps code that nobody runs (`buildOptimizer`).",
    ),
}
#: One that the webpack builder alone has.
_OF_WEBPACK = "buildOptimizer"
#: Where the application says that it lies on its server.
_FOLDERS = ("baseHref", "deployUrl")
#: What decides which application is built, in every version of the builders.
_WHAT = ("main", "browser", "index", "fileReplacements", "polyfills", "scripts", "styles", "assets")
#: Off unless it is said, in every builder; without `crossOrigin` digests of other hosts fail.
_DIGESTS = ("subresourceIntegrity", "crossOrigin")
_NO_DIGESTS = (None, False, "none")
_AOT = "The build for production leaves compilation to the browser (`aot`)."


@dataclass(frozen=True)
class _Build:
    """A build target with the options of one configuration."""

    target: BuildTarget
    #: Does the webpack builder build for production unasked?
    by_default: bool

    @property
    def webpack(self) -> bool:
        return self.target.builder.endswith(_WEBPACK)

    def has(self, option: str) -> bool:
        """Is it on, by its own value or by the builder's?"""
        value = self.target.options.get(option, self.by_default or not self.webpack)
        return bool(value.get("scripts", True) if isinstance(value, dict) else value)

    @property
    def maps(self) -> bool:
        """Does it hand out source maps that its scripts name?"""
        value = self.target.options.get("sourceMap", self.webpack and not self.by_default)
        named = mapping(value)
        return bool(named.get("scripts", True) and not named.get("hidden") if named else value)


def check_production(
    base: AngularWorkspace,
    patched: AngularWorkspace,
    by_default: tuple[bool, bool],
    old_tree: SourceTree,
    findings: Findings,
) -> None:
    """Builds for production are optimised as far as the baseline's were.

    Args:
        base: of the untouched base.
        patched: of the patched tree.
        by_default: does the webpack builder of the base's version, and of the target's, build for
            production unasked?
        old_tree: the base's.
        findings: where to.
    """
    told: set[tuple[str, str]] = set()
    for number, (before, after) in enumerate(_ways(base, patched)):
        for target in after:
            old = counterpart(target, before)
            if old is None or {target.builder, old.builder} & LIBRARY_BUILDERS:
                continue
            was, now = _Build(old, by_default[0]), _Build(target, by_default[1])
            for option, (code, message) in _OFF.items():
                place = (target.project, option)
                if option == _OF_WEBPACK and not (was.webpack and now.webpack):
                    continue
                if was.has(option) and not now.has(option) and place not in told:
                    told.add(place)
                    findings.fatal(
                        code,
                        message,
                        file=patched.file,
                        line=line_in(patched, target, option),
                        expected=old.options.get(option, True),
                        seen=target.options.get(option, False),
                    )
            place = (target.project, "aot")
            if was.has("aot") and not now.has("aot") and place not in told:
                told.add(place)
                # Of the instance's own command, another rule tells it.
                if number:
                    findings.fatal(
                        "aot-off",
                        _AOT,
                        file=patched.file,
                        line=line_in(patched, target, "aot"),
                        expected=True,
                        seen=target.options.get("aot", False),
                    )
            for option in _FOLDERS:
                place = (target.project, option)
                folders = _folder(old, option), _folder(target, option)
                if folders[0] != folders[1] and place not in told:
                    told.add(place)
                    # An application may be moved, as to pages of its repository.
                    known = is_known(str(folders[1]), base, old_tree)
                    (findings.warning if known else findings.fatal)(
                        "base-folder",
                        f"The application is built for another folder of its server (`{option}`).",
                        file=patched.file,
                        line=line_in(patched, target, option),
                        expected=folders[0],
                        seen=folders[1],
                    )
            for option in _DIGESTS:
                place = (target.project, option)
                had, has = (each.options.get(option) for each in (old, target))
                if had in _NO_DIGESTS or has not in _NO_DIGESTS or place in told:
                    continue
                told.add(place)
                (findings.fatal if option == _DIGESTS[0] else findings.warning)(
                    "digests-left-out",
                    "What is built for production does not say any more what its scripts are, so "
                    f"that browsers take any (`{option}`).",
                    file=patched.file,
                    line=line_in(patched, target, option),
                    expected=had,
                    seen=False if has is None else has,
                )
            place = (target.project, "sourceMap")
            if now.maps and not was.maps and place not in told:
                told.add(place)
                findings.warning(
                    "source-maps-added",
                    "What is built for production has source maps beside it (`sourceMap`).",
                    file=patched.file,
                    line=line_in(patched, target, "sourceMap"),
                    expected=old.options.get("sourceMap", False),
                    seen=target.options.get("sourceMap", True),
                )


def _folder(target: BuildTarget, option: str) -> object:
    """Of a target; what it does not say is what the entry page says, the root in nearly all."""
    return target.options.get(option) or "/"


def check_unasked(base: AngularWorkspace, patched: AngularWorkspace, findings: Findings) -> None:
    """What is built unasked, by `npm run build` say, is what is built for production, if it was.

    Args:
        base: of the untouched base.
        patched: of the patched tree.
        findings: where to.
    """
    unasked, production = patched.configured(None), patched.configured((_PRODUCTION,))
    before = base.configured(None), base.configured((_PRODUCTION,))
    for target in unasked:
        asked, old, old_asked = (
            counterpart(target, each) for each in (production, before[0], before[1])
        )
        if asked is None or old is None or old_asked is None:
            continue
        for option in _WHAT:
            alike = old.options.get(option) == old_asked.options.get(option)
            if alike and target.options.get(option) != asked.options.get(option):
                findings.fatal(
                    "unasked-build",
                    f"Without a configuration another application is built (`{option}`).",
                    file=patched.file,
                    line=line_in(patched, target, option),
                    expected=asked.options.get(option),
                    seen=target.options.get(option),
                )


def _ways(
    base: AngularWorkspace, patched: AngularWorkspace
) -> Iterator[tuple[Sequence[BuildTarget], Sequence[BuildTarget]]]:
    """Both trees' targets as the instance's command builds them, unasked, and for production."""
    yield base.targets, patched.targets
    yield base.configured(None), patched.configured(None)
    if any(_PRODUCTION in target.configurations for target in base.targets):
        yield base.configured((_PRODUCTION,)), patched.configured((_PRODUCTION,))
