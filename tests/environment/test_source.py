"""Sources: what of a repository or folder becomes an instance's tree, and how often it is asked."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.environment import source
from pytest_benchmac.model.errors import SourceError
from pytest_benchmac.model.instance import Commands, Environment, Instance, Silver, Source, Timeouts
from pytest_benchmac.model.settings import Settings

#: What would change an archive, or a checkout.
ATTRIBUTES = "hidden export-ignore\n*.txt text=auto eol=crlf\nid export-subst\n"


def git(folder: Path, *arguments: str) -> str:
    env = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@localhost",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@localhost",
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], env=env, capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(reports=tmp_path / "reports", cache=tmp_path / "cache")


class Repository:
    """A repository with three commits: `base` is neither the first nor the last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--initial-branch=main")
        self.commit({"secret-of-the-past": "x"})
        self.base = self.commit(
            {
                ".gitattributes": ATTRIBUTES,
                "hidden": "kept all the same\n",
                "text.txt": "one\ntwo\n",
                "id": "$Format:%H$\n",
                "run": "#!/bin/sh\n",
                "folder/binary": "\0\1\2",
                "secret-of-the-past": None,
            }
        )
        (folder / "run").chmod(0o755)
        (folder / "link").symlink_to("folder/binary")
        (folder / "dangling").symlink_to("/nowhere")
        self.base = self.commit({})
        self.silver = self.commit({"text.txt": "one\n2\n", "new": "new\n", "folder/binary": "\3\0"})

    def commit(self, files: dict[str, str | None]) -> str:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_text(content)
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message=x")
        return git(self.folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "origin" / "owner" / "name")


@pytest.fixture
def mirror(tmp_path: Path, repository: Repository) -> Path:
    bare = tmp_path / "mirror" / "owner" / "name.git"
    bare.parent.mkdir(parents=True)
    git(tmp_path, "clone", "--quiet", "--bare", str(repository.folder), str(bare))
    return tmp_path / "mirror"


def make(directory: Path, origin: Source, silver: Silver | None = None) -> Instance:
    return Instance(
        id="made",
        track="none",
        license="MIT",
        source=origin,
        environment=Environment(image=f"none@sha256:{'0' * 64}"),
        commands=Commands(),
        timeouts=Timeouts(),
        silver=silver,
        directory=directory,
    )


def contents(root: Path) -> dict[str, tuple[str, bool]]:
    """Name -> (content or target of a link, is it executable)."""
    found = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = (f"-> {path.readlink()}", False)
        elif path.is_file():
            found[name] = (path.read_bytes().decode(), bool(path.stat().st_mode & 0o100))
    return found


BASE = {
    ".gitattributes": (ATTRIBUTES, False),
    "hidden": ("kept all the same\n", False),
    "text.txt": ("one\ntwo\n", False),
    "id": ("$Format:%H$\n", False),
    "run": ("#!/bin/sh\n", True),
    "folder/binary": ("\0\1\2", False),
    "link": ("-> folder/binary", False),
    "dangling": ("-> /nowhere", False),
}


def test_a_fetched_commit_is_exactly_its_tree(
    repository: Repository, settings: Settings, tmp_path: Path
) -> None:
    url = f"file://{repository.folder}"
    tree = source.materialise(make(tmp_path, Source(git=url, commit=repository.base)), settings)
    assert contents(tree.path) == BASE
    assert len(tree.sha256) == 64


def test_what_is_excluded_is_in_no_tree(
    repository: Repository, settings: Settings, tmp_path: Path
) -> None:
    url = f"file://{repository.folder}"
    whole = source.materialise(make(tmp_path, Source(git=url, commit=repository.base)), settings)
    origin = Source(git=url, commit=repository.base, exclude=("**/h*", "*.txt"))
    less = source.materialise(make(tmp_path, origin), settings)
    names = {name for name in BASE if not name.endswith(".txt") and name.split("/")[-1][0] != "h"}
    assert contents(less.path).keys() == names != BASE.keys()
    # The same from a folder, and the whole tree is still there.
    folder = make(tmp_path, Source(path=str(whole.path), exclude=origin.exclude))
    assert source.materialise(folder, settings).sha256 == less.sha256 != whole.sha256
    assert contents(whole.path) == BASE
    with pytest.raises(SourceError, match="which no file matches"):
        source.materialise(
            make(tmp_path, Source(path=str(whole.path), exclude=("test/**",))), settings
        )


def test_a_mirror_gives_the_same_and_is_used_first(
    repository: Repository, mirror: Path, settings: Settings, tmp_path: Path
) -> None:
    fetched = source.materialise(
        make(tmp_path, Source(git=f"file://{repository.folder}", commit=repository.base)), settings
    )
    for number, url in enumerate(
        [
            "owner/name",
            "https://host.invalid/owner/name",
            "https://host.invalid/group/owner/name.git/",
            "git@host.invalid:owner/name.git",
        ]
    ):
        there = replace(settings, source_mirror=mirror, cache=tmp_path / f"cache-{number}")
        instance = make(tmp_path, Source(git=url, commit=repository.base))
        tree = source.materialise(instance, there)
        assert tree.sha256 == fetched.sha256
        assert contents(tree.path) == BASE


def test_a_tree_is_made_once(
    repository: Repository, mirror: Path, settings: Settings, tmp_path: Path
) -> None:
    there = replace(settings, source_mirror=mirror)
    instance = make(tmp_path, Source(git="owner/name", commit=repository.base))
    first = source.materialise(instance, there)
    # Neither repository nor mirror is needed any more.
    assert source.materialise(instance, replace(settings, source_mirror=None)) == first


@pytest.mark.parametrize("known", [True, False])
def test_a_source_that_cannot_be_had_names_repository_and_remedy(
    repository: Repository, mirror: Path, settings: Settings, tmp_path: Path, known: bool
) -> None:
    missing = "1" * 40
    url = f"file://{repository.folder}" if known else f"file://{tmp_path}/nothing/at-all"
    instance = make(tmp_path, Source(git=url, commit=missing))
    with pytest.raises(SourceError) as caught:
        source.materialise(instance, settings)
    assert url in str(caught.value)
    assert "--source-mirror" in str(caught.value)
    assert missing in str(caught.value)
    with pytest.raises(SourceError, match="does not have commit 1111"):
        source.materialise(
            make(tmp_path, Source(git="owner/name", commit=missing)),
            replace(settings, source_mirror=mirror),
        )
    with pytest.raises(SourceError, match="--source-mirror"):
        source.materialise(make(tmp_path, Source(git="owner/other", commit=missing)), settings)


def test_nothing_of_the_users_configuration_or_hooks_is_run(
    repository: Repository, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    hooks = home / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
        (hooks / name).chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[init]\ntemplateDir = {home}/template\n[core]\nhooksPath = {hooks}\nautocrlf = true\n"
        f'[url "file:///nowhere/"]\ninsteadOf = file://{tmp_path}/\n[tar]\numask = 0077\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home / "template"))
    url = f"file://{repository.folder}"
    tree = source.materialise(make(tmp_path, Source(git=url, commit=repository.base)), settings)
    assert contents(tree.path) == BASE
    assert not (tmp_path / "hooked").exists()


def test_a_folder_is_copied_without_what_is_no_source(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "instance" / "source"
    for name in ("a", "b/c", ".git/config", "node_modules/x", "b/node_modules/x", ".gitignore"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (folder / "a").chmod(0o711)
    (folder / "link").symlink_to("b")
    (folder / "empty").mkdir()
    instance = make(folder.parent, Source(path="source"))
    tree = source.materialise(instance, settings)
    assert contents(tree.path) == {
        "a": ("a", True),
        "b/c": ("b/c", False),
        ".gitignore": (".gitignore", False),
        "link": ("-> b", False),
    }
    # What is left out does not count, and what counts changes the tree.
    (folder / "node_modules" / "y").write_text("y")
    assert source.materialise(instance, settings) == tree
    digests = {tree.sha256}
    for change in (
        lambda: (folder / "a").write_text("b"),
        lambda: (folder / "a").chmod(0o600),
        lambda: (folder / "a").rename(folder / "z"),
        lambda: ((folder / "link").unlink(), (folder / "link").symlink_to("z")),
    ):
        change()
        digests.add(source.materialise(instance, settings).sha256)
    assert len(digests) == 5


def test_a_folder_with_more_than_files_is_refused(settings: Settings, tmp_path: Path) -> None:
    instance = make(tmp_path, Source(path="source"))
    with pytest.raises(SourceError, match="does not exist"):
        source.materialise(instance, settings)
    (tmp_path / "source").mkdir()
    os.mkfifo(tmp_path / "source" / "fifo")
    with pytest.raises(SourceError, match="fifo is neither"):
        source.materialise(instance, settings)


def test_many_at_once_give_one_tree(
    repository: Repository, mirror: Path, settings: Settings, tmp_path: Path
) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path[:0] = [sys.argv[1]]\n"
        "from tests.environment.test_source import make, Source, Settings, source\n"
        "settings = Settings(Path('r'), cache=Path(sys.argv[2]), source_mirror=Path(sys.argv[3]))\n"
        "instance = make(Path('.'), Source(git='owner/name', commit=sys.argv[4]))\n"
        "print(source.materialise(instance, settings).sha256)\n"
    )
    arguments = [str(Path(__file__).parents[2]), str(settings.cache), str(mirror), repository.base]
    said: list[str] = []

    def run() -> None:
        command = [sys.executable, "-c", script, *arguments]
        said.append(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 4
    assert len(set(said)) == 1
    assert [each.name for each in (settings.cache / "sources").glob(".partial*")] == []


def test_a_silver_patch_is_derived_from_two_commits_and_leads_to_the_second(
    repository: Repository, mirror: Path, settings: Settings, tmp_path: Path
) -> None:
    there = replace(settings, source_mirror=mirror)
    instance = make(
        tmp_path,
        Source(git="owner/name", commit=repository.base),
        Silver(commit=repository.silver),
    )
    patch = source.silver_patch(instance, there)
    assert source.silver_patch(instance, settings) == patch
    tree = source.materialise(instance, there)
    applied = tmp_path / "applied"
    subprocess.run(["cp", "-a", str(tree.path), str(applied)], check=True)
    git(applied, "init", "--quiet")
    (applied / ".git" / "info" / "attributes").write_text(source.RAW_ATTRIBUTES)
    git(applied, "apply", str(patch))
    silver = source.materialise(
        make(tmp_path, Source(git="owner/name", commit=repository.silver)), there
    )
    assert source.tree_sha256(applied) == silver.sha256


def test_a_silver_patch_may_be_fetched_or_a_file(
    repository: Repository, settings: Settings, tmp_path: Path
) -> None:
    origin = Source(git=f"file://{repository.folder}", commit=repository.base)
    fetched = source.silver_patch(
        make(tmp_path, origin, Silver(commit=repository.silver)), settings
    )
    assert b"GIT binary patch" in fetched.read_bytes()
    (tmp_path / "silver.patch").write_text("x")
    beside = source.silver_patch(make(tmp_path, origin, Silver(patch="silver.patch")), settings)
    assert beside == tmp_path / "silver.patch"


def test_a_silver_patch_that_is_not_there_is_told(
    repository: Repository, settings: Settings, tmp_path: Path
) -> None:
    origin = Source(git=f"file://{repository.folder}", commit=repository.base)
    with pytest.raises(SourceError, match="no silver patch"):
        source.silver_patch(make(tmp_path, origin), settings)
    with pytest.raises(SourceError, match="does not exist"):
        source.silver_patch(make(tmp_path, origin, Silver(patch="none.patch")), settings)
    with pytest.raises(SourceError, match="needs a source that is a git repository"):
        source.silver_patch(
            make(tmp_path, Source(path="source"), Silver(commit="1" * 40)), settings
        )
    with pytest.raises(SourceError, match="2222"):
        source.silver_patch(make(tmp_path, origin, Silver(commit="2" * 40)), settings)
