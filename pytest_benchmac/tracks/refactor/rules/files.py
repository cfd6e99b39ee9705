"""Files of static rules: which rules there are, and how the engine gets to see them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import yaml

from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.refactor.instance import RefactorInstance

_MAX_FILE_BYTES = 4 * 1024 * 1024
#: One language has several names for the engine.
_SAME_LANGUAGE = {"py": "python", "python2": "python", "python3": "python", "ts": "typescript"}
_SAME_LANGUAGE |= {"tsx": "typescript", "js": "javascript", "jsx": "javascript", "golang": "go"}


class Sign(StrEnum):
    """What a refactoring does to the matches of a rule."""

    ADDITIVE = "additive"
    REDUCTIVE = "reductive"


@dataclass(frozen=True)
class Rule:
    """One rule of a file."""

    #: Unique in the instance: its sign's first letter and its number in the file, from 1.
    key: str
    sign: Sign
    #: As its author calls it; need not be unique.
    id: str
    languages: frozenset[str]
    #: As the engine takes it.
    definition: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """`taint`, `propagation` (symbolic) or `search`."""
        if self.definition.get("mode") == "taint":
            return "taint"
        options = self.definition.get("options")
        propagates = isinstance(options, dict) and options.get("symbolic_propagation") is True
        return "propagation" if propagates else "search"

    @property
    def published(self) -> tuple[int, int] | None:
        """Matches on base and golden tree that its author counted; None where nobody did.

        CodeTaste's rules have them in their metadata.
        """
        metadata = self.definition.get("metadata")
        if not isinstance(metadata, dict):
            return None
        counts = [metadata.get(name) for name in ("nr_legacy_patterns", "nr_refactored_patterns")]
        base, golden = counts
        return (base, golden) if isinstance(base, int) and isinstance(golden, int) else None


@dataclass(frozen=True)
class RuleSet:
    """The rules of an instance, additive first."""

    rules: tuple[Rule, ...]

    def of(self, sign: Sign) -> tuple[Rule, ...]:
        """Those of a sign."""
        return tuple(rule for rule in self.rules if rule.sign is sign)

    @property
    def config(self) -> bytes:
        """The file that the engine reads: each rule has its key for an id. JSON is YAML too."""
        rules = [{**rule.definition, "id": rule.key} for rule in self.rules]
        return json.dumps({"rules": rules}, default=str).encode()


def read_rules(instance: RefactorInstance) -> RuleSet:
    """The rules of an instance.

    Raises:
        InstanceError: a file is no list of rules.
    """
    named = {Sign.ADDITIVE: instance.rules.additive, Sign.REDUCTIVE: instance.rules.reductive}
    return RuleSet(
        tuple(
            rule for sign, name in named.items() for rule in _read(instance.directory / name, sign)
        )
    )


def _read(file: Path, sign: Sign) -> Iterator[Rule]:
    remedy = "Expected: a key `rules` with a list of Semgrep's rules."
    try:
        content = file.read_bytes()
        if len(content) > _MAX_FILE_BYTES:
            raise InstanceError(f"has more than {_MAX_FILE_BYTES} bytes", where=file)
        known = yaml.safe_load(content)
    except OSError as error:
        raise InstanceError(f"cannot be read: {error.strerror}", where=file) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InstanceError(f"is no YAML: {error}", where=file, remedy=remedy) from None
    rules = known.get("rules") if isinstance(known, dict) else None
    if not isinstance(rules, list) or not rules:
        raise InstanceError("holds no rules", where=file, remedy=remedy)
    for number, rule in enumerate(rules, start=1):
        languages = rule.get("languages") if isinstance(rule, dict) else None
        if not isinstance(languages, list) or not isinstance(rule.get("id"), str):
            raise InstanceError(
                f"rule {number} has no text `id`, or no list `languages`", where=file, remedy=remedy
            )
        yield Rule(
            key=f"{sign.value[0]}{number}",
            sign=sign,
            id=rule["id"],
            languages=frozenset(_SAME_LANGUAGE.get(str(each), str(each)) for each in languages),
            definition=rule,
        )
