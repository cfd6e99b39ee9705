"""Writes the shipped schema files anew; with a folder as argument, there instead."""

import sys
from pathlib import Path

from pytest_benchmac.schemas import schema_files

for file, content in schema_files().items():
    target = Path(sys.argv[1]) / file.name if len(sys.argv) > 1 else file
    target.write_text(content, encoding="utf-8")
