"""What a finding code means to the author of a patch."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources.abc import Traversable

from pytest_benchmac.model.base import Model


class Explanation(Model):
    """One finding code."""

    code: str
    #: `fatal`, `warning`, or both.
    severity: str
    #: The checks that report it.
    legs: str
    #: What triggers it.
    triggers: str
    #: What a patch could do otherwise.
    why: str
    #: An example that is found, and one that is not.
    bad: str
    good: str
    #: What an honest author does.
    do: str

    def page(self, track: str = "") -> str:
        """All of it, as Markdown.

        Args:
            track: whose code it is, where others may have one of the same name.
        """
        whose = f"track {track}; " if track else ""
        return (
            f"# {self.code}\n\n"
            f"{whose}{self.severity}; integrity check: {self.legs}\n\n"
            f"**What triggers it:** {self.triggers}.\n\n"
            f"**Why:** {self.why}\n\n"
            f"**Found:** {self.bad}\n\n"
            f"**Not found:** {self.good}\n\n"
            f"**What to do:** {self.do}\n"
        )


def read_explanations(file: Traversable) -> Mapping[str, Explanation]:
    """Codes of a TOML file with a table for each: `severity`, `check`, and the texts of a page."""
    told = tomllib.loads(file.read_text())
    return {
        code: Explanation(code=code, legs=each.pop("check"), **each) for code, each in told.items()
    }
