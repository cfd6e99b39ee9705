"""Folders of sandboxes on the host: whoever is killed, nothing is left for good."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_benchmac.sandbox.host_folders import make_host_folder, reap_host_folders

_FILES = 20_000
_KIND = "local"
_MAKE = f"""
from pytest_benchmac.sandbox.host_folders import make_host_folder
volume = make_host_folder({_KIND!r}, "made") / "volume"
for number in range({_FILES}):
    (volume / str(number)).touch()
"""
_REMOVE = f"""
from pathlib import Path
import sys
from pytest_benchmac.sandbox.host_folders import reap_host_folders
print("begins", flush=True)
reap_host_folders({_KIND!r})
"""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / f"benchmac-{os.geteuid()}"


def test_a_removal_that_is_killed_is_done_by_the_next(folders: Path) -> None:
    subprocess.run([sys.executable, "-c", _MAKE], check=True)
    (folder,) = folders.iterdir()
    # Gone first, where the file system lists it first.
    owner = folder / "owner"
    process = subprocess.Popen(
        [sys.executable, "-c", _REMOVE], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    while owner.exists() and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(folders.iterdir())
    reap_host_folders(_KIND)
    assert list(folders.iterdir()) == []


def test_a_folder_of_a_process_that_lives_stays(folders: Path) -> None:
    folder = make_host_folder(_KIND, "mine")
    assert reap_host_folders(_KIND) == 0
    assert list(folders.iterdir()) == [folder]
