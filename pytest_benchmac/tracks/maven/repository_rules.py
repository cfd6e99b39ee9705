"""What the repository has beside what Maven reads: hosts' files, git's rules, licenses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.automation import check_automation
from pytest_benchmac.tracks.repository.git_rules import (
    check_shown,
    check_taken,
    compare_git,
    rules_of,
)
from pytest_benchmac.tracks.repository.licenses import check_licenses

#: What people write and review; data and pictures may be handled otherwise.
_CODE = (".java", ".kt", ".groovy", ".scala")
_POM = "pom.xml"
#: A source that nobody has yet.
_NEW = "NewPart.java"


def check_repository(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """What others do with the tree is what they did.

    Args:
        base: the untouched base.
        patched: the patched tree.
        findings: where to.

    Raises:
        SourceError: git is not installed.
    """
    old, new = (tree.without([".git"]) for tree in (base, patched))
    check_automation(old, new, findings)
    check_licenses(old, new, findings)
    if rules_of(old) == rules_of(new):
        return
    written = [path for path in new.files if path.endswith(_CODE) or _is_pom(path)]
    checks = (
        partial(check_taken, tree=new, needed={*written, *_new_ones(written)}, findings=findings),
        partial(check_shown, written=written, findings=findings),
    )
    compare_git(old, new, checks, findings)


def _is_pom(path: str) -> bool:
    return path.rpartition("/")[2] == _POM


def _new_ones(written: Sequence[str]) -> Iterator[str]:
    """Beside what there is."""
    for folder in {path.rpartition("/")[0] for path in written if path.endswith(_CODE)}:
        yield f"{folder}/{_NEW}".lstrip("/")
