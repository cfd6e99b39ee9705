"""What reading a patch folder collects: submissions, and problems with where they are."""

from __future__ import annotations

#: The SUT of patches that nothing names.
UNNAMED_SUT = "unnamed"
