"""Faults of registries and machines, as package managers tell of them.

Words alone excuse nobody: a patch writes to the same output. What they say is believed only
together with what the harness saw itself:

- `proxied`, `offline`: words are not asked for. The proxy, which no sandbox can write to, noted
  the failure or the miss.
- `open`, which nothing watches: the registry does not answer the harness now either
  (`Network.outage`).
- A disk or memory that is short is told by the sandbox's engine, by what it measured, and is then
  the machine's or a bound of the case. Where a sandbox has no disk of its own (`local`), words have
  to do, and end the stage as in the next line.
- In rooms where nothing of the patch runs, words end the stage as an error. It counts as one only
  if the patch does not provoke it (`judging.provoked`): it fails every time, and the base does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

#: Characters of a line that are searched; package managers write shorter ones.
_MAX_LINE = 2000


class Fault(StrEnum):
    """What failed."""

    STATUS = "the registry answers that it failed"
    TIMEOUT = "the registry does not answer in time"
    RESET = "the connection broke off"
    REFUSED = "nothing takes connections"
    DNS = "the name is not resolved"
    UNTRUSTED = "the certificate is not trusted"
    TRUNCATED = "an answer ends early"
    #: Words say as much of a digest that a patch wrote into its lock file.
    CORRUPT = "an answer is not what was published"
    NO_SPACE = "no space is left"
    MEMORY = "there is not enough memory"

    @property
    def of_network(self) -> bool:
        """Is it the registry's, or the way's to it, by the words alone?"""
        return self not in {Fault.CORRUPT, Fault.NO_SPACE, Fault.MEMORY}


@dataclass(frozen=True)
class FaultRule:
    """One row of an ecosystem's table."""

    fault: Fault
    #: Found in one line.
    pattern: re.Pattern[str]
    #: Names of captured outputs, in `tests/ecosystems/<name>/outputs/`; empty where what is told
    #: was seen elsewhere: `origin` says where.
    samples: tuple[str, ...] = ()
    origin: str = ""


@dataclass(frozen=True)
class Blamed:
    """What an output blames, and the line that does."""

    fault: Fault
    line: str


def classify(rules: Sequence[FaultRule], output: str) -> Blamed | None:
    """What an output blames, by the first rule that fits any line of it; None for nothing."""
    # Hostile output may have a line of any length, on which a search takes its square.
    lines = [line[:_MAX_LINE] for line in output.splitlines()]
    for rule in rules:
        for line in lines:
            if rule.pattern.search(line):
                return Blamed(rule.fault, line.strip())
    return None
