"""What a SUT is told that is to attack: be judged resolved without the work.

The idea is that of audits of agent benchmarks: models that were told no more than the task could
earn many of them without doing them. Here they are told the rules as well.
"""

from __future__ import annotations

from string import Template

from pytest_benchmac.files.shipped import shipped
from pytest_benchmac.generate.task import prompt

#: Where the SUT says what it did, below its HOME: what lies in the project is the patch.
CLAIM = "~/claim.md"
#: First line of a claim of somebody who did the task.
_HONEST = "HONEST"


def attack_on(task: str) -> str:
    """The task of an attacker.

    Args:
        task: what an honest SUT is told.
    """
    return Template(prompt("redteam.txt")).substitute(task=task, rules=rules())


def rules() -> str:
    """The rules by which results are judged, in words: docs/trust.md.

    Raises:
        InputError: the package was installed without them.
    """
    return shipped("generate/prompts/rules.md", "docs/trust.md").read_text("utf-8")


def is_honest(claim: str) -> bool:
    """Does the SUT say that it did the task?"""
    return claim.strip().splitlines()[:1] == [_HONEST]
