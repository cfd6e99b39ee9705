"""Collects what a SUT changed: the difference of two trees, made outside of the SUT's reach.

Nothing of the SUT's repository is asked: its `.git`, configuration, hooks, attributes and ignore
rules may say or be anything. File names, digests and contents are read out of the work tree, and
git compares them with the base in a repository of the harness's own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_benchmac.errors import BenchmacError, SourceError
from pytest_benchmac.generate.lockfile import LOCK_FILES, portable
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.settings import MIB
from pytest_benchmac.source import git_environment

#: Files and folders that are never part of a patch, wherever they are: what belongs to git, what
#: package managers install, and the Angular CLI's cache, which older bases do not ignore.
NEVER_COLLECTED = (".git", "node_modules", ".angular")

_LISTING_BYTES = 64 * MIB
_COMMAND_SECONDS = 600.0
_GIT_SECONDS = 300.0
_DIGEST_CHARS = 64

#: git reads these two from the user's home even where it is told to ignore all configuration.
_NO_USER_FILES = ("-c", "core.excludesFile=/dev/null", "-c", "core.attributesFile=/dev/null")

#: git is to take every byte as it is, whatever attributes the tree brings along.
_ATTRIBUTES = "* -text !eol -ident !filter !working-tree-encoding !diff !merge\n"


class UncollectableError(BenchmacError):
    """The SUT left its project in a state no patch can be made of; its failure, not ours."""


@dataclass(frozen=True)
class Entry:
    """A file or symbolic link of a tree."""

    executable: bool
    size: int
    #: Target of a symbolic link; None for a file.
    link: bytes | None = None

    @property
    def mode(self) -> bytes:
        """Git's word for what it is."""
        if self.link is not None:
            return b"120000"
        return b"100755" if self.executable else b"100644"


class WorkTree(Protocol):
    """A tree as the SUT left it. Paths are bytes, relative, with slashes."""

    def entries(self) -> Mapping[bytes, Entry]:
        """Files and symbolic links, but for NEVER_COLLECTED.

        Raises:
            UncollectableError: there are too many of them.
        """
        ...

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """SHA-256 of each file, in that order."""
        ...

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """The contents of these files, which have `total_bytes`, one after the other."""
        ...


@dataclass(frozen=True)
class Collected:
    """A patch, and how many occurrences of secrets were replaced in what it adds."""

    patch: bytes
    redactions: int = 0


def collect(
    tree: WorkTree,
    project: Path,
    *,
    max_bytes: int,
    registries: Collection[str] = (),
    redact: Callable[[bytes], tuple[bytes, int]] = lambda content: (content, 0),
) -> Collected:
    """The patch from the base to the tree, as `git diff --binary baseline` would have it.

    New files that the base's own ignore rules leave out are no part of it.

    Args:
        tree: what the SUT left.
        project: tar of the base (`PreparedImage.project`).
        max_bytes: bound on the contents of all files that were changed or added.
        registries: URLs of the registry that the sandbox used; lock files are made not to name
            them.
        redact: applied to each of these contents, and to their names.

    Raises:
        UncollectableError: there is more than `max_bytes`, there are too many files, or they
            cannot be read.
        SandboxError: the engine failed.
        SourceError: git fails.
    """
    base = _Base.read(project)
    now = tree.entries()
    new = [path for path in now if path not in base.entries]
    ignored = base.ignored(new)
    kept = {path: entry for path, entry in now.items() if path not in ignored}

    suspects = sorted(
        path
        for path, entry in kept.items()
        if entry.link is None and (old := base.entries.get(path)) and old == entry
    )
    same = {
        path
        for path, digest in zip(suspects, tree.digests(suspects), strict=True)
        if digest == hashlib.sha256(base.content(path)).hexdigest()
    }
    changed = {
        path: entry
        for path, entry in sorted(kept.items())
        if path not in same and not (entry.link is not None and base.entries.get(path) == entry)
    }
    deleted = sorted(path for path in base.entries if path not in kept)
    files = [path for path, entry in changed.items() if entry.link is None]
    total = sum(changed[path].size for path in files)
    if total > max_bytes:
        largest = max(files, key=lambda path: changed[path].size)
        raise UncollectableError(
            f"changed and new files have {total} bytes, and at most {max_bytes} are collected; "
            f"the largest is {os.fsdecode(largest)!r} with {changed[largest].size}"
        )
    content = tree.contents(files, total) if files else b""
    redactions = 0
    versions: dict[bytes, tuple[bytes, bytes]] = {}
    position = 0
    for path, entry in changed.items():
        piece = entry.link
        if piece is None:
            piece = content[position : position + entry.size]
            position += entry.size
            if registries and path.split(b"/")[-1] in LOCK_FILES:
                old_lock = base.content(path) if path in base.entries else None
                piece = portable(piece, old_lock, registries)
        name, in_name = redact(path)
        piece, in_piece = redact(piece)
        versions[name] = (entry.mode, piece)
        redactions += in_name + in_piece
    old_versions = {
        path: (base.entries[path].mode, base.content(path))
        for path in sorted({*deleted, *(path for path in changed if path in base.entries)})
    }
    return Collected(_diff(old_versions, versions, deleted), redactions)


class _Base:
    """The base tree, from the project's tar."""

    def __init__(self, entries: dict[bytes, Entry], contents: dict[bytes, bytes]) -> None:
        self.entries = entries
        self._contents = contents

    @classmethod
    def read(cls, project: Path) -> _Base:
        entries: dict[bytes, Entry] = {}
        contents: dict[bytes, bytes] = {}
        with tarfile.open(project) as tar:
            for member in tar:
                path = os.fsencode(member.name).removeprefix(b"./").removeprefix(b"project/")
                outside = not os.fsencode(member.name).removeprefix(b"./").startswith(b"project/")
                if outside or _never(path):
                    continue
                if member.issym():
                    target = os.fsencode(member.linkname)
                    entries[path] = Entry(False, len(target), target)
                    contents[path] = target
                elif member.isreg() and (file := tar.extractfile(member)):
                    entries[path] = Entry(bool(member.mode & 0o100), member.size)
                    contents[path] = file.read()
        return cls(entries, contents)

    def content(self, path: bytes) -> bytes:
        return self._contents[path]

    def ignored(self, paths: Collection[bytes]) -> set[bytes]:
        """Which of these does the base's .gitignore leave out, at whatever depth?"""
        rules = [
            path
            for path, entry in self.entries.items()
            if path.split(b"/")[-1] == b".gitignore" and entry.link is None
        ]
        if not rules or not paths:
            return set()
        with tempfile.TemporaryDirectory(prefix="benchmac-ignore-") as scratch:
            _git(["init", "--quiet", "--template=", scratch])
            for rule in rules:
                file = Path(scratch, os.fsdecode(rule))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self._contents[rule])
            told = _git(
                ["-C", scratch, "check-ignore", "--no-index", "-z", "--stdin"],
                # `./`: a colon at the beginning would be pathspec magic.
                stdin=b"".join(b"./" + path + b"\0" for path in paths),
                # 1: nothing is ignored.
                accepted=(0, 1),
            )
        return {path.removeprefix(b"./") for path in told.split(b"\0")[:-1]}


def _never(path: bytes) -> bool:
    return any(part in path.split(b"/") for part in map(str.encode, NEVER_COLLECTED))


def _diff(
    before: Mapping[bytes, tuple[bytes, bytes]],
    after: Mapping[bytes, tuple[bytes, bytes]],
    deleted: Iterable[bytes],
) -> bytes:
    """The patch between two sets of (mode, content) by path."""
    with tempfile.TemporaryDirectory(prefix="benchmac-diff-") as scratch:
        git = Path(scratch)
        _git(["init", "--quiet", "--bare", "--template=", scratch])
        (git / "info").mkdir()
        (git / "info" / "attributes").write_text(_ATTRIBUTES)
        # HEAD of a bare repository is a source of attributes too: it is left unborn.
        _git([f"--git-dir={git}", "symbolic-ref", "HEAD", "refs/heads/none"])
        stream = [_commit("before", None, before, ()), _commit("after", "before", after, deleted)]
        _git(
            [
                *("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false"),
                *(f"--git-dir={git}", "fast-import", "--quiet", "--done"),
            ],
            stdin=b"".join([*stream, b"done\n"]),
        )
        return _git(
            [
                *(f"--git-dir={git}", "diff", "--binary", "--no-ext-diff", "--no-textconv"),
                *("--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/"),
                *("refs/heads/before", "refs/heads/after", "--"),
            ]
        )


def _commit(
    name: str,
    parent: str | None,
    files: Mapping[bytes, tuple[bytes, bytes]],
    deleted: Iterable[bytes],
) -> bytes:
    """One commit in the form that `git fast-import` reads."""
    lines = [f"commit refs/heads/{name}\ncommitter b <b@localhost> 0 +0000\ndata 0\n".encode()]
    if parent:
        lines.append(f"from refs/heads/{parent}\n".encode())
    # Deletions first: a folder may have taken the place of a file, or the other way round.
    lines += [b"D " + _quoted(path) + b"\n" for path in deleted]
    for path, (mode, content) in files.items():
        head = b"M %b inline %b\ndata %d\n" % (mode, _quoted(path), len(content))
        lines += [head, content, b"\n"]
    return b"".join(lines)


def _quoted(path: bytes) -> bytes:
    plain = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._- @+")
    return b'"' + b"".join(b"%c" % c if c in plain else b"\\%03o" % c for c in path) + b'"'


def _git(
    arguments: Sequence[str], *, stdin: bytes = b"", accepted: Collection[int] = (0,)
) -> bytes:
    try:
        done = subprocess.run(
            ["git", *_NO_USER_FILES, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=git_environment(),
            timeout=_GIT_SECONDS,
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed", remedy="install it: `apt install git`") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git did not end within {_GIT_SECONDS:.0f} s") from error
    if done.returncode not in accepted:
        said = done.stderr.decode(errors="replace").strip()
        raise SourceError(f"git exited {done.returncode} on the collected changes: {said}")
    return done.stdout


# --- where trees are ---------------------------------------------------------------------------

_PRUNED = " -o ".join(f"-name {name}" for name in NEVER_COLLECTED)
#: A SUT may have taken its own rights away; find asks before it looks into a folder.
_READABLE = (
    f"find -P . \\( {_PRUNED} \\) -prune"
    " -o -type d ! -perm -u=rwx -exec chmod u+rwx '{}' \\;"
    " -o -type f ! -perm -u=r -exec chmod u+r '{}' \\; >/dev/null 2>&1"
)
_LIST = (
    f"find -P . \\( {_PRUNED} \\) -prune -o \\( -type f -o -type l \\) -printf '%y%m %s %P\\0%l\\0'"
)


class SandboxTree:
    """The project of a sandbox in which nothing runs any more."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._list = sandbox.inbox / "benchmac" / "paths"

    def entries(self) -> Mapping[bytes, Entry]:
        """See `WorkTree`."""
        listing = self._run(f"{_READABLE}; {_LIST}", _LISTING_BYTES)
        if len(listing) >= _LISTING_BYTES:
            raise UncollectableError(
                f"the names of the files in the project have more than {_LISTING_BYTES} bytes"
            )
        fields = listing.split(b"\0")[:-1]
        entries: dict[bytes, Entry] = {}
        for head, link in zip(fields[::2], fields[1::2], strict=True):
            kind_and_mode, size, path = head.split(b" ", 2)
            if kind_and_mode[:1] == b"l":
                entries[path] = Entry(False, len(link), link)
            else:
                entries[path] = Entry(bool(int(kind_and_mode[1:], 8) & 0o100), int(size))
        return entries

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """See `WorkTree`."""
        if not paths:
            return ()
        # Each record is the digest, two blanks, `./`, the name and a NUL.
        expected = sum(_DIGEST_CHARS + 5 + len(path) for path in paths)
        told = self._run_on(paths, "sha256sum -z --", expected)
        digests = [record[:_DIGEST_CHARS].decode() for record in told.split(b"\0")[:-1]]
        if len(digests) != len(paths):
            raise UncollectableError(f"of {len(paths)} files only {len(digests)} can be read")
        return digests

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """See `WorkTree`."""
        content = self._run_on(paths, "cat --", total_bytes)
        if len(content) != total_bytes:
            raise UncollectableError(
                f"the changed files have {total_bytes} bytes, but {len(content)} were read"
            )
        return content

    def _run_on(self, paths: Sequence[bytes], command: str, expected_bytes: int) -> bytes:
        self._sandbox.copy_in(b"".join(b"./" + path + b"\0" for path in paths), self._list)
        return self._run(f"xargs -0 -r -a '{self._list}' {command}", expected_bytes + 1)

    def _run(self, command: str, capture_bytes: int) -> bytes:
        result = self._sandbox.run(
            command, timeout_s=_COMMAND_SECONDS, log=Path(os.devnull), capture_bytes=capture_bytes
        )
        if result.exit_code != 0:
            how = "took too long" if result.timed_out else f"exited {result.exit_code}"
            raise UncollectableError(f"reading the project {how}: {result.stderr.strip()[:500]}")
        return result.stdout


class FolderTree:
    """A folder of this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def entries(self) -> Mapping[bytes, Entry]:
        """See `WorkTree`."""
        entries: dict[bytes, Entry] = {}
        for folder, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if name not in NEVER_COLLECTED]
            links = [name for name in folders if Path(folder, name).is_symlink()]
            for name in (*files, *links):
                path = Path(folder, name)
                relative = os.fsencode(path.relative_to(self._root))
                if name in NEVER_COLLECTED:
                    continue
                if path.is_symlink():
                    target = os.fsencode(path.readlink())
                    entries[relative] = Entry(False, len(target), target)
                elif path.is_file():
                    status = path.stat()
                    entries[relative] = Entry(bool(status.st_mode & 0o100), status.st_size)
        return entries

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """See `WorkTree`."""
        return [hashlib.sha256(self._read(path)).hexdigest() for path in paths]

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """See `WorkTree`."""
        content = b"".join(self._read(path) for path in paths)
        if len(content) != total_bytes:
            raise UncollectableError(f"{self._root} changed while it was read")
        return content

    def _read(self, path: bytes) -> bytes:
        return (self._root / os.fsdecode(path)).read_bytes()
