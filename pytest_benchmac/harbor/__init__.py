"""Harbor (PyPI `harbor`): our sandboxes for its users, its agents for ours, tasks and jobs.

docs/harbor.md has examples. Harbor itself is imported only by what is asked for.
"""

from typing import TYPE_CHECKING, Any

from pytest_benchmac.harbor.needed import require_harbor

if TYPE_CHECKING:
    from pytest_benchmac.harbor.environment import Environment
    from pytest_benchmac.harbor.verifier import Verifier

__all__ = ["Environment", "Verifier"]


def __getattr__(name: str) -> Any:
    """What Harbor names by import path, `pytest_benchmac.harbor:Environment` for one."""
    if name == "Environment":
        require_harbor()
        from pytest_benchmac.harbor.environment import Environment

        return Environment
    if name == "Verifier":
        require_harbor()
        from pytest_benchmac.harbor.verifier import Verifier

        return Verifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
