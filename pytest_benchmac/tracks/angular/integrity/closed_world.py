"""The closed world: every file under node_modules is the one that the registry published.

Where the harness laid the packages (`laid`) that is so by construction, and only which packages
there are is looked at. Where npm installed them, a listing comes out of a sandbox in which nothing
of the patch has run; what should be there comes from the registry's tarballs. A lock file, an
alias, an override or a local package that puts something else in the place of a tool is thereby
seen, wherever it was written.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pytest_benchmac.ecosystems.npm.published import Manifest, PublishedPackages
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.published_files import ByDigest, PublishedFiles
from pytest_benchmac.tracks.findings import MAX_FINDINGS_PER_CODE, Findings

#: npm's own record of what it installed, and links to the packages' commands: not published.
_NPM_LOCK = ".package-lock.json"
_BIN = ".bin"
#: Where pnpm links what packages may find without asking for it.
HOISTED = ".pnpm/node_modules"

#: These two make the application what it is; of another version, it is another framework's.
_COMPILERS = ("@angular/compiler", "@angular/compiler-cli")
#: What builds; packages that come into the bundle are judged there, by the bill.
_BUILDERS = ("@angular-devkit/build-angular", "@angular/build")
#: Packages whose manifests are asked for at a time: a tree that is all foreign is given up early,
#: before the registry is asked for whatever it claims to hold.
_BATCH = 16
#: Bytes of a listing: 42,000 files make 10 MiB.
MAX_LISTING_BYTES = 96 * 1024 * 1024


@dataclass(frozen=True)
class Listing:
    """What `list_tree.js` saw. Paths are relative to the folder it was asked for."""

    #: SHA-512 by path.
    files: Mapping[str, str]
    #: Target by path.
    links: Mapping[str, str]
    #: Devices, sockets, and names that are not UTF-8.
    others: tuple[str, ...]
    #: Name and version that the package in a folder says it has.
    claims: Mapping[str, tuple[str, str]]
    #: Why this is not all; empty when it is.
    problem: str = ""

    @classmethod
    def parse(cls, text: bytes) -> Listing:
        """Read what the script printed, which may have been cut off."""
        files: dict[str, str] = {}
        links: dict[str, str] = {}
        others: list[str] = []
        claims: dict[str, tuple[str, str]] = {}
        problem = "the listing was cut off"
        for line in text.splitlines():
            try:
                kind, *rest = json.loads(line)
            except ValueError:
                break
            if kind == "f":
                files[rest[0]] = rest[1]
            elif kind == "l":
                links[rest[0]] = rest[1]
            elif kind == "o":
                others.append(rest[0])
            elif kind == "p":
                claims[rest[0]] = (rest[1], rest[2])
            elif kind == "end":
                problem = ""
            elif kind == "too-much":
                problem = rest[0]
        return cls(files, links, tuple(others), claims, problem)


@dataclass(frozen=True)
class InstalledPackage:
    """One installed package that is, file by file, what the registry published."""

    folder: str
    name: str
    version: str
    #: Paths of its files.
    files: Container[str]
    #: Names that it asks for, with the version or alias wanted.
    requires: Mapping[str, str]


@dataclass(frozen=True)
class ClosedWorld:
    """The verified packages by folder below node_modules, such as `a` or `a/node_modules/@b/c`."""

    packages: Mapping[str, InstalledPackage]
    files: PublishedFiles
    #: Folder that is a link -> the package's folder that it leads to. npm makes none.
    links: Mapping[str, str] = field(default_factory=dict)

    def root(self, name: str) -> InstalledPackage | None:
        """What has a name in the project's own node_modules."""
        return self.packages.get(self.links.get(name, name))

    def version(self, name: str) -> str | None:
        """Version of the root's copy; None if there is none, or it is another package."""
        package = self.root(name)
        return package.version if package is not None and package.name == name else None

    def roots(self) -> list[str]:
        """The names that packages have in the project's own node_modules."""
        return [
            folder for folder in (*self.packages, *self.links) if "/node_modules/" not in folder
        ]

    def home(self, name: str) -> str | None:
        """The folder of the one package with a name that is there for everybody.

        The root's, or else the one that packages find which do not ask for it.
        """
        for folder in (name, f"{HOISTED}/{name}"):
            found = self.links.get(folder, folder)
            if found in self.packages:
                return found
        return None

    def asking(self, folder: str) -> list[InstalledPackage]:
        """The packages that ask for what lies in a folder."""
        name = folder.rpartition("node_modules/")[2]
        return [
            each
            for each in self.packages.values()
            if name in each.requires and self.resolve(each.folder, name) == folder
        ]

    def resolve(self, folder: str, name: str) -> str | None:
        """Folder of the package that node gives to what lies in `folder` and asks for `name`."""
        while folder:
            candidate = f"{folder}/node_modules/{name}"
            candidate = self.links.get(candidate, candidate)
            if candidate in self.packages:
                return candidate
            folder = folder.rpartition("/node_modules/")[0]
        return self.home(name)


def check_closed_world(
    listing: Listing,
    published: PublishedPackages,
    findings: Findings,
    *,
    allowed_links: Iterable[str] = (),
) -> ClosedWorld:
    """Compare what is installed with what was published; the differences are fatal findings.

    Args:
        listing: of node_modules, made before anything of the patch could run.
        published: what the registry published.
        findings: where differences go.
        allowed_links: paths below node_modules that the untouched base links to its own folders.

    Raises:
        NetworkError: the registry failed.
    """
    if listing.problem:
        findings.fatal(
            "closed-world-too-large",
            f"Of node_modules, more is there than the harness reads: {listing.problem}.",
            file="node_modules",
        )
    _check_odd_entries(listing, findings, frozenset(allowed_links))
    groups = _group(listing.files, findings)
    packages: dict[str, InstalledPackage] = {}
    known: dict[str, Manifest] = {}
    #: The package whose tarball a folder came with, and its path in there.
    owners: dict[str, tuple[str, str]] = {}
    # Outer packages first: a folder may be part of the tarball that its outer package came in.
    by_depth = sorted(groups, key=lambda folder: (folder.count("/node_modules/"), folder))
    foreign = 0
    for start in range(0, len(by_depth), _BATCH):
        if foreign > MAX_FINDINGS_PER_CODE:
            break
        batch = by_depth[start : start + _BATCH]
        manifests = published.manifests(
            listing.claims[folder] for folder in batch if folder in listing.claims
        )
        for folder in batch:
            owner = _bundling(folder, known, owners)
            if owner is not None:
                owners[folder] = owner
                continue
            claim = listing.claims.get(folder)
            manifest = manifests.get(claim) if claim else None
            if claim is None or manifest is None:
                _report_unpublished(folder, claim, findings)
                foreign += 1
                continue
            known[folder] = manifest
            packages[folder] = InstalledPackage(folder, *claim, manifest.files, manifest.requires)
            foreign += not groups[folder].keys() <= manifest.files.keys()
    contents = {folder: dict(groups[folder]) for folder in packages}
    for folder, (owner_folder, inside) in owners.items():
        contents[owner_folder] |= {f"{inside}/{path}": sha for path, sha in groups[folder].items()}
    for folder, package in packages.items():
        _compare(package, known[folder].files, contents[folder], findings)
    return ClosedWorld(packages, ByDigest(known))


def _group(files: Mapping[str, str], findings: Findings) -> dict[str, dict[str, str]]:
    """Files by the innermost folder that a package can lie in."""
    groups: dict[str, dict[str, str]] = {}
    for path, sha in files.items():
        folder, inside = _split(path)
        if folder:
            groups.setdefault(folder, {})[inside] = sha
        elif path != _NPM_LOCK:
            _report_unknown(path, findings)
    return groups


def _split(path: str) -> tuple[str, str]:
    """Package folder and path inside it; no folder for what lies beside packages."""
    segments = path.split("/")
    end = 0
    while True:
        width = 2 if segments[end].startswith("@") else 1
        if segments[end] == _BIN or len(segments) <= end + width:
            return "", path
        end += width
        if segments[end] != "node_modules" or len(segments) <= end + 2:
            return "/".join(segments[:end]), "/".join(segments[end:])
        following = 3 if segments[end + 1].startswith("@") else 2
        if segments[end + 1] == _BIN or len(segments) <= end + following:
            return "/".join(segments[:end]), "/".join(segments[end:])
        end += 1


def _bundling(
    folder: str, known: Mapping[str, Manifest], owners: Mapping[str, tuple[str, str]]
) -> tuple[str, str] | None:
    """The package whose tarball has this folder in it, and the folder's path there."""
    outer, _, name = folder.rpartition("/node_modules/")
    if not outer:
        return None
    owner, prefix = owners.get(outer, (outer, ""))
    manifest = known.get(owner)
    inside = f"{prefix}/node_modules/{name}".removeprefix("/")
    if manifest is None or inside not in manifest.folders:
        return None
    return owner, inside


def _check_odd_entries(listing: Listing, findings: Findings, allowed: frozenset[str]) -> None:
    for path in listing.others:
        findings.fatal(
            "foreign-entry",
            "An entry of node_modules is neither a file nor a folder with a plain name.",
            file=f"node_modules/{path}".removesuffix("/."),
        )
    for path, target in listing.links.items():
        folder, _, name = path.rpartition("/")
        if folder == _BIN or folder.endswith(f"/node_modules/{_BIN}"):
            continue
        scoped = folder.startswith("@") and "/" not in folder
        if path in allowed and (scoped or not folder) and name:
            continue
        findings.fatal(
            "linked-package",
            "A link in node_modules takes the place of a published package.",
            file=f"node_modules/{path}",
            expected="files of a published package",
            seen=f"a link to {target}",
        )


def _report_unknown(path: str, findings: Findings) -> None:
    findings.fatal(
        "unpublished-file",
        "A file in node_modules belongs to no package.",
        file=f"node_modules/{path}",
    )


def _report_unpublished(folder: str, claim: tuple[str, str] | None, findings: Findings) -> None:
    findings.fatal(
        "unpublished-package",
        "An installed package is none that the registry has published.",
        file=f"node_modules/{folder}",
        expected="a published package",
        seen="a folder without package.json" if claim is None else "@".join(claim),
    )


def _compare(
    package: InstalledPackage,
    published: Mapping[str, tuple[str, ...]],
    files: Mapping[str, str],
    findings: Findings,
) -> None:
    what = f"{package.name}@{package.version}"
    for path, sha in files.items():
        accepted = published.get(path)
        place = f"node_modules/{package.folder}/{path}"
        if accepted is None:
            findings.fatal(
                "unpublished-file", f"{what} was published without this file.", file=place
            )
        elif sha not in accepted:
            findings.fatal(
                "changed-file",
                f"A file of {what} is not the published one.",
                file=place,
                expected=f"sha512 {accepted[0]}",
                seen=f"sha512 {sha}",
            )
    for path in published.keys() - files.keys():
        findings.fatal(
            "missing-file",
            f"A file that {what} was published with is not there.",
            file=f"node_modules/{package.folder}/{path}",
        )


def check_tool_chain(world: ClosedWorld, roots: Iterable[str], findings: Findings) -> None:
    """See that every tool, and all it depends on, is the package that its name stands for.

    Aliases of other packages are nobody's business.

    Args:
        world: the verified packages.
        roots: packages that the build starts from, beside the framework's own.
        findings: where a captured name goes.
    """
    tools = dict.fromkeys([*filter(framework, world.roots()), *roots])
    start = {name: found for name in tools if (found := world.root(name)) is not None}
    pending = [package.folder for package in start.values()]
    seen = set(pending)
    for name, package in start.items():
        _check_identity(package, name, "the project", findings)
    while pending:
        package = world.packages[pending.pop()]
        for name, expected in _dependencies(package):
            folder = world.resolve(package.folder, name)
            if folder is None:
                continue
            _check_identity(world.packages[folder], expected, package.name, findings)
            if folder not in seen:
                seen.add(folder)
                pending.append(folder)


def _dependencies(package: InstalledPackage) -> Iterator[tuple[str, str]]:
    """Each name that a package asks for, and the package that it has to get."""
    for name, wanted in package.requires.items():
        alias = wanted.removeprefix("npm:") if wanted.startswith("npm:") else ""
        # `npm:@scope/name@range`: the first `@` may be the scope's.
        yield name, alias[: alias.find("@", 1)] if "@" in alias[1:] else alias or name


def _check_identity(package: InstalledPackage, expected: str, who: str, findings: Findings) -> None:
    if package.name != expected:
        findings.fatal(
            "replaced-tool",
            f"{who} gets {package.name} where it asks for {expected}.",
            file=f"node_modules/{package.folder}",
            expected=expected,
            seen=f"{package.name}@{package.version}",
        )


def check_versions(world: ClosedWorld, target_major: str, findings: Findings) -> dict[str, str]:
    """Read the achieved versions from the verified copies; one that is not the target is fatal.

    Returns:
        Versions of @angular/core and @angular/cli, without those that are not there.
    """
    achieved: dict[str, str] = {}
    for name in ("@angular/core", "@angular/cli"):
        version = world.version(name)
        if version is not None:
            achieved[name] = version
        if version is None or _major(version) != target_major:
            findings.fatal(
                "version-not-achieved",
                f"The verified {name} has not the version to reach.",
                file=f"node_modules/{name}/package.json",
                expected=f"{target_major}.x",
                seen=version or "absent",
            )
    for name in (*_COMPILERS, *_BUILDERS):
        version = world.version(name)
        if version is not None and _major(version) != target_major:
            report = findings.fatal if name in _COMPILERS else findings.warning
            report(
                "mixed-framework",
                f"{name} has not the major version to reach.",
                file=f"node_modules/{name}/package.json",
                expected=f"{target_major}.x",
                seen=version,
            )
    return achieved


def _major(version: str) -> str:
    return version.partition(".")[0]
