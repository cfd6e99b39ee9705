"""pytest sessions that judge a tiny project of the toy track: sh and git alone, in no time."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

TOY_TRACK = Path(__file__).parent / "toy_track"
BASE = "tiny_v1_to_v2"


def git(folder: Path, *arguments: str) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def make_patches(root: Path, changes: Mapping[str, Callable[[Path], object]]) -> None:
    """Write `<name>.patch`, a real diff against `source`, for each change of a copy of it."""
    work = root / "work"
    shutil.copytree(root / "source", work)
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "base")
    for name, change in changes.items():
        change(work)
        git(work, "add", "-A")
        (root / f"{name}.patch").write_bytes(git(work, "diff", "--cached", "--binary"))
        git(work, "reset", "-q", "--hard")
    (root / "empty.patch").write_bytes(b" \n")


def migrate(work: Path) -> None:
    (work / "VERSION").write_text("2\n")


def break_build(work: Path) -> None:
    migrate(work)
    (work / "pages" / "two.txt").rename(work / "pages" / "2.txt")


def lose_words(work: Path) -> None:
    migrate(work)
    (work / "pages" / "two.txt").write_text("They lived.\n")


def make_template(root: Path) -> None:
    """Write `source`, the base, and `<name>.patch`, real diffs against it."""
    shutil.copytree(TOY_TRACK / "instances" / BASE / "source", root / "source")
    changes = {
        "good": migrate,
        "wrong_version": lambda work: (work / "README").write_text("Nothing migrated.\n"),
        "broken_build": break_build,
        "lost_words": lose_words,
    }
    make_patches(root, changes)
    good = (root / "good.patch").read_bytes()
    (root / "conflicting.patch").write_bytes(good.replace(b"-1\n", b"-7\n"))


@dataclass
class Bench:
    """A folder with instances and patches, and pytest sessions in it."""

    root: Path
    template: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def reports(self) -> Path:
        return self.root / "reports" / "latest"

    def instance(
        self, name: str = BASE, *, build: str = "sh build.sh", silver: str | None = None
    ) -> str:
        text = (TOY_TRACK / "instances" / BASE / "instance.toml").read_text()
        text = text.replace(BASE, name).partition("[silver]")[0]
        self.add_instance(name, f"{text}\n[commands]\nbuild = {json.dumps(build)}\n", silver)
        return name

    def add_instance(self, name: str, toml: str, silver: str | None) -> None:
        """Write an instance with the template's source, and one of its patches as its silver."""
        folder = self.root / "instances" / name
        folder.mkdir(parents=True)
        shutil.copytree(self.template / "source", folder / "source")
        if silver is not None:
            shutil.copy(self.template / f"{silver}.patch", folder / "silver.patch")
            toml += '\n[silver]\npatch = "silver.patch"\n'
        (folder / "instance.toml").write_text(toml)

    def write(self, name: str, text: str) -> None:
        """A file of the user's project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def patch(self, kind: str = "good", name: str = BASE, sut: str = "tiny-sut") -> None:
        folder = self.root / "patches" / sut
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.template / f"{kind}.patch", folder / f"{name}.patch")

    def command(self, *arguments: str) -> list[str]:
        return [
            *(sys.executable, "-m", "pytest"),
            # Of no use here, and slow to import.
            *("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio"),
            *(
                f"--instances={self.root}/instances",
                "--sandbox=local",
                "--network=open",
                # Its statistics take longer to import than these sessions to run.
                "--no-page",
                *arguments,
            ),
        ]

    def run(
        self, *arguments: str, timeout: float = 300.0, cwd: Path | None = None, **env: str
    ) -> "Session":
        done = subprocess.run(
            self.command(*arguments),
            cwd=cwd or self.root,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Session(done.returncode, done.stdout, done.stderr)

    def judge(self, *arguments: str, timeout: float = 300.0, **env: str) -> "Session":
        return self.run("--patch-dir=patches", *arguments, timeout=timeout, **env)

    def record(self, name: str = BASE, sut: str = "tiny-sut") -> dict:
        return json.loads((self.reports / "evaluations" / sut / f"{name}.json").read_text())

    def report(self) -> dict:
        return json.loads((self.reports / "report.json").read_text())

    def leaderboard(self) -> dict:
        return json.loads((self.reports / "leaderboard.json").read_text())


@dataclass
class Session:
    """A pytest session that is over."""

    status: int
    out: str
    err: str

    def outcomes(self) -> dict[str, str]:
        """Node id -> outcome, from `-rA` lines; an item with two outcomes has both."""
        found: dict[str, list[str]] = {}
        for line in self.out.splitlines():
            word, _, rest = line.partition(" ")
            if word in {"PASSED", "FAILED", "ERROR", "SKIPPED"} and "::" in rest:
                found.setdefault(rest.split(" - ")[0].strip(), []).append(word.lower())
        return {nodeid: "+".join(words) for nodeid, words in found.items()}

    def __str__(self) -> str:
        return f"exit {self.status}\n{self.out}\n{self.err}"


def make_bench(root: Path, template: Path, cache: Path) -> Bench:
    return Bench(root, template, session_env(root, cache))


def session_env(root: Path, cache: Path) -> dict[str, str]:
    """The environment of a bench's sessions, whose folder is made."""
    (root / "tmp").mkdir(parents=True)
    env = {
        name: value
        for name, value in os.environ.items()
        # Compiled files are kept: there are hundreds of sessions here.
        if not name.startswith(("PYTEST_", "BENCHMAC_", "PYTHONDONTWRITE"))
    }
    return env | {"BENCHMAC_CACHE": str(cache), "TMPDIR": str(root / "tmp"), "COLUMNS": "200"}
