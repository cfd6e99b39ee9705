"""What is known of one case under way."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pytest_benchmac.model.submission import Submission


def with_patch(submission: Submission, patch: Path) -> Submission:
    content = patch.read_bytes()
    return submission.model_copy(
        update={
            "patch": patch,
            "patch_sha256": hashlib.sha256(content).hexdigest(),
            "patch_bytes": len(content),
            "empty": not content.strip(),
        }
    )
