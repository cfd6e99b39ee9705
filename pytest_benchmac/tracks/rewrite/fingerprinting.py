"""Known implementations, as instances name them: files that `benchmac fingerprint` wrote."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.instance import RewriteInstance
from pytest_benchmac.tracks.rewrite.integrity.survey import survey
from pytest_benchmac.tracks.rewrite.integrity.winnowing import GRAM, WINDOW, fingerprints


class Fingerprints(Model):
    """One implementation's, and how they were taken."""

    name: str
    language: Language
    gram: int = GRAM
    window: int = WINDOW
    fingerprints: tuple[int, ...]


def take(folder: Path, name: str, language: Language) -> Fingerprints:
    """The fingerprints of the sources of a language below a folder."""
    seen = survey(SourceTree.scan(folder), language)
    found = fingerprints((source.text for source in seen.sources), language)
    return Fingerprints(name=name, language=language, fingerprints=tuple(sorted(found)))


def known_implementations(instance: RewriteInstance) -> dict[str, tuple[int, ...]]:
    """Those that an instance names, by name.

    Raises:
        InstanceError: a file is none of `benchmac fingerprint`'s, or was taken otherwise.
    """
    found: dict[str, tuple[int, ...]] = {}
    for name in instance.suite.fingerprints:
        file = instance.directory / name
        try:
            taken = Fingerprints.model_validate_json(file.read_bytes())
        except (OSError, ValidationError) as error:
            raise InstanceError(f"holds no fingerprints: {error}", where=file) from None
        language = instance.benchmark.destination.language
        if (taken.gram, taken.window, taken.language) != (GRAM, WINDOW, language):
            raise InstanceError(
                f"was taken of {taken.language} with {taken.gram} and {taken.window}",
                where=file,
                remedy=f"Take it anew: benchmac fingerprint DIR --language {language}",
            )
        found[taken.name] = taken.fingerprints
    return found
