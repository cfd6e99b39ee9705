"""Sources: the history-free tree of an instance's base commit, and its silver patch."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.files.archives import unpack
from pytest_benchmac.files.once import key_of, made_once
from pytest_benchmac.files.patterns import path_filter
from pytest_benchmac.model.errors import SourceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings

#: Never part of a source folder: history, and what an install leaves in a folder tried by hand.
_LEFT_OUT = frozenset({".git", "node_modules"})

#: Seconds for one git command that stays on this machine, and for one that asks a server.
_LOCAL_TIMEOUT_S = 600.0
_FETCH_TIMEOUT_S = 600.0

#: What makes git give the bytes of the repository: a commit's own attributes may leave files out
#: of an archive, fill in placeholders or convert line ends and encodings.
RAW_ATTRIBUTES = "* -export-ignore -export-subst -text -eol -ident -filter -working-tree-encoding\n"


@dataclass(frozen=True)
class Checkout:
    """The tree of a base commit: plain files, no history; read-only by convention."""

    path: Path
    #: Digest of names, executable bits and contents.
    sha256: str


def materialise(instance: Instance, settings: Settings) -> Checkout:
    """The instance's source, cached below `settings.cache`; safe for concurrent processes.

    Raises:
        SourceError: the folder is missing or holds special files, the commit cannot be had, or
            what is to be excluded is not there.
    """
    sources = settings.cache / "sources"
    if instance.source.path is not None:
        origin = instance.directory / instance.source.path
        if not origin.is_dir():
            raise SourceError(
                f"{instance.id}: the source folder {origin} does not exist",
                remedy="`source.path` in instance.toml is relative to the folder of that file",
            )
        _check_excluded(instance, origin)
        digest = tree_sha256(origin, instance.source.exclude)
        with made_once(sources / f"tree-{digest}") as partial:
            if partial:
                _copy(origin, partial, instance.source.exclude)
        return Checkout(sources / f"tree-{digest}", digest)

    commit = instance.source.commit
    assert commit is not None  # noqa: S101 - the model has checked that git comes with a commit
    exclude = instance.source.exclude
    name = f"git-{commit}-{key_of(*exclude)}" if exclude else f"git-{commit}"
    tree, digest_file = sources / name, sources / f"{name}.sha256"
    with made_once(tree) as partial:
        if partial:
            with _repository(instance, settings, commit) as repository:
                _export(repository, commit, partial)
            _check_excluded(instance, partial)
            kept = set(_tree_files(partial, exclude))
            for path in _tree_files(partial):
                if path not in kept:
                    path.unlink()
            digest_file.write_text(tree_sha256(partial))
    return Checkout(tree, digest_file.read_text())


def silver_patch(instance: Instance, settings: Settings) -> Path:
    """The instance's known-good patch; one named by a commit is derived once and cached.

    Raises:
        SourceError: there is none, its file is missing, or a commit cannot be had.
    """
    silver = instance.silver
    if silver is None:
        raise SourceError(
            f"{instance.id} has no silver patch",
            remedy="give `[silver]` with `patch` or `commit` in its instance.toml",
        )
    if silver.patch is not None:
        patch = instance.directory / silver.patch
        if not patch.is_file():
            raise SourceError(f"{instance.id}: the silver patch {patch} does not exist")
        return patch

    base = instance.source.commit
    if base is None or silver.commit is None:
        raise SourceError(
            f"{instance.id}: `silver.commit` needs a source that is a git repository",
            remedy="give the silver patch as a file, `silver.patch`",
        )
    patch = settings.cache / "sources" / f"silver-{base}-{silver.commit}.patch"
    with made_once(patch) as partial:
        if partial:
            with _repository(instance, settings, base, silver.commit) as repository:
                diff = run_git(
                    "diff", "--binary", "--full-index", "--no-ext-diff", "--no-textconv",
                    "--no-color", base, silver.commit,
                    git_dir=repository,
                )  # fmt: skip
            partial.write_bytes(diff)
    return patch


def tree_sha256(root: Path, exclude: Sequence[str] = ()) -> str:
    """Digest of the files below `root`: names, executable bits, contents, targets of links.

    Args:
        root: a folder.
        exclude: paths that do not count, as `Source.exclude` has them.

    Raises:
        SourceError: there is something that is neither file, folder nor symbolic link.
    """
    digest = hashlib.sha256()
    for path in _tree_files(root, exclude):
        name = os.fsencode(path.relative_to(root))
        if path.is_symlink():
            kind, content = b"l", os.fsencode(path.readlink())
            file_digest = hashlib.sha256(content).digest()
        else:
            kind = b"x" if path.stat().st_mode & 0o100 else b"-"
            with path.open("rb") as file:
                file_digest = hashlib.file_digest(file, "sha256").digest()
        digest.update(kind + len(name).to_bytes(4, "big") + name + file_digest)
    return digest.hexdigest()


def _check_excluded(instance: Instance, root: Path) -> None:
    """See that every pattern excludes something: one that is misspelt hides nothing."""
    patterns = instance.source.exclude
    paths = [path.relative_to(root).as_posix() for path in _tree_files(root)] if patterns else []
    for pattern in patterns:
        if not any(map(path_filter([pattern]), paths)):
            raise SourceError(
                f"{instance.id}: `source.exclude` has {pattern!r}, which no file matches",
                remedy="`*` stays in its folder, `**` does not: `tests/**` is all below tests/",
            )


def _tree_files(root: Path, exclude: Sequence[str] = ()) -> list[Path]:
    """Every file and symbolic link below `root` but what is left out, in the order of its name.

    Raises:
        SourceError: there is something that is neither file, folder nor symbolic link.
    """
    found: list[Path] = []
    matches = path_filter(exclude)
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        links = [name for name in folders if (here / name).is_symlink()]
        for name in (*files, *links):
            path = here / name
            mode = path.lstat().st_mode
            if name in _LEFT_OUT or matches(path.relative_to(root).as_posix()):
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                raise SourceError(
                    f"{path} is neither a file nor a symbolic link",
                    remedy="remove it from the instance's source folder",
                )
            found.append(path)
    return sorted(found, key=lambda path: os.fsencode(path.relative_to(root)))


def _copy(origin: Path, destination: Path, exclude: Sequence[str]) -> None:
    destination.mkdir()
    for path in _tree_files(origin, exclude):
        target = destination / path.relative_to(origin)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(path.readlink())
        else:
            shutil.copyfile(path, target)
            target.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


@contextmanager
def _repository(instance: Instance, settings: Settings, *commits: str) -> Iterator[Path]:
    """A temporary bare repository that has the commits: from the mirror, else fetched."""
    url = str(instance.source.git)
    name = "/".join(url.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")[-2:])
    with tempfile.TemporaryDirectory(prefix="benchmac-git-") as scratch:
        repository = Path(scratch)
        run_git("init", "--quiet", "--bare", "--template=", scratch)
        (repository / "info").mkdir()
        (repository / "info" / "attributes").write_text(RAW_ATTRIBUTES)
        mirror = settings.source_mirror and settings.source_mirror / f"{name}.git"
        if mirror and mirror.is_dir():
            alternates = repository / "objects" / "info" / "alternates"
            alternates.parent.mkdir(parents=True, exist_ok=True)
            alternates.write_text(f"{(mirror / 'objects').resolve()}\n")
            for commit in commits:
                try:
                    run_git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=repository)
                except SourceError as error:
                    raise SourceError(
                        f"{instance.id}: the mirror {mirror} does not have commit {commit}",
                        remedy=f"update it from {url}, or leave --source-mirror out",
                    ) from error
        elif "://" not in url and "@" not in url and not Path(url).is_absolute():
            raise SourceError(
                f"{instance.id}: `{url}` names a repository without saying where it is, and "
                f"there is no {mirror or name + '.git'}",
                remedy="give --source-mirror=DIR (or BENCHMAC_SOURCE_MIRROR) with the bare "
                f"repository at DIR/{name}.git",
            )
        else:
            try:
                run_git(
                    "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head",
                    url, *commits,
                    git_dir=repository, timeout_s=_FETCH_TIMEOUT_S,
                )  # fmt: skip
            except SourceError as error:
                raise SourceError(
                    f"{instance.id}: commit {commits[-1]} of {url} cannot be fetched: {error.what}",
                    remedy="where the repository cannot be reached, give --source-mirror=DIR (or "
                    f"BENCHMAC_SOURCE_MIRROR) with a bare repository at DIR/{name}.git",
                ) from error
        yield repository


def _export(repository: Path, commit: str, destination: Path) -> None:
    archive = repository / "source.tar"
    destination.mkdir()
    run_git(
        "-c", "tar.umask=0022", "archive", "--format=tar", f"--output={archive}", commit,
        git_dir=repository,
    )  # fmt: skip
    try:
        unpack(archive, destination, keep_owners=False)
    except OSError as error:
        raise SourceError(f"commit {commit} cannot be unpacked: {error}") from error


def git_environment() -> dict[str, str]:
    """An environment in which git knows nothing of the user's or the machine's configuration.

    Network settings (proxies, certificates) stay: they say how to reach a server, not what to do.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(("GIT_SSL_", "GIT_PROXY_"))
    }
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }


def run_git(
    *arguments: str,
    git_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout_s: float = _LOCAL_TIMEOUT_S,
) -> bytes:
    """Run git without the user's configuration; what it prints.

    Args:
        arguments: of git.
        git_dir: the repository, else the one that the arguments name.
        env: variables beside those of `git_environment`.
        timeout_s: seconds.

    Raises:
        SourceError: it is not installed, takes too long, or fails, with its own words.
    """
    command = ["git", "-c", "safe.directory=*", "-c", f"core.hooksPath={os.devnull}"]
    if git_dir is not None:
        command.append(f"--git-dir={git_dir}")
    try:
        done = subprocess.run(
            [*command, *arguments],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=git_environment() | dict(env or {}),
            timeout=timeout_s,
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed", remedy="install it: `apt install git`") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git {arguments[0]} took longer than {timeout_s:.0f} s") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise SourceError(f"git {arguments[0]}: {said}")
    return done.stdout
