"""What the tests of submissions write, and read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.submission import Submission

Write = Callable[..., Path]

Read = Callable[..., tuple[Submission, ...]]

APP = "app_v16_to_v17"

DOTTED = "shop.web__ui.v2.0_to_v3.0"

PATCH = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\r\n+tea\n"


def put(folder: Path, name: str, content: bytes | str | object = PATCH) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def error_of(read: Read, *paths: Path) -> str:
    with pytest.raises(SubmissionError) as caught:
        read(*paths)
    message = str(caught.value)
    for jargon in ("pydantic", "Input should", "type=", "Field required"):
        assert jargon not in message
    return message


def row(**changes: Any) -> dict[str, Any]:
    return {
        "instance_id": APP,
        "model_name_or_path": "openai/gpt-5",
        "model_patch": PATCH.decode("utf-8", "surrogateescape"),
        **changes,
    }


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in rows)
