"""Source maps, version 3, of the builds that are judged: https://tc39.es/ecma426/.

Read with bounds: a map that is no map is a problem that is told, never an exception.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchmac.foreign.tree import normal_path

_DIGITS = {
    character: value
    for value, character in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_SCHEME = re.compile(r"^webpack://[^/]{0,200}/")
#: Fields of a segment: column, source, line, column there, name.
_FIELDS = (1, 4, 5)
_MAX_SEGMENT = 64


class MapError(ValueError):
    """It is no source map that can be read."""


@dataclass(frozen=True)
class SourceMap:
    """Where each piece of a script comes from.

    The pieces of one line of the script are neighbours in the three arrays.
    """

    #: Paths relative to the project, as far as they are such; else what the map says.
    sources: Sequence[str]
    #: Index of each line's first piece, and the number of pieces at the end.
    lines: Sequence[int]
    #: Where in its line each piece starts, in UTF-16 code units.
    columns: Sequence[int]
    #: Index of each piece's source; -1 for what comes from none.
    source: Sequence[int]
    #: Line of each piece in its source, from 0.
    origin: Sequence[int]

    def at(self, line: int, column: int) -> tuple[str, int] | None:
        """Source, and line in it (from 1), of the nearest piece that starts here or before.

        Args:
            line: of the script, from 0.
            column: in UTF-16 code units, from 0.
        """
        if line + 1 >= len(self.lines):
            return None
        first, end = self.lines[line], self.lines[line + 1]
        index = bisect_right(self.columns, column, first, end) - 1
        if index < first or self.source[index] < 0:
            return None
        return self.sources[self.source[index]], self.origin[index] + 1

    def spans(self, lengths: Sequence[int]) -> list[tuple[str, int]]:
        """Source and length in UTF-16 code units of every piece that has a source, in order.

        Args:
            lengths: of the script's lines.
        """
        found: list[tuple[str, int]] = []
        for line, length in enumerate(lengths[: len(self.lines) - 1]):
            end = self.lines[line + 1]
            for index in range(self.lines[line], end):
                if self.source[index] >= 0:
                    following = self.columns[index + 1] if index + 1 < end else length
                    width = max(0, following - self.columns[index])
                    found.append((self.sources[self.source[index]], width))
        return found


def read_map(content: bytes) -> SourceMap:
    """Read a map.

    Raises:
        MapError: it is none.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise MapError("it is no JSON") from error
    if not isinstance(value, dict) or value.get("version") != 3 or "sections" in value:
        raise MapError("it is no map of version 3 without sections")
    sources, mappings = value.get("sources"), value.get("mappings")
    if not isinstance(sources, list) or not isinstance(mappings, str):
        raise MapError("it has no sources or no mappings")
    names = [source_path(each) if isinstance(each, str) else "" for each in sources]
    return _decode(names, mappings)


def source_path(name: str) -> str:
    """The path of a source below the project, where its name gives one; else the name."""
    bare = _SCHEME.sub("", name).partition("?")[0]
    if bare.startswith("/"):
        return name
    return normal_path(bare) or name


def _decode(names: Sequence[str], mappings: str) -> SourceMap:
    lines, columns, source, origin = array("q", [0]), array("q"), array("q"), array("q")
    #: Most segments come again and again.
    known: dict[str, tuple[int, ...]] = {}
    at_source = at_line = 0
    for line in mappings.split(";"):
        column = 0
        for segment in line.split(",") if line else ():
            fields = known.get(segment)
            if fields is None:
                fields = known[segment] = _fields(segment)
            column += fields[0]
            columns.append(column)
            if len(fields) > 1:
                at_source += fields[1]
                at_line += fields[2]
                if not 0 <= at_source < len(names):
                    raise MapError("a segment names a source that there is not")
                source.append(at_source)
            else:
                source.append(-1)
            origin.append(at_line)
        lines.append(len(columns))
    return SourceMap(names, lines, columns, source, origin)


def _fields(segment: str) -> tuple[int, ...]:
    found: list[int] = []
    value = shift = 0
    if len(segment) > _MAX_SEGMENT:
        raise MapError("a segment is too long")
    for character in segment:
        digit = _DIGITS.get(character, -1)
        if digit < 0 or shift > 30:
            raise MapError("a segment has a character that is none")
        value |= (digit & 31) << shift
        if digit & 32:
            shift += 5
        else:
            found.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if len(found) not in _FIELDS or shift:
        raise MapError("a segment has not 1, 4 or 5 fields")
    return tuple(found)
