"""The clean room in a real sandbox: what an install runs, and what compiles."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.sandboxes import case_sandbox
from pytest_benchmac.judging.stages import run_stage
from pytest_benchmac.model.evaluation import Outcome
from pytest_benchmac.tracks.angular.clean_packages import CleanPackages, Patched
from pytest_benchmac.tracks.angular.install import InstallSeen
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.closed_world import _NPM_LOCK, ClosedWorld
from pytest_benchmac.tracks.angular.integrity.command_lines import install_command
from pytest_benchmac.tracks.angular.integrity.compile import compile_sources
from pytest_benchmac.tracks.angular.integrity.laid import LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.integrity.own_tsconfig import own_tsconfig
from pytest_benchmac.tracks.angular.integrity.tsconfig import read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import read_workspace
from pytest_benchmac.tracks.angular.patch import AngularPatchStage
from pytest_benchmac.tracks.angular.version import VersionSeen
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.integrity.rooms import prepared


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaseState]:
    """A case that is prepared, and not carried out."""
    with prepared(
        "docker", tmp_path_factory.mktemp("reports"), tmp_path_factory.mktemp("case")
    ) as state:
        yield state


@pytest.fixture
def empty(state: CaseState, tmp_path: Path) -> Iterator[CleanRoom]:
    """A fresh clean room with nothing but the untouched base."""
    with case_sandbox(state) as sandbox:
        yield CleanRoom(Context(state, sandbox, tmp_path))


def write(room: CleanRoom, path: str, content: object) -> None:
    """Put a file into the project, as a patch would have."""
    inbox = room.sandbox.inbox / "attack"
    text = content if isinstance(content, str) else json.dumps(content)
    room.sandbox.copy_in(text.encode(), inbox)
    folder, target = shlex.quote(str(Path(path).parent)), shlex.quote(path)
    done = room.run("write", f"mkdir -p {folder} && cp {inbox} {target}", timeout_s=30)
    assert done.exit_code == 0, done.stderr


# --- installing ---

TELL = 'sh -c "touch $HOME/ran"'


def install(room: CleanRoom, **lock: Any) -> tuple[int | None, bool]:
    """Install; the exit code, and whether anything of the project's was run."""
    root = {"name": "app", "version": "1.0.0"}
    entries = {"": root, **lock.pop("packages", {})}
    write(room, "package-lock.json", {"name": "app", "lockfileVersion": 3, "packages": entries})
    workspace = read_workspace(room.source("tree")[0], "npx ng build")
    room.clear(workspace)
    done = room.install(install_command("npm ci", legacy_peer_deps=False), timeout_s=120, env={})
    told = room.run("told", "test -e $HOME/ran", timeout_s=30)
    return done.exit_code, told.exit_code == 0


def test_no_lifecycle_script_runs(empty: CleanRoom) -> None:
    scripts = dict.fromkeys(
        ("preinstall", "install", "postinstall", "prepare", "prepublish", "dependencies"), TELL
    )
    write(empty, "package.json", {"name": "app", "version": "1.0.0", "scripts": scripts})
    assert install(empty) == (0, False)


def test_a_declared_install_script_runs_and_no_other(empty: CleanRoom) -> None:
    """esbuild's puts its platform's binary in the place of a script; the project's has to wait."""
    packages = {
        "node_modules/esbuild": {"version": "0.21.5", "hasInstallScript": True},
        "node_modules/@esbuild/linux-x64": {"version": "0.21.5", "optional": True},
    }
    needs = {"dependencies": {"esbuild": "0.21.5", "@esbuild/linux-x64": "0.21.5"}}
    scripts = dict.fromkeys(("preinstall", "install", "postinstall", "prepare", "rebuild"), TELL)
    project = {"name": "app", "version": "1.0.0", **needs}
    write(empty, "package.json", {**project, "scripts": scripts})
    write(
        empty,
        "package-lock.json",
        {"name": "app", "lockfileVersion": 3, "packages": {"": project, **packages}},
    )
    empty.clear(read_workspace(empty.source("tree")[0], "npx ng build"))
    command = install_command("npm ci", legacy_peer_deps=False)
    assert empty.install(command, timeout_s=120, env={}).exit_code == 0
    before = empty.packages().files["esbuild/bin/esbuild"]
    done = empty.run_install_scripts(("esbuild",), timeout_s=120, env={})
    assert done.exit_code == 0, done.stderr
    after = empty.packages().files
    assert after["esbuild/bin/esbuild"] == after["@esbuild/linux-x64/bin/esbuild"] != before
    assert empty.run("told", "test -e $HOME/ran", timeout_s=30).exit_code == 1


def test_no_configuration_of_the_project_counts(empty: CleanRoom) -> None:
    """`ignore-scripts=false` and a shell of the patch's own, beside a script."""
    scripts = {"preinstall": "true"}
    write(empty, "package.json", {"name": "app", "version": "1.0.0", "scripts": scripts})
    write(empty, "evil.sh", "#!/bin/sh\ntouch $HOME/ran\n")
    write(
        empty,
        ".npmrc",
        "ignore-scripts=false\nscript-shell=./evil.sh\ngit=./evil.sh\nnode-options=--bogus\n",
    )
    assert install(empty) == (0, False)


def test_no_repository_is_made_a_package(empty: CleanRoom) -> None:
    """Were `check_origins` passed by, git could still not be started."""
    write(empty, "package.json", {"name": "app", "version": "1.0.0", "scripts": {"prepare": TELL}})
    entry = {"version": "1.0.0", "resolved": "git+file:///benchmac/project"}
    code, ran = install(empty, packages={"node_modules/evil": entry})
    assert code != 0
    assert not ran


def test_npm_says_what_it_would_install(empty: CleanRoom) -> None:
    """Neither scripts run then, nor is anything installed."""
    scripts = dict.fromkeys(("preinstall", "install", "prepare"), TELL)
    project = {"name": "app", "version": "1.0.0", "scripts": scripts}
    needs = {"dependencies": {"left-pad": "1.3.0"}}
    locked = {"node_modules/left-pad": {"version": "1.3.0"}}
    command = install_command("npm ci", legacy_peer_deps=False)
    for needed, packages, agree in (({}, {}, True), (needs, {}, False), (needs, locked, True)):
        entries = {"": {**project, **needed}, **packages}
        write(empty, "package.json", {**project, **needed})
        lock = {"name": "app", "lockfileVersion": 3, "packages": entries}
        write(empty, "package-lock.json", lock)
        done = empty.would_install(command, timeout_s=120, env={})
        assert (done.exit_code == 0) is agree, done.stderr
    told = empty.run("told", "ls -d $HOME/ran node_modules $HOME/asked/node_modules", timeout_s=30)
    assert told.stdout == b""


def test_caches_and_output_are_not_taken_over(empty: CleanRoom) -> None:
    for path in (".angular/cache/x", "node_modules/x/index.js", "dist/trailbook/index.html"):
        write(empty, path, "evil")
    empty.clear(read_workspace(empty.source("tree")[0], "npx ng build"))
    left = empty.run("ls", "ls -A .angular node_modules dist/trailbook", timeout_s=30)
    assert left.exit_code != 0
    assert left.stdout == b""


# --- compiling ---


def install_silver(state: CaseState, patched: Context, room: CleanRoom) -> ClosedWorld:
    """Apply the silver patch, install and verify, as a case does."""
    # As after an install that needed no second attempt, and a version check that told nothing.
    state.observations |= {"install": InstallSeen(), "version": VersionSeen()}
    world = CleanPackages(patched, Patched.of(patched)).install(room)
    assert world is not None, state.integrity.findings
    assert state.integrity.findings == []
    return world


@pytest.fixture(scope="module")
def patched(state: CaseState, tmp_path_factory: pytest.TempPathFactory) -> Context:
    """The case after its patch stage; its sandbox is gone."""
    with case_sandbox(state) as sandbox:
        context = Context(state, sandbox, tmp_path_factory.mktemp("patched"))
        run_stage(state, AngularPatchStage(), context)
        assert state.results[-1].outcome is Outcome.PASSED
    return context


@pytest.fixture(scope="module")
def installed(
    state: CaseState, patched: Context, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[CleanRoom, ClosedWorld]]:
    """The silver patch's packages, installed and verified once."""
    with case_sandbox(state) as sandbox:
        room = CleanRoom(Context(state, sandbox, tmp_path_factory.mktemp("room")))
        world = install_silver(state, patched, room)
        assert len(world.packages) > 500
        assert set(state.integrity.facts["versions"]) == {"@angular/core", "@angular/cli"}
        yield room, world


@pytest.fixture
def silver(installed: tuple[CleanRoom, ClosedWorld]) -> Iterator[CleanRoom]:
    """The room with the silver patch's sources, restored afterwards."""
    room, _ = installed
    yield room
    patch = room.sandbox.inbox / "submission.patch"
    done = room.run(
        "restore",
        f"git checkout -q -- . && git clean -fdqx -e /node_modules && git apply {patch}",
        timeout_s=60,
    )
    assert done.exit_code == 0, done.stderr


def compiled(
    installed: tuple[CleanRoom, ClosedWorld], state: CaseState, scratch: Path
) -> dict[str, str]:
    """Compile what is in the room; what the findings of each code say."""
    room, world = installed
    instance = state.instance
    assert isinstance(instance, AngularInstance)
    room = CleanRoom(Context(state, room.sandbox, scratch))
    # Not the packages, which are as large as all else together a hundred times.
    read = room.sandbox.home / "tree"
    parts = f"rm -rf {read}; mkdir {read}; tar -c --exclude=./.git --exclude=./node_modules ."
    assert room.run("read", f"{parts} | tar -x -C {read}", timeout_s=60).exit_code == 0
    room.sandbox.copy_out(read, scratch / "tree", max_bytes=2**27, max_files=10_000)
    tree = SourceTree.scan(scratch / "tree")
    tsconfigs = {
        target.project: own_tsconfig(
            room.sandbox.project,
            tree,
            target,
            read_tsconfig(tree, target.path("tsConfig") or ""),
            world.roots(),
            17,
        )
        for target in read_workspace(tree, instance.commands.build).applications
    }
    findings = Findings()
    compile_sources(room, world, tsconfigs, findings, timeout_s=300, env={})
    said: dict[str, str] = {}
    for finding in findings.result():
        line = f"{finding.file} {finding.seen} {finding.message}\n"
        said[finding.code] = said.get(finding.code, "") + line
    return said


def test_the_silver_patch_compiles(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    assert compiled(installed, state, tmp_path) == {}


def test_new_packages_with_old_sources_do_not(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    """A patch that forges nothing but the version, with an application that does not follow."""
    silver.run("base", "git checkout -q -- src", timeout_s=30)
    assert "mutate" in compiled(installed, state, tmp_path)["does-not-compile"]


def test_templates_are_compiled_ahead_of_time(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    """`aot: false` and `strict: false` in the project do not reach the harness's own run."""
    write(
        silver,
        "src/main.ts",
        "import {Component} from '@angular/core';\n"
        "import {bootstrapApplication} from '@angular/platform-browser';\n"
        "@Component({standalone: true, selector: 'app-root', template: '{{ nowhere.to }}'})\n"
        "class App {}\n"
        "bootstrapApplication(App);\n",
    )
    assert "nowhere" in compiled(installed, state, tmp_path)["does-not-compile"]


def test_a_shadow_framework_by_base_url(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    """No `paths` at all: a folder of the framework's name below baseUrl."""
    write(silver, "tsconfig.app.json", {"compilerOptions": {"baseUrl": "src", "target": "ES2022"}})
    write(silver, "src/rxjs/index.ts", "export const Observable: any = 1;\n")
    write(silver, "src/main.ts", "import {Observable} from 'rxjs';\nconsole.log(Observable);\n")
    found = compiled(installed, state, tmp_path)
    assert "src/main.ts src/rxjs/index.ts" in found["shadowed-package"]


def test_a_shadow_framework_by_a_nested_folder(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    write(silver, "src/node_modules/@angular/core/package.json", {"types": "index.d.ts"})
    write(silver, "src/node_modules/@angular/core/index.d.ts", "export const Component: any;\n")
    found = compiled(installed, state, tmp_path)
    assert "src/node_modules/@angular/core" in found["shadowed-package"]


def test_a_shadow_framework_by_paths(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    """The mapping is dropped, and the genuine framework has no such names."""
    paths = {"@angular/*": ["src/fake/*"]}
    write(
        silver,
        "tsconfig.app.json",
        {"compilerOptions": {"baseUrl": ".", "paths": paths, "target": "ES2022"}},
    )
    write(silver, "src/fake/core.ts", "export const fake = 1;\n")
    write(silver, "src/main.ts", "import {fake} from '@angular/core';\nconsole.log(fake);\n")
    assert "fake" in compiled(installed, state, tmp_path)["does-not-compile"]


def test_an_application_without_sources(
    installed: tuple[CleanRoom, ClosedWorld], silver: CleanRoom, state: CaseState, tmp_path: Path
) -> None:
    silver.run("gut", "git rm -q --cached src/main.ts; rm src/main.ts", timeout_s=30)
    assert set(compiled(installed, state, tmp_path)) <= {"no-entry-point", "does-not-compile"}
    assert compiled(installed, state, tmp_path / "again")


# --- laying ---


def test_laid_packages_are_what_npm_installs(
    state: CaseState, patched: Context, installed: tuple[CleanRoom, ClosedWorld]
) -> None:
    """Every file by its digest, every link by its target."""
    room, world = installed
    sources = Patched.of(patched).sources
    published = PublishedPackages(patched.registry(npm), state.settings.cache)
    findings = Findings()
    with ExitStack() as stack:
        laid = lay_packages(
            patched, sources.base, sources.tree, published, findings, stack, legacy_peer_deps=False
        )
        assert isinstance(laid, LaidPackages), laid
        paths = [path for path in laid.folder.rglob("*") if not path.is_dir() or path.is_symlink()]
        files = {
            str(path.relative_to(laid.folder)): hashlib.sha512(path.read_bytes()).hexdigest()
            for path in paths
            if not path.is_symlink()
        }
        links = {
            str(path.relative_to(laid.folder)): str(path.readlink())
            for path in paths
            if path.is_symlink()
        }
    listing = room.packages()
    assert files == {path: sha for path, sha in listing.files.items() if path != _NPM_LOCK}
    assert links == listing.links
    assert findings.result() == ()
    assert {
        folder: (each.name, each.version, each.requires)
        for folder, each in laid.world.packages.items()
    } == {
        folder: (each.name, each.version, each.requires) for folder, each in world.packages.items()
    }


# --- building ---


def test_what_runs_after_the_compiler_cannot_change_packages(
    state: CaseState, patched: Context, tmp_path: Path
) -> None:
    """Were a build to run code of the patch, not even what it changes back could be changed."""
    core = "node_modules/@angular/core/package.json"
    with case_sandbox(state) as sandbox:
        room = CleanRoom(Context(state, sandbox, tmp_path))
        world = install_silver(state, patched, room)
        CleanPackages(patched, Patched.of(patched)).protect(room, world)
        before = room.packages()
        for attempt in (
            f"echo evil >>{core}",
            f"rm -f {core}",
            "mkdir node_modules/@angular/evil",
            "mv node_modules evil",
        ):
            assert room.run("attempt", attempt, timeout_s=60).exit_code != 0, attempt
        assert room.packages() == before
        assert room.run("build", "mkdir -p dist .angular/cache", timeout_s=60).exit_code == 0
