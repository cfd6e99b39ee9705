"""The bill of materials of a build: what every script is made of, told by the builder itself.

The harness has the builder write its statistics (`stats.json`: esbuild's metafile, or webpack's
statistics) and hidden source maps. Both are read here, without belief that they are well-formed.
Whether they may be believed, and what they may say, is for `bill_rules.py`.

https://esbuild.github.io/api/#metafile, https://webpack.js.org/api/stats/
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from pytest_benchmac.foreign.sourcemap import (
    MapError,
    SourceMap,
    read_map,
    source_path,
)
from pytest_benchmac.foreign.text import decode
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.definitions import definitions
from pytest_benchmac.tracks.angular.integrity.inventory import Declared, Inventory
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping

STATS = "stats.json"
_SCRIPTS = (".js", ".mjs")
_MAX_STATS_BYTES = 128 * MIB
_MAX_SCRIPT_BYTES = 64 * MIB
_MAX_MAP_BYTES = 128 * MIB
_MAX_ALL_BYTES = 512 * MIB
_MAX_SCRIPTS = 5_000
_MAX_INPUTS = 200_000
_PACKAGES = ("node_modules",)
_INDEX = ("index.html", "index.csr.html")
#: Scripts for browsers without modules, which builders up to version 12 make beside the others.
_OLD_BROWSERS = re.compile(r"-es5(?=\.)")
#: What those are made of, which is told.
_NEW_BROWSERS = re.compile(r"-es20\d\d(?=\.)")
_HASH = re.compile(r"(?:-es20\d\d)?(?:\.[0-9a-f]{16,20})?(?=\.m?js$)")
_LOADERS = re.compile(r"^.*!", re.DOTALL)
_CONCATENATED = re.compile(r" \+ \d+ modules?$")


class BuiltComponent(Model):
    """A definition of a component or directive in a script."""

    #: As the definition has it: all alternatives, attributes in brackets.
    selector: ForeignText
    #: Names that each alternative asks for, in lower case, sorted.
    names: tuple[tuple[ForeignText, ...], ...]
    #: The file that its class comes from, relative to the project; empty where no map tells.
    source: ForeignText
    #: Line of the class there, from 1.
    line: int
    #: Empty where the source declares no such class.
    class_name: ForeignText = ""
    #: Where its template function starts in the script, in UTF-16 code units; None without one.
    template_offset: int | None


class BilledScript(Model):
    """A script of the build."""

    sha256: str
    #: What it is made of, with the bytes of each in it (characters, where a map tells them):
    #: paths relative to the project, or names of the builder's own. Empty for assets.
    inputs: dict[ForeignText, int]
    #: Was it copied as it is?
    asset: bool = False
    components: tuple[BuiltComponent, ...] = ()


class Bill(Model):
    """What the scripts of a build are made of."""

    #: By path below the folder that holds index.html. Scripts for browsers without modules are
    #: left out, where they are made of told ones.
    scripts: dict[ForeignText, BilledScript] = Field(default_factory=dict)
    #: Why this is not all; empty when it is.
    problem: ForeignText = ""

    @property
    def inputs(self) -> dict[str, int]:
        """What all scripts are made of, with the bytes of each."""
        found: dict[str, int] = {}
        for script in self.scripts.values():
            for path, size in script.inputs.items():
                found[path] = found.get(path, 0) + size
        return found

    def named(self, inventory: Inventory) -> Bill:
        """The same with the classes that an inventory knows in the definitions' sources.

        Where a map has nothing on the class, what stands before its definition are functions of its
        template: the source is then the one that names this template.
        """
        declared: dict[str, list[Declared]] = {}
        templates: dict[str, Declared] = {}
        for each in (*inventory.components, *inventory.directives):
            declared.setdefault(each.file, []).append(each)
            if each.template is not None:
                templates[each.template] = each

        def name(built: BuiltComponent) -> BuiltComponent:
            if (owner := templates.get(built.source)) is not None:
                told = {"source": owner.file, "line": owner.line, "class_name": owner.name}
                return built.model_copy(update=told)
            # A decorator stands before its class, and one class before the next.
            before = [each for each in declared.get(built.source, ()) if each.line <= built.line]
            if not before:
                return built
            nearest = max(before, key=lambda each: each.line)
            return built.model_copy(update={"class_name": nearest.name})

        return self.model_copy(
            update={
                "scripts": {
                    path: script.model_copy(
                        update={"components": tuple(map(name, script.components))}
                    )
                    for path, script in self.scripts.items()
                }
            }
        )

    @property
    def components(self) -> list[BuiltComponent]:
        """The definitions in all scripts."""
        return [each for script in self.scripts.values() for each in script.components]


class _UnreadableError(Exception):
    """The bill cannot be made; the text says why."""


def read_bill(artifacts: SourceTree) -> Bill:
    """The bill of a build with statistics and maps. Never raises.

    Args:
        artifacts: the output folders, by their paths below the project.
    """
    try:
        return Bill(scripts=dict(_scripts(artifacts)))
    except _UnreadableError as error:
        return Bill(problem=str(error))


def harness_files(artifacts: SourceTree) -> list[str]:
    """The statistics and maps in a build that the harness asked the builder for."""
    try:
        stats, told = _told(artifacts)
        folder = page_folder(artifacts)
    except _UnreadableError:
        return []
    names = (f"{folder}{name}.map" for name in told)
    return [stats, *(name for name in names if name in artifacts)]


def page_folder(artifacts: SourceTree) -> str:
    """The folder of the outermost entry page, with a slash at its end, or nothing."""
    pages = sorted(artifacts.named(*_INDEX), key=lambda path: (path.count("/"), path))
    if not pages:
        raise _UnreadableError("the build left no index.html")
    folder = pages[0].rpartition("/")[0]
    return f"{folder}/" if folder else ""


def _scripts(artifacts: SourceTree) -> Iterator[tuple[str, BilledScript]]:
    if artifacts.problem:
        raise _UnreadableError(f"not all of the build can be read: {artifacts.problem}")
    folder = page_folder(artifacts)
    _, told = _told(artifacts)
    names = [
        path.removeprefix(folder)
        for path in artifacts.files
        if path.startswith(folder) and path.endswith(_SCRIPTS)
    ]
    old = _for_old_browsers(names, told)
    if len(names) > _MAX_SCRIPTS:
        raise _UnreadableError(f"more than {_MAX_SCRIPTS} scripts")
    left = _MAX_ALL_BYTES
    for name in names:
        if name in old and name not in told:
            continue
        content = artifacts.read(f"{folder}{name}", min(left, _MAX_SCRIPT_BYTES))
        if content is None:
            raise _UnreadableError(f"the script {name} is too large to be read")
        left -= len(content)
        sha256 = hashlib.sha256(content).hexdigest()
        inputs = told.get(name)
        if inputs is None:
            yield name, BilledScript(sha256=sha256, inputs={}, asset=True)
            continue
        place = f"{folder}{name}.map"
        mapped = artifacts.read(place, min(left, _MAX_MAP_BYTES))
        if mapped is None and place in artifacts:
            raise _UnreadableError(f"the source map of {name} is too large to be read")
        left -= len(mapped or b"")
        try:
            located = None if mapped is None else _Located(decode(content), read_map(mapped))
        except MapError as error:
            raise _UnreadableError(f"the source map of {name} cannot be read: {error}") from error
        if located is not None and not any(inputs.values()):
            inputs = located.sizes(inputs)
        yield (
            name,
            BilledScript(
                sha256=sha256,
                inputs=inputs,
                components=tuple(_components(decode(content), located)),
            ),
        )


def _for_old_browsers(names: Sequence[str], told: Mapping[str, object]) -> set[str]:
    """Scripts that differential loading made of others: one of each, which it renames for it."""
    made = {_HASH.sub("", name) for name in told if _NEW_BROWSERS.search(name)}
    stems: dict[str, list[str]] = {}
    for name in names:
        if _OLD_BROWSERS.search(name):
            stems.setdefault(_HASH.sub("", _OLD_BROWSERS.sub("", name)), []).append(name)
    return {each[0] for stem, each in stems.items() if stem in made and len(each) == 1}


class _Located:
    """A script with its map."""

    def __init__(self, script: str, source_map: SourceMap) -> None:
        self._script, self._map = script, source_map
        self._starts = [0, *(match.end() for match in re.finditer("\n", script))]

    def at(self, offset: int) -> tuple[str, int] | None:
        """Source and line of what stands at an offset."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return self._map.at(line, utf16(self._script[start:offset]))

    def sizes(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """The inputs with what each has in the script.

        What comes from elsewhere (a template, whose function stands in its class) counts for the
        input before it.
        """
        found = dict.fromkeys(inputs, 0)
        ends = [*self._starts[1:], len(self._script)]
        lengths = [
            utf16(self._script[start:end]) for start, end in zip(self._starts, ends, strict=True)
        ]
        current = ""
        for source, length in self._map.spans(lengths):
            if source in found:
                current = source
            if current:
                found[current] += length
        return found


def utf16(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _components(script: str, located: _Located | None) -> Iterator[BuiltComponent]:
    for each in definitions(script):
        source, line = (located.at(each.class_offset) if located else None) or ("", 0)
        offset = each.template_offset
        yield BuiltComponent(
            selector=each.shown,
            names=tuple(tuple(sorted(names)) for names in each.selectors),
            source=source,
            line=line,
            template_offset=None if offset is None else utf16(script[:offset]),
        )


def _told(artifacts: SourceTree) -> tuple[str, dict[str, dict[str, int]]]:
    """Path of the statistics, and the inputs of every script that they tell of."""
    folder = page_folder(artifacts)
    places = [
        path for path in artifacts.named(STATS) if folder.startswith(path.removesuffix(STATS))
    ]
    if len(places) != 1:
        raise _UnreadableError(f"the builder left {len(places)} files {STATS} for one page")
    content = artifacts.read(places[0], _MAX_STATS_BYTES)
    if content is None:
        raise _UnreadableError(f"{STATS} is larger than {_MAX_STATS_BYTES} bytes")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _UnreadableError(f"{STATS} is no JSON") from error
    told = _metafile(value) if "outputs" in mapping(value) else _webpack(mapping(value))
    if sum(map(len, told.values())) > _MAX_INPUTS:
        raise _UnreadableError(f"{STATS} names more than {_MAX_INPUTS} inputs")
    if not told:
        raise _UnreadableError(f"{STATS} tells of no script")
    names = {path.removeprefix(folder) for path in artifacts.files if path.startswith(folder)}
    found = {_on_disk(name, names): inputs for name, inputs in told.items()}
    if not names & found.keys():
        raise _UnreadableError(f"{STATS} tells of no script that is there")
    return places[0], found


def _on_disk(name: str, names: set[str]) -> str:
    """The script that statistics mean: builders up to version 12 rename it afterwards."""
    if name in names:
        return name
    stem = _HASH.sub("", name)
    same = [
        each
        for each in names
        if each.endswith(_SCRIPTS)
        and not _OLD_BROWSERS.search(each)
        and _HASH.sub("", each) == stem
    ]
    return same[0] if len(same) == 1 else name


def _metafile(value: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """esbuild's: the bytes that each input has in each output."""
    told: dict[str, dict[str, int]] = {}
    for name, output in mapping(value["outputs"]).items():
        if name.endswith(_SCRIPTS):
            inputs = mapping(mapping(output).get("inputs"))
            told[name] = {path: _size(each, "bytesInOutput") for path, each in inputs.items()}
    return told


def _size(value: object, key: str) -> int:
    size = mapping(value).get(key)
    if not isinstance(size, int) or not 0 <= size <= _MAX_SCRIPT_BYTES:
        raise _UnreadableError(f"{STATS} does not tell how much there is of an input")
    return size


def _webpack(value: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """webpack's: the modules of each chunk, whose sizes only the map tells."""
    told: dict[str, dict[str, int]] = {}
    for chunk in map(mapping, items(value.get("chunks"))):
        if "modules" not in chunk or chunk.get("filteredModules"):
            raise _UnreadableError(f"{STATS} does not tell all modules of a chunk")
        names = [each for each in items(chunk.get("files")) if isinstance(each, str)]
        for name in names:
            if name.endswith(_SCRIPTS):
                inputs = (_module(each) for each in _modules(items(chunk["modules"])))
                told.setdefault(name, {}).update((each, 0) for each in inputs)
    return told


def _modules(modules: Sequence[Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    for each in map(mapping, modules):
        inner = items(each.get("modules"))
        if each.get("filteredModules") or depth > 8:
            raise _UnreadableError(f"{STATS} does not tell all modules of a chunk")
        if inner:
            yield from _modules(inner, depth + 1)
        else:
            yield each


def _module(module: Mapping[str, Any]) -> str:
    """The file that a module is, or its name where it is none."""
    name, identifier = (
        text if isinstance(text := module.get(key), str) else "" for key in ("name", "identifier")
    )
    if module.get("moduleType") == "runtime" or not name:
        return name or identifier
    bare = _LOADERS.sub("", _CONCATENATED.sub("", name))
    return source_path(bare) if bare.startswith("./") else name


def library_elements(base: Bill, case: Bill) -> frozenset[str]:
    """Elements whose components packages define in both builds, and nobody else in either."""
    (own, theirs), (own_too, theirs_too) = map(_elements, (base, case))
    return (theirs & theirs_too) - own - own_too


def _elements(bill: Bill) -> tuple[frozenset[str], frozenset[str]]:
    """Names of the application's own elements, and of those that packages have templates for."""
    own: set[str] = set()
    theirs: set[str] = set()
    for each in bill.components:
        names = {name for alternative in each.names for name in alternative if "-" in name}
        if outside(each.source, _PACKAGES):
            own |= names
        elif each.template_offset is not None:
            theirs |= names
    return frozenset(own), frozenset(theirs)
