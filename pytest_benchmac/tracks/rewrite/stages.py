"""What was submitted, and building it: the stages before anything of it is tried."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import Field

from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.copies import copy_project
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.outcomes import command_reason
from pytest_benchmac.tracks.patch import PatchSeen, apply_patch, patch_reason
from pytest_benchmac.tracks.protocol import Observations, Stage
from pytest_benchmac.tracks.rewrite.driving.rooms import RewriteContext, build, lay, pack_built
from pytest_benchmac.tracks.rewrite.environment import judging_recipe
from pytest_benchmac.tracks.rewrite.failures import diagnose_build
from pytest_benchmac.tracks.rewrite.fingerprinting import known_implementations
from pytest_benchmac.tracks.rewrite.instance import SOURCE, TARGET, RewriteInstance
from pytest_benchmac.tracks.rewrite.integrity.legs import SourceFacts, run_legs
from pytest_benchmac.tracks.rewrite.integrity.survey import Survey, survey
from pytest_benchmac.tracks.rewrite.outcomes import tier_of


class TreeSeen(PatchSeen):
    """The tree that was submitted."""

    #: Paths that lie beside the folder that a rewrite fills.
    outside: tuple[ForeignText, ...] = ()
    #: Files that are built, and that are not.
    files: int = 0
    left_out: int = 0
    #: Lines that are not blank.
    lines: int = 0
    source_lines: int = 0
    #: By the source's lines: small, medium, large.
    tier: str = ""
    survey: Survey | None = Field(default=None, exclude=True)


class TreeStage(Stage[RewriteInstance, TreeSeen]):
    """The submission applies to nothing, and lies in `dst/` alone."""

    name = "tree"
    observations = TreeSeen

    def compares(self, instance: RewriteInstance) -> bool:
        """With the source's text."""
        return True

    def run(self, context: RewriteContext) -> TreeSeen:
        """Apply the patch where nothing else lies, and read what came."""
        applied = apply_patch(context)
        if not applied.applied:
            return TreeSeen(**dict(applied))
        copy = copy_project(context, "submitted")
        here = f"{TARGET}/"
        paths = (*copy.tree.files, *copy.links, *copy.unnamed)
        outside = sorted(path for path in paths if not path.startswith(here))
        benchmark = context.instance.benchmark
        facts = SourceFacts.model_validate(context.baseline_facts)
        seen = survey(copy.tree.without([]), benchmark.destination.language)
        if not outside and not context.integrity.unchecked:
            run_legs(
                context.integrity,
                seen,
                facts,
                source=benchmark.source.language,
                links=copy.links,
                allowed=context.instance.dependencies.allowed,
                known=known_implementations(context.instance),
            )
        return TreeSeen(
            **dict(applied),
            outside=tuple(outside[:20]),
            files=len(seen.kept),
            left_out=len(seen.left_out) + len(copy.links),
            lines=seen.lines,
            source_lines=facts.lines,
            tier=tier_of(facts.lines),
            survey=seen,
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said, or what lies elsewhere."""
        if told := patch_reason(result):
            return told
        seen = self.seen(result)
        if seen.outside:
            more = f" and {len(seen.outside) - 1} more" if len(seen.outside) > 1 else ""
            return f"{seen.outside[0]}{more} lies outside of {TARGET}/"
        return "" if seen.files else f"there is no file of the target language in {TARGET}/"


class BuildSeen(Observations):
    """What was built."""

    #: Was it packed? Else the log says why not.
    packed: bool = False
    built: Path | None = Field(default=None, exclude=True)


class BuildStage(Stage[RewriteInstance, BuildSeen]):
    """Installing and building exit with 0."""

    name = "build"
    needs = ("tree",)
    observations = BuildSeen

    def run(self, context: RewriteContext) -> BuildSeen:
        """Build what was read, in a sandbox that had nothing else of the submission.

        Without dependencies there is no network at all; else there is the run's.
        """
        instance, log = context.instance, context.logs / "build.files.log"
        built = context.scratch / "built.tar"
        if context.submission.kind is SubmissionKind.BASELINE:
            done = build(context, instance.benchmark.source, SOURCE)
            return _packed(context, SOURCE, built, log) if done else BuildSeen()
        seen = context.of(TREE).survey
        if seen is None:
            raise LookupError("the tree stage left no tree")
        with ExitStack() as stack:
            room = stack.enter_context(
                context.fresh()
                if instance.dependencies.allowed
                else context.bare(judging_recipe(instance))
            )
            files = {source.path: source.text.encode() for source in seen.sources}
            files |= {path: text.encode() for path, text in seen.others.items()}
            lay(room.sandbox, files, context.scratch, log)
            done = build(room, instance.benchmark.destination, TARGET)
            return _packed(room, TARGET, built, log) if done else BuildSeen()

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The command that failed."""
        if result.attempts and (told := command_reason(result)):
            return told
        return "" if self.seen(result).packed else "what was built cannot be packed"

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """What the compiler said."""
        return diagnose_build(output)


def _packed(context: RewriteContext, folder: str, built: Path, log: Path) -> BuildSeen:
    packed = pack_built(context.sandbox, folder, built, log)
    return BuildSeen(packed=packed, built=built if packed else None)


TREE, BUILD = TreeStage(), BuildStage()
