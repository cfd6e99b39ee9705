"""Addresses of hosts in configuration, pages, templates and style sheets.

Documentation is not looked at, nor are sources that a case is built of: what they ask for is seen
when pages run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncDocument, JsoncError, Key, parse
from pytest_benchmac.tracks.angular.integrity.other_builds import built_otherwise
from pytest_benchmac.tracks.angular.integrity.other_locks import LOCKS
from pytest_benchmac.tracks.angular.integrity.packages import DEPENDENCY_SECTIONS, MANIFEST
from pytest_benchmac.tracks.angular.integrity.page import elements
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.styles import SHEETS, without_comments
from pytest_benchmac.tracks.angular.integrity.workspace import inside
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import assets
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.automation import acted_on, without_remarks

_MAX_BYTES = 16 * MIB
#: JSON beyond that is read as text.
_MAX_JSON = MIB
_JSON = (".json", ".jsonc", ".webmanifest")
_PAGES = (".html", ".htm", ".xhtml")
#: Configuration that is code: of it only strings that begin with an address are read.
_CODE = re.compile(r"(?:[.-](?:conf|config)|/\.\w+rc)\.[cm]?[jt]s$", re.IGNORECASE)
_PROSE = (".md", ".markdown")
_NOT_OURS = ("node_modules", ".git")
#: Fields of package.json for people, and those of packages, which have rules of their own.
_OTHER_FIELDS = frozenset(
    {
        *DEPENDENCY_SECTIONS,
        *("author", "bugs", "contributors", "description", "funding", "homepage", "keywords"),
        *("license", "licenses", "maintainers", "overrides", "repository", "resolutions"),
    }
)
#: Attributes that people read and nothing loads.
_TEXTS = ("xmlns", "alt", "title", "placeholder", "aria-")
_LINKS = ("a", "area")
#: A link that leads somewhere, and is no program.
_LEADS = re.compile(r"(?:https?:|[/\\]{2})", re.IGNORECASE)
#: Namespaces and schemas, which are names and not asked for; where the framework documents itself;
#: and where its own schematics have fonts from, which nobody else can serve at.
_NAMES = frozenset(
    {
        *("json-schema.org", "json.schemastore.org", "www.schemastore.org", "www.w3.org", "w3.org"),
        *("angular.dev", "angular.io", "material.angular.dev", "material.angular.io"),
        *("fonts.googleapis.com", "fonts.gstatic.com"),
    }
)
_LOOPBACK = re.compile(r"(?:.*\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1?")
_AUTHORITY = (
    r"(?:[^\s/\\?#\"'`<>(){},;|&$\[\]]*@)?(?:\[[\da-f:.]+\]|[^\s/\\?#\"'`<>(){},;|&$\[\]]+)"
)
#: Browsers take any number of slashes, of either kind, after the schemes of the web.
_ABSOLUTE = re.compile(
    r"(?:https?|wss?|s?ftps?|ssh|git|tcp):"
    rf"(?:[/\\]{{2,}}({_AUTHORITY})|[/\\]?(?=[\w-]+\.\w)({_AUTHORITY}))",
    re.IGNORECASE,
)
#: An address without a scheme: where a value may begin, and of something like a host.
_RELATIVE = re.compile(
    rf"(?:^|(?<=[\s\"'(,=]))[/\\]{{2,}}(?=\[|[\w-]+(?:\.\w|:\d)|\d+\b)({_AUTHORITY})"
)
_QUOTED = re.compile(
    rf"(?<=[\"'`])(?:(?:https?|wss?):)?[/\\]{{2,}}(?=\[|[\w-]+[.:]\w)({_AUTHORITY})", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\([0-9a-fA-F]{1,6})[ \t\r\n]?")


@dataclass(frozen=True)
class Address:
    """An address of a host, as far as the host."""

    text: str
    host: str
    line: int | None
    #: Is it reached only by following a link? Boots see where links lead.
    followed: bool = False


def check_addresses(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Nothing leads to a host that the base does not name."""
    added = [
        (path, address)
        for path, address in _all_addresses(base, patched)
        if address.host not in _NAMES and not _LOOPBACK.fullmatch(address.host)
    ]
    known = _named(base.tree, {address.host for _, address in added}) if added else set()
    told: set[tuple[str, str]] = set()
    for path, address in sorted(added, key=lambda each: each[1].followed):
        if address.host not in known and (path, address.host) not in told:
            told.add((path, address.host))
            (findings.warning if address.followed else findings.fatal)(
                "new-host",
                f"{path} leads to the host {address.host}, which no file of the baseline names.",
                file=path,
                line=address.line,
                expected="hosts that the baseline names",
                seen=address.text,
            )


def _all_addresses(base: Snapshot, patched: Snapshot) -> Iterator[tuple[str, Address]]:
    """Addresses in files that are new or changed."""
    # Of other sources no page is made that a boot opens.
    code = _proxies(patched) | built_otherwise(patched)
    # No boot opens these, so that none sees where their links lead.
    aside = {
        file
        for target in patched.workspace.targets
        for file in (target.path("index") or "", *assets(target, patched.tree).values())
    }
    for path in patched.tree.files:
        if outside(path, _NOT_OURS) and not _same(base.tree, patched.tree, path):
            for each in _in_file(patched.tree, path, code=path in code):
                yield path, replace(each, followed=each.followed and path not in aside)
    for path, facts in patched.sources.facts.items():
        if base.sources.facts.get(path) == facts:
            continue
        for one in facts.classes:
            within = [*_in_page(one.template or "")]
            within += [each for style in one.styles for each in _in_sheet(style, "css")]
            for each in within:
                yield path, replace(each, line=one.line)


def _same(base: SourceTree, patched: SourceTree, path: str) -> bool:
    size = patched.files[path]
    return base.files.get(path) == size and base.read(path, size) == patched.read(path, size)


def _proxies(snapshot: Snapshot) -> set[str]:
    """Files that tell development servers where to hand requests on."""
    values = _strings(snapshot.workspace.document.value)
    return {inside(text) or "" for path, text in values if path[-1:] == ("proxyConfig",)}


def _in_file(tree: SourceTree, path: str, *, code: bool) -> Iterator[Address]:
    lower = path.lower()
    name = lower.rpartition("/")[2]
    kinds = (*_JSON, *_PAGES, *SHEETS)
    acted = acted_on(path)
    if name in LOCKS or not (code or acted or lower.endswith(kinds) or _CODE.search(f"/{lower}")):
        return
    text = tree.text(path, _MAX_BYTES)
    if text is None:
        return
    if lower.endswith(_JSON):
        yield from _in_json(text, manifest=name == MANIFEST)
    elif lower.endswith(_PAGES):
        yield from _in_page(text)
    elif lower.endswith(SHEETS):
        yield from _in_sheet(text, lower.rpartition(".")[2])
    elif acted:
        yield from _found(_ABSOLUTE, without_remarks(text))
    else:
        yield from _found(_QUOTED, text)


def _in_json(text: str, *, manifest: bool) -> Iterator[Address]:
    try:
        document = parse(text) if len(text) <= _MAX_JSON else JsoncDocument(text)
    except JsoncError:
        document = JsoncDocument(text.replace("\\/", "/"))
    for path, value in _strings(document.value):
        other = path[:1] and (path[0] in _OTHER_FIELDS or path[:2] == ("pnpm", "overrides"))
        if (manifest and other) or path[-1:] == ("$schema",):
            continue
        for address in _in_text(value):
            yield Address(address.text, address.host, document.line(*path) or 1)


def _strings(value: object) -> Iterator[tuple[Key, str]]:
    """All texts of a JSON value, with where they stand; keys as well."""
    pending: list[tuple[Key, object]] = [((), value)]
    while pending:
        path, each = pending.pop()
        if isinstance(each, str):
            yield path, each
        elif isinstance(each, dict):
            for key, inner in each.items():
                yield (*path, key), key
                pending.append(((*path, key), inner))
        elif isinstance(each, list):
            pending += [((*path, index), inner) for index, inner in enumerate(each)]


def _in_page(text: str) -> Iterator[Address]:
    for element in elements(text):
        for name, value in element.attributes.items():
            if name.startswith(_TEXTS):
                continue
            # Browsers leave these characters out of addresses.
            bare = re.sub(r"[\t\r\n]", "", html.unescape(value)).strip()
            followed = element.name in _LINKS and name == "href" and bool(_LEADS.match(bare))
            for address in _in_text(bare):
                yield replace(address, line=element.line, followed=followed)
        if element.name in ("style", "noscript"):
            for address in _in_sheet(element.body, "css"):
                yield replace(address, line=element.line)


def _in_sheet(text: str, kind: str) -> Iterator[Address]:
    bare = _ESCAPED.sub(_unescaped, without_comments(text, kind))
    for pattern in (_ABSOLUTE, _RELATIVE):
        yield from _found(pattern, bare)


def _found(pattern: re.Pattern[str], text: str) -> Iterator[Address]:
    """Addresses with their lines, which are counted once."""
    line, counted = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        yield from _address(match, line)


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if 0x20 <= code <= 0x10FFFF else " "


def _in_text(text: str) -> Iterator[Address]:
    for pattern in (_ABSOLUTE, _RELATIVE):
        for match in pattern.finditer(text):
            yield from _address(match, None)


def _address(match: re.Match[str], line: int | None) -> Iterator[Address]:
    authority = next(filter(None, match.groups()), "")
    host = unquote(authority.rpartition("@")[2]).lower()
    host = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    host = host.removeprefix("*.").rstrip(".")
    if host[:1].isalnum() or host.startswith(":"):
        yield Address(match[0], host, line)


def _named(tree: SourceTree, hosts: set[str]) -> set[str]:
    """Those of the hosts that a file of the tree names, in an address or in quotes.

    Neither documentation counts, nor lock files, which name whoever takes donations.
    """
    names = "|".join(map(re.escape, sorted(hosts, key=len, reverse=True)))
    pattern = re.compile(
        rf"(?:[/\\]{{2}}(?:[^\s/\\@\"'<>]{{0,99}}@)?|[\"'`])(?:\*\.)?\[?({names})(?![\w-]|\.\w)",
        re.IGNORECASE,
    )
    found: set[str] = set()
    for path in tree.files:
        name = path.lower().rpartition("/")[2]
        if outside(path, _NOT_OURS) and name not in LOCKS and not name.endswith(_PROSE):
            text = (tree.text(path, _MAX_BYTES) or "").replace("\\/", "/")
            found.update(match[1].lower() for match in pattern.finditer(text))
    return found
