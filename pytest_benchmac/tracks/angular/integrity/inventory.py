"""What an application consists of: components, directives, pipes, templates, modules, routes.

Taken by the harness's own parser from the sources alone. A migration moves modules, services and
routes at will, but keeps components, their selectors and what their templates show.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.sources import Sources, is_declaration, is_test
from pytest_benchmac.tracks.angular.integrity.templates import template_tokens, used_names
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.findings import Findings

#: Shares of the baseline that must be kept. The lowest seen over ten states of a real application
#: that went from Angular 11 to 20 is 0.70 (template tokens).
FATAL_RECALL = 0.6
WARNING_RECALL = 0.8
_MAX_TEMPLATE_BYTES = MIB
_MAX_TEMPLATES_BYTES = 32 * MIB
#: Imports of all sources together that are followed.
_MAX_IMPORTS = 50_000
_ELEMENT = re.compile(r"^\s*([A-Za-z][\w-]*)")
_ATTRIBUTE = re.compile(r"\[\s*([^\]=\s]+)")
_NOT = re.compile(r":not\([^)]*\)")
_JS = re.compile(r"\.[mc]?js$")
_EXTENSIONS = (
    *(".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"),
    *(".json", "/index.ts", "/index.tsx", "/index.mts", "/index.d.ts", "/index.js", "/index.mjs"),
)
#: Where package.json says what an import of its folder gets; the compiler asks the first ones.
_ENTRIES = ("types", "typings", "module", "main")


class Declared(Model):
    """A component, directive or pipe."""

    name: ForeignText
    file: ForeignText
    line: int
    #: None for a pipe, and for a component that only routes show.
    selector: ForeignText | None = None
    #: Does some template, route or other code of the application use it?
    used: bool = True
    #: Number of tokens of its template.
    tokens: int = 0
    #: The file that its template is in; None where it is in the source.
    template: ForeignText | None = None


class Inventory(Model):
    """What the sources declare; JSON, so that it can be kept as a fact about a baseline."""

    components: tuple[Declared, ...] = ()
    directives: tuple[Declared, ...] = ()
    pipes: tuple[Declared, ...] = ()
    modules: int = 0
    services: int = 0
    routes: tuple[ForeignText, ...] = ()
    #: The tokens of all templates, with how often each comes. See `templates.py`.
    tokens: dict[ForeignText, int] = Field(default_factory=dict)
    #: Was only what the entry point reaches taken in, or every source outside of tests?
    reachable_only: bool = False
    #: Sources of the application.
    files: tuple[ForeignText, ...] = ()

    @property
    def declared(self) -> tuple[Declared, ...]:
        """Components, directives and pipes."""
        return self.components + self.directives + self.pipes

    @property
    def selectors(self) -> dict[str, Declared]:
        """The selectors that are in use, each with one declaration."""
        return {each.selector: each for each in self.declared if each.selector and each.used}


def take_inventory(
    tree: SourceTree,
    sources: Sources,
    targets: Sequence[BuildTarget],
    config: TsConfig,
    *,
    everything: bool = False,
) -> Inventory:
    """The inventory of the application that the targets build. Never raises.

    Sources that the entry points do not reach are left out, unless an import within the tree
    leads nowhere as far as can be seen here: then all are taken in that are not tests. So they are
    with `everything`, for the sake of comparison with an inventory where it was so.
    """
    replacements = {old: new for target in targets for old, new in target.replacements.items()}
    mains = [main for target in targets if (main := target.main) is not None]
    resolver = ImportResolver(tree, config)
    reached, certain = reachable(tree, sources, mains, resolver, replacements)
    certain = certain and not everything
    files = sorted(reached) if certain else application_files(sources, reached)
    templates: dict[str, Counter[str]] = {}
    components: list[tuple[Declared, Counter[str]]] = []
    directives: list[Declared] = []
    pipes: list[Declared] = []
    counts: Counter[str] = Counter()
    routes: list[str] = []
    mentioned: set[str] = set()
    unnamed: set[str] = set()
    left = _MAX_TEMPLATES_BYTES
    for file in files:
        facts = sources.facts[file]
        routes += facts.routes
        mentioned.update(facts.used, facts.bootstrapped)
        for imported in facts.imports:
            # The importer need not name what a lazy or a default import brings.
            if imported.lazy or "default" in imported.names:
                found = resolver.resolve(file, imported.module)
                unnamed.add(replacements.get(found, found) if found else "")
        for each in facts.classes:
            counts[each.kind] += each.genuine
            if not each.genuine:
                continue
            declared = Declared(
                name=each.name, file=file, line=each.line, selector=each.selector or None
            )
            if each.kind == "Component":
                tokens: Counter[str] = Counter()
                if each.template_url is not None:
                    template = normal_path(file.rpartition("/")[0], each.template_url)
                    declared = declared.model_copy(update={"template": template})
                if each.template is not None:
                    tokens = template_tokens(each.template[:left])
                    left -= min(left, len(each.template))
                elif each.template_url is not None:
                    path = normal_path(file.rpartition("/")[0], each.template_url) or ""
                    text = tree.text(path, min(left, _MAX_TEMPLATE_BYTES)) or ""
                    left -= min(left, len(text))
                    tokens = template_tokens(text)
                templates[f"{file}:{each.line}"] = tokens
                components.append((declared, tokens))
            elif each.kind == "Directive":
                directives.append(declared)
            elif each.kind == "Pipe":
                pipes.append(declared.model_copy(update={"selector": None}))
    names = {name for tokens in templates.values() for name in used_names(tokens)}
    for target in targets:
        page = tree.text(target.path("index") or "", _MAX_TEMPLATE_BYTES)
        names |= used_names(template_tokens(page or ""))

    def settled(declared: Declared, tokens: int = 0) -> Declared:
        used = (
            declared.name in mentioned
            or declared.file in unnamed
            or bool(selector_names(declared.selector or "") & names)
        )
        return declared.model_copy(update={"used": used, "tokens": tokens})

    total: Counter[str] = Counter()
    for declared, tokens in components:
        if settled(declared).used:
            total.update(tokens)
    return Inventory(
        components=tuple(settled(each, tokens.total()) for each, tokens in components),
        directives=tuple(map(settled, directives)),
        pipes=tuple(pipes),
        modules=counts["NgModule"],
        services=counts["Injectable"],
        routes=tuple(sorted(routes)),
        tokens=dict(sorted(total.items())),
        reachable_only=certain,
        files=tuple(files),
    )


def selector_names(selector: str) -> set[str]:
    """Names of elements and attributes that a selector asks for, in lower case."""
    names: set[str] = set()
    for part in _NOT.sub("", selector).split(","):
        if element := _ELEMENT.match(part):
            names.add(element[1].lower())
        names.update(name.lower() for name in _ATTRIBUTE.findall(part))
    return names


def application_files(sources: Sources, reached: set[str]) -> list[str]:
    """Sources that are no tests and no declarations, and tests that the application imports."""
    return [
        path
        for path in sources.facts
        if path in reached or not (is_test(path) or is_declaration(path))
    ]


class ImportResolver:
    """Finds the files that imports lead to, as the tsconfig of a tree says."""

    def __init__(self, tree: SourceTree, config: TsConfig) -> None:
        self._tree = tree
        self._base_url = config.base_url
        self._paths = config.paths
        #: By the name in the import; what it leads to is the same for every importer.
        self._known: dict[str, str | None] = {}

    def resolve(self, importer: str, module: str) -> str | None:
        """The file in the tree; None for packages, and where there is none."""
        if module.startswith("."):
            return self._file(normal_path(importer.rpartition("/")[0], module))
        if module not in self._known:
            self._known[module] = self._without_dot(module)
        return self._known[module]

    def local(self, module: str) -> bool:
        """Is it a name that leads into the tree, whether or not there is a file?"""
        return module.startswith(".") or any(
            pattern != "*"
            and _matched(pattern, module) is not None
            and not all(target.startswith("node_modules/") for target in targets)
            for pattern, targets in self._paths.items()
        )

    def _without_dot(self, module: str) -> str | None:
        for pattern, targets in self._paths.items():
            matched = _matched(pattern, module)
            for target in targets if matched is not None else ():
                found = self._file(normal_path(target.replace("*", matched or "")))
                if found is not None:
                    return found
        return None if self._base_url is None else self._file(normal_path(self._base_url, module))

    def _file(self, path: str | None) -> str | None:
        if path is None:
            return None
        found = self._with_extension(path)
        if found is not None or f"{path}/package.json" not in self._tree:
            return found
        try:
            manifest = json.loads(self._tree.text(f"{path}/package.json", MIB) or "null")
        except (ValueError, RecursionError):
            return None
        for name in _ENTRIES if isinstance(manifest, dict) else ():
            entry = manifest.get(name)
            place = normal_path(path, entry) if isinstance(entry, str) else None
            if place is not None and (found := self._with_extension(place)) is not None:
                return found
        return None

    def _with_extension(self, path: str) -> str | None:
        stem = _JS.sub("", path)
        candidates = (path, *(f"{stem}{extension}" for extension in _EXTENSIONS))
        return next((each for each in candidates if each in self._tree.files), None)


def _matched(pattern: str, module: str) -> str | None:
    """What the pattern's `*` stands for in the module's name; None if they do not match."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if module == pattern else None
    if not module.startswith(head) or not module.endswith(tail):
        return None
    return module[len(head) : len(module) - len(tail)] if len(module) >= len(head + tail) else None


def reachable(
    tree: SourceTree,
    sources: Sources,
    mains: Sequence[str],
    resolver: ImportResolver,
    replacements: Mapping[str, str],
) -> tuple[set[str], bool]:
    """The sources that the entry points import, and whether every such import was understood."""
    reached: set[str] = set()
    certain = bool(mains)
    left = _MAX_IMPORTS
    pending = [replacements.get(main, main) for main in mains]
    while pending:
        path = pending.pop()
        if path in reached:
            continue
        if path not in sources.facts:
            certain = certain and path in tree and not path.endswith((".ts", ".tsx", ".mts"))
            continue
        reached.add(path)
        imports = sources.facts[path].imports
        left -= len(imports)
        if left < 0:
            return reached, False
        for each in imports:
            found = resolver.resolve(path, each.module)
            if found is not None:
                pending.append(replacements.get(found, found))
            elif resolver.local(each.module):
                certain = False
    return reached, certain


def compare_inventories(
    base: Inventory, patched: Inventory, findings: Findings
) -> dict[str, float]:
    """Judge what became of the baseline's components; what is not used there may go.

    Returns:
        The shares that were kept, by what.
    """
    if base.reachable_only and not patched.reachable_only:
        findings.fatal(
            "application-uncertain",
            "An import of the application leads nowhere, so that nobody can tell what belongs to "
            "it; in the baseline each led to a source.",
            expected="imports that can be followed",
        )
    names = {each.name for each in patched.declared}
    patched_selectors = {each.selector for each in patched.declared if each.selector}
    kept: list[Declared] = []
    lost: list[Declared] = []
    wanted = [each for each in base.components if each.used]
    for each in wanted:
        stays = each.name in names or each.selector in patched_selectors
        (kept if stays else lost).append(each)
    recalls = {
        "components": _share(len(kept), len(wanted)),
        "selectors": _share(
            sum(selector in patched_selectors for selector in base.selectors),
            len(base.selectors),
        ),
        "template tokens": token_recall(base.tokens, patched.tokens),
    }
    missing = {
        "components": ", ".join(each.name for each in lost),
        "selectors": ", ".join(each for each in base.selectors if each not in patched_selectors),
        "template tokens": ", ".join(list(Counter(base.tokens) - Counter(patched.tokens))[:20]),
    }
    for what, recall in recalls.items():
        if recall >= WARNING_RECALL:
            continue
        fatal = recall < FATAL_RECALL
        (findings.fatal if fatal else findings.warning)(
            f"inventory-{what.replace(' ', '-')}",
            f"The patched application keeps only {recall:.0%} of the baseline's {what}.",
            expected=f"at least {FATAL_RECALL if fatal else WARNING_RECALL:.0%}",
            seen=f"{recall:.0%}; missing: {missing[what]}",
        )
    by_name = {each.name: each for each in patched.components}
    emptied: list[Declared] = []
    for each in kept:
        other = by_name.get(each.name)
        if other is not None and each.tokens >= 20 and other.tokens < 0.3 * each.tokens:
            emptied.append(each)
            findings.warning(
                "inventory-template-emptied",
                f"The template of {each.name} has lost most of its content.",
                file=other.file,
                line=other.line,
                expected=f"about {each.tokens} tokens",
                seen=f"{other.tokens} tokens",
            )
    filled = sum(each.tokens >= 20 for each in wanted)
    if len(emptied) > (1 - FATAL_RECALL) * filled:
        findings.fatal(
            "inventory-components-emptied",
            "Most components have lost what they show, wherever its words are now.",
            expected=f"at least {FATAL_RECALL:.0%} of {filled} components with their content",
            seen=", ".join(each.name for each in emptied),
        )
    for what, before, after in (
        ("modules", base.modules, patched.modules),
        ("services", base.services, patched.services),
        ("routes", len(base.routes), len(patched.routes)),
    ):
        if after < FATAL_RECALL * before:
            findings.warning(
                f"inventory-{what}",
                f"The patched application has far fewer {what} than the baseline.",
                expected=before,
                seen=after,
            )
    return recalls


def token_recall(base: Mapping[str, int], patched: Mapping[str, int]) -> float:
    """The share of the baseline's template tokens, counted as often as they come, that is kept."""
    return _share(
        sum(min(count, patched.get(token, 0)) for token, count in base.items()), sum(base.values())
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
