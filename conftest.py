import signal
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

# A job in a script's background inherits that Ctrl-C is ignored, and so would what tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of more than one folder of tests: only here are they known wherever pytest starts."""
    parser.addoption(
        "--exploits-full",
        action="store_true",
        help="judge every exploit and honest variant as a case in the --sandbox asked for",
    )
    parser.addoption(
        "--slow",
        action="store_true",
        help="run the tests marked `slow` as well (scripts/test --slow)",
    )
    parser.addoption(
        "--until",
        type=float,
        metavar="SECONDS",
        help="skip the tests that have not begun by then, in seconds since 1970 "
        "(scripts/test --within MINUTES)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what begins too late: a run that is cut off has no result at all."""
    until = item.config.getoption("until")
    if until is not None and time.time() > until:
        pytest.skip("out of time: scripts/test --within was given fewer minutes")


def _named(entry: Any) -> list[str]:
    names: list[str] = entry["but"] if isinstance(entry, dict) else entry
    return names


def _is_slow(entry: Any, parameters: str) -> bool:
    return entry is True or (parameters in _named(entry)) is not isinstance(entry, dict)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what tests/slow.toml names as `slow`: it is run where somebody asks for it.

    Raises:
        pytest.UsageError: a file that is collected whole has no test that an entry names.
    """
    table = tomllib.loads((Path(__file__).parent / "tests/slow.toml").read_text("utf-8"))
    asked = any(config.getoption(name, default=False) for name in ("--slow", "--exploits-full"))
    unseen = {
        (file, test, parameters)
        for file, tests in table.items()
        for test, entry in tests.items()
        for parameters in ([None] if entry is True else _named(entry))
    }
    files = set()
    for item in items:
        file, _, name = item.nodeid.partition("::")
        test, _, parameters = name.removesuffix("]").partition("[")
        files.add(file)
        unseen -= {(file, test, None), (file, test, parameters)}
        if _is_slow(table.get(file, {}).get(test, []), parameters):
            item.add_marker(pytest.mark.slow)
            if not asked:
                item.add_marker(pytest.mark.skip(reason="takes long: --slow has it"))
    gone = sorted(f"{file}::{test} {of or ''}" for file, test, of in unseen if file in files)
    in_part = config.getoption("lf", default=False) or any(
        "::" in argument for argument in config.args
    )
    if gone and not in_part:
        raise pytest.UsageError(f"tests/slow.toml names what there is not: {'; '.join(gone)}")
