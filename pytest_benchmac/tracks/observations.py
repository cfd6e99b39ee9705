"""What a stage saw, as records have it."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from pytest_benchmac.model.base import ForeignText, Model

#: Observations of a stage that was broken off by what the submission did: it has these alone.
BROKEN_OFF = ("copy_limit", "provoked_error")


class Observations(Model):
    """What a stage saw: goes into the record, and to the stages after it.

    A field that later stages need and records do not (a folder on the host, a parsed tree) is
    declared with `Field(exclude=True)` and a default: in a stored record it is not there.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=True)

    #: Why not all could be read: what the submission left is larger than the harness reads. The
    #: stage has failed then, and its record holds nothing else. Left out of records where empty.
    copy_limit: str = ""
    #: The harness's error that the submission provoked; as `copy_limit` otherwise.
    provoked_error: ForeignText = ""

    def recorded(self) -> dict[str, Any]:
        """As they stand in a record."""
        broken_off = {name: text for name in BROKEN_OFF if (text := getattr(self, name))}
        return broken_off or self.model_dump(mode="json", exclude=set(BROKEN_OFF))
