"""One task: its source, environment, commands and known-good patch. Tracks narrow it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from pytest_benchmac.model.base import (
    Commit,
    ImageReference,
    InstanceId,
    Model,
    Seconds,
    SparseModel,
)

BesideFile = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._/-]*$", max_length=200),
    Field(description="the path of a file below the folder of instance.toml"),
]
VariableName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100),
    Field(description="the name of an environment variable"),
]


class Source(Model):
    """Where the base tree comes from: a folder beside instance.toml, or one commit of a git URL."""

    path: str | None = None
    git: str | None = None
    commit: Commit | None = None
    #: Paths in the source that no sandbox has, where `*` stays in its folder and `**` does not.
    exclude: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.path is None) == (self.git is None):
            raise ValueError("give either `path` (a local folder) or `git` with `commit`")
        if (self.git is None) != (self.commit is None):
            raise ValueError("`git` and `commit` (40 hexadecimal digits) go together")
        return self


class Migration(Model):
    """What the patch has to achieve: exact version at the base, version (or major) to reach."""

    source_version: str
    target_version: str


class Environment(SparseModel):
    """What the instance runs on; tracks add exact tool versions."""

    #: What came later is part of the digest only where it is used: old records stay valid.
    sparse: ClassVar[frozenset[str]] = frozenset({"variables"})

    image: ImageReference
    #: Variables that every command gets while packages are installed and the project is built; the
    #: harness's own win.
    variables: dict[VariableName, str] = {}


class Commands(Model):
    """The instance's own command lines, run by `sh -c` in the project; tracks name them."""

    @model_validator(mode="after")
    def _none_blank(self) -> Self:
        for name, command in self:
            if isinstance(command, str) and not command.strip():
                # An empty command succeeds, and its metric would be true for any patch.
                raise ValueError(f"`{name}` is blank: give a command line")
        return self


class Timeouts(Model):
    """Seconds per stage; tracks add one per stage of theirs."""

    patch: Seconds = 60.0


class Silver(Model):
    """A known-good patch: a file beside instance.toml, or a commit of the source repository."""

    patch: str | None = None
    commit: Commit | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.patch is None) == (self.commit is None):
            raise ValueError("give either `patch` (a file) or `commit` (40 hexadecimal digits)")
        return self


class HttpFixture(Model):
    """A recorded answer that sandboxes get instead of the real host's.

    `url` is matched without its query string; the body is `body`, or the file `body_file` beside
    instance.toml.
    """

    url: Annotated[
        str,
        StringConstraints(pattern=r"^https?://[^/\s]+/\S*$"),
        Field(description="an http or https address with a host and a path, without spaces"),
    ]
    status: Annotated[int, Field(ge=100, le=599)] = 200
    content_type: str = "text/plain; charset=utf-8"
    body: str | None = None
    body_file: str | None = None

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if (self.body is None) == (self.body_file is None):
            raise ValueError("give either `body` or `body_file`")
        return self


class Instance(Model):
    """One task: a source at a base commit, an environment, commands, and what to reach."""

    #: The name of its folder.
    id: InstanceId
    track: str
    #: Of the source.
    license: str
    description: str = ""
    source: Source
    environment: Environment
    commands: Commands
    timeouts: Timeouts
    silver: Silver | None = None
    http_fixtures: tuple[HttpFixture, ...] = ()
    #: The folder of instance.toml; not part of the file and not part of the digest.
    directory: Path = Field(exclude=True)

    #: Keys that the reader fills in; a file that has one is refused.
    filled: ClassVar[frozenset[str]] = frozenset({"directory"})

    @property
    def definition_sha256(self) -> str:
        """Digest of what in instance.toml decides an evaluation, recorded answers included.

        The source tree and the patch have digests of their own.
        """
        digest = hashlib.sha256()
        undecisive = {"description", "license", "silver", "source"}
        digest.update(self.model_dump_json(exclude=undecisive).encode())
        for file in self.decisive_files:
            digest.update(file.read_bytes())
        return digest.hexdigest()

    @property
    def answer_file(self) -> str | None:
        """The file that an answer fills (letters, digits, `._/-`); None where none is taken."""
        return None

    @property
    def decisive_files(self) -> Sequence[Path]:
        """Files beside instance.toml that decide an evaluation as much; tracks add to them."""
        named = (fixture.body_file for fixture in self.http_fixtures)
        return [self.directory / name for name in named if name is not None]
