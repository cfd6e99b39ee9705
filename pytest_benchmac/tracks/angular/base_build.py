"""The untouched base's build, part of what is learnt of it, for the boots of all patches."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from pydantic import ValidationError

from pytest_benchmac.model.base import BaselineFacts, Model
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.angular.integrity.bill import Bill
from pytest_benchmac.tracks.protocol import StageContext

#: Where `BaselineFacts` have the build.
FACTS = "build"


class _Kept(Model):
    """What the facts say of the build: its files by their paths below the project, and its bill.

    Not an archive: facts that are learnt twice, by different versions of a packer, are equal.
    """

    texts: Mapping[str, str]
    #: What is not UTF-8, in base64.
    others: Mapping[str, str]
    bill: Bill


@dataclass(frozen=True)
class BaseBuild:
    """What the base built, on the host, and what it is made of."""

    #: Has the output folders, by their paths below the project.
    folder: Path
    bill: Bill

    @classmethod
    def keep(cls, folder: Path, bill: Bill) -> BaselineFacts:
        """What the facts have to hold for `load`.

        Args:
            folder: on the host, without statistics and maps; has regular files and folders only.
            bill: of that build.
        """
        texts: dict[str, str] = {}
        others: dict[str, str] = {}
        for file in sorted(folder.rglob("*")):
            # No page asks for a source map.
            if not file.is_file() or file.suffix == ".map":
                continue
            path, content = file.relative_to(folder).as_posix(), file.read_bytes()
            try:
                texts[path] = content.decode()
            except UnicodeDecodeError:
                others[path] = base64.b64encode(content).decode()
        return {FACTS: _Kept(texts=texts, others=others, bill=bill).model_dump(mode="json")}

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
        """Write the build into a folder of the case's; None where the facts have none.

        Raises:
            BaselineError: the facts are of no use.
        """
        known = context.baseline_facts.get(FACTS)
        if known is None:
            return None
        kept = _kept(known)
        folder = Path(mkdtemp(prefix="base-build-", dir=context.scratch))
        contents = {path: text.encode() for path, text in kept.texts.items()}
        contents |= {path: base64.b64decode(text) for path, text in kept.others.items()}
        for path, content in contents.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return cls(folder, kept.bill)


def _kept(known: object) -> _Kept:
    try:
        return _Kept.model_validate(known)
    except ValidationError as error:
        raise BaselineError(f"the facts of the base's build are of no use: {error}") from error
