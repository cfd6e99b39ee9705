"""Which patches may be tried without prefix, and what is said when one does not apply."""

from pathlib import Path

import pytest

from pytest_benchmac.model.evaluation import Outcome, StageResult
from pytest_benchmac.tracks.patch import patch_reason, strip_level

GIT = "diff --git {0} {1}\nindex 1..2 100644\n--- {0}\n+++ {1}\n@@ -1 +1 @@\n--- x\n+++ y\n"


@pytest.mark.parametrize(
    ("text", "strip"),
    [
        (GIT.format("a/src/x.ts", "b/src/x.ts"), 1),
        (GIT.format("src/x.ts", "src/x.ts"), 0),
        (GIT.format("a/x.ts", "a/x.ts"), 0),
        (GIT.format("with space/x.ts", "with space/x.ts"), 0),
        (GIT.format("a/with space/x.ts", "b/with space/x.ts"), 1),
        (GIT.format("i/src/x.ts", "w/src/x.ts"), 1),
        (GIT.format('"a/\\303\\251.ts"', '"b/\\303\\251.ts"'), 1),
        ("diff --git x.ts y.ts\nsimilarity index 100%\nrename from x.ts\nrename to y.ts\n", 0),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", 1),
        ("diff --git x x\nold mode 100644\nnew mode 100755\n", 0),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", 1),
        (
            "diff --git x x\nnew file mode 100644\nindex 0..1\n"
            "--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n",
            0,
        ),
        ("--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", 1),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", 1),
        ("--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+b\n", 0),
        ("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", 0),
        ("From 1 Mon Sep 17\nSubject: [PATCH]\n---\n x | 2 +-\n\n" + GIT.format("a/x", "b/x"), 1),
        ("nonsense\n", 1),
        ("", 1),
    ],
)
def test_strip_level_is_read_from_the_headers(tmp_path: Path, text: str, strip: int) -> None:
    patch = tmp_path / "x.patch"
    for content in (text, text.replace("\n", "\r\n")):
        patch.write_bytes(content.encode())
        assert strip_level(patch) == strip


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    patch = tmp_path / "x.patch"
    patch.write_bytes(b"diff --git \xff \xff\n--- \xff\n+++ \xff\n@@ -1 +1 @@\n-\xff\n+\xfe\n")
    assert strip_level(patch) == 0


def reason(**observations: object) -> str:
    return patch_reason(
        StageResult(name="patch", outcome=Outcome.FAILED, observations=observations)
    )


def test_reasons() -> None:
    assert reason(applied=True) == ""
    assert reason(applied=False, message="error: corrupt patch at line 3").startswith("error:")
    assert reason(applied=False, message="") != ""
