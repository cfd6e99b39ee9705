"""YAML as tools write it, of a file that anybody may have written.

Only what all readers read alike: no anchors, aliases, tags or merge keys, no key twice. Read
without recursion, since PyYAML's own loader ends the whole process at some 20,000 nested lists.
"""

from __future__ import annotations

from typing import TypeGuard

import yaml

#: Lock files nest six deep.
_MAX_DEPTH = 50
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
#: Keys that some readers act on.
_ACTED_ON = frozenset({"<<", "__proto__"})


class PlainYamlError(Exception):
    """A text is no YAML, or some that readers may read differently."""


def read_plain_yaml(content: bytes) -> object:
    """Read one document: dicts, lists, and of scalars text, truth values and null; no numbers.

    Raises:
        PlainYamlError: it cannot be read, or not for certain.
    """
    # What each mapping or list that is open holds so far; of a mapping, keys and values in turn.
    held: list[list[object]] = [[]]
    try:
        for event in yaml.parse(content.decode(), yaml.CSafeLoader):
            if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
                raise PlainYamlError("anchors and aliases are not read")
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
                raise PlainYamlError("tags are not read")
            if isinstance(event, yaml.ScalarEvent):
                plain = event.implicit[0]
                held[-1].append(_CONSTANTS.get(event.value, event.value) if plain else event.value)
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(held) > _MAX_DEPTH:
                    raise PlainYamlError(f"it is nested more than {_MAX_DEPTH} deep")
                held.append([])
            elif isinstance(event, yaml.SequenceEndEvent):
                done = held.pop()
                held[-1].append(done)
            elif isinstance(event, yaml.MappingEndEvent):
                done = held.pop()
                held[-1].append(_mapping(done[::2], done[1::2]))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PlainYamlError(f"it is no YAML: {error}") from error
    if len(held[0]) != 1:
        raise PlainYamlError(f"there are {len(held[0])} documents")
    return held[0][0]


def _mapping(keys: list[object], values: list[object]) -> dict[str, object]:
    if not _all_text(keys) or len(set(keys)) != len(keys) or not _ACTED_ON.isdisjoint(keys):
        raise PlainYamlError("readers may read its keys differently")
    return dict(zip(keys, values, strict=True))


def _all_text(keys: list[object]) -> TypeGuard[list[str]]:
    return all(isinstance(key, str) for key in keys)
