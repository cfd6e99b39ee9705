"""What the engine found in a tree, in words of the harness. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.errors import InfrastructureError

#: (file, number) of a line; numbers count from 1.
Line = tuple[str, int]


class Match(Model):
    """Lines `start` to `end` of a file, both included."""

    path: ForeignText
    start: Annotated[int, Field(ge=1)]
    end: Annotated[int, Field(ge=1)]

    @property
    def lines(self) -> Iterable[Line]:
        """Every line of it."""
        return ((self.path, number) for number in range(self.start, self.end + 1))


class Trouble(Model):
    """Why what the engine says of a file need not be all."""

    path: ForeignText
    #: The engine's word for it, such as `Syntax error` or `exceeded_size_limit`.
    kind: ForeignText
    #: Key of the rule; empty where it concerns all.
    rule: str = ""
    message: ForeignText = ""


class Scan(Model):
    """Matches of every rule in one tree."""

    #: Key of a rule -> where it matches; a rule that matches nowhere is not here.
    matches: dict[str, tuple[Match, ...]] = Field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()
    #: What scanned it: name and version.
    engine: ForeignText = ""

    def count(self, key: str) -> int:
        """M: how often a rule matches."""
        return len(self.matches.get(key, ()))

    def covered(self, keys: Iterable[str]) -> frozenset[Line]:
        """C: the lines that matches of any of these rules lie on."""
        return frozenset(
            line for key in keys for match in self.matches.get(key, ()) for line in match.lines
        )


def parse_scan(content: bytes, root: str, engine: str) -> Scan:
    """Read Semgrep's JSON, which is opengrep's too.

    Args:
        content: what it wrote.
        root: the folder that was scanned, as it was named on the command line.
        engine: its name.

    Raises:
        InfrastructureError: it is no such JSON, or says that a rule itself is wrong.
    """
    try:
        told = json.loads(content)
        found: dict[str, list[Match]] = {}
        for each in told["results"]:
            match = Match(
                path=_inside(each["path"], root),
                start=each["start"]["line"],
                end=max(each["start"]["line"], each["end"]["line"]),
            )
            found.setdefault(each["check_id"], []).append(match)
        troubles = [*map(_error, told["errors"])]
        troubles += [
            Trouble(path=each["path"], kind=each["reason"], rule=each.get("rule_id") or "")
            for each in told["paths"].get("skipped", ())
            # Of another language than the rules'.
            if each["reason"] not in ("wrong_language", "irrelevant_rule")
        ]
        wrong = told.get("skipped_rules") or ()
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise InfrastructureError(f"the engine of rules wrote no result: {error!r}") from error
    if wrong:
        raise InfrastructureError(f"the engine left rules out: {shown(json.dumps(wrong))}")
    for each in troubles:
        if not each.path:
            raise InfrastructureError(
                f"the engine of rules failed: {each.kind} {each.rule}: {each.message}",
                remedy="`benchmac rules check ID` shows which rules are wrong.",
            )
    return Scan(
        matches={key: tuple(matches) for key, matches in sorted(found.items())},
        troubles=tuple(
            each.model_copy(update={"path": _inside(each.path, root)}) for each in troubles
        ),
        engine=shown(f"{engine} {told.get('version', '')}".rstrip()),
    )


def _inside(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/")


def _error(error: Mapping[str, Any]) -> Trouble:
    kind = error.get("type", "")
    # Partial parsing comes as [name, places].
    if isinstance(kind, list):
        kind = kind[0]
    return Trouble(
        path=error.get("path") or "",
        kind=shown(str(kind)),
        rule=error.get("rule_id") or "",
        message=shown(str(error.get("message", ""))),
    )
