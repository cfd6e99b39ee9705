"""The base of Angular instances has exactly the Node and the npm that they ask for."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import make_empty_project
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.base import CUT_OFF
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.angular.environment import angular_recipe
from pytest_benchmac.tracks.angular.instance import AngularInstance
from tests.engines import require


@pytest.mark.parametrize("engine_name", ["docker", "bubblewrap"])
def test_exact_node_and_npm_are_bootstrapped(engine_name: SandboxName, tmp_path: Path) -> None:
    settings = Settings(reports=tmp_path)
    require(engine_name, settings)
    instance = next(each for each in load_instances().values() if isinstance(each, AngularInstance))
    node, npm = instance.environment.node, instance.environment.npm
    used = engine(engine_name, settings.cache)
    # Without a reference nothing is pulled.
    recipe = replace(angular_recipe(instance), reference=None)
    prepared = used.prepare(recipe, make_empty_project(settings.cache))
    assert prepared.tools == {"node": node, "npm": npm}
    with used.sandbox(prepared, limits=settings.limits, network=CUT_OFF, label="test") as sandbox:
        said = sandbox.run(
            "node -p process.version; npm --version; npx --version; command -v node; "
            "node -p process.execPath",
            timeout_s=60,
            log=tmp_path / "log",
            capture_bytes=1000,
        )
    assert said.stdout.decode().splitlines() == [
        f"v{node}", npm, npm, "/usr/local/bin/node", "/usr/local/lib/node/bin/node",
    ]  # fmt: skip
