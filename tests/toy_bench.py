"""A tiny but real Angular-like project: real git, npm and node judge it in a second or two.

`@angular/core` and `@angular/cli` are folders of the project, so nothing is fetched; a migration
is a change of their versions.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

BASE = "tiny_v16_to_v17"
BUILD_JS = """\
const fs = require("fs");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/main.js", "console.log('tiny');\\n".repeat(100));
"""
#: Installs as npm does for folders, in a hundredth of the time.
QUICK_INSTALL = "mkdir -p node_modules && ln -sfn ../vendor node_modules/@angular"

TOML = """\
id = "{id}"
track = "angular"
license = "MIT"

[source]
path = "source"

[migration]
source_version = "16.0.0"
target_version = "17"

[environment]
image = "example.invalid/node@sha256:{digest}"
node = "20.0.0"
npm = "10.0.0"

[commands]
install = {install}
build = {build}

[timeouts]
install = 60
build = 60
{silver}
"""


def git(folder: Path, *arguments: str) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def set_version(source: Path, version: str) -> None:
    for package in ("core", "cli"):
        manifest = {"name": f"@angular/{package}", "version": version}
        (source / "vendor" / package / "package.json").write_text(json.dumps(manifest) + "\n")
    subprocess.run(
        ["npm", "install", "--package-lock-only", "--offline", "--no-audit", "--no-fund"],
        cwd=source,
        check=True,
        capture_output=True,
    )


def make_template(root: Path) -> None:
    """Write `source`, the base, and `<name>.patch`, real diffs against it."""
    source = root / "source"
    for package in ("core", "cli"):
        (source / "vendor" / package).mkdir(parents=True)
    manifest = {
        "name": "tiny",
        "version": "1.0.0",
        "dependencies": {f"@angular/{name}": f"file:vendor/{name}" for name in ("core", "cli")},
    }
    (source / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    (source / "build.js").write_text(BUILD_JS)
    set_version(source, "16.0.0")

    work = root / "work"
    shutil.copytree(source, work)
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "base")

    def patch(name: str) -> None:
        git(work, "add", "-A")
        (root / f"{name}.patch").write_bytes(git(work, "diff", "--cached", "--binary"))
        git(work, "reset", "-q", "--hard")

    set_version(work, "17.1.0")
    patch("good")
    (work / "README.md").write_text("Nothing migrated.\n")
    patch("wrong_version")
    set_version(work, "17.1.0")
    (work / "build.js").write_text("throw new Error('type error in app.component.ts');\n")
    patch("broken_build")
    manifest["dependencies"]["left-pad"] = "1.3.0"
    (work / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    patch("lock_out_of_sync")
    good = (root / "good.patch").read_bytes()
    (root / "conflicting.patch").write_bytes(good.replace(b"16.0.0", b"15.0.0"))
    (root / "empty.patch").write_bytes(b" \n")


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
        self,
        name: str = BASE,
        *,
        install: str = "npm ci",
        build: str = "node build.js",
        silver: str | None = None,
    ) -> str:
        folder = self.root / "instances" / name
        folder.mkdir(parents=True)
        shutil.copytree(self.template / "source", folder / "source")
        if silver is not None:
            shutil.copy(self.template / f"{silver}.patch", folder / "silver.patch")
        (folder / "instance.toml").write_text(
            TOML.format(
                id=name,
                digest="0" * 64,
                install=json.dumps(install),
                build=json.dumps(build),
                silver='[silver]\npatch = "silver.patch"' if silver else "",
            )
        )
        return name

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
    (root / "tmp").mkdir(parents=True)
    env = {
        name: value
        for name, value in os.environ.items()
        # Compiled files are kept: there are hundreds of sessions here.
        if not name.startswith(("PYTEST_", "BENCHMAC_", "PYTHONDONTWRITE"))
    }
    env |= {"BENCHMAC_CACHE": str(cache), "TMPDIR": str(root / "tmp"), "COLUMNS": "200"}
    return Bench(root, template, env)
