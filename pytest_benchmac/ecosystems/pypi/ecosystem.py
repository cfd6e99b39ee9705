"""PyPI: distributions of Python, for pip and uv."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from pytest_benchmac.ecosystems.address import Described, File, Registry
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage
from pytest_benchmac.ecosystems.base import Ecosystem, Package, PackageFile, Setup, Words
from pytest_benchmac.ecosystems.cache import integrity_of
from pytest_benchmac.ecosystems.pypi.faults import FAULTS
from pytest_benchmac.ecosystems.pypi.repository import PypiRepository
from pytest_benchmac.model.errors import NetworkError

_VARIABLES = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
_REMEDY = "Set PIP_INDEX_URL to the URL of the index that installs may use."
#: The index that pip is configured for, else the one that it was released with.
_ASK_PIP = (
    "from pip._internal.commands import create_command\n"
    "print(create_command('download').parser.get_default_values().index_url)"
)


@cache
def _index_of_pip(python: str, env: tuple[tuple[str, str], ...]) -> str:
    """What pip answers, once per process: a base has sixty packages, and pip loads slowly."""
    asked = subprocess.run(
        [python, "-c", _ASK_PIP],
        env=dict(env),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return asked.stdout


class Pypi(Ecosystem):
    """See `base.Ecosystem`."""

    name = "pypi"
    words = Words(installs=r"(pip3?|uv pip|poetry|uv) (install|sync)( |$)")
    probe_path = "pip/"
    faults = FAULTS

    def registry(self, env: Mapping[str, str]) -> Registry:
        """That of the environment, else the answer of this machine's pip."""
        for name in _VARIABLES:
            if url := env.get(name):
                return Registry.parse(url)
        for python in (sys.executable, "python3"):
            try:
                asked = _index_of_pip(python, tuple(sorted(env.items())))
            except (OSError, subprocess.SubprocessError):
                # No pip there.
                continue
            return Registry.parse(asked)
        raise NetworkError(
            "no PyPI index is known: there is no pip, and PIP_INDEX_URL is not set",
            remedy=_REMEDY,
        )

    def repository(self, registry: Registry) -> PypiRepository:
        """See `base.Ecosystem`."""
        return PypiRepository(registry)

    def proxied(self, address: str, ca_bundle: str) -> Setup:
        """No other index, whatever the image's own configuration names."""
        return Setup(
            {
                "PIP_INDEX_URL": address,
                "PIP_EXTRA_INDEX_URL": "",
                "PIP_CERT": ca_bundle,
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                "PIP_NO_INPUT": "1",
                "UV_DEFAULT_INDEX": address,
            }
        )

    def open(self, env: Mapping[str, str], ca_bundle: str) -> Setup:
        """The index that a variable names; pip itself knows the other."""
        passed = {"PIP_CERT": ca_bundle} if ca_bundle else {}
        for name in _VARIABLES:
            if url := env.get(name):
                index = Registry.parse(url).url
                passed |= {"PIP_INDEX_URL": index, "UV_DEFAULT_INDEX": index}
                break
        return Setup(passed)

    def find(
        self, package: Package, registry: Registry, answers: Answers
    ) -> tuple[File, Described | None]:
        """A wheel of the version: that of the package's digest, else the one for every machine."""
        repository = PypiRepository(registry)
        document, _ = answers.document(repository.project(package.name), FetchUsage())
        wheels = [
            each
            for each in repository.releases(document, package.name)
            if _is_wheel_of(each.filename, package.version)
        ]
        for each in wheels:
            pure = not package.sha256 and each.filename.endswith("-none-any.whl")
            if pure or package.sha256 == each.sha256:
                described = Described(each.url, integrity_of("sha256", each.sha256))
                return repository.file(package.name, each.filename), described
        seen = ", ".join(each.filename for each in wheels) or "none"
        raise NetworkError(
            f"there is no such wheel among those of the version: {seen}",
            remedy="Name the SHA-256 of one of them.",
        )

    def files(self, package: Package, content: bytes) -> Iterator[PackageFile]:
        """A wheel's files, as an installer lays them below one folder, without its scripts."""
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            for entry in wheel.infolist():
                inside = re.sub(r"^[^/]+\.data/(?:purelib|platlib)/", "", entry.filename)
                parts = PurePosixPath(inside).parts
                if entry.is_dir() or ".." in parts or parts[0].endswith(".data"):
                    continue
                executable = bool(entry.external_attr >> 16 & 0o100)
                yield PackageFile(inside, wheel.read(entry), executable)


def _is_wheel_of(filename: str, version: str) -> bool:
    try:
        return parse_wheel_filename(filename)[1] == Version(version)
    except (InvalidWheelFilename, InvalidVersion):
        return False


pypi = Pypi()
