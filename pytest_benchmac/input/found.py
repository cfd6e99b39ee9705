"""What reading patch folders and predictions collects: submissions, and problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_benchmac.input.plain_words import nearest
from pytest_benchmac.model.errors import MAX_PROBLEMS_SHOWN, SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import RESERVED_SUTS, Case, Submission

#: The SUT of patches that nothing names.
UNNAMED_SUT = "unnamed"


@dataclass
class Found:
    """The submissions and problems of all paths, and what is needed to tell them."""

    instances: Mapping[str, Instance]
    staging: Path
    max_patch_bytes: int
    problems: list[SubmissionError] = field(default_factory=list)
    #: Each submission with the file, or file and row, that it came from.
    submissions: dict[Case, tuple[Submission, str]] = field(default_factory=dict)

    @cached_property
    def by_repository(self) -> Mapping[str, list[str]]:
        """The instances of each git repository, as `repository_of` names it."""
        names: dict[str, list[str]] = {}
        for name, instance in self.instances.items():
            if instance.source.git is not None:
                names.setdefault(repository_of(instance.source.git), []).append(name)
        return names

    def add(self, submission: Submission, where: str) -> None:
        """Take a submission that came from `where`."""
        self.submissions[submission.case] = (submission, where)

    def problem(self, what: str, where: str | Path, remedy: str = "") -> None:
        """Take a problem."""
        self.problems.append(SubmissionError(what, where=where, remedy=remedy))

    def unknown_instance(self, name: str, where: str | Path) -> None:
        """Take the problem that there is no such instance."""
        # Comparing thousands of names takes seconds, for hints that nobody will see.
        shown = len(self.problems) < MAX_PROBLEMS_SHOWN
        hint = nearest(name, tuple(self.instances)) if shown else ""
        self.problem(
            f"there is no instance {name!r}",
            where,
            hint or "Rename it after an instance; --instances=PATH names other sets of them.",
        )

    def new_submission(
        self, instance_id: str, sut: str, attempt: int, where: str, named_in: str | None = None
    ) -> Submission | None:
        """A submission without its patch; None, and a problem, if there can be none.

        `where` has the patch; `named_in` names the SUT, if that is another file.
        """
        if sut in RESERVED_SUTS:
            self.problem(
                f"SUT name {sut!r} is reserved for the harness's self-tests",
                named_in or where,
                f"Choose another name; --{sut} runs the self-test.",
            )
            return None
        case = Case(instance_id=instance_id, sut=sut, attempt=attempt)
        if case not in self.submissions:
            return Submission(case=case)
        which = f", attempt {attempt}" if attempt > 1 else ""
        self.problem(
            f"{sut!r} has a submission for {instance_id!r}{which} already, in "
            f"{self.submissions[case][1]}",
            where,
            "Remove one of them, or number it as an attempt: <instance_id>.2.patch, or `attempt` "
            "in its row.",
        )
        return None


def repository_of(url: str) -> str:
    """`owner/name` in lower case, of an address in any of the forms that git takes."""
    parts = url.strip().removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    return "/".join(parts[-2:]).lower()
