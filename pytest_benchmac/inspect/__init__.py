"""Inspect (PyPI `inspect-ai`): instances as its tasks, our sandboxes and our verdicts.

Inspect finds this module by its entry point. docs/inspect.md has examples.
"""

from pytest_benchmac.inspect.environment import BenchmacSandbox
from pytest_benchmac.inspect.scoring import verdict
from pytest_benchmac.inspect.tasks import TASKS

__all__ = ["TASKS", "BenchmacSandbox", "verdict"]
