"""Write down what browsers lack, of what Chromium has, from MDN's compatibility data.

usage: python scripts/engines.py DATA > pytest_benchmac/tracks/angular/boot/driver/engines.json
  DATA  data.json of the npm package @mdn/browser-compat-data (CC0-1.0)

What scripts can name is told by its owner: the global names of scripts by "", members of interfaces
and of namespaces by theirs. Attributes of HTML are all that any browser gives a meaning to.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

#: The browser that judges, the makers of others, and the one that is as old as visitors' are:
#: `OLDER` in `driver/makers.mjs` has the same.
_OWN, _MAKERS, _OLDER = "chrome", {"firefox": "firefox", "safari": "safari_ios"}, 133
#: A name that scripts can have; others tell of behaviour, events or parameters.
_NAME = re.compile(r"[A-Za-z$][A-Za-z0-9$]*")
_STATIC = "_static"
_ATTRIBUTE = re.compile(r"[a-z][a-z-]*")
_STYLE = re.compile(r"-?[a-z][a-z-]*")
_FUNCTION = re.compile(r"<code>([a-z-]+)\(\)</code>")

_Feature = Mapping[str, Any]


def _has(feature: _Feature, browser: str, newest: float = float("inf")) -> bool | None:
    """Does a browser have it, as anybody's does? None where the data does not say."""
    told = feature["__compat"]["support"].get(browser)
    if told is None:
        return None
    return any(
        isinstance(added := each["version_added"], str)
        and added != "preview"
        and float(added.lstrip("≤")) <= newest
        and not each.keys() & {"flags", "version_removed", "prefix", "alternative_name"}
        for each in (told if isinstance(told, list) else [told])
    )


def _lacks(feature: _Feature, browser: str) -> bool:
    return bool(_has(feature, _OWN)) and _has(feature, browser) is False


def _is_newer(feature: _Feature) -> bool:
    return bool(_has(feature, _OWN)) and not _has(feature, _OWN, _OLDER)


def _names(
    owners: Mapping[str, _Feature], is_missing: Callable[[_Feature], bool]
) -> Iterator[tuple[str, str]]:
    """Owner and name of what is missing; of an interface that is, not each of its members."""
    for owner, feature in owners.items():
        if "__compat" in feature and is_missing(feature):
            yield "", owner
            continue
        for name, member in feature.items():
            bare = name.removesuffix(_STATIC)
            is_name = bare != owner and _NAME.fullmatch(bare) and "__compat" in member
            if is_name and is_missing(member):
                yield owner, bare


def missing(data: _Feature, is_missing: Callable[[_Feature], bool]) -> dict[str, str]:
    """Names of what is missing by owner, with spaces between them."""
    found: dict[str, set[str]] = {}
    for owners in (data["api"], data["javascript"]["builtins"]):
        for owner, name in _names(owners, is_missing):
            found.setdefault(owner, set()).add(name)
    return {owner: " ".join(sorted(names)) for owner, names in sorted(found.items())}


def missing_styles(data: _Feature, is_missing: Callable[[_Feature], bool]) -> dict[str, Any]:
    """Names of what style sheets cannot have, by their kind, with spaces between them.

    Values are told by their property, and only where that itself is not missing.
    """

    def named(features: _Feature) -> str:
        names = (
            name
            for name, each in features.items()
            if _STYLE.fullmatch(name) and "__compat" in each and is_missing(each)
        )
        return " ".join(sorted(names))

    css = data["css"]
    values = {
        name: values
        for name, each in css["properties"].items()
        if not is_missing(each) and (values := named(each))
    }
    functions = {name for name, each in _functions(css["types"]) if is_missing(each)}
    return {
        "at": named(css["at-rules"]),
        "selectors": named(css["selectors"]),
        "properties": named(css["properties"]),
        "functions": " ".join(sorted(functions)),
        "values": values,
    }


def _functions(types: _Feature) -> Iterator[tuple[str, _Feature]]:
    for each in types.values():
        told = each.get("__compat", {}).get("description", "")
        if match := _FUNCTION.match(told):
            yield match[1], each
        yield from _functions({name: more for name, more in each.items() if name != "__compat"})


def attributes(data: _Feature) -> str:
    """Names of all attributes of HTML elements, with spaces between them."""
    html = data["html"]
    of_elements = (name for element in html["elements"].values() for name in element)
    names = {*html["global_attributes"], *of_elements}
    return " ".join(sorted(filter(_ATTRIBUTE.fullmatch, names)))


def _told(data: _Feature, is_missing: Callable[[_Feature], bool]) -> dict[str, Any]:
    return {"scripts": missing(data, is_missing), "styles": missing_styles(data, is_missing)}


def main() -> None:
    """Print what the file is to have."""
    data = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    told = data["__meta"]
    found = {
        "source": f"@mdn/browser-compat-data {told['version']} (CC0-1.0)",
        "date": told["timestamp"][:10],
        "older": str(_OLDER),
        "missing": {
            maker: _told(data, partial(_lacks, browser=browser))
            for maker, browser in _MAKERS.items()
        }
        | {"older": _told(data, _is_newer)},
        "attributes": attributes(data),
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
