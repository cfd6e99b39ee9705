from pathlib import PurePosixPath

import pytest

from pytest_benchmac.ecosystems.pypi.lock import locked_packages

_FOLDER = PurePosixPath("opt/tools")


def test_each_line_is_a_package_with_its_digest() -> None:
    lines = ("# two", "", f"ruamel.yaml==0.19.1 --hash=sha256:{'a' * 64}")
    text = "\n".join((*lines, f"x==1.0+cpu --hash=sha256:{'b' * 64}  # y"))
    one, two = locked_packages(text, _FOLDER)
    assert (one.ecosystem, one.name, one.version, one.sha256) == (
        "pypi",
        "ruamel.yaml",
        "0.19.1",
        "a" * 64,
    )
    assert (two.name, two.version, two.destination) == ("x", "1.0+cpu", _FOLDER)


@pytest.mark.parametrize(
    "line",
    ["x==1.0", "x>=1.0 --hash=sha256:" + "a" * 64, "x==1 --hash=md5:" + "a" * 64, "-r other.txt"],
)
def test_what_is_not_locked_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line 2"):
        locked_packages(f"\n{line}", _FOLDER)
