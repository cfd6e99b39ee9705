"""The real Maven, in a real sandbox whose base has no repository of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.instance import Instance, Source
from pytest_benchmac.model.settings import GIB, Limits, Settings
from pytest_benchmac.network.network import Network, Origin
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.registry import get_track
from pytest_benchmac.tracks.toolchains.maven import maven_env
from tests.ecosystems.loopback import StaticRegistry, serving_static
from tests.engines import require

WAYMARK = "waymark_java8_to_17"
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>app</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository><id>of-the-project</id><url>http://elsewhere.invalid/maven</url></repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>commons-io</groupId>
      <artifactId>commons-io</artifactId>
      <version>{commons_io}</version>
    </dependency>
  </dependencies>
</project>
"""
APP = "package app; public class App { Object x = org.apache.commons.io.IOUtils.class; }\n"
#: Maven itself, not the wrapper that knows Debian's repository.
COMPILE = "/usr/share/maven/bin/mvn --batch-mode --no-transfer-progress compile"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The machine's own cache: the base is bootstrapped once, not once per test run."""
    return Settings(reports=tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="module")
def image(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> PreparedImage:
    """The base of Maven instances, with a project of our own."""
    require("bubblewrap", settings)
    waymark = load_instances(pattern=WAYMARK)[WAYMARK]
    recipe = get_track("maven").base_recipe(waymark)
    folder = tmp_path_factory.mktemp("app")
    source = folder / "source" / "src" / "main" / "java" / "app"
    source.mkdir(parents=True)
    (source / "App.java").write_text(APP)
    bubblewrap = engine("bubblewrap", settings.cache)
    base = bubblewrap.prepare(recipe, make_project(_instance(waymark, folder), settings))
    assert base.rootfs is not None
    versions = [
        each.name
        for each in (base.rootfs / "usr/share/maven-repo/commons-io/commons-io").iterdir()
        if each.name[0].isdigit()
    ]
    (folder / "source" / "pom.xml").write_text(POM.format(commons_io=max(versions)))
    return bubblewrap.prepare(recipe, make_project(_instance(waymark, folder), settings))


def _instance(waymark: Instance, folder: Path) -> Instance:
    source = Source(path="source")
    return waymark.model_copy(update={"id": "app", "source": source, "directory": folder})


def debian_repository(root: Path) -> Callable[[str], bytes | None]:
    """Debian's own Maven repository, as a web server would offer it.

    What Maven adds to plugins that name none is there by another version.
    """

    def read(path: str) -> bytes | None:
        inside = path.replace(
            "plexus-utils/1.1/plexus-utils-1.1", "plexus-utils/2.x/plexus-utils-2.x"
        )
        file = root / "usr/share/maven-repo" / inside
        # Its links lead to /usr/share/java, by absolute paths too.
        while file.is_symlink():
            target = file.readlink()
            file = root / target.relative_to("/") if target.is_absolute() else file.parent / target
        return file.read_bytes() if file.is_file() else None

    return read


@pytest.fixture
def registry(image: PreparedImage) -> Iterator[StaticRegistry]:
    assert image.rootfs is not None
    files = debian_repository(image.rootfs)

    def more(path: str) -> bytes | None:
        name, _, algorithm = path.rpartition(".")
        if algorithm != "sha1":
            return files(path)
        content = files(name)
        return hashlib.sha1(content).hexdigest().encode() if content is not None else None

    with serving_static() as registry:
        registry.more = more
        yield registry


def test_a_build_gets_its_packages_through_the_proxy(
    image: PreparedImage, registry: StaticRegistry, settings: Settings, tmp_path: Path
) -> None:
    """As on a pulled image, which brings Maven and no repository."""
    limits = Limits(memory_bytes=2 * GIB, pids=512, disk_bytes=GIB, output_bytes=GIB)
    cache = tmp_path / "cache"
    for policy in ("proxied", "offline"):
        with (
            Network(policy, cache, registries={"maven": registry.url}) as network,
            network.attach("app", ecosystems=get_track("maven").ecosystems) as attachment,
            engine("bubblewrap", settings.cache).sandbox(
                image, limits=limits, network=attachment.sandbox, label="app"
            ) as sandbox,
        ):
            log = tmp_path / f"{policy}.log"
            done = sandbox.run(COMPILE, timeout_s=400, log=log, env=maven_env(sandbox.home))
            assert done.exit_code == 0, log.read_text()[-3000:]
            assert "BUILD SUCCESS" in log.read_text()
            (host,) = attachment.report().hosts
            assert host.allowed
            assert Origin.REFUSED not in host.origins
            assert attachment.report().misses == attachment.report().failures == ()
        registry.broken = 503
    assert any(path.endswith(".jar") for path in registry.received)


def test_without_a_repository_only_what_asks_fails(
    image: PreparedImage, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bootstrapped base needs none; where one is asked for, that is no fault of the patch."""
    for name in ("MAVEN_MIRROR_URL", "MAVEN_HOME", "M2_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    with (
        Network("proxied", tmp_path / "cache") as network,
        network.attach("app", ecosystems=[maven_central]) as attachment,
    ):
        monkeypatch.undo()
        with engine("bubblewrap", settings.cache).sandbox(
            image, limits=Limits(), network=attachment.sandbox, label="app"
        ) as sandbox:
            log = tmp_path / "mvn.log"
            assert sandbox.run("mvn --batch-mode compile", timeout_s=400, log=log).exit_code == 0
            assert attachment.report().failures == ()
            done = sandbox.run(
                f"rm -rf $HOME/.m2/repository; {COMPILE}", timeout_s=400, log=log,
                env=maven_env(sandbox.home),
            )  # fmt: skip
            assert done.exit_code != 0
            assert "no Maven repository is known" in attachment.report().failures[0]
