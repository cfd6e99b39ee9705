"""The project of a case: one commit, the same everywhere."""

import subprocess
import tarfile
from pathlib import Path

from pytest_benchmac.environment.project import Tree, make_project
from pytest_benchmac.files import archives
from pytest_benchmac.model.settings import Settings
from tests.sandbox.tiny import make_instance


def test_the_commit_is_the_same_everywhere(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        instance = make_instance(tmp_path / name, {"a": "a\r\n", ".gitignore": "a\n", "b/c": "c"})
        (instance.directory / "source" / ".gitattributes").write_text("* text=auto\n")
        (instance.directory / "source" / "link").symlink_to("b/c")
        (instance.directory / "source" / "node_modules").mkdir()
        (instance.directory / "source" / "node_modules" / "x").write_text("x")
        fresh = Settings(tmp_path, cache=tmp_path / f"cache-{name}")
        project = make_project(instance, fresh).tar
        (tmp_path / f"out-{name}").mkdir()
        archives.unpack(project, tmp_path / f"out-{name}", keep_owners=False)
        there = tmp_path / f"out-{name}" / "project"
        ids.append(_git(there, "rev-parse", "baseline"))
        # Ignored files and line ends are as the source has them, and node_modules is not there.
        assert _git(there, "ls-files").split() == [
            ".gitattributes",
            ".gitignore",
            "a",
            "b/c",
            "link",
        ]
        assert _git(there, "cat-file", "blob", "baseline:a") == "a\r\n"
        with tarfile.open(project) as tar:
            assert {member.uid for member in tar if member.name.startswith("project")} == {1000}
            assert tar.getmember("inbox").uid == 0
    assert ids[0] == ids[1]


def test_a_tree_has_the_source_where_it_says_or_nowhere(tmp_path: Path) -> None:
    instance = make_instance(tmp_path / "one", {"a": "a", "tests/t": "t"})
    settings = Settings(tmp_path, cache=tmp_path / "cache")
    whole = make_project(instance, settings)
    beside = make_project(instance, settings, Tree(source="src", empty=("dst",)))
    without = make_project(instance, settings, Tree(source=None, empty=("dst",)))
    assert len({each.tree_sha256 for each in (whole, beside, without)}) == 3
    for project, wanted in ((beside, ["src/a", "src/tests/t"]), (without, [])):
        there = tmp_path / f"out-{project.tree_sha256}"
        there.mkdir()
        archives.unpack(project.tar, there, keep_owners=False)
        assert (there / "project" / "dst").is_dir()
        assert _git(there / "project", "ls-files").split() == wanted
        assert _git(there / "project", "status", "--porcelain") == ""
        assert _git(there / "project", "log", "-1", "--format=%s", "baseline", "--") == "baseline\n"
    # Another source is another project, also where it is not part of it.
    (instance.directory / "source" / "a").write_text("b")
    again = make_project(instance, settings, Tree(source=None, empty=("dst",)))
    assert again.tree_sha256 != without.tree_sha256


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, check=True, text=False
    )
    return done.stdout.decode()


def test_a_shared_tree_is_the_same_whatever_the_source(tmp_path: Path) -> None:
    settings = Settings(tmp_path, cache=tmp_path / "cache")
    shared = Tree(source=None, shared=True)
    one = make_project(make_instance(tmp_path / "one", {"a": "a"}), settings, shared)
    other = make_project(make_instance(tmp_path / "other", {"a": "b"}), settings, shared)
    assert one == other
    assert not (tmp_path / "cache" / "sources").exists()
    (tmp_path / "out").mkdir()
    archives.unpack(one.tar, tmp_path / "out", keep_owners=False)
    assert _git(tmp_path / "out" / "project", "ls-files") == ""
    assert _git(tmp_path / "out" / "project", "status", "--porcelain") == ""
