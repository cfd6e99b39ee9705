"""Which repository this machine's Maven uses, and what Maven says when it fails."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.model.errors import NetworkError

SETTINGS = """\
<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">
  <mirrors>
    <mirror><id>a</id><mirrorOf>jboss</mirrorOf><url>https://jboss.invalid/</url></mirror>
    <mirror><id>b</id><mirrorOf>central,x</mirrorOf><url>https://me:pw@site.invalid/m2</url></mirror>
  </mirrors>
</settings>
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A machine without Maven."""
    return {"HOME": str(tmp_path), "PATH": str(tmp_path)}


def maven(folder: Path) -> None:
    """A Maven as it is released: the super POM in one of its libraries."""
    (folder / "lib").mkdir(parents=True)
    with zipfile.ZipFile(folder / "lib" / "maven-model-builder-3.9.9.jar", "w") as jar:
        jar.writestr(
            "org/apache/maven/model/pom-4.0.0.xml",
            "<project><repositories><repository><id>central</id>"
            "<url>https://central.invalid/maven2</url></repository></repositories></project>",
        )


def test_where_nothing_is_configured(env: dict[str, str]) -> None:
    with pytest.raises(NetworkError, match="MAVEN_MIRROR_URL"):
        maven_central.registry(env)
    assert maven_central.open(env, "").home_files == {}


def test_each_way_to_configure_it(env: dict[str, str], tmp_path: Path) -> None:
    maven(tmp_path / "maven")
    env["MAVEN_HOME"] = str(tmp_path / "maven")
    assert maven_central.registry(env).url == "https://central.invalid/maven2/"
    # Maven in the sandbox knows that itself.
    assert maven_central.open(env, "").home_files == {}
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(SETTINGS)
    assert maven_central.registry(env).url == "https://site.invalid/m2/"
    env["MAVEN_MIRROR_URL"] = "https://named.invalid/a&b"
    assert maven_central.registry(env).url == "https://named.invalid/a&b/"
    settings = maven_central.open(env, "").home_files[".m2/settings.xml"]
    assert fromstring(settings).findtext("mirrors/mirror/url") == "https://named.invalid/a&b/"


@pytest.mark.parametrize(
    "content", ["<settings", '<!DOCTYPE x [<!ENTITY a "b">]><settings>&a;</settings>']
)
def test_settings_that_cannot_be_read(env: dict[str, str], tmp_path: Path, content: str) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(content)
    with pytest.raises(NetworkError, match="cannot be read"):
        maven_central.registry(env)


@pytest.mark.skipif(not shutil.which("mvn"), reason="Maven is not installed")
def test_a_released_maven_names_central(tmp_path: Path) -> None:
    program = shutil.which("mvn")
    assert program is not None
    env = {"HOME": str(tmp_path), "PATH": str(Path(program).parent)}
    assert maven_central.registry(env).path.endswith("/maven2/")


@pytest.mark.parametrize(
    ("output", "blamed"),
    [
        ("[ERROR] Could not transfer artifact a:b:pom:1 from/to c (https://r.invalid): "
         "Connect to r.invalid:443 failed: Connection refused", True),
        ("Could not transfer artifact a:b:jar:1 from/to c (u): r: Name or service not known",
         True),
        ("Could not transfer metadata a:b/maven-metadata.xml from/to c (u): status code: 503, "
         "reason phrase: Unavailable (503)", True),
        ("[ERROR] Could not find artifact a:b:jar:1 in c (https://r.invalid)", False),
        ("Could not transfer artifact a:b:jar:1 from/to c (u): status code: 403, Forbidden", False),
        ("Tests run: 1, Connection refused", False),
    ],
)  # fmt: skip
def test_blaming_the_repository(output: str, blamed: bool) -> None:
    assert bool(maven_central.network_failure(f"[INFO] x\n{output}\n[INFO] y")) is blamed
