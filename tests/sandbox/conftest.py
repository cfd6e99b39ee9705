"""Real engines, for every test that takes `engine_name`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Limits, Settings
from pytest_benchmac.sandbox.base import NOTHING_MOUNTED, NetworkAttachment, PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import engine
from tests.engines import require
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, MakeSandbox, make_instance
from tests.toy_bench import make_template


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The machine's own cache: a base is bootstrapped once, not once per test run."""
    return Settings(reports=tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def settings_cache(settings: Settings) -> Path:
    return settings.cache


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Instance:
    folder = tmp_path_factory.mktemp("tiny")
    return make_instance(folder, {"README": "tiny\n", "src/a.txt": "a\n", "run.sh": "echo ran\n"})


@pytest.fixture(scope="session", params=["docker", "bubblewrap"])
def engine_name(request: pytest.FixtureRequest, settings: Settings) -> str:
    """Every isolating engine in turn."""
    require(request.param, settings)
    return str(request.param)


@pytest.fixture(scope="session")
def image(engine_name: str, instance: Instance, settings: Settings) -> PreparedImage:
    return engine(engine_name, settings.cache).prepare(RECIPE, make_project(instance, settings))


@pytest.fixture
def make(engine_name: str, image: PreparedImage, settings: Settings) -> MakeSandbox:
    """Makes a sandbox that is not started; `limits`, `network`, `mounted` can be given."""

    def make_sandbox(
        limits: Limits = LIMITS,
        network: NetworkAttachment = OPEN,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> Sandbox:
        return engine(engine_name, settings.cache).sandbox(
            image, limits=limits, network=network, label="test", mounted=mounted
        )

    return make_sandbox


@pytest.fixture
def sandbox(make: MakeSandbox) -> Iterator[Sandbox]:
    with make() as started:
        yield started


@pytest.fixture(scope="module")
def shared(engine_name: str, image: PreparedImage, settings: Settings) -> Iterator[Sandbox]:
    """One sandbox for tests that only look."""
    used = engine(engine_name, settings.cache)
    with used.sandbox(image, limits=LIMITS, network=OPEN, label="test") as started:
        yield started


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "command.log"


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template")
    make_template(root)
    return root
