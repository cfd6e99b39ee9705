"""The project of a case as a tar: its tree as a repository of one commit, home and inbox."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment import source
from pytest_benchmac.environment.recipe import STAGE_UID
from pytest_benchmac.environment.tar_entries import tar_entry
from pytest_benchmac.files.once import key_of, made_once
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings

#: Author and date of the one commit, the same everywhere so that its id is too.
_COMMIT_ENV = {
    "GIT_AUTHOR_NAME": "benchmac",
    "GIT_AUTHOR_EMAIL": "benchmac@localhost",
    "GIT_AUTHOR_DATE": "2025-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "benchmac",
    "GIT_COMMITTER_EMAIL": "benchmac@localhost",
    "GIT_COMMITTER_DATE": "2025-01-01T00:00:00Z",
    # Configuration of these commands alone.
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "core.autocrlf",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.logAllRefUpdates",
    "GIT_CONFIG_VALUE_1": "false",
    "GIT_CONFIG_KEY_2": "pack.threads",
    "GIT_CONFIG_VALUE_2": "1",
}


@dataclass(frozen=True)
class Tree:
    """The folders that make a project; by default it is the source."""

    #: Where the source lies: in this folder, or empty for the project itself; None for nowhere.
    source: str | None = ""
    #: Folders that are there, with nothing in them.
    empty: tuple[str, ...] = ()
    #: Is it the same for every instance? Then nothing is asked of a source, which is nowhere in it.
    shared: bool = False


#: What most projects are.
SOURCE_ALONE = Tree()


@dataclass(frozen=True)
class Project:
    """What a sandbox starts with below /benchmac."""

    #: Folders `project`, `home` and `inbox`.
    tar: Path
    #: Digest of what decides the tree, the source included where it is not in it; None where
    #: `project` is empty.
    tree_sha256: str | None = None
    #: Id of the instance that it was made for.
    instance: str = ""


def make_project(instance: Instance, settings: Settings, tree: Tree = SOURCE_ALONE) -> Project:
    """The tree as a repository of one commit, made now if it is not in the cache.

    Args:
        instance: whose source it is.
        settings: with the cache.
        tree: where the source lies, and what else there is.

    Raises:
        SourceError: the source cannot be had, or git fails on it.
    """
    checkout = None if tree.shared else source.materialise(instance, settings)
    digest = checkout.sha256 if checkout else ""
    if tree != SOURCE_ALONE:
        layout = json.dumps([digest, tree.source, sorted(tree.empty)])
        digest = hashlib.sha256(layout.encode()).hexdigest()
    final = settings.cache / "projects" / f"{key_of(digest)}.tar"
    with made_once(final) as partial:
        if partial:
            repository, root = partial.parent / "repository", partial.parent / "tree"
            if checkout and tree == SOURCE_ALONE:
                root = checkout.path
            else:
                _lay(root, checkout.path if checkout else None, tree)
            _commit(root, repository)
            with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                _add_folders(tar)
                _add_tree(tar, root, "project")
                tar.addfile(tar_entry("project/.git", STAGE_UID, tarfile.DIRTYPE, 0o755))
                _add_tree(tar, repository, "project/.git")
    return Project(final, digest, "" if tree.shared else instance.id)


def _lay(root: Path, origin: Path | None, tree: Tree) -> None:
    """Make a tree of folders; files are the cache's own, by another name."""
    root.mkdir()
    if origin is not None and tree.source is not None:
        shutil.copytree(
            origin, root / tree.source, symlinks=True, copy_function=os.link, dirs_exist_ok=True
        )
    for name in tree.empty:
        (root / name).mkdir(parents=True)


def make_empty_project(cache: Path) -> Project:
    """Three empty folders, for sandboxes of a base alone."""
    final = cache / "projects" / "empty.tar"
    with made_once(final) as partial:
        if partial:
            with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                _add_folders(tar)
    return Project(final)


def _add_folders(tar: tarfile.TarFile) -> None:
    for name, uid in (("project", STAGE_UID), ("home", STAGE_UID), ("inbox", 0)):
        tar.addfile(tar_entry(name, uid, tarfile.DIRTYPE, 0o755))


def _commit(tree: Path, repository: Path) -> None:
    """Make a repository of one commit, tagged `baseline`, whose tree is exactly `tree`."""
    env = _COMMIT_ENV | {"GIT_WORK_TREE": str(tree)}

    def git(*arguments: str) -> str:
        return source.run_git(*arguments, git_dir=repository, env=env).decode().strip()

    git("init", "--quiet", "--template=", "--initial-branch=main")
    attributes = repository / "info" / "attributes"
    attributes.parent.mkdir()
    attributes.write_text(source.RAW_ATTRIBUTES)
    git("add", "--all", "--force", ".")
    attributes.unlink()
    commit = git("commit-tree", "-m", "baseline", git("write-tree"))
    git("update-ref", "refs/heads/main", commit)
    git("tag", "baseline", commit)
    # One pack instead of hundreds of files, and an index without this machine's inode numbers.
    git("repack", "-a", "-d", "--quiet")
    (repository / "index").unlink()
    git("read-tree", commit)
    git("config", "--unset", "core.worktree")


def _add_tree(tar: tarfile.TarFile, root: Path, name: str) -> None:
    """Add a folder's content as the stage user's, with nothing of this machine in it."""
    for path in sorted(root.rglob("*"), key=lambda path: os.fsencode(path)):
        target = f"{name}/{path.relative_to(root)}"
        if path.is_symlink():
            entry = tar_entry(target, STAGE_UID, tarfile.SYMTYPE, 0o777)
            entry.linkname = str(path.readlink())
            tar.addfile(entry)
        elif path.is_dir():
            tar.addfile(tar_entry(target, STAGE_UID, tarfile.DIRTYPE, 0o755))
        else:
            executable = path.stat().st_mode & 0o100
            entry = tar_entry(target, STAGE_UID, tarfile.REGTYPE, 0o755 if executable else 0o644)
            entry.size = path.stat().st_size
            with path.open("rb") as content:
                tar.addfile(entry, content)
