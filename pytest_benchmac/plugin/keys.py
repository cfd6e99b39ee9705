"""Names that the plugin's modules share. Light: pytest imports this wherever it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_benchmac.model.submission import Case
    from pytest_benchmac.plugin.judge import Judge

#: The one parametrised fixture; all public ones depend on it.
CASE_FIXTURE = "_benchmac_case"

#: Fixtures that imply stages: all of them, and the first.
ARTIFACTS_FIXTURE, SANDBOX_FIXTURE = "artifacts", "sandbox"

TRACK_MARK, STAGE_MARK = "benchmac_track", "benchmac_stage"

#: The judge of this process, in every session that judges.
JUDGE: pytest.StashKey[Judge] = pytest.StashKey()

#: Which stages of which cases have an item of the suite in this session.
SELECTED: pytest.StashKey[frozenset[tuple[Case, str]]] = pytest.StashKey()

#: Module of the suite -> names of its items that run; none for all of them.
PLACED: pytest.StashKey[dict[str, tuple[str, ...]]] = pytest.StashKey()
