from pathlib import Path

import pytest

from tests.toy_bench import Bench, make_bench, make_template


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template")
    make_template(root)
    return root


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archives of the tiny instances' sources: made once for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def bench(tmp_path: Path, template: Path, cache: Path) -> Bench:
    return make_bench(tmp_path / "bench", template, cache)


@pytest.fixture(scope="module")
def module_bench(tmp_path_factory: pytest.TempPathFactory, template: Path, cache: Path) -> Bench:
    """For a session that many tests look at."""
    return make_bench(tmp_path_factory.mktemp("module") / "bench", template, cache)
