"""The `[tests]` section of an Angular instance."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pytest_benchmac.model.base import Model

#: What runs the tests, and so by which of the harness's reporters the outcomes are told.
ReporterName = Literal["karma", "jest", "vitest"]


class Tests(Model):
    """How the instance's own tests are run, and what they have to reach."""

    #: What runs them, and so whose words their result is in.
    reporter: ReporterName = "karma"
    #: The recorded runs on base and silver patch, a file beside instance.toml.
    runs: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\.json$", max_length=100),
        Field(description="the name of a JSON file beside instance.toml"),
    ] = "tests.json"
