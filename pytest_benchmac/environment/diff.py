"""The unified diff between two trees, made by git without any user's configuration."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from pytest_benchmac.environment.source import git_environment
from pytest_benchmac.model.errors import SourceError

_GIT_SECONDS = 300.0
#: git reads these two from the user's home even where it is told to ignore all configuration.
_NO_USER_FILES = ("-c", "core.excludesFile=/dev/null", "-c", "core.attributesFile=/dev/null")
#: git is to take every byte as it is, whatever attributes the tree brings along.
_ATTRIBUTES = "* -text !eol -ident !filter !working-tree-encoding !diff !merge\n"


def diff_trees(
    before: Mapping[bytes, tuple[bytes, bytes]],
    after: Mapping[bytes, tuple[bytes, bytes]],
    deleted: Iterable[bytes],
) -> bytes:
    """The patch between two sets of (mode, content) by path."""
    with tempfile.TemporaryDirectory(prefix="benchmac-diff-") as scratch:
        git = Path(scratch)
        run_git(["init", "--quiet", "--bare", "--template=", scratch])
        (git / "info").mkdir()
        (git / "info" / "attributes").write_text(_ATTRIBUTES)
        # HEAD of a bare repository is a source of attributes too: it is left unborn.
        run_git([f"--git-dir={git}", "symbolic-ref", "HEAD", "refs/heads/none"])
        stream = [_commit("before", None, before, ()), _commit("after", "before", after, deleted)]
        run_git(
            [
                *("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false"),
                *(f"--git-dir={git}", "fast-import", "--quiet", "--done"),
            ],
            stdin=b"".join([*stream, b"done\n"]),
        )
        return run_git(
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


def run_git(
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    accepted: Collection[int] = (0,),
    seconds: float = _GIT_SECONDS,
) -> bytes:
    """Run git without anybody's configuration; its standard output. Raises SourceError."""
    try:
        done = subprocess.run(
            ["git", *_NO_USER_FILES, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=git_environment(),
            timeout=seconds,
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed", remedy="install it: `apt install git`") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git did not end within {seconds:.0f} s") from error
    if done.returncode not in accepted:
        said = done.stderr.decode(errors="replace").strip()
        raise SourceError(f"git exited {done.returncode} on the collected changes: {said}")
    return done.stdout
