"""Maven Central: artifacts of the JVM, for Maven, and for Gradle where it is told to."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pytest_benchmac.ecosystems.address import Described, File, Registry
from pytest_benchmac.ecosystems.answers import Answers
from pytest_benchmac.ecosystems.base import Ecosystem, Package, PackageFile, Setup, Words
from pytest_benchmac.ecosystems.maven.faults import FAULTS
from pytest_benchmac.ecosystems.maven.repository import MavenRepository
from pytest_benchmac.model.errors import NetworkError

#: As images that build from source know it.
_VARIABLE = "MAVEN_MIRROR_URL"
_SETTINGS = ".m2/settings.xml"
#: Patterns of `mirrorOf` that take in Central.
_OF_CENTRAL = frozenset({"*", "central", "external:*"})
#: Maven looks at no variable that names a proxy. A user's mirrors come before Maven's own, of which
#: one blocks all addresses without TLS; this one is on loopback.
_MIRROR = """\
<settings>
  <mirrors>
    <mirror>
      <id>benchmac</id>
      <mirrorOf>external:*</mirrorOf>
      <url>{url}</url>
    </mirror>
  </mirrors>
</settings>
"""


class MavenCentral(Ecosystem):
    """See `base.Ecosystem`."""

    name = "maven"
    # A bootstrapped base has Debian's repository, and its Maven asks for nothing else.
    required = False
    words = Words(
        installs=r"mvnw?( .*)? (compile|test|package|verify|install|dependency:\S+)( |$)",
        builds=r"mvnw?( .*)? (compile|test-compile|test|package|verify|install)( |$)"
        r"|gradlew? (\S+ )*(build|assemble|compile\S*|check)( |$)",
    )
    probe_path = "org/apache/maven/plugins/maven-metadata.xml"
    faults = FAULTS

    def registry(self, env: Mapping[str, str]) -> Registry:
        """That of MAVEN_MIRROR_URL, else the user's own mirror, else what Maven itself names."""
        url = self._mirror(env) or _central(env)
        if not url:
            raise NetworkError(
                "no Maven repository is known: Maven is not installed, and neither "
                f"{_VARIABLE} nor a mirror in ~/{_SETTINGS} is set",
                remedy=f"Set {_VARIABLE} to the URL of the repository that builds may use.",
            )
        return Registry.parse(url)

    def repository(self, registry: Registry) -> MavenRepository:
        """See `base.Ecosystem`."""
        return MavenRepository(registry)

    def proxied(self, address: str, ca_bundle: str) -> Setup:
        """By a mirror of all on other hosts: a project may have a repository of files."""
        return _mirrored(address)

    def open(self, env: Mapping[str, str], ca_bundle: str) -> Setup:
        """With the mirror that this machine names; Maven itself knows where Central is."""
        url = self._mirror(env)
        return _mirrored(Registry.parse(url).url) if url else Setup()

    def find(
        self, package: Package, registry: Registry, answers: Answers
    ) -> tuple[File, Described | None]:
        """The jar of `<group>:<artifact>`; its checksum is asked for with it."""
        folder, filename = _jar(package).rsplit("/", 1)
        return MavenRepository(registry).file(folder, filename), None

    def files(self, package: Package, content: bytes) -> Iterator[PackageFile]:
        """The jar itself, where a local repository has it."""
        yield PackageFile(_jar(package), content)

    def _mirror(self, env: Mapping[str, str]) -> str:
        if url := env.get(_VARIABLE):
            return url
        path = Path(env.get("HOME", "/")) / _SETTINGS
        try:
            settings = fromstring(path.read_bytes())
        except FileNotFoundError:
            return ""
        except (OSError, ParseError, DefusedXmlException) as error:
            raise NetworkError(
                f"{path} cannot be read: {error}", remedy=f"Mend it, or set {_VARIABLE}."
            ) from error
        for mirror in settings.iterfind("{*}mirrors/{*}mirror"):
            if _OF_CENTRAL & {each.strip() for each in _text(mirror, "mirrorOf").split(",")}:
                return _text(mirror, "url")
        return ""


def _mirrored(url: str) -> Setup:
    return Setup(home_files={_SETTINGS: _MIRROR.format(url=escape(url)).encode()})


def _jar(package: Package) -> str:
    group, _, artifact = package.name.partition(":")
    folder = f"{group.replace('.', '/')}/{artifact}/{package.version}"
    return f"{folder}/{artifact}-{package.version}.jar"


def _text(element: Element, child: str) -> str:
    return (element.findtext(f"{{*}}{child}") or "").strip()


def _central(env: Mapping[str, str]) -> str:
    """Central's address, by the super POM of this machine's Maven; empty without one."""
    homes = [env[name] for name in ("MAVEN_HOME", "M2_HOME") if env.get(name)]
    if program := shutil.which("mvn", path=env.get("PATH")):
        homes.append(str(Path(program).resolve().parents[1]))
    for jar in (jar for home in homes for jar in Path(home).glob("lib/maven-model-builder-*.jar")):
        try:
            with zipfile.ZipFile(jar) as archive:
                pom = fromstring(archive.read("org/apache/maven/model/pom-4.0.0.xml"))
        except (OSError, KeyError, zipfile.BadZipFile, ParseError) as error:
            raise NetworkError(
                f"{jar} cannot be read: {error}", remedy=f"Set {_VARIABLE}."
            ) from error
        for repository in pom.iterfind("{*}repositories/{*}repository"):
            if _text(repository, "id") == "central":
                return _text(repository, "url")
    return ""


maven_central = MavenCentral()
