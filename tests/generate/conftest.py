"""A small made-up project to generate patches for; its commands need nothing but a shell."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.run import Job, generate
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance, packaged_instances
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Limits, SandboxName, Settings, default_cache
from pytest_benchmac.model.trajectory import Step, read_trajectory
from pytest_benchmac.tracks.adapter import Adapter

from .service import Service, serving

INSTANCE = "tiny_v16_to_v17"
#: The machine's own cache: a base is bootstrapped there once, not once per test.
MACHINE_CACHE = default_cache()
TOML = """\
id = "{id}"
track = "angular"
license = "MIT"
description = "A made-up project."

[source]
path = "source"

[migration]
source_version = "16.2.12"
target_version = "17"

[environment]
image = "{image}"
node = "{node}"
npm = "{npm}"

[commands]
install = "sh tools/install.sh"
build = "sh tools/build.sh"
"""
FILES = {
    ".gitignore": b"/dist\n*.log\n/node_modules\n!keep.log\n",
    "package.json": b'{"name": "tiny", "version": "16.0.0"}\n',
    "src/app.ts": b"export const version = 16;\n" + b"// a line\n" * 20,
    "src/old name.ts": b"export const old = 1;\n" * 10,
    "src/windows.txt": b"one\r\ntwo\r\n",
    "src/latin1.txt": b"caf\xe9\n",
    "src/icon.bin": bytes(range(256)) * 4,
    "src/.gitignore": b"generated/\n",
    "tools/install.sh": b"mkdir -p node_modules && touch node_modules/installed\n",
    "tools/build.sh": b"mkdir -p dist && cp src/app.ts dist/\n",
}


def write_instance(folder: Path, name: str = INSTANCE) -> Path:
    """The instance's folder, in `folder`."""
    root = folder / name
    for path, content in FILES.items():
        file = root / "source" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (root / "source" / "tools" / "build.sh").chmod(0o755)
    (root / "source" / "link").symlink_to("src/app.ts")
    (root / "instance.toml").write_text(TOML.format(id=name, **_environment()))
    return root


def _environment() -> dict[str, str]:
    """That of a packaged instance, whose base image is then there already, or of use later."""
    packaged = packaged_instances() / "trailbook_v16_to_v17" / INSTANCE_FILE
    environment: dict[str, str] = tomllib.loads(packaged.read_text())["environment"]
    return environment


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own, which processes that it starts use too."""
    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def instances(tmp_path: Path) -> Path:
    """A folder with the one instance."""
    folder = tmp_path / "instances"
    write_instance(folder)
    return folder


@pytest.fixture
def instance(instances: Path) -> Instance:
    """The one instance."""
    return load_instance(instances / INSTANCE / "instance.toml")


@dataclass
class Generated:
    """A result as it is on disk."""

    job: Job
    record: GenerationRecord
    patch: bytes
    steps: tuple[Step, ...]
    progress: list[str]

    def everything(self) -> bytes:
        """Every byte that was written or shown."""
        written = [path.read_bytes() for path in self.job.out.rglob("*") if path.is_file()]
        return b"\n".join([*written, *(line.encode() for line in self.progress)])


@pytest.fixture
def run(tmp_path: Path, cache: Path, instance: Instance) -> Callable[..., Generated]:
    """Runs an adapter on the instance, in this process."""

    def run_adapter(
        adapter: Adapter,
        *,
        sandbox: SandboxName = "local",
        time_limit_s: float = 60,
        limits: Limits = Settings.limits,
        mode: str = "direct",
        judge: str | None = None,
        description: str | None = None,
    ) -> Generated:
        kept = cache if sandbox == "local" else MACHINE_CACHE
        settings = Settings(tmp_path / "out", sandbox, "open", limits=limits, cache=kept)
        job = Job(
            instance,
            adapter,
            settings,
            tmp_path / "out",
            time_limit_s,
            description=description,
            mode=mode,
            judge=judge,
        )
        progress: list[str] = []
        record = generate(job, progress.append)
        return Generated(
            job,
            record,
            job.path(".patch").read_bytes(),
            read_trajectory(job.path(".trajectory.jsonl")),
            progress,
        )

    return run_adapter


@pytest.fixture
def apply(tmp_path: Path, instances: Path) -> Callable[[bytes], Path]:
    """Applies a patch to a fresh copy of the base, with git; the patched tree."""

    def apply_patch(patch: bytes) -> Path:
        tree = write_instance(tmp_path / f"fresh-{len(patch)}") / "source"
        done = subprocess.run(["git", "apply", "-"], input=patch, cwd=tree, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return tree

    return apply_patch


def command_line(*arguments: str | Path) -> list[str]:
    """`benchmac generate` with these arguments."""
    return [sys.executable, "-m", "pytest_benchmac.cli.main", "generate", *map(str, arguments)]


@pytest.fixture
def benchmac(cache: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `benchmac generate` as a user does."""

    def run_command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command_line(*arguments),
            capture_output=True,
            text=True,
            timeout=300,
            env=dict(os.environ),
        )

    return run_command


@pytest.fixture
def service() -> Iterator[Service]:
    """A stub of a model's service."""
    with serving() as state:
        yield state
