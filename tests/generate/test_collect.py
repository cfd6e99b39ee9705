"""The patch of two trees: it applies to the base, and gives exactly the other tree."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.generate.collect import Collected, collect
from pytest_benchmac.generate.worktree import FolderTree, UncollectableError

#: Path -> content of a file, or (content, "x") for an executable, or (target, "l") for a link.
Tree = dict[str, bytes | tuple[bytes, str]]

BASE: Tree = {
    ".gitignore": b"/dist\n*.log\n",
    "a.txt": b"one\ntwo\nthree\n",
    "sub/b.txt": b"b\n" * 20,
    "run.sh": (b"#!/bin/sh\n", "x"),
    "link": (b"a.txt", "l"),
    "icon.bin": bytes(range(256)),
    "kept.log": b"tracked although ignored\n",
}


def write(root: Path, tree: Tree) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data, kind = content if isinstance(content, tuple) else (content, "")
        if kind == "l":
            path.symlink_to(os.fsdecode(data))
        else:
            path.write_bytes(data)
            path.chmod(0o755 if kind == "x" else 0o644)
    return root


def read(root: Path) -> Tree:
    tree: Tree = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            tree[name] = (os.fsencode(path.readlink()), "l")
        elif path.is_file():
            executable = path.stat().st_mode & 0o100
            tree[name] = (path.read_bytes(), "x") if executable else path.read_bytes()
    return tree


def archive(folder: Path, tree: Tree) -> Path:
    """The base as `PreparedImage.project` has it."""
    project = write(folder / "archive" / "project", tree)
    tar_path = folder / "project.tar"
    with tarfile.open(tar_path, "w") as tar:
        tar.add(project, "project")
    return tar_path


def collected(folder: Path, base: Tree, now: Tree, max_bytes: int = 10_000) -> Collected:
    tree = FolderTree(write(folder / "now", now), [npm])
    return collect(tree, archive(folder, base), max_bytes=max_bytes)


def applied(folder: Path, base: Tree, patch: bytes) -> Tree:
    root = write(folder / "applied", base)
    if patch:
        done = subprocess.run(["git", "apply", "-"], input=patch, cwd=root, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
    return read(root)


def changed(**changes: object) -> Tree:
    return {**BASE, **changes}  # type: ignore[dict-item]


CHANGES = {
    "nothing": BASE,
    "text": changed(**{"a.txt": b"one\n2\nthree\n"}),
    "no final newline": changed(**{"a.txt": b"one"}),
    "emptied": changed(**{"a.txt": b""}),
    "binary": changed(**{"icon.bin": bytes(range(255, -1, -1))}),
    "windows line ends": changed(**{"a.txt": b"one\r\ntwo\r\nthree\r\n"}),
    "not UTF-8": changed(**{"a.txt": b"caf\xe9\n"}),
    "mode": changed(**{"a.txt": (b"one\ntwo\nthree\n", "x")}),
    "link": changed(link=(b"sub/b.txt", "l")),
    "link to file": changed(link=b"a file now\n"),
    "file to link": changed(**{"a.txt": (b"/etc/passwd", "l")}),
    "file to folder": {k: v for k, v in BASE.items() if k != "a.txt"} | {"a.txt/x": b"x\n"},
    "folder to file": {k: v for k, v in BASE.items() if k != "sub/b.txt"} | {"sub": b"x\n"},
    "folder to link": {k: v for k, v in BASE.items() if k != "sub/b.txt"} | {"sub": (b".", "l")},
    "deleted": {k: v for k, v in BASE.items() if k != "sub/b.txt"},
    "all deleted": {},
    "renamed": {k: v for k, v in BASE.items() if k != "sub/b.txt"} | {"c/d.txt": b"b\n" * 20},
    "odd names": changed(
        **{"with space": b"1", 'quo"te': b"2", "new\nline": b"3", "-rf": b"4", ":colon": b"5"}
    ),
    "not UTF-8 name": changed(**{os.fsdecode(b"caf\xe9.txt"): b"1\n"}),
    "tracked although ignored": changed(**{"kept.log": b"changed\n"}),
}


@pytest.mark.parametrize("now", CHANGES.values(), ids=CHANGES)
def test_the_patch_gives_the_tree(tmp_path: Path, now: Tree) -> None:
    patch = collected(tmp_path, BASE, now).patch
    assert applied(tmp_path, BASE, patch) == now
    assert (patch == b"") == (now == BASE)


NAMES = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "x y", "a.bin"])
CONTENTS = st.one_of(
    st.binary(max_size=30),
    st.lists(st.sampled_from([b"one\n", b"two\r\n", b"$Id$\n", b"* text=auto\n"])).map(b"".join),
    st.tuples(st.binary(max_size=9), st.just("x")),
    st.tuples(st.sampled_from([b"a", b"../../x"]), st.just("l")),
)


ATTRIBUTES = [
    b"",
    b"* text=auto\n",
    b"* ident\n",
    b"* -diff\n",
    b"* text eol=crlf\n",
    b"a binary\n",
]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    tree: Tree = {}
    for name in draw(st.lists(NAMES, unique=True)):
        tree[name] = draw(CONTENTS)
    return tree


@settings(max_examples=60)
@given(base=trees(), now=trees(), attributes=st.sampled_from(ATTRIBUTES))
def test_any_two_trees(base: Tree, now: Tree, attributes: bytes) -> None:
    """Git is to take bytes as they are, whatever the tree's attributes say about them."""
    with tempfile.TemporaryDirectory() as folder:
        added: Tree = {".gitattributes": attributes} if attributes else {}
        patch = collected(Path(folder), base | added, now | added).patch
        assert applied(Path(folder), base, patch) == now


@pytest.mark.parametrize(
    "name",
    [
        "node_modules/x/index.js",
        "packages/app/node_modules/x.js",
        ".angular/cache/x",
        "dist/main.js",
        "error.log",
        "sub/deep/error.log",
        ".git/hooks/pre-commit",
        "sub/.git/config",
    ],
)
def test_what_is_never_part_of_a_patch(tmp_path: Path, name: str) -> None:
    now = changed(**{name: b"x\n", "new.txt": b"new\n"})
    patch = collected(tmp_path, BASE, now).patch
    assert applied(tmp_path, BASE, patch) == changed(**{"new.txt": b"new\n"})


def test_the_bases_ignore_rules_count_and_not_the_trees(tmp_path: Path) -> None:
    now = changed(**{".gitignore": b"*\n", "new.txt": b"new\n", "sub/.gitignore": b"!*.log\n*\n"})
    now |= {"sub/x.log": b"ignored by the base\n", "sub/y.txt": b"y\n"}
    patch = collected(tmp_path, BASE, now).patch
    del now["sub/x.log"]
    assert applied(tmp_path, BASE, patch) == now


def test_ignore_rules_of_folders_and_exceptions(tmp_path: Path) -> None:
    base: Tree = {
        ".gitignore": b"build/*\n!build/keep\n:odd\n",
        "sub/.gitignore": b"/local\n",
    }
    new: Tree = {"build/x": b"1\n", "build/keep": b"2\n", "local": b"3\n", ":odd": b"4\n"}
    now = {**base, **new, "sub/local": b"5\n", "sub/deep/local": b"6\n"}
    patch = collected(tmp_path, base, now).patch
    for name in ("build/x", "sub/local", ":odd"):
        del now[name]
    assert applied(tmp_path, base, patch) == now


def test_the_users_own_git_configuration_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("new.txt\n")
    (home / ".config" / "git" / "attributes").write_text("* binary diff=x\n")
    (home / ".gitconfig").write_text(
        "[diff]\n\tnoprefix = true\n\texternal = false\n[core]\n\tautocrlf = true\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    now = changed(**{"new.txt": b"new\r\n"})
    patch = collected(tmp_path, BASE, now).patch
    assert patch.startswith(b"diff --git a/new.txt b/new.txt\n")
    assert b"\n+new\r\n" in patch


def test_more_than_the_bound_is_not_collected(tmp_path: Path) -> None:
    now = changed(**{"core": b"x" * 20_000})
    with pytest.raises(UncollectableError, match=r"'core' with 20000"):
        collected(tmp_path, BASE, now)


def test_large_files_that_did_not_change_do_not_count(tmp_path: Path) -> None:
    base = changed(**{"video.bin": b"x" * 20_000})
    assert collected(tmp_path, base, {**base, "a.txt": b"1\n"}).patch


def test_secrets_are_replaced_in_files_names_and_links(tmp_path: Path) -> None:
    secret = b"hunter2!"
    now = changed(
        **{
            ".env": b"KEY=hunter2!\n",
            "icon.bin": b"\0\1hunter2!\2",
            "name-hunter2!": b"x\n",
            "link": (secret, "l"),
        }
    )
    tree = FolderTree(write(tmp_path / "now", now))
    result = collect(
        tree,
        archive(tmp_path, BASE),
        max_bytes=10_000,
        redact=lambda content: (content.replace(secret, b"[gone]"), content.count(secret)),
    )
    assert result.redactions == 4
    after = applied(tmp_path, BASE, result.patch)
    assert after == changed(
        **{
            ".env": b"KEY=[gone]\n",
            "icon.bin": b"\0\1[gone]\2",
            "name-[gone]": b"x\n",
            "link": (b"[gone]", "l"),
        }
    )


def test_lock_files_do_not_name_this_machines_registry(tmp_path: Path) -> None:
    base: Tree = {"package-lock.json": b'{\n  "resolved": "https://r.example/a/-/a-1.tgz"\n}\n'}
    now: Tree = {"package-lock.json": b'{\n  "resolved": "https://m.example/a/-/a-2.tgz"\n}\n'}
    tree = FolderTree(write(tmp_path / "now", now), [npm])
    patch = collect(
        tree, archive(tmp_path, base), max_bytes=1000, registries=["https://m.example/"]
    ).patch
    assert b"m.example" not in patch
    assert b'+  "resolved": "https://r.example/a/-/a-2.tgz"' in patch


def test_below_one_folder_nothing_else_is_looked_at(tmp_path: Path) -> None:
    before: Tree = {".gitignore": b"*.o\n", "src/a.c": b"a"}
    now: Tree = before | {"src/a.c": b"b", "src/a.out": b"0" * 2000, "dst/x.go": b"x"}
    now |= {"dst/y.o": b"kept: the rules of the base are not looked at"}
    tree = FolderTree(write(tmp_path / "now", now), below="dst")
    patch = collect(tree, archive(tmp_path, before), max_bytes=1000).patch
    told = [line for line in patch.splitlines() if line.startswith(b"+++ ")]
    assert told == [b"+++ b/dst/x.go", b"+++ b/dst/y.o"]
