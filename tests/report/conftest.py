from __future__ import annotations

import sys
from pathlib import Path

# The records of the unit tests and the tiny instances of the plugin tests are made here too.
for folder in ("unit", "plugin"):
    sys.path.insert(0, str(Path(__file__).parents[1] / folder))
