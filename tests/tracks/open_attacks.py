"""How tests of attacks are marked that are known to get through."""

from __future__ import annotations

import pytest

#: The day on which something stops such an attack, its test fails and says so.
KNOWN_OPEN = pytest.mark.xfail(
    strict=True, raises=AssertionError, reason='docs/trust.md, "Not defended"'
)
