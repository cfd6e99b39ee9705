"""The project of a case as a tar: the source as a repository of one commit, home and inbox."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

from pytest_benchmac.environment import source
from pytest_benchmac.environment.keys import key_of
from pytest_benchmac.environment.tar_entries import tar_entry
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import STAGE_UID

#: Author and date of the one commit, the same everywhere so that its id is too.
_COMMIT_ENV = {
    "GIT_AUTHOR_NAME": "benchmac",
    "GIT_AUTHOR_EMAIL": "benchmac@localhost",
    "GIT_AUTHOR_DATE": "2025-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "benchmac",
    "GIT_COMMITTER_EMAIL": "benchmac@localhost",
    "GIT_COMMITTER_DATE": "2025-01-01T00:00:00Z",
}


def project_tar(tree: source.SourceTree, settings: Settings) -> Path:
    """Tar of what goes below /benchmac: the project with its repository, home and inbox."""
    final = settings.cache / "projects" / f"{key_of(tree.sha256)}.tar"
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                repository = Path(scratch) / "repository"
                _commit(tree.path, repository)
                partial = Path(scratch) / "project.tar"
                with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                    _add_folders(tar)
                    _add_tree(tar, tree.path, "project")
                    tar.addfile(tar_entry("project/.git", STAGE_UID, tarfile.DIRTYPE, 0o755))
                    _add_tree(tar, repository, "project/.git")
                partial.rename(final)
    return final


def empty_project(settings: Settings) -> Path:
    """Tar of what goes below /benchmac where there is no project: three empty folders."""
    final = settings.cache / "projects" / "empty.tar"
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                partial = Path(scratch) / final.name
                with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                    _add_folders(tar)
                partial.rename(final)
    return final


def _add_folders(tar: tarfile.TarFile) -> None:
    for name, uid in (("project", STAGE_UID), ("home", STAGE_UID), ("inbox", 0)):
        tar.addfile(tar_entry(name, uid, tarfile.DIRTYPE, 0o755))


def _commit(tree: Path, repository: Path) -> None:
    """Make a repository of one commit, tagged `baseline`, whose tree is exactly `tree`."""
    env = source.git_environment() | _COMMIT_ENV
    env |= {"GIT_DIR": str(repository), "GIT_WORK_TREE": str(tree)}

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", *arguments],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=source.LOCAL_TIMEOUT_S,
        )
        if done.returncode:
            raise ImageError(f"git {arguments[0]} failed on {tree}: {done.stderr.strip()}")
        return done.stdout.strip()

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
    git("-c", "pack.threads=1", "repack", "-a", "-d", "--quiet")
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
