"""The project of a case as a tar: the source as a repository of one commit, home and inbox."""

from __future__ import annotations

import os
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
class Project:
    """What a sandbox starts with below /benchmac."""

    #: Folders `project`, `home` and `inbox`.
    tar: Path
    #: Digest of the source; None where `project` is empty.
    tree_sha256: str | None = None
    #: Id of the instance that it was made for.
    instance: str = ""


def make_project(instance: Instance, settings: Settings) -> Project:
    """The instance's source as a repository of one commit, made now if it is not in the cache.

    Raises:
        SourceError: the source cannot be had, or git fails on it.
    """
    checkout = source.materialise(instance, settings)
    final = settings.cache / "projects" / f"{key_of(checkout.sha256)}.tar"
    with made_once(final) as partial:
        if partial:
            repository = partial.parent / "repository"
            _commit(checkout.path, repository)
            with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                _add_folders(tar)
                _add_tree(tar, checkout.path, "project")
                tar.addfile(tar_entry("project/.git", STAGE_UID, tarfile.DIRTYPE, 0o755))
                _add_tree(tar, repository, "project/.git")
    return Project(final, checkout.sha256, instance.id)


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
