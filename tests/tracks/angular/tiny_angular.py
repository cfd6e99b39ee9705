"""A tiny but real Angular-like project: real git, npm and node judge it in a second or two.

`@angular/core` and `@angular/cli` are folders of the project, so nothing is fetched; a migration
is a change of their versions.
"""

import json
import subprocess
from pathlib import Path

from tests.toy_bench import Bench, make_patches

BASE = "tiny_v16_to_v17"
BUILD_JS = """\
const fs = require("fs");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/main.js", "console.log('tiny');\\n".repeat(100));
"""
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
"""


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

    def migrate(work: Path) -> None:
        set_version(work, "17.1.0")

    def break_build(work: Path) -> None:
        migrate(work)
        (work / "build.js").write_text("throw new Error('type error in app.component.ts');\n")

    def part_from_lock(work: Path) -> None:
        changed = {**manifest, "dependencies": {**manifest["dependencies"], "left-pad": "1.3.0"}}
        (work / "package.json").write_text(json.dumps(changed, indent=2) + "\n")

    changes = {
        "good": migrate,
        "wrong_version": lambda work: (work / "README.md").write_text("Nothing migrated.\n"),
        "broken_build": break_build,
        "lock_out_of_sync": part_from_lock,
    }
    make_patches(root, changes)


class AngularBench(Bench):
    """Sessions over instances of the tiny project."""

    def instance(
        self, name: str = BASE, *, build: str = "node build.js", silver: str | None = None
    ) -> str:
        toml = TOML.format(
            id=name, digest="0" * 64, install=json.dumps("npm ci"), build=json.dumps(build)
        )
        self.add_instance(name, toml, silver)
        return name
