"""Three instances, a folder for patches, and the reader of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Submission
from tests.input.patch_files import APP, DOTTED, Write


@pytest.fixture
def instances(write_instance: Write, tmp_path: Path) -> dict[str, Instance]:
    for name in (APP, DOTTED, "app_v18_to_v19"):
        write_instance(name)
    return load_instances([tmp_path / "instances"])


@pytest.fixture
def patches(tmp_path: Path) -> Path:
    folder = tmp_path / "patches"
    folder.mkdir()
    return folder


@pytest.fixture
def read(instances: dict[str, Instance], tmp_path: Path) -> Callable[..., tuple[Submission, ...]]:
    def read(*paths: Path, **options: int) -> tuple[Submission, ...]:
        return read_submissions(paths, instances, tmp_path / "staging", **options)

    return read
