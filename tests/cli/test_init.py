from pathlib import Path

import pytest

from pytest_benchmac.cli.init import _origin
from pytest_benchmac.model.errors import InputError
from tests.toy_bench import git


@pytest.mark.parametrize("address", ["https://token@example.org/a/b", "ssh://me:secret@host/a"])
def test_no_secret_of_a_remotes_address_is_written(address: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", address)
    with pytest.raises(InputError, match="a password or a token"):
        _origin(tmp_path)


@pytest.mark.parametrize(
    "address", ["https://example.org/a/b.git", "ssh://git@example.org/a/b", "git@example.org:a/b"]
)
def test_an_ordinary_address_is(address: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", address)
    assert _origin(tmp_path) == address
