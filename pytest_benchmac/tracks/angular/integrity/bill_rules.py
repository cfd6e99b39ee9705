"""What the bill of a build may say: sources that were compiled, and verified packages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.bill import Bill, harness_files, page_folder
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld, InstalledPackage
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.ranges import holds, is_exact
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget, items, mapping
from pytest_benchmac.tracks.findings import Findings

PACKAGES = "node_modules/"
TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
SCRIPTS = (".js", ".jsx", ".mjs", ".cjs")
#: What is data to every builder, and may be new: templates, style sheets, messages.
_DATA = (".json", ".html", ".svg", ".css", ".scss", ".sass", ".less", ".styl")
#: A framework is no smaller, whatever minifies it: the least of Angular's takes 100 kB.
_SMALL = 32 * 1024
_SMALL_SCRIPT = 16 * 1024
#: esbuild puts what it adds to several scripts, some 720 bytes, into one that is made of nothing.
_HELPERS = 2 * 1024
#: Of a package that the baseline's build did not have, so many bytes are worth telling.
_TOLD_PACKAGE = 4 * 1024
_MAX_READ_BYTES = 64 * MIB
#: Names that the builders give to what they write themselves. See `tools/esbuild` of @angular/build
#: and webpack's `RuntimeModule`, `MultiModule`, `RawModule` and `ContextModule`.
_VIRTUAL = re.compile(
    r"angular:polyfills(?::angular:polyfills)?|angular:locale/(?:data|placeholder):[\w:./-]{1,200}"
    r"|<runtime>|<define:[\w.]{1,200}>|webpack/(?:runtime/[\w -]{1,200}|bootstrap)"
    r"|\(webpack\)/buildin/[\w-]{1,50}\.js|multi [^\0]{1,2000}|[^\0]{1,500} \(ignored\)"
    r"|[^\0]{0,200}\$\$?_lazy_route_resources?/?(?: lazy|\|lazy\|[^\0]{0,100}\|)? ?namespace object"
)
_ENTRY_SCRIPTS = re.compile(r"angular:script/global:[^\0]{1,200}")
_DISABLED = "(disabled):"
#: Packages beside Angular's own that a page has one of.
_RUNTIME = frozenset({"rxjs", "tslib", "zone.js"})
#: These keep nothing that a second copy would break, and old ones come with other packages.
_MAY_COME_TWICE = frozenset({"rxjs", "tslib"})
#: Own code may become so many times as large, besides `_SMALL` bytes.
_GROWTH = 2.0
#: Of a source's bytes, measured by what became of all, this share is too little.
_EMPTIED = 0.2
_EMPTIED_MIN_BYTES = 1_000
_EMPTIED_FATAL_SHARE = 0.4


@dataclass(frozen=True)
class Materials:
    """What the inputs of a build may be taken from."""

    base: SourceTree
    tree: SourceTree
    world: ClosedWorld
    #: Sources that the compile leg compiled, without their extension.
    compiled: AbstractSet[str]
    target_major: int
    #: The bill of the untouched base's build; None where there is none.
    base_bill: Bill | None = None
    targets: tuple[BuildTarget, ...] = ()
    base_targets: tuple[BuildTarget, ...] = ()
    _digests: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def owner(self, path: str) -> InstalledPackage | None:
        """The verified package that a path below the project is of."""
        _, _, inside = path.partition(PACKAGES)
        while inside := inside.rpartition("/")[0]:
            if inside in self.world.packages:
                return self.world.packages[inside]
        return None

    def same_in_base(self, path: str) -> bool:
        """Is the file what it was in the base?"""
        if self.base.files.get(path) != self.tree.files.get(path):
            return False
        content = self.tree.read(path, _MAX_READ_BYTES)
        return content is not None and content == self.base.read(path, _MAX_READ_BYTES)


def check_bill(bill: Bill, artifacts: SourceTree, materials: Materials, findings: Findings) -> None:
    """Judge what a build is made of; what no honest build has is fatal. Never raises.

    Args:
        bill: of that build.
        artifacts: its output folders, with statistics and maps.
        materials: what it may be made of.
        findings: where to.
    """
    if bill.problem:
        excused = materials.base_bill is not None and bool(materials.base_bill.problem)
        (findings.warning if excused else findings.fatal)(
            "bill-unreadable",
            f"The builder does not tell what it made the scripts of: {bill.problem}.",
            expected="statistics and a source map of every script",
        )
        return
    _check_stand_ins(bill, artifacts, materials, findings)
    _check_assets(bill, artifacts, materials, findings)
    _check_inputs(bill, artifacts, materials, findings)
    _check_framework(bill, materials, findings)
    if materials.base_bill is not None and not materials.base_bill.problem:
        _check_sizes(bill, materials.base_bill, findings)
        _tell_new_packages(bill, materials.base_bill, findings)


def _check_stand_ins(
    bill: Bill, artifacts: SourceTree, materials: Materials, findings: Findings
) -> None:
    """Assets are copied byte for byte: none of them is what the builder should have written."""
    folder = page_folder(artifacts)
    made = [f"{folder}{path}" for path, script in bill.scripts.items() if script.inputs]
    told = {path: artifacts.files[path] for path in (*harness_files(artifacts), *made)}
    sizes = set(told.values()) - {0}
    tree = materials.tree
    known = {
        hashlib.sha512(content).hexdigest(): path
        for path, size in tree.files.items()
        if size in sizes and (content := tree.read(path, _MAX_READ_BYTES)) is not None
    }
    for path, size in told.items():
        content = artifacts.read(path, _MAX_READ_BYTES) if size else None
        if content is None:
            continue
        published = materials.world.files.find(content)
        stand_in = published or known.get(hashlib.sha512(content).hexdigest())
        if stand_in is not None:
            findings.fatal(
                "output-replaced",
                "A file that was there before stands where the builder's own output should be.",
                file=stand_in,
                expected="what the builder wrote",
                seen=path,
            )


def _check_assets(
    bill: Bill, artifacts: SourceTree, materials: Materials, findings: Findings
) -> None:
    """Scripts that no statistics tell of are copies of what is known."""
    folder = page_folder(artifacts)
    copied = {path: script for path, script in bill.scripts.items() if script.asset}
    if not copied:
        return
    old, new = _contents(materials.base), _contents(materials.tree)
    for path in copied:
        content = artifacts.read(f"{folder}{path}", _MAX_READ_BYTES) or b""
        digest = hashlib.sha512(content).hexdigest()
        if digest in old or materials.world.files.find(content, (".js", ".mjs")) is not None:
            continue
        small = digest in new and len(content) <= _SMALL_SCRIPT
        (findings.warning if small else findings.fatal)(
            "asset-script",
            "A script is copied to the output that the baseline did not have."
            if digest in new
            else "A script of the output is neither made by the bundler nor copied.",
            file=new.get(digest),
            expected=f"at most {_SMALL_SCRIPT} bytes" if digest in new else "a known script",
            seen=f"{path}: {len(content)} bytes",
        )


def _contents(tree: SourceTree) -> dict[str, str]:
    """The scripts of a tree by the SHA-512 of what they hold."""
    return {
        hashlib.sha512(content).hexdigest(): path
        for path in tree.files
        if path.endswith(SCRIPTS) and (content := tree.read(path, _MAX_READ_BYTES)) is not None
    }


def _check_inputs(
    bill: Bill, artifacts: SourceTree, materials: Materials, findings: Findings
) -> None:
    for path, size in bill.inputs.items():
        if problem := _problem(path, materials):
            findings.fatal(
                "input-unknown",
                f"The build is made of something else than checked sources and packages: {problem}",
                file=path,
                expected="compiled sources and verified packages",
                seen=f"{size} bytes in the scripts",
            )
    folder = page_folder(artifacts)
    for script_path, script in bill.scripts.items():
        if script.inputs or script.asset or _entry_bundle(script_path, materials):
            continue
        if artifacts.files.get(f"{folder}{script_path}", _HELPERS + 1) > _HELPERS:
            findings.fatal(
                "input-unknown",
                "The builder names nothing that a script is made of.",
                file=script_path,
            )
    _check_entry_packages(materials, findings)


def _problem(path: str, materials: Materials) -> str:
    """Why an input is none that is known; empty when it is."""
    path = path.removeprefix(_DISABLED)
    if PACKAGES in f"/{path}" and path not in materials.tree:
        return "" if materials.owner(path) is not None else "it is of no verified package."
    if path not in materials.tree:
        base = materials.base_bill
        known = _VIRTUAL.fullmatch(path) or _ENTRY_SCRIPTS.fullmatch(path)
        known_name = base is not None and path in base.inputs and path not in materials.base
        return "" if known or known_name else "it is no file of the sources."
    if materials.same_in_base(path) and _in_base_build(path, materials):
        return ""
    if path.endswith(TYPESCRIPT):
        stem = path.rpartition(".")[0]
        return "" if stem in materials.compiled else "the compiler did not see this source."
    size, before = materials.tree.files[path], materials.base.files.get(path, 0)
    if path.endswith(_DATA):
        allowed = _SMALL + 1.25 * before
        return "" if size <= allowed else f"it is more than {allowed:.0f} bytes of data."
    if path.endswith(SCRIPTS):
        known_path = _in_base_build(path, materials)
        return "" if known_path and size <= _SMALL_SCRIPT else "a script is no TypeScript source."
    return "it is neither a source nor a template, style sheet or JSON."


def _in_base_build(path: str, materials: Materials) -> bool:
    bill = materials.base_bill
    return bill is None or bool(bill.problem) or path in bill.inputs


def _entry_bundle(path: str, materials: Materials) -> bool:
    """Is it the name of a bundle of `scripts`, which webpack's statistics tell nothing of?"""
    stem = re.split(r"[.-]", path)[0]
    return any(stem == name for target in materials.targets for name, _ in _entries(target))


def _entries(target: BuildTarget) -> Iterator[tuple[str, str]]:
    """Bundle and file of every entry of `scripts`."""
    for each in items(target.options.get("scripts")):
        given = mapping(each)
        entry, name = (each, "scripts") if not given else (given.get("input"), "")
        name = name or str(given.get("bundleName") or "scripts")
        if isinstance(entry, str):
            yield name, entry.removeprefix("./")


def _check_entry_packages(materials: Materials, findings: Findings) -> None:
    """Scripts of packages that the page loads as they are come from packages that it knew."""

    def owners(targets: tuple[BuildTarget, ...]) -> dict[str, str]:
        named = [entry for target in targets for _, entry in _entries(target)]
        return {_package_name(entry): entry for entry in named if PACKAGES in f"/{entry}"}

    known = owners(materials.base_targets)
    for name, entry in owners(materials.targets).items():
        if name not in known:
            findings.fatal(
                "entry-script",
                "The entry page loads a script of a package that it did not load from before.",
                file=entry,
                expected=", ".join(known) or "none",
                seen=name,
            )


def _package_name(path: str) -> str:
    parts = path.rpartition(PACKAGES)[2].split("/")
    return "/".join(parts[: 2 if parts[0].startswith("@") else 1])


def _check_framework(bill: Bill, materials: Materials, findings: Findings) -> None:
    """The framework is there once, from its place, and of the version to reach."""
    packages = {
        package.folder: package
        for path in bill.inputs
        if path not in materials.tree and (package := materials.owner(path)) is not None
    }
    core = materials.world.root("@angular/core")
    for package in packages.values():
        if package.name.startswith("@angular/") or package.name in _RUNTIME:
            home = materials.world.home(package.name)
            if package.folder != home and not _brought(package, materials):
                findings.fatal(
                    "framework-twice",
                    f"The build has {package.name} from elsewhere than its place at the root.",
                    file=f"{PACKAGES}{package.folder}",
                    expected=f"{PACKAGES}{home or package.name}",
                    seen=package.version,
                )
            elif package.folder == home and core is not None:
                _check_version(package, core, materials.target_major, findings)


def _brought(package: InstalledPackage, materials: Materials) -> bool:
    """Is it one that may come twice, for packages that ask for it and are not the framework's?"""
    name = package.folder.rpartition("node_modules/")[2]
    if package.name not in _MAY_COME_TWICE or name != package.name:
        return False
    asking = materials.world.asking(package.folder)
    return bool(asking) and not any(each.name.startswith("@angular/") for each in asking)


def _check_version(
    package: InstalledPackage, core: InstalledPackage, target_major: int, findings: Findings
) -> None:
    wanted = package.requires.get("@angular/core", "")
    report = findings.fatal
    if package is core or is_exact(wanted):
        # Angular's own, which are released together.
        expected, right = f"{target_major}.x", package.version.split(".")[0] == str(target_major)
    elif package.name in core.requires:
        expected = core.requires[package.name]
        right = holds(expected, package.version)
    else:
        # Libraries with versions of their own (@angular/fire, @angular/flex-layout) may lag.
        report = findings.warning
        expected, right = f"@angular/core {wanted}", not wanted or holds(wanted, core.version)
    if not right:
        report(
            "mixed-framework",
            f"The build has {package.name} of a version that does not go with the one to reach.",
            file=f"{PACKAGES}{package.folder}/package.json",
            expected=expected,
            seen=package.version,
        )


def _tell_new_packages(bill: Bill, base: Bill, findings: Findings) -> None:
    """Name packages that the base was not made of: an interpreter could run what is only data."""
    known = {_package_name(path) for path in base.inputs if PACKAGES in f"/{path}"}
    sizes: dict[str, int] = {}
    for path, size in bill.inputs.items():
        if PACKAGES in f"/{path}" and (name := _package_name(path)) not in known:
            sizes[name] = sizes.get(name, 0) + size
    for name, size in sorted(sizes.items()):
        if size >= _TOLD_PACKAGE and not framework(name):
            findings.warning(
                "new-package-in-build",
                "The application is made of a package that the baseline's was not made of.",
                expected="packages of the baseline's build",
                seen=f"{name}: {size} bytes",
            )


def _check_sizes(bill: Bill, base: Bill, findings: Findings) -> None:
    """The application's own code is about as much as it was, as a whole and file by file."""
    before, after = _own(base), _own(bill)
    limit = _GROWTH * sum(before.values()) + _SMALL
    if sum(after.values()) > limit:
        findings.fatal(
            "application-grown",
            "The application's own code in the scripts is far more than the baseline's.",
            expected=f"at most {limit:.0f} bytes",
            seen=f"{sum(after.values())} bytes",
        )
    common = {path for path in before.keys() & after.keys() if path.endswith(TYPESCRIPT)}
    whole = sum(before[path] for path in common)
    ratio = min(1.0, sum(after[path] for path in common) / whole) if whole else 1.0
    emptied = sorted(
        path
        for path in common
        if before[path] >= _EMPTIED_MIN_BYTES and after[path] < _EMPTIED * ratio * before[path]
    )
    share = sum(before[path] for path in emptied) / whole if whole else 0.0
    for path in emptied:
        findings.warning(
            "source-emptied",
            "A source has lost most of what it brought to the scripts.",
            file=path,
            expected=f"about {ratio * before[path]:.0f} bytes",
            seen=f"{after[path]} bytes",
        )
    if share > _EMPTIED_FATAL_SHARE:
        findings.fatal(
            "sources-emptied",
            "Sources that held much of the application have lost most of it.",
            expected=f"at most {_EMPTIED_FATAL_SHARE:.0%} of the baseline's code",
            seen=f"{share:.0%}: {', '.join(emptied)}",
        )


def _own(bill: Bill) -> Mapping[str, int]:
    """Bytes of the application's own inputs."""
    return {
        path: size
        for path, size in bill.inputs.items()
        if PACKAGES not in f"/{path}"
        and not _VIRTUAL.fullmatch(path)
        and not _ENTRY_SCRIPTS.fullmatch(path)
    }
