"""The stages of a toy case: the patch applies, the book is bound, the book is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmac_toy_track.instance import ToyInstance
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.patch import PatchStage
from pytest_benchmac.tracks.protocol import Observations, Stage, StageContext

ToyContext = StageContext[ToyInstance]

#: A larger book is not read.
MAX_BOOK_BYTES = 100_000


class BuildSeen(Observations):
    """The book that was bound."""

    #: What follows `version` in its first line.
    version: str = ""
    words: tuple[str, ...] = ()


def read_book(context: ToyContext) -> BuildSeen | None:
    """The book in a case's sandbox; None where there is none, or it is too large."""
    book = context.sandbox.project / "out" / "book.txt"
    content = context.read_file(book, max_bytes=MAX_BOOK_BYTES)
    if content is None:
        return None
    first, _, text = content.decode(errors="replace").partition("\n")
    return BuildSeen(version=first.removeprefix("version "), words=tuple(text.split()))


class BuildStage(Stage[ToyInstance, BuildSeen]):
    """The instance's command exits with 0."""

    name = "build"
    needs = ("patch",)
    observations = BuildSeen

    def run(self, context: ToyContext) -> BuildSeen:
        """Bind the book, and read it."""
        if not context.integrity.unchecked:
            with context.integrity.leg("sources") as leg:
                if read_book(context) is not None:
                    leg.findings.fatal("ready-made", "The book is there before it is bound.")
        instance = context.instance
        context.run(instance.commands.build, timeout_s=instance.timeouts.build)
        return read_book(context) or BuildSeen()

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """A page that is not there."""
        told = [line for line in output.splitlines() if "No such file" in line]
        return Diagnosis(cause="missing-page", evidence=told[0]) if told else None


class CheckSeen(Observations):
    """How the book differs from what it was at the base."""

    version: str = ""
    base_words: int = 0
    kept_words: int = 0


class CheckStage(Stage[ToyInstance, CheckSeen]):
    """The book has the target's version and every word that the base's book had."""

    name = "check"
    needs = ("build",)
    observations = CheckSeen

    def compares(self, instance: ToyInstance) -> bool:
        """The words, with those of the base."""
        return True

    def run(self, context: ToyContext) -> CheckSeen:
        """Compare what `build` read with what was learnt of the base."""
        book = context.of(BUILD)
        before = context.baseline_facts["words"]
        kept = [word for word in before if word in book.words]
        return CheckSeen(version=book.version, base_words=len(before), kept_words=len(kept))

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """Another version than wanted, or words that are gone."""
        seen, wanted = self.seen(result), criteria["target_version"]
        if seen.version != wanted:
            return f"version {seen.version or 'unknown'}, wanted: {wanted}"
        if seen.kept_words < seen.base_words:
            return f"{seen.kept_words} of the base's {seen.base_words} words are left"
        return ""


PATCH: PatchStage[ToyInstance] = PatchStage()
BUILD = BuildStage()
CHECK = CheckStage()
