"""The submissions of the harness's own tests."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.model.submission import Case, SubmissionKind
from tests.input.patch_files import Write


def test_silver_and_baseline(write_instance: Write, tmp_path: Path) -> None:
    folder = tmp_path / "instances"
    patch = write_instance("with_file") / "silver.patch"
    commits = ('patch = "silver.patch"', f'commit = "{"b" * 40}"')
    git = ('path = "source"', f'git = "https://git.example/a/b"\ncommit = "{"a" * 40}"')
    write_instance("with_commit", commits, git)
    write_instance("without", ('[silver]\npatch = "silver.patch"', ""))
    instances = load_instances([folder])
    by_commit, by_file = silver_submissions(instances)
    assert by_commit.case == Case(instance_id="with_commit", sut="silver")
    assert by_commit.patch is None
    assert by_file.kind is SubmissionKind.SILVER
    assert by_file.patch == patch
    assert by_file.patch_sha256 == hashlib.sha256(patch.read_bytes()).hexdigest()
    baselines = baseline_submissions(instances)
    assert [s.case.instance_id for s in baselines] == ["with_commit", "with_file", "without"]
    for submission in baselines:
        assert submission.kind is SubmissionKind.BASELINE
        assert submission.case.sut == "baseline"
        assert submission.patch is None
        assert not submission.empty
