"""The finding codes of the Angular track, explained: README.md's table, and rules.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

from pytest_benchmac.tracks.explained import Explanation

_ROW = re.compile(r"^\| `([a-z-]+)` \| ([a-z, ]+) \| ([a-z_, ]+) \| (\S.*) \|$", re.MULTILINE)
_LINK = re.compile(r" ?\(\[[^]]*\]\([^)]*\)\)")


def explanations() -> Mapping[str, Explanation]:
    """Code -> what it means, in the order of the legs."""
    package = files("pytest_benchmac.tracks.angular.integrity")
    told = tomllib.loads((package / "rules.toml").read_text())
    table = (package / "README.md").read_text().partition("## Finding codes")[2]
    return {
        code: Explanation(
            code=code,
            severity=severity,
            legs=legs,
            triggers=_LINK.sub("", triggers),
            **told[code],
        )
        for code, severity, legs, triggers in _ROW.findall(table)
    }
