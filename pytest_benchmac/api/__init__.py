"""Judging as a function: what other harnesses, training loops and notebooks call.

The names of this module follow semantic versions; no other module does. docs/api.md has examples.
"""

from pytest_benchmac.api.function import evaluate, silver_patch
from pytest_benchmac.api.pool import Judge, WorkerDiedError
from pytest_benchmac.api.reward import NotJudgedError, reward
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Limits, Settings
from pytest_benchmac.report.frames import cases_df

__all__ = [
    "Evaluation",
    "Instance",
    "Judge",
    "Limits",
    "NotJudgedError",
    "Settings",
    "WorkerDiedError",
    "cases_df",
    "evaluate",
    "load_instances",
    "reward",
    "silver_patch",
]
