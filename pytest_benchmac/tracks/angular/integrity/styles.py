"""Style sheets and the configuration of their tools, as far as they run code in a build."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_benchmac.foreign.text import decode, line_of
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.packages import Packages
from pytest_benchmac.tracks.angular.integrity.sources import Sources
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, items, mapping
from pytest_benchmac.tracks.findings import Findings

SHEETS = (".css", ".less", ".pcss", ".postcss", ".sass", ".scss", ".styl", ".stylus")
_MAX_SHEET_BYTES = MIB
_MAX_ALL_BYTES = 64 * MIB
_MAX_PER_SHEET = 100
#: Comments, and what may look as if it had one inside.
_TOKENS = re.compile(
    r"/\*.*?(?:\*/|\Z)|//[^\n\r]*"
    r"|\"(?:\\.|[^\"\\\n\r])*+\"?|'(?:\\.|[^'\\\n\r])*+'?|url\([^)\"'\n\r]*+\)?",
    re.DOTALL | re.IGNORECASE,
)
#: Less knows no comments to the end of a line in values that it does not understand.
_TOKENS_LESS = re.compile(
    r"(?<![\w-])(?:--|@)[\w-]++\s*+:(?:[^;{}\"'/]|/(?![*]))*+|" + _TOKENS.pattern, _TOKENS.flags
)
_TOKENS_CSS = re.compile(_TOKENS.pattern.replace(r"|//[^\n\r]*", ""), _TOKENS.flags)
_IMPORT = re.compile(r"@import\b[^;\"']*+(?:[\"']([^\"'\n\r]*))?", re.IGNORECASE)
_PLUGIN = re.compile(r"@plugin\b[^;{}]*", re.IGNORECASE)
#: What Less fetches and reads in a build: everything but what it leaves to browsers.
_REMOTE_IMPORT = re.compile(
    r"@import\b\s{0,99}(?!\([^)]{0,99}\b(?:css|inline)\b)(?:\([^)]{0,99}\)\s{0,99})?"
    r"(?:url\(\s{0,99})?[\"']?(?:https?:)?//(?![^;\"')]{0,999}[#.&?]css(?:[?;\"')]|$))[^;]{0,999}",
    re.IGNORECASE,
)
_CONFIG = re.compile(r"@config\s*[\"'][^;{}]*", re.IGNORECASE)
_BACKTICK = re.compile(r"`[^`]*(?:`|\Z)")
_STYLUS_USE = re.compile(r"\buse\s*\([^)]*\)?")
_POSTCSS = re.compile(r"(?:^|/)(?:postcss\.config\.[^/]+|\.postcssrc(?:\.[^/]+)?)$", re.IGNORECASE)
_TAILWIND = re.compile(r"(?:^|/)tailwind\.config\.[^/]+$|(?:^|/)tailwind\.config$", re.IGNORECASE)
#: Plugins that a patch may bring to a build that had none. Of what they are told to load, style
#: sheets tell, which are read.
STYLE_PLUGINS = frozenset({"@tailwindcss/postcss", "autoprefixer", "tailwindcss"})
_BROWSERSLIST = (".browserslistrc", "browserslist")
_EXTENDS = re.compile(
    r"(?:^|,|\bor\b|\band\b)[ \t]*extends[ \t]+([^\s#,]+)", re.MULTILINE | re.IGNORECASE
)


_RUNS_CODE = "A style sheet runs code in the build, which it did not in the baseline."
_MESSAGES = {
    "style-remote": "A style sheet is fetched from another host in the build, and read there.",
    "style-unreadable": f"A style sheet is larger than {_MAX_SHEET_BYTES} bytes, and not read.",
}


@dataclass(frozen=True)
class StyleCode:
    """Something in a style sheet or its configuration that runs code."""

    code: str
    #: What makes it the same thing in another tree, wherever it stands.
    key: str
    file: str
    line: int | None


def executed(tree: SourceTree, sources: Sources, less: bool) -> list[StyleCode]:
    """All that style sheets of the tree, and styles within components, would run."""
    found: list[StyleCode] = []
    sheets: dict[str, str] = {}
    left = _MAX_ALL_BYTES

    def read(path: str) -> str | None:
        nonlocal left
        content = tree.read(path, min(left, _MAX_SHEET_BYTES))
        left -= len(content or b"")
        return None if content is None else decode(content)

    own = [path for path in tree.files if outside(path, ("node_modules", ".git"))]
    for path in own:
        kind = path.lower().rpartition(".")[2]
        if not path.lower().endswith(SHEETS):
            continue
        text = read(path)
        if text is not None:
            sheets[path] = text
            found += _in_sheet(text, kind, path)
        elif kind in ("less", "styl", "stylus"):
            found.append(StyleCode("style-unreadable", path, path, None))
    if less:
        # Less takes in files of whatever name.
        imported = {
            name.rpartition("/")[2] for text in sheets.values() for name in _IMPORT.findall(text)
        }
        anything = any("{" in name for name in imported)
        for path in own:
            name = path.rpartition("/")[2]
            if path in sheets or not (anything or name in imported):
                continue
            text = read(path)
            if text is not None:
                found += _in_sheet(text, "less", path)
            elif name in imported:
                found.append(StyleCode("style-unreadable", path, path, None))
    for path, facts in sources.facts.items():
        for each in facts.classes:
            for style in each.styles:
                found += [
                    StyleCode(one.code, one.key, path, each.line)
                    for one in _in_sheet(style, "less" if less else "css", path)
                ]
    return found


def _in_sheet(text: str, kind: str, path: str) -> Iterator[StyleCode]:
    bare = without_comments(text, kind)
    patterns = [(_PLUGIN, "style-plugin"), (_CONFIG, "style-plugin")]
    if kind == "less":
        patterns.append((_BACKTICK, "style-inline-javascript"))
        patterns.append((_REMOTE_IMPORT, "style-remote"))
    if kind in ("styl", "stylus"):
        patterns.append((_STYLUS_USE, "style-plugin"))
    for pattern, code in patterns:
        for match in islice(pattern.finditer(bare), _MAX_PER_SHEET):
            yield StyleCode(code, " ".join(match[0].split()), path, line_of(bare, match.start()))


def without_comments(text: str, kind: str) -> str:
    """A style sheet without its comments; `kind` is the extension of its name."""
    tokens = {"css": _TOKENS_CSS, "less": _TOKENS_LESS}.get(kind, _TOKENS)
    return tokens.sub(_blanked, text)


def _blanked(match: re.Match[str]) -> str:
    """Comments lose all but their line ends; strings and addresses stay."""
    comment = match[0].startswith(("/*", "//"))
    return re.sub(r"[^\n]", " ", match[0]) if comment else match[0]


def uses_less(tree: SourceTree, workspace: AngularWorkspace) -> bool:
    """Does the build run Less at all?"""
    inline = (mapping(target.options).get("inlineStyleLanguage") for target in workspace.targets)
    return "less" in inline or any(path.lower().endswith(".less") for path in tree.files)


def tool_configurations(tree: SourceTree) -> dict[str, list[str]]:
    """Configuration files of PostCSS and Tailwind, by tool."""
    own = [path for path in tree.files if outside(path, ("node_modules", ".git"))]
    return {
        "PostCSS": [path for path in own if _POSTCSS.search(path)],
        "Tailwind": [path for path in own if _TAILWIND.search(path)],
    }


def browserslist_extends(tree: SourceTree) -> dict[str, tuple[str, int | None]]:
    """What browserslist configurations extend: key -> (file, line)."""
    found: dict[str, tuple[str, int | None]] = {}
    for path in tree.named(*_BROWSERSLIST):
        text = re.sub(r"#[^\n]*", "", tree.text(path, MIB) or "")
        for match in _EXTENDS.finditer(text):
            found.setdefault(match[1], (path, line_of(text, match.start())))
    for path in tree.named("package.json"):
        text = tree.text(path, MIB) or ""
        try:
            section = mapping(json.loads(text)).get("browserslist")
        except (ValueError, RecursionError):
            continue
        for query in _strings(section):
            for extends in _EXTENDS.finditer(query):
                position = max(text.find(extends[1]), 0)
                found.setdefault(extends[1], (path, line_of(text, position)))
    return found


def _strings(value: object) -> Iterator[str]:
    for each in [value] if isinstance(value, str) else items(value):
        if isinstance(each, str):
            yield each
    for each in mapping(value).values():
        for query in [each] if isinstance(each, str) else items(each):
            if isinstance(query, str):
                yield query


def check_styles(
    base: tuple[SourceTree, Sequence[StyleCode], Packages],
    patched: tuple[SourceTree, Sequence[StyleCode], Packages],
    findings: Findings,
) -> None:
    """Does a style sheet, or the configuration of its tools, newly run code?"""
    old_tree, old_executed, _ = base
    tree, new_executed, packages = patched
    known = {(each.code, each.key) for each in old_executed}
    for each in new_executed:
        if (each.code, each.key) not in known:
            findings.fatal(
                each.code,
                _MESSAGES.get(each.code, _RUNS_CODE),
                file=each.file,
                line=each.line,
                seen=each.key,
            )
    before, after = tool_configurations(old_tree), tool_configurations(tree)
    had_postcss = bool(before["PostCSS"] or before["Tailwind"])
    for tool, files in after.items():
        for file in files:
            if file in before[tool]:
                continue
            if not had_postcss and not _only_known(tree, file):
                findings.fatal(
                    f"{tool.lower()}-configuration",
                    f"A {tool} configuration is read in the build; the baseline had none.",
                    file=file,
                    line=1,
                    expected="none",
                    seen=file,
                )
    known_plugins = {plugin for file in before["PostCSS"] for plugin in _plugins(old_tree, file)}
    for file in after["PostCSS"]:
        for plugin in _plugins(tree, file):
            local = plugin.startswith((".", "/")) or "file:" in plugin
            if plugin not in known_plugins and (local or _is_local(plugin, packages)):
                findings.fatal(
                    "postcss-local-plugin",
                    "The PostCSS configuration loads a plugin from the patched tree.",
                    file=file,
                    line=1,
                    expected="a published package",
                    seen=plugin,
                )
    known_extends = browserslist_extends(old_tree)
    for name, (file, line) in browserslist_extends(tree).items():
        if name not in known_extends:
            findings.fatal(
                "browserslist-extends",
                "The list of browsers is computed by a module that is run in the build; the "
                "baseline had none.",
                file=file,
                line=line,
                expected="queries",
                seen=f"extends {name}",
            )


def _only_known(tree: SourceTree, file: str) -> bool:
    """Is this PostCSS configuration data, which names well-known plugins and no options?"""
    try:
        value = json.loads(tree.text(file, MIB) or "null")
    except (ValueError, RecursionError):
        return False
    plugins = mapping(mapping(value).get("plugins"))
    return (
        file.endswith(".json")
        and mapping(value).keys() == {"plugins"}
        and plugins.keys() <= STYLE_PLUGINS
        and all(options in ({}, True) for options in plugins.values())
    )


def _plugins(tree: SourceTree, file: str) -> list[str]:
    """Plugins that a PostCSS configuration in JSON names."""
    try:
        value = json.loads(tree.text(file, MIB) or "null")
    except (ValueError, RecursionError):
        return []
    plugins = mapping(value).get("plugins")
    names: list[str] = list(mapping(plugins))
    for each in items(plugins):
        name = each[0] if isinstance(each, list) and each else each
        if isinstance(name, str):
            names.append(name)
    return names


def _is_local(plugin: str, packages: Packages) -> bool:
    """Is the package of this name taken from the tree?"""
    specs: Mapping[str, str] = packages.manifest.dependencies
    return specs.get(plugin, "").startswith(("file:", "link:", ".", "/"))
