import signal

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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `slow` are run where somebody asks for them."""
    asked = any(
        item.config.getoption(name, default=False) for name in ("--slow", "--exploits-full")
    )
    if item.get_closest_marker("slow") and not asked:
        pytest.skip("takes long: --slow has it")
