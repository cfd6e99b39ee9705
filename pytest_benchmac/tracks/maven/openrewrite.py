"""OpenRewrite, a program of fixed recipes: MigrationBench's baseline without a language model.

Its Maven plugin is run from the command line, so the project file does not have to name it. The
recipe is `org.openrewrite.java.migrate.UpgradeToJava<T>` of `rewrite-migrate-java`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, Executed, ExitReason, Workspace
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.maven.project_files import ProjectFiles
from pytest_benchmac.tracks.maven.seed import NO_SEED, SEED_OPTIONS, seed
from pytest_benchmac.tracks.toolchains.maven import maven_env

#: Seconds for the recipe, which downloads the plugin and all that the project depends on.
RUN_SECONDS = 3600.0

#: A pair of one day (August 2024) that was made to work together.
PLUGIN = "org.openrewrite.maven:rewrite-maven-plugin:5.39.0"
RECIPES = "org.openrewrite.recipe:rewrite-migrate-java:2.23.0"

#: What Maven says when it has no way to an artifact.
_NO_ARTIFACT = re.compile(
    r"No plugin found for prefix|could not be resolved|Could not (?:transfer|find) artifact"
    r"|Cannot access \S+ \(|Unknown host|Connection (?:refused|timed out|reset)"
    r"|PKIX path building failed"
)


@dataclass(frozen=True)
class OpenRewrite:
    """`mvn org.openrewrite.maven:rewrite-maven-plugin:run` with the recipe of the target."""

    name: ClassVar[str] = "openrewrite"
    instance_type: ClassVar[type[Instance]] = MavenInstance
    secret_names: ClassVar[Sequence[str]] = ()

    sut: str = "openrewrite"
    #: Are Java levels in project files changed first?
    seeded: bool = True

    def settings(self) -> Mapping[str, JsonValue]:
        """How it is called, T being the Java release to reach, and on what."""
        return {"command": run_command("T"), "seeded": self.seeded}

    def run(self, workspace: Workspace) -> Ending:
        """Make the seed changes, run the recipe. One that fails is a result like any other."""
        instance = workspace.instance
        if not isinstance(instance, MavenInstance):
            raise TypeError(f"{instance.id} is not a Maven instance")
        workspace.usage.cost_usd = 0.0
        if self.seeded:
            seed(ProjectFiles(workspace), instance.migration.target_version)
        ran = workspace.run(
            run_command(instance.migration.target_version),
            timeout_s=RUN_SECONDS,
            env=maven_env(workspace.sandbox.home),
        )
        if ran.exit_code == 0:
            return Ending(ExitReason.SUBMITTED)
        if trouble := workspace.network_trouble():
            raise NetworkError(trouble[0])
        if problem := missing_artifact(ran):
            raise NetworkError(
                f"OpenRewrite's own artifacts cannot be had: {problem}",
                remedy=f"it needs a Maven repository with {PLUGIN} and {RECIPES}; a bootstrapped "
                "base has Debian's packages only, so pull the instance's image where Maven Central "
                "or a mirror of it can be reached, and give --network=open",
            )
        how = "timed out" if ran.timed_out else f"exited {ran.exit_code}"
        return Ending(ExitReason.SUBMITTED, f"the recipe {how}")


def run_command(target: str) -> str:
    """The command line for a Java release."""
    return (
        f"mvn --batch-mode -V {PLUGIN}:run -Drewrite.recipeArtifactCoordinates={RECIPES} "
        f"-Drewrite.activeRecipes=org.openrewrite.java.migrate.UpgradeToJava{target}"
    )


def missing_artifact(executed: Executed) -> str:
    """The line that says that OpenRewrite itself could not be had; empty if none does."""
    for line in executed.output.splitlines():
        if "openrewrite" in line and _NO_ARTIFACT.search(line):
            return line.removeprefix("[ERROR]").strip()
    return ""


KIND = AdapterKind(
    name=OpenRewrite.name,
    create=lambda args: OpenRewrite(
        args.name or OpenRewrite.name + (NO_SEED if args.no_seed else ""),
        seeded=not args.no_seed,
    ),
    options=SEED_OPTIONS,
    examples=("--instance '*_java8_to_17' --out patches",),
)
