"""What the tree and the sources of a patch may not newly have."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_benchmac.integrity import (
    Findings,
    SourceTree,
    Uncopied,
    decode,
    line_of,
    normal_path,
    outside,
    shown,
)
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.angular_integrity.inventory import (
    Inventory,
    Resolver,
    application_files,
    reachable,
    take_inventory,
)
from pytest_benchmac.tracks.angular_integrity.packages import (
    Manifest,
    Packages,
    bare_name,
    captured_commands,
    framework,
    read_manifest,
    read_packages,
)
from pytest_benchmac.tracks.angular_integrity.sources import (
    Earlier,
    Sources,
    is_declaration,
    read_sources,
)
from pytest_benchmac.tracks.angular_integrity.styles import Executed, executed, uses_less
from pytest_benchmac.tracks.angular_integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular_integrity.workspace import (
    Workspace,
    inside,
    items,
    mapping,
    read_workspace,
    script_entries,
)

_MAX_PROBED_BYTES = 16 * MIB
_MAX_ALL_PROBED_BYTES = 256 * MIB
_MAX_GIT_ATTRIBUTES = MIB
_NOT_PROBED = (".ts", ".mts", ".cts", ".tsx", ".md", ".png", ".jpg", ".jpeg", ".gif", ".ico")
#: What Angular's compiler leaves in scripts, whatever minifies them.
_COMPILED = re.compile(
    rb"(?:\xc9\xb5|\\u0275|\\u\{0*275\})(?:\xc9\xb5|\\u0275|\\u\{0*275\}|cmp\b|fac\b|dir\b)"
    rb"|selectors[\"']?\s{0,9}:\s{0,9}\[\s{0,9}\["
)
_LARGE_SCRIPT = 100_000
#: The letter that only Angular's own names have, or what a compiler reads as that letter; the names
#: of its private functions, which sources do import, are longer than what is looked for in bundles.
_LETTER = re.compile(
    r"(?:ɵ|\\u0275|\\u\{0*275\}|&#0*629;?|&#x0*275;?|\\0{0,3}275(?![0-9a-f]))(?![a-z]{5})",
    re.IGNORECASE,
)
_MAX_TEXT_BYTES = 4 * MIB
#: Code that Angular's compatibility compiler (to version 15) loads from the root of the tree.
_NGCC_CONFIGURATION = "ngcc.config.js"
#: No name of a package or file: a loader that webpack runs in the build, or code from an address.
_FOREIGN_MODULE = re.compile(r"!|^(?:data|https?|blob|file):", re.IGNORECASE)
_SCRIPTS = (".js", ".mjs", ".cjs")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FILTERED = re.compile(r"^[^#\n]*\s(?:filter|merge|diff|textconv)=(?!lfs\b)\S+", re.MULTILINE)
_MODULE_EXTENSIONS = ("", ".ts", ".d.ts", ".tsx", ".js", ".mjs", "/index.ts", "/index.d.ts")
_EXAMPLES = (
    "@angular/core",
    "@angular/common/http",
    "@angular/platform-browser",
    "@angular/router",
    "rxjs",
    "rxjs/operators",
    "tslib",
    "zone.js",
)


@dataclass(frozen=True)
class Snapshot:
    """One tree and what is read from it, each thing once."""

    tree: SourceTree
    build_command: str
    #: A snapshot that much of this one is the same as.
    earlier: Snapshot | None = None

    @classmethod
    def scan(cls, root: Path, build_command: str, earlier: Snapshot | None = None) -> Snapshot:
        """List the tree; the rest is read when it is asked for."""
        return cls(SourceTree.scan(root), build_command, earlier)

    @cached_property
    def sources(self) -> Sources:
        """The TypeScript sources."""
        if self.earlier is None:
            return read_sources(self.tree)
        return read_sources(self.tree, Earlier(self.earlier.tree, self.earlier.sources))

    @cached_property
    def workspace(self) -> Workspace:
        """angular.json."""
        return read_workspace(self.tree, self.build_command)

    @cached_property
    def packages(self) -> Packages:
        """package.json and the lock file."""
        return read_packages(self.tree)

    @cached_property
    def configs(self) -> tuple[TsConfig, ...]:
        """The tsconfig files that applications and their workers are built with."""
        options = ("tsConfig", "webWorkerTsConfig")
        paths = (target.path(each) for each in options for target in self.workspace.targets)
        return tuple(read_tsconfig(self.tree, path) for path in dict.fromkeys(paths) if path)

    @property
    def config(self) -> TsConfig:
        """The first of them."""
        return self.configs[0] if self.configs else TsConfig()

    @cached_property
    def executed(self) -> tuple[Executed, ...]:
        """What style sheets run in the build."""
        less = uses_less(self.tree, self.workspace)
        return tuple(executed(self.tree, self.sources, less))

    @cached_property
    def inventory(self) -> Inventory:
        """What the application consists of."""
        everything = self.earlier is not None and not self.earlier.inventory.reachable_only
        applications = self.workspace.applications
        return take_inventory(
            self.tree, self.sources, applications, self.config, everything=everything
        )

    @cached_property
    def application(self) -> tuple[str, ...]:
        """Sources of the application, reached by it or not."""
        targets = self.workspace.targets
        starts = [main for each in targets if (main := each.main) is not None]
        starts += [
            path
            for each in targets
            for entry in (*script_entries(each), *each.replacements.values())
            if (path := inside(entry)) is not None and path in self.sources.facts
        ]
        resolver = Resolver(self.tree, self.config)
        reached, _ = reachable(self.tree, self.sources, starts, resolver, {})
        return tuple(application_files(self.sources, reached))


def check_tree(
    base: SourceTree,
    patched: SourceTree,
    base_uncopied: Uncopied,
    uncopied: Uncopied,
    findings: Findings,
) -> None:
    """Names and kinds of what lies in the tree."""
    if patched.problem and not base.problem:
        findings.fatal(
            "tree-too-large",
            f"The patched tree cannot be looked at as a whole: {patched.problem}.",
            seen=patched.problem,
        )
    for path, target in sorted(uncopied.links.items() - base_uncopied.links.items()):
        findings.fatal(
            "symlink-added",
            "The patch adds a symbolic link, by which a file has more names than one.",
            file=path,
            expected="a file",
            seen=f"-> {target}",
        )
    if uncopied.problem:
        findings.fatal("too-large", f"More is in the tree than is read: {uncopied.problem}")
    for path in sorted(uncopied.files - base_uncopied.files):
        findings.fatal(
            "file-not-readable",
            "The patch adds a file whose name is no text or acts on terminals.",
            file=path,
            seen=shown(path),
        )
    old_folders = base.folders
    for path in sorted(patched.folders - old_folders):
        name = path.rpartition("/")[2]
        if name.lower() == "node_modules" and outside(path, ("node_modules",)):
            findings.fatal(
                "node-modules-committed",
                "The patch brings installed packages of its own.",
                file=path,
                expected="no node_modules",
                seen=path,
            )
        elif name.lower() == ".git":
            findings.fatal("git-committed", "The patch brings a git repository.", file=path)
    for path in patched.files:
        if path in base.files:
            continue
        name = path.rpartition("/")[2]
        if name == "node_modules":
            findings.fatal("node-modules-committed", "A file has the name node_modules.", file=path)
        if name.lower() == ".git":
            findings.fatal("git-committed", "A file has the name .git.", file=path)
        elif name == ".gitmodules":
            findings.fatal(
                "git-submodules",
                "The patch adds submodules, and what is in them is in no patch.",
                file=path,
            )
    known = {match for path in base.named(".gitattributes") for match in _filters(base, path)}
    for path in patched.named(".gitattributes"):
        for match, line in _filters(patched, path).items():
            if match not in known:
                findings.warning(
                    "git-attributes",
                    "The patch has git run other programs on files.",
                    file=path,
                    line=line,
                    seen=match,
                )
    if _NGCC_CONFIGURATION in patched and (
        base.read(_NGCC_CONFIGURATION, MIB) is None
        or base.read(_NGCC_CONFIGURATION, MIB) != patched.read(_NGCC_CONFIGURATION, MIB)
    ):
        findings.fatal(
            "ngcc-configuration",
            "Angular's compatibility compiler runs this file before the build; the baseline had "
            "none, or another.",
            file=_NGCC_CONFIGURATION,
            expected="none",
        )


def _filters(tree: SourceTree, path: str) -> dict[str, int]:
    text = tree.text(path, _MAX_GIT_ATTRIBUTES) or ""
    return {match[0].strip(): line_of(text, match.start()) for match in _FILTERED.finditer(text)}


def check_sources_silenced(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Do types and the compiler still say what they said?"""
    for path, reason in patched.sources.unread.items():
        if path not in base.sources.unread:
            findings.fatal(
                "source-unreadable",
                f"A source file cannot be read by the harness's parser: it {reason}."
                if not reason.startswith("the ")
                else f"A source file cannot be read by the harness's parser: {reason}.",
                file=path,
            )
    before, _ = _silencers(base)
    after, places = _silencers(patched)
    for kind, count in after.items():
        if count > before[kind]:
            file, line = places[kind]
            findings.fatal(
                "types-silenced",
                f"The patch has {count - before[kind]} more comments than the baseline that turn "
                "off type errors of the application.",
                file=file,
                line=line,
                expected=f"at most {before[kind]}",
                seen=f"{count}: {kind}",
            )
    known_modules = Counter(
        each.name for facts in base.sources.facts.values() for each in facts.modules
    )
    for path, facts in patched.sources.facts.items():
        if not outside(path, ("node_modules",)):
            continue
        for each in facts.modules:
            if known_modules[each.name] > 0:
                known_modules[each.name] -= 1
            elif covers_framework(each.name):
                shim = is_declaration(path)
                findings.fatal(
                    "framework-declared",
                    f"A declaration of {each.name} "
                    + ("takes the place of" if shim else "changes")
                    + " the framework's own types.",
                    file=path,
                    line=each.line,
                    expected="none",
                    seen=f"declare module '{each.name}'",
                )
    _check_decorated(base, patched, findings)
    _check_imports(base, patched, findings)


def _check_imports(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Does the application import by other means than names, and does it still start?"""
    known = {each.module for facts in base.sources.facts.values() for each in facts.imports}
    for path in patched.application:
        for each in patched.sources.facts[path].imports:
            if _FOREIGN_MODULE.search(each.module) and each.module not in known:
                findings.fatal(
                    "foreign-import",
                    "An import names a loader or an address instead of a package or file.",
                    file=path,
                    line=each.line,
                    seen=each.module,
                )
    if _bootstraps(base) and not _bootstraps(patched):
        findings.fatal(
            "bootstrap-missing",
            "Nothing in the application starts it with the framework, as the baseline did.",
            expected="bootstrapApplication or bootstrapModule",
            seen="neither",
        )


def _bootstraps(snapshot: Snapshot) -> bool:
    return any(snapshot.sources.facts[path].bootstrapped for path in snapshot.application)


def _silencers(snapshot: Snapshot) -> tuple[Counter[str], dict[str, tuple[str, int]]]:
    """How many there are in the application, and where the last of each kind stands."""
    counts: Counter[str] = Counter()
    places: dict[str, tuple[str, int]] = {}
    for path in snapshot.application:
        for each in snapshot.sources.facts[path].silencers:
            # One is the other's stricter form.
            kind = "@ts-nocheck" if each.kind == "nocheck" else "@ts-ignore or @ts-expect-error"
            counts[kind] += 1
            places[kind] = path, each.line
    return counts, places


def _check_decorated(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    old_jit = {
        each.name for facts in base.sources.facts.values() for each in facts.classes if each.jit
    }
    old_dynamic = Counter(
        each.text for path in base.application for each in base.sources.facts[path].dynamic
    )
    old_fakes = {
        (each.kind, each.module)
        for path in base.application
        for each in base.sources.facts[path].classes
        if not each.genuine
    }
    for path in patched.application:
        facts = patched.sources.facts[path]
        for each in facts.classes:
            if each.jit and each.name not in old_jit:
                findings.fatal(
                    "jit-declared",
                    f"The class {each.name} is left to the compiler in the browser.",
                    file=path,
                    line=each.line,
                    expected="ahead-of-time compilation",
                    seen="jit: true",
                )
            if not each.genuine and (each.kind, each.module) not in old_fakes:
                findings.warning(
                    "decorator-not-genuine",
                    f"The decorator {each.kind} on {each.name} is not @angular/core's.",
                    file=path,
                    line=each.line,
                    expected="@angular/core",
                    seen=each.module or "made here",
                )
        for one in facts.dynamic:
            if old_dynamic[one.text] > 0:
                old_dynamic[one.text] -= 1
            else:
                findings.warning(
                    "code-from-text",
                    "The application runs text as code, or loads a script by hand.",
                    file=path,
                    line=one.line,
                    seen=one.text,
                )


def covers_framework(pattern: str) -> bool:
    """Does a module's name, or a pattern with `*`, stand for a package of the framework?"""
    head, star, tail = pattern.partition("*")
    if not star:
        return framework(bare_name(pattern))
    return any(
        each.startswith(head) and each.endswith(tail) and len(each) >= len(head) + len(tail)
        for each in _EXAMPLES
    )


def check_compiler_options(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Do the tsconfig files lead to the genuine packages and the strictness that there was?"""
    known_paths = {item for config in base.configs for item in config.paths.items()}
    known_bases = {config.base_url for config in base.configs}
    for config in patched.configs:
        for file, reason in config.problems:
            if file in {each for old in base.configs for each, _ in old.problems}:
                continue
            twice = reason.startswith("keys that")
            (findings.fatal if twice or file in patched.tree else findings.warning)(
                "tsconfig-unreadable",
                f"{file} cannot be read as the compiler reads it: {reason}.",
                file=file,
            )
        for package in config.packages:
            if package in {each for old in base.configs for each in old.packages}:
                continue
            lock = patched.packages.lock
            if lock.entries and f"node_modules/{bare_name(package)}" not in lock.entries:
                findings.fatal(
                    "tsconfig-unreadable",
                    "Options of the compiler come from a package that is not installed from the "
                    "registry.",
                    file=config.files[0],
                    expected="a file of the tree, or a package of the lock file",
                    seen=f"extends {package}",
                )
            else:
                findings.warning(
                    "tsconfig-from-package",
                    "Options of the compiler come from a package, where they cannot be read here.",
                    file=config.files[0],
                    expected="a file of the tree",
                    seen=f"extends {package}",
                )
        setting = config.compiler.get("paths")
        for pattern, targets in config.paths.items():
            if (pattern, targets) in known_paths or setting is None:
                continue
            captured = sorted(_captured(patched.tree, pattern, targets))
            if captured:
                findings.fatal(
                    "paths-capture",
                    f"`paths` has imports of {captured[0]} lead to somewhere else.",
                    file=setting.file,
                    line=setting.line,
                    expected=f"node_modules/{captured[0]}",
                    seen=f"{pattern} -> {', '.join(targets)}",
                )
        if config.base_url is not None and config.base_url not in known_bases:
            setting = config.compiler["baseUrl"]
            captured = sorted(_existing(patched.tree, config.base_url))
            if captured:
                findings.fatal(
                    "base-url-capture",
                    f"`baseUrl` has imports of {captured[0]} lead to a file of the application.",
                    file=setting.file,
                    line=setting.line,
                    expected=f"node_modules/{captured[0]}",
                    seen=config.base_url,
                )
        _check_new_files(base, patched, config, findings)
        _check_strictness(base.config, config, findings)


def _check_new_files(
    base: Snapshot, patched: Snapshot, config: TsConfig, findings: Findings
) -> None:
    """Files put where an unchanged `baseUrl` or `paths` finds them before the packages."""
    folders = [config.base_url] if config.base_url is not None else []
    for folder in folders:
        new = _existing(patched.tree, folder) - _existing(base.tree, folder)
        for name in sorted(new):
            findings.fatal(
                "base-url-capture",
                f"A file is found by the name {name} before the package is.",
                file=normal_path(folder, name) or name,
                expected=f"node_modules/{name}",
                seen=normal_path(folder, name) or name,
            )
    for pattern, targets in config.paths.items():
        new = _captured(patched.tree, pattern, targets) - _captured(base.tree, pattern, targets)
        setting = config.compiler["paths"]
        for name in sorted(new):
            findings.fatal(
                "paths-capture",
                f"A file is found by the name {name} before the package is, by `paths`.",
                file=setting.file,
                line=setting.line,
                expected=f"node_modules/{name}",
                seen=f"{pattern} -> {', '.join(targets)}",
            )


def _captured(tree: SourceTree, pattern: str, targets: Sequence[str]) -> set[str]:
    """Packages of the framework that a pattern leads away from node_modules."""
    head, star, tail = pattern.partition("*")
    captured: set[str] = set()
    for module in _EXAMPLES if star else (pattern,):
        fits = module.startswith(head) and module.endswith(tail)
        if not (fits and framework(bare_name(module))):
            continue
        middle = module[len(head) : len(module) - len(tail)] if star else ""
        for target in targets:
            place = target.replace("*", middle)
            if "node_modules/" in f"{place}/" and place.endswith(
                (f"node_modules/{module}", f"node_modules/@types/{module}")
            ):
                continue
            # A pattern for everything counts where it finds something; others say what they want.
            if head or not star or _is_module(tree, place):
                captured.add(bare_name(module))
    return captured


def _is_module(tree: SourceTree, place: str) -> bool:
    return any(f"{place}{extension}" in tree for extension in _MODULE_EXTENSIONS)


def _existing(tree: SourceTree, folder: str) -> set[str]:
    """Names of the framework that a folder has modules for."""
    head = f"{folder}/" if folder else ""
    names: set[str] = set()
    for path in tree.files:
        if path.startswith(head) and outside(path, ("node_modules",)):
            name = bare_name(path.removeprefix(head))
            stem = re.sub(r"\.(?:d\.)?[mc]?[jt]sx?$", "", name)
            names |= {each for each in (name, stem) if framework(each)}
    return names


def _check_strictness(old: TsConfig, new: TsConfig, findings: Findings) -> None:
    def relaxed(option: str, before: object, after: object, file: str, line: int | None) -> None:
        findings.warning(
            "strictness-relaxed",
            f"The compiler is less strict than in the baseline (`{option}`).",
            file=file,
            line=line,
            expected=before,
            seen=after,
        )

    for section, before, after in (
        ("compilerOptions", old.compiler, new.compiler),
        ("angularCompilerOptions", old.angular, new.angular),
    ):
        for option, setting in before.items():
            if option.startswith(("strict", "no", "fullTemplate")) and setting.value is True:
                now = after.get(option)
                if now is None or now.value is not True:
                    where = now or setting
                    relaxed(f"{section}.{option}", True, now and now.value, where.file, where.line)
    for section_name, options, names in (
        ("angularCompilerOptions", new.angular, ("enableIvy", "_enableTemplateTypeChecker")),
        ("compilerOptions", new.compiler, ("noResolve",)),
    ):
        for name in names:
            now = options.get(name)
            before_value = (old.angular | old.compiler).get(name)
            bad = now is not None and now.value is (name == "noResolve")
            if now is not None and bad and before_value is None:
                relaxed(f"{section_name}.{name}", None, now.value, now.file, now.line)
    plugins = new.compiler.get("plugins")
    if plugins is not None and "plugins" not in old.compiler:
        transforms = [each for each in items(plugins.value) if "transform" in mapping(each)]
        if transforms:
            relaxed("plugins", None, transforms, plugins.file, plugins.line)


def check_package_files(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """No package.json of the tree, nested ones too, may capture the tool chain's names."""
    for path in patched.named("package.json"):
        if not outside(path, ("node_modules",)):
            continue
        new = read_manifest(patched, path)
        old = read_manifest(base, path)
        for field in ("browser", "imports", "exports", "alias"):
            before = set(_mapped(old.value.get(field)))
            for name in _mapped(new.value.get(field)):
                source = field == "browser" and name.startswith("./")
                if name not in before and (source or framework(bare_name(name))):
                    findings.fatal(
                        "package-capture",
                        f"`{field}` has imports of {name} lead to somewhere else.",
                        file=path,
                        line=new.line(name),
                        expected="the package",
                        seen=mapping(new.value.get(field)).get(name),
                    )
        _check_own_commands(patched, old, new, findings)
        own = new.value.get("name")
        captures = isinstance(own, str) and framework(own)
        if "/" in path and captures and old.value.get("name") != own:
            findings.fatal(
                "package-self-name",
                f"A folder of the tree calls itself {own}, a package of the tool chain.",
                file=path,
                line=new.line("name"),
                seen=own,
            )


def _check_own_commands(tree: SourceTree, old: Manifest, new: Manifest, findings: Findings) -> None:
    """Commands that a package of the tree would have npm link beside the tools' own.

    What the root's `bin` says is looked at with its dependencies.
    """
    commands: set[str] = set()
    bin_ = new.value.get("bin")
    if "/" in new.file and bin_ != old.value.get("bin"):
        name = new.value.get("name")
        alone = [name.rpartition("/")[2]] if isinstance(name, str) else []
        commands |= captured_commands(bin_ if isinstance(bin_, dict) else alone if bin_ else [])
    folder = mapping(new.value.get("directories")).get("bin")
    if isinstance(folder, str) and mapping(old.value.get("directories")).get("bin") != folder:
        place = normal_path(new.file.rpartition("/")[0], folder)
        commands |= captured_commands(
            path.rpartition("/")[2] for path in tree.files if path.rpartition("/")[0] == place
        )
    if commands:
        findings.fatal(
            "command-captured",
            f"A package of the tree provides the command {', '.join(sorted(commands))} itself.",
            file=new.file,
            line=new.line("bin"),
            seen=bin_ or folder,
        )


def _mapped(value: object) -> Iterator[str]:
    """Names that a field of package.json maps: its keys, and those nested below conditions."""
    pending = [value]
    while pending:
        each = pending.pop()
        for key, inner in mapping(each).items():
            yield key.removeprefix("./") if framework(key.removeprefix("./")) else key
            pending.append(inner)


def check_prebuilt(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """Does the patch bring an application that has been compiled before?"""
    left = _MAX_ALL_PROBED_BYTES
    known_sizes = Counter(base.files.values())
    for path, size in patched.files.items():
        if not outside(path, ("node_modules", ".git")):
            continue
        if base.files.get(path) == size and base.read(path, size) == patched.read(path, size):
            continue
        _check_letters(base, patched, path, findings)
        if path.lower().endswith(_NOT_PROBED):
            continue
        content = patched.read(path, min(left, _MAX_PROBED_BYTES))
        if content is None:
            findings.warning(
                "file-unread",
                "A file is too large to be looked at.",
                file=path,
                expected=f"at most {_MAX_PROBED_BYTES} bytes",
                seen=size,
            )
            continue
        left -= len(content)
        match = _COMPILED.search(content)
        before = base.read(path, _MAX_PROBED_BYTES)
        if match is not None and not (before and _COMPILED.search(before)):
            if known_sizes[size] and _moved(base, content):
                continue
            findings.fatal(
                "prebuilt-application",
                "The patch brings output of Angular's compiler, which only a build may make.",
                file=path,
                line=content.count(b"\n", 0, match.start()) + 1,
                expected="sources",
                seen=match[0].decode("utf-8", "replace"),
            )
        elif (
            path.endswith(_SCRIPTS)
            and size > _LARGE_SCRIPT
            and path not in base
            and not (known_sizes[size] and _moved(base, content))
        ):
            findings.warning(
                "large-script-added",
                "The patch brings a large script.",
                file=path,
                expected=f"at most {_LARGE_SCRIPT} bytes",
                seen=f"{size} bytes",
            )


def _check_letters(base: SourceTree, patched: SourceTree, path: str, findings: Findings) -> None:
    """Do sources hold what would look like the compiler's work in a bundle?

    A string of a template, a style sheet or a source is in the bundle as it is, joined by then from
    however many parts.
    """
    content = patched.read(path, _MAX_TEXT_BYTES) or b""
    if b"\0" in content[:8192] and not content.startswith(_UTF_16):
        return
    text = decode(content)
    match = _LETTER.search(text)
    if match is None or _LETTER.search(decode(base.read(path, _MAX_TEXT_BYTES) or b"")):
        return
    if _moved(base, content):
        return
    findings.fatal(
        "compiled-name",
        "A file of the patch has the letter that Angular's compiler marks its own work with.",
        file=path,
        line=line_of(text, match.start()),
        expected="sources",
        seen=text[match.start() : match.start() + 40],
    )


def _moved(base: SourceTree, content: bytes) -> bool:
    """Is there a file of this content in the baseline?"""
    same = (path for path, size in base.files.items() if size == len(content))
    return any(base.read(path, len(content)) == content for path in same)
