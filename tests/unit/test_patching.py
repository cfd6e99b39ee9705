"""Which patches may be tried without prefix, and what is said when one does not apply."""

from pathlib import Path

import pytest

from pytest_benchmac.model import Outcome, StageResult
from pytest_benchmac.tracks.patching import is_prefixed, patch_reason

GIT = "diff --git {0} {1}\nindex 1..2 100644\n--- {0}\n+++ {1}\n@@ -1 +1 @@\n--- x\n+++ y\n"


@pytest.mark.parametrize(
    ("text", "prefixed"),
    [
        (GIT.format("a/src/x.ts", "b/src/x.ts"), True),
        (GIT.format("src/x.ts", "src/x.ts"), False),
        (GIT.format("i/src/x.ts", "w/src/x.ts"), True),
        (GIT.format('"a/\\303\\251.ts"', '"b/\\303\\251.ts"'), True),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", True),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", True),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", False),
        ("From 1 Mon Sep 17\nSubject: [PATCH]\n---\n x | 2 +-\n\n" + GIT.format("a/x", "b/x"), True),
        ("nonsense\n", True),
    ],
)
def test_prefix_is_read_from_the_headers(tmp_path: Path, text: str, prefixed: bool) -> None:
    patch = tmp_path / "x.patch"
    patch.write_text(text)
    assert is_prefixed(patch) is prefixed


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    patch = tmp_path / "x.patch"
    patch.write_bytes(b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\xff\n+\xfe\n")
    assert is_prefixed(patch)


def reason(**observations: object) -> str:
    return patch_reason(
        StageResult(name="patch", outcome=Outcome.FAILED, observations=observations)
    )


def test_reasons() -> None:
    assert reason(applied=True) == ""
    assert reason(empty=True) == "the patch is empty"
    assert "200" in reason(oversized_bytes=200, max_patch_bytes=100)
    assert reason(applied=False, message="error: corrupt patch at line 3").startswith("error:")
    assert reason(applied=False, message="") != ""
