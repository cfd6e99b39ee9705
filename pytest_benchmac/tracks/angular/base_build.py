"""The untouched base's build, kept on the machine for the boots of all patches."""

from __future__ import annotations

import hashlib
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from pydantic import ValidationError

from pytest_benchmac.files.archives import unpack
from pytest_benchmac.files.whole import temporary_file
from pytest_benchmac.model.base import BaselineFacts, Model, Sha256
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.angular.integrity.bill import Bill
from pytest_benchmac.tracks.protocol import StageContext

#: Where `BaselineFacts` have the build.
FACTS = "build"
#: Folder of the cache.
_FOLDER = "base_builds"


class _Kept(Model):
    """What the facts say of the build."""

    #: Of the archive.
    sha256: Sha256
    bill: Bill


@dataclass(frozen=True)
class BaseBuild:
    """What the base built, on the host, and what it is made of."""

    #: Has the output folders, by their paths below the project.
    folder: Path
    bill: Bill

    @classmethod
    def keep(cls, context: StageContext[Instance], folder: Path, bill: Bill) -> BaselineFacts:
        """Keep a build beside the facts, under its digest.

        Args:
            context: for learning.
            folder: on the host, without statistics and maps.
            bill: of that build.

        Returns:
            What the facts have to hold for `load`.
        """
        with temporary_file(context.cache / _FOLDER) as file:
            with tarfile.open(fileobj=file, mode="w") as archive:
                archive.add(folder, arcname=".")
            file.flush()
            made = Path(file.name)
            sha256 = _digest(made)
            made.replace(made.with_name(f"{sha256}.tar"))
        return {FACTS: _Kept(sha256=sha256, bill=bill).model_dump(mode="json")}

    @classmethod
    def bill_of(cls, facts: BaselineFacts) -> Bill | None:
        """The bill in the facts; None where there are none, as of the untouched base itself.

        Raises:
            BaselineError: the facts are of no use.
        """
        known = facts.get(FACTS)
        return None if known is None else _kept(known).bill

    @classmethod
    def load(cls, context: StageContext[Instance]) -> BaseBuild | None:
        """Unpack the build into a folder of the case's; None where the facts have none.

        Raises:
            BaselineError: the archive is gone or changed, or the facts are of no use.
        """
        known = context.baseline_facts.get(FACTS)
        if known is None:
            return None
        kept = _kept(known)
        archive = context.cache / _FOLDER / f"{kept.sha256}.tar"
        folder = Path(mkdtemp(prefix="base-build-", dir=context.scratch))
        problem = ""
        try:
            if _digest(archive) == kept.sha256:
                unpack(archive, folder, keep_owners=False)
            else:
                problem = f"{archive} has changed"
        except OSError as error:
            problem = str(error)
        if problem:
            raise BaselineError(
                f"the build of the untouched base cannot be read: {problem}",
                remedy=f"Remove {context.cache / 'facts'}: what is known is learnt again.",
            )
        return cls(folder, kept.bill)


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _kept(known: object) -> _Kept:
    try:
        return _Kept.model_validate(known)
    except ValidationError as error:
        raise BaselineError(f"the facts of the base's build are of no use: {error}") from error
