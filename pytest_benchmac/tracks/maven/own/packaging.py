"""What Maven packages of a patched tree, in a room where nothing of its tests has run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.alongside import unreached
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.packaged import (
    Archived,
    package,
    packaged,
    starts_alike,
    with_poms,
    without_poms,
)
from pytest_benchmac.tracks.maven.own.units import MAIN, TEST
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.reading import MavenContext, copy_folders, folders_of

_STARTS_OTHERS = "it starts other classes, or has another name as a module"


@dataclass(frozen=True)
class Packaged:
    """What Maven made in a room where nothing of the tests has run."""

    #: Folder of each module whose archive is not what was compiled, though the base's is -> why.
    wrong: Mapping[str, str] = field(default_factory=dict)
    #: Test classes that are not what was compiled, where the base's are.
    tests: Sequence[str] = ()
    #: What else lies beside class files: see `OwnCompile.made`.
    made: SourceTree | None = None
    #: Folder of each module with a new descriptor -> a library that it does not require so that
    #: users get it.
    unreached: Mapping[str, str] = field(default_factory=dict)
    #: Folder of each module whose archive is compared -> versions of its class files.
    versions: Mapping[str, frozenset[bytes]] = field(default_factory=dict)


def package_patched(
    context: MavenContext,
    project: MavenProject,
    compiled: OwnCompile | None,
    renamed: Mapping[str, str],
) -> Packaged:
    """Have the patched tree packaged in a room where nothing of its tests has run.

    Args:
        context: of the room.
        project: the patched tree's project files.
        compiled: the patched tree, by the harness.
        renamed: class of the base -> the patch's.
    """
    facts = context.baseline_facts.get("own", {})
    wanted = facts.get("packaged")
    if context.integrity.unchecked or context.integrity.rejected or compiled is None or not wanted:
        return Packaged()
    found: dict[str, str] = {}
    tests: list[str] = []
    made: SourceTree | None = None
    left: Mapping[str, str] = {}
    compared: Mapping[str, frozenset[bytes]] = {}
    with context.integrity.leg("own-compile"):
        timeout_s, installs = context.instance.timeouts.compile, facts["installed"]
        done = package(context, timeout_s, install=installs)
        seen: Mapping[str, Archived] = {}
        if done:
            seen = packaged(context, project, compiled, installed=installs)
            if installs:
                found |= without_poms(project, facts.get("poms", {}), with_poms(context, project))
        # Whether the base's tests compile says nothing of what is packaged.
        own = [unit.rpartition(":") for unit in compiled.failed]
        failed = {folder for folder, _, kind in own if kind == MAIN}
        for folder in set(wanted) - failed:
            why = "" if done else "it is not packaged without its tests"
            if folder in seen:
                before = facts["started"].get(folder, [{}])[0]
                asked = {key: renamed.get(name, name) for key, name in before.items()}
                alike = all(starts_alike(asked, each) for each in seen[folder].starts)
                why = seen[folder].wrong or ("" if alike else _STARTS_OTHERS)
            if why:
                found[folder] = why
        if done:
            made = copy_folders(context, folders_of(project, ("classes", "test-classes")), "made")
        whole = not (compiled.fails(MAIN) or compiled.fails(TEST))
        if made is not None and not facts["unlike_tests"] and whole:
            tests = compiled.unlike_tests(made)
        if made is not None:
            left = unreached(context, project, compiled, made, facts["exports"])
        compared = {folder: seen[folder].versions for folder in seen if folder in wanted}
    return Packaged(found, tests, made, left, compared)
