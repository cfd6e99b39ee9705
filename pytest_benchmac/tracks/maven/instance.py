"""A Maven instance: Java releases, commands, versions to reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, StringConstraints

from pytest_benchmac.model.base import ImageReference, Seconds
from pytest_benchmac.model.instance import Commands, Environment, Instance, Migration, Timeouts

JavaRelease = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]?$"),
    Field(description="a Java release, such as 8 or 17"),
]
MavenMajor = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]?$"),
    Field(description="a major version of Maven, such as 3"),
]
Artifact = Annotated[
    str,
    StringConstraints(pattern=r"^[\w.-]+:[\w.-]+$"),
    Field(description="`group:artifact`"),
]
ArtifactVersion = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9][\w.+-]*$"),
    Field(description="a version that begins with its major number"),
]
#: Java release -> an image with that JDK and Maven, for instances that name none of their own.
PINNED_IMAGES: Mapping[str, str] = {
    "8": "maven:3.9.11-eclipse-temurin-8@sha256:"
    "e3c149f44c95b0e9dd131862b3df67b3f061f7f6f3898a87b170564b3a943611",
    "17": "maven:3.9.9-eclipse-temurin-17@sha256:"
    "f58d59b6273e785ac0a4477f6e9b5ba1d7731c75b906c0f7b34076f1851318cc",
    "21": "maven:3.9.9-eclipse-temurin-21@sha256:"
    "3a4ab3276a087bf276f79cae96b1af04f53731bec53fb2e651aca79e4b10211e",
}


class MavenMigration(Migration):
    """`source_version` and `target_version` are Java releases."""

    source_version: JavaRelease
    target_version: JavaRelease
    #: Versions that r5 asks for beside the paper's 50, or instead of them: major is compared.
    required_versions: dict[Artifact, ArtifactVersion] = Field(default_factory=dict)


class MavenEnvironment(Environment):
    """The target's JDK and Maven: majors, the same whether the image was pulled or bootstrapped."""

    java: JavaRelease
    maven: MavenMajor = "3"
    #: With the source's JDK, for the untouched base; by default one that this package knows.
    baseline_image: ImageReference | None = None


class MavenCommands(Commands):
    """`compile` and `verify`, each one shell command run in the project folder."""

    compile: str = "mvn -B -V clean compile"
    verify: str = "mvn -B -V clean verify"


class MavenTimeouts(Timeouts):
    """Seconds per stage and attempt."""

    compile: Seconds = 900.0
    verify: Seconds = 1800.0


class MavenInstance(Instance):
    """An instance of the Maven track."""

    migration: MavenMigration
    environment: MavenEnvironment
    commands: MavenCommands = MavenCommands()
    timeouts: MavenTimeouts = MavenTimeouts()
