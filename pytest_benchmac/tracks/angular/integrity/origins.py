"""Where packages may come from in the clean room: the registry."""

from __future__ import annotations

from pytest_benchmac.tracks.angular.integrity.lock import LockEntry, from_registry, tarball_problem
from pytest_benchmac.tracks.angular.integrity.packages import Packages
from pytest_benchmac.tracks.findings import Findings


def check_origins(base: Packages, patched: Packages, findings: Findings) -> None:
    """Refuse to install what does not come from the registry.

    npm makes a package of a folder by running its `prepare`, with `--ignore-scripts` too, where
    a lock file says that this is where a package comes from. What the baseline says counts as
    well then, since the patch may have written the folder.
    """
    for path, entry in patched.lock.entries.items():
        known = base.lock.entries.get(path) == entry
        if entry.in_bundle or ("node_modules/" not in path and not entry.resolved):
            # Part of another package, or a folder of the project that a link leads to.
            continue
        if known and (entry.link or _is_remote(entry)):
            continue
        problem = "it links to a folder" if entry.link else tarball_problem(entry)
        if problem:
            findings.fatal(
                "foreign-origin",
                f"The clean room installs from the registry only, not {entry.name}: {problem}.",
                file=patched.lock.file,
                line=patched.lock.line(path),
                expected="a published package",
                seen=entry.resolved or entry.version,
            )
    before = base.manifest.dependencies
    for name, spec in patched.manifest.dependencies.items():
        if (
            before.get(name) != spec
            and not spec.startswith(("npm:", "$"))
            and not from_registry(spec)
        ):
            findings.fatal(
                "foreign-origin",
                f"The clean room installs from the registry only, not {name}.",
                file=patched.manifest.file,
                line=patched.manifest.line(name),
                expected="a version range",
                seen=spec,
            )


def _is_remote(entry: LockEntry) -> bool:
    """Is it downloaded as it is?"""
    return (entry.resolved or "").startswith(("https://", "http://"))
