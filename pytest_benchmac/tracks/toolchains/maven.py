"""The bases that Maven runs on."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_benchmac.sandbox import commands

PACKAGES = (
    "ca-certificates",
    "git",
    "junit4",
    "junit5",
    "libhamcrest-java",
    "libmaven-antrun-plugin-java",
    "libmaven-clean-plugin-java",
    "libmaven-compiler-plugin-java",
    "libmaven-dependency-plugin-java",
    "libmaven-deploy-plugin-java",
    "libmaven-enforcer-plugin-java",
    "libmaven-install-plugin-java",
    "libmaven-jar-plugin-java",
    "libmaven-resources-plugin-java",
    "libmaven-site-plugin-java",
    "libmaven-source-plugin-java",
    "libsurefire-java",
    "maven",
    "maven-debian-helper",
)
#: Before /usr/bin in PATH. Links of Debian's repository point to ../java, hence the link `java`;
#: plexus-utils 1.1 is what Maven itself adds to plugins that name none.
OFFLINE_MAVEN = """\
#!/bin/sh
# Maven without a network: Debian's repository, copied to where Maven may write.
set -eu
maven="$HOME/.m2"
if [ ! -d "$maven/repository" ]; then
    mkdir -p "$maven"
    ln -sfn /usr/share/java "$maven/java"
    rm -rf "$maven/partial"
    cp -a /usr/share/maven-repo "$maven/partial"
    utils="$maven/partial/org/codehaus/plexus/plexus-utils"
    mkdir -p "$utils/1.1"
    cp -L "$utils/2.x/plexus-utils-2.x.jar" "$utils/1.1/plexus-utils-1.1.jar"
    cp -L "$utils/2.x/plexus-utils-2.x.pom" "$utils/1.1/plexus-utils-1.1.pom"
    mv "$maven/partial" "$maven/repository"
fi
exec /usr/share/maven/bin/mvn --offline -Daether.offline.protocols=file \\
    "-Dmaven.repo.local=$maven/repository" "$@"
"""
#: Images of Eclipse Temurin have their JDK where only variables of the image point to.
PATH = f"{commands.PATH}:/opt/java/openjdk/bin"
#: `java.specification.version` was 1.8, and then 9.
FIRST_RELEASE_WITHOUT_1 = 9
JAVA_CHECK = (
    f"PATH={PATH} java -XshowSettings:properties -version 2>&1"
    " | sed -n 's/^ *java.specification.version = //p'"
)
MAVEN_CHECK = (
    f"PATH={PATH} /usr/share/maven/bin/mvn --batch-mode --version 2>/dev/null"
    r" | sed -n 's/^.*Apache Maven \([0-9]*\)\..*$/\1/p'"
)


def maven_env(home: PurePosixPath) -> dict[str, str]:
    """Variables for Maven in a sandbox, whatever base image it has."""
    # The stage user may have another home in the image's own account files.
    return {"PATH": PATH, "MAVEN_OPTS": f"-Duser.home={home} -XX:TieredStopAtLevel=1"}
