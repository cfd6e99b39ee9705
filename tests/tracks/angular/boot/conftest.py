"""A real Chromium, in the sandboxes that cases use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import make_empty_project
from pytest_benchmac.model.settings import Limits, Settings
from pytest_benchmac.sandbox.base import CUT_OFF, PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.angular.boot.base_image import browser_recipe
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.policy import LEARNING
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from pytest_benchmac.tracks.angular.boot.site import Site
from tests.engines import require
from tests.tracks.angular.boot import site

BOOT = Boot.model_validate(
    {
        "root": "app-root",
        "min_tree_similarity": 0.8,
        "viewport": (800, 600),
        "routes": (
            {"path": "/"},
            {
                "path": "/book",
                "interactions": (
                    {
                        "fill": {"#name": "Ada", "#port": "Burra", "#car": "true"},
                        "click": "#go",
                        "expect": "Ada to b, with a car: 201",
                    },
                ),
            },
            {"path": "/nowhere"},
        ),
        "fixtures": (
            {"urls": ("https://api.example/ferries",), "body": '["Tern", "Gannet"]'},
            {"urls": ("https://api.example/bookings",), "method": "POST", "status": 201},
        ),
    }
)
TIMEOUT_S = 60.0
SEED = 1
RECIPE = browser_recipe()

MakeBoot = Callable[..., BootRecord]


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The machine's own cache: the browser's base is bootstrapped once, not once per test run."""
    return Settings(reports=tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def browser_image(settings: Settings) -> Callable[[str], PreparedImage]:
    def prepare(name: str) -> PreparedImage:
        require(name, settings)
        return engine(name, settings.cache).prepare(RECIPE, make_empty_project(settings.cache))

    return prepare


@pytest.fixture(scope="session")
def browser_sandbox(
    browser_image: Callable[[str], PreparedImage], settings: Settings
) -> Callable[[str], Sandbox]:
    def make(name: str = "docker") -> Sandbox:
        image = browser_image(name)
        return engine(name, settings.cache).sandbox(
            image, limits=Limits(), network=CUT_OFF, label="boot test"
        )

    return make


@pytest.fixture(scope="session")
def boots(
    browser_sandbox: Callable[[str], Sandbox], tmp_path_factory: pytest.TempPathFactory
) -> MakeBoot:
    """Boots what is in a folder; the screenshots stay in the folder `shots`, where it is given."""

    def run_boot(
        folder: Path,
        boot: Boot = BOOT,
        *,
        shots: Path | None = None,
        name: str = "docker",
        timeout_s: float = TIMEOUT_S,
        seed: int = SEED,
        policy: str = LEARNING,
    ) -> BootRecord:
        scratch = tmp_path_factory.mktemp("boot")
        found = Site.find(folder)
        assert found is not None
        with browser_sandbox(name) as sandbox:
            plan = BootPlan(boot, (), folder, timeout_s, seed)
            running = sandbox.start(plan.bring(sandbox), log=scratch / "boot.log")
            return plan.drive(
                sandbox,
                lambda seconds: running.wait(seconds).exit_code,
                found,
                screenshots=shots or scratch / "shots",
                policy=policy,
            )

    return run_boot


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("honest") / "shots"


@pytest.fixture(scope="session")
def honest(boots: MakeBoot, shots: Path, tmp_path_factory: pytest.TempPathFactory) -> BootRecord:
    """The application as it should be, booted in Docker."""
    return boots(site.write(tmp_path_factory.mktemp("site")), shots=shots)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder for a variant of the application."""
    return tmp_path / "dist"
