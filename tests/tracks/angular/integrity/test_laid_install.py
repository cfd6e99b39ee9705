"""The install stage beside `npm ci`: the same verdict, and the same tree where packages are laid.

The machine's own npm installs each project, from a registry of packages of one file.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Attempt
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.install import InstallSeen, InstallStage
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.protocol import Ran
from tests.ecosystems.npm.publishing import contents, publish, publish_bundle
from tests.network.tiny import Authority, TinyRegistry

PATCH = "--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n+notes\n"
Change = Callable[[Path], None]


class HostSandbox:
    """Commands in folders of this machine."""

    def __init__(self, folder: Path, project: Path, env: Mapping[str, str]) -> None:
        self.project, self.home, self.inbox = (
            folder / name for name in ("project", "home", "inbox")
        )
        shutil.copytree(project, self.project)
        self.home.mkdir()
        self._env = {"HOME": str(self.home), "PATH": os.environ["PATH"], **env}

    def run(
        self, command: str, *, log: Path, env: Mapping[str, str] | None = None, **_: object
    ) -> CommandResult:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.project,
            env=self._env | dict(env or {}),
            capture_output=True,
            text=True,
            check=False,
        )
        return CommandResult(
            command, done.returncode, False, (), 0.0, log, done.stdout.encode(), done.stderr
        )

    def copy_in(self, content: bytes | Path, destination: Path) -> None:
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.write_bytes(content if isinstance(content, bytes) else content.read_bytes())


@dataclass
class HostContext:
    """What the install stage asks of its context, with sandboxes that are folders."""

    folder: Path
    url: str
    env: Mapping[str, str]
    install: str = "npm ci"
    plain: bool = False
    can_mount: bool = True
    policy: str = "open"
    differ: tuple[str, ...] = ()
    integrity: Legs = field(default_factory=Legs)
    commands: list[str] = field(default_factory=list)
    exit_codes: list[int | None] = field(default_factory=list)
    mounted: Mapping[str, Path] = field(default_factory=dict)
    held: ExitStack = field(default_factory=ExitStack)
    moves: int = 0

    def __post_init__(self) -> None:
        self.cache, self.scratch, self.logs = (
            self.folder / name for name in ("cache", "scratch", "logs")
        )
        for each in (self.cache, self.scratch, self.logs):
            each.mkdir()
        patch = self.folder / "a.patch"
        patch.write_text(PATCH)
        self.submission = SimpleNamespace(patch=patch, case=SimpleNamespace(id="case"))
        self.instance = SimpleNamespace(
            commands=SimpleNamespace(install=self.install, build="npx ng build"),
            environment=SimpleNamespace(npm="10.8.2", node="20.19.5"),
            integrity=SimpleNamespace(install_scripts=()),
            timeouts=SimpleNamespace(install=120, patch=60),
        )
        self._start("before")

    def _start(self, name: str) -> None:
        self.sandbox = HostSandbox(self.folder / name, self.folder / "project", self.env)

    def registry(self, _: object) -> str:
        return self.url

    def of(self, _: object) -> Any:
        tree = SourceTree.scan(self.folder / "project")
        report = SimpleNamespace(builds_can_differ=self.differ)
        return SimpleNamespace(sources=SimpleNamespace(base=tree, tree=tree, report=report))

    def move(self, mounted: Mapping[str, Path], held: ExitStack) -> None:
        self.held.close()
        self.mounted, self.held, self.moves = mounted, held, self.moves + 1
        self._start(f"after-{self.moves}")

    def run(self, command: str, *, timeout_s: float, env: Mapping[str, str]) -> Ran:
        self.commands.append(command)
        done = self.sandbox.run(command, log=self.logs / "x.log", env=env)
        self.exit_codes.append(done.exit_code)
        attempt = Attempt(
            command=command,
            exit_code=done.exit_code,
            timed_out=False,
            limits_hit=(),
            duration_s=0,
            log="x",
            stderr_tail=done.stderr,
        )
        return Ran(attempt, b"", done.stderr)


@dataclass
class Beside:
    """What npm did, and what the install stage did with the same project."""

    exit_code: int
    tree: dict[str, Any] | None
    seen: InstallSeen
    context: HostContext


@pytest.fixture
def env(authority: Authority, registry: TinyRegistry, tmp_path: Path) -> dict[str, str]:
    return {
        "npm_config_audit": "false",
        "npm_config_cache": str(tmp_path / "npm-cache"),
        "npm_config_cafile": str(authority.certificate),
        "npm_config_fetch_retries": "0",
        "npm_config_fund": "false",
        "npm_config_registry": registry.url,
        "npm_config_update_notifier": "false",
    }


@pytest.fixture
def registry(empty_registry: TinyRegistry) -> TinyRegistry:
    """Packages of one file each."""
    found = empty_registry
    for version in ("1.0.0", "2.0.0"):
        publish(found, "leaf", version)
    publish(found, "old-leaf", dependencies={"leaf": "1.0.0"})
    publish(found, "@scope/tool", bin={"tool": "index.js"})
    publish(found, "old-peer", peerDependencies={"leaf": "1.0.0"})
    publish(found, "other-peer", peerDependencies={"inside": "*"})
    publish(found, "elsewhere", os=["darwin"])
    publish(found, "for-here", os=["linux"], cpu=["x64"])
    publish(found, "needs-node-99", engines={"node": ">=99"})
    publish(found, "scripted", scripts={"install": "exit 3"})
    publish(found, "choice", optionalDependencies={"elsewhere": "1.0.0", "for-here": "1.0.0"})
    publish(found, "own-choice", optionalDependencies={"for-here": "1.0.0"})
    publish(found, "failing-choice", optionalDependencies={"scripted": "1.0.0"})
    publish_bundle(found)
    return found


@pytest.fixture
def beside(
    registry: TinyRegistry, env: dict[str, str], tmp_path: Path
) -> Iterator[Callable[..., Beside]]:
    """Installs a project both ways, after a change to what npm locked."""
    contexts: list[HostContext] = []

    def install(
        dependencies: Mapping[str, str],
        change: Change = lambda _: None,
        *,
        lock_with: str = "",
        more: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Beside:
        project = tmp_path / "project"
        project.mkdir()
        package = {"name": "project", "version": "1.0.0", "dependencies": dependencies}
        write(project / "package.json", {**package, **(more or {})})
        (project / ".npmrc").write_text("")
        locked = HostSandbox(tmp_path / "locking", project, env)
        done = locked.run(
            f"npm install --package-lock-only --ignore-scripts {lock_with}", log=tmp_path / "log"
        )
        assert done.exit_code == 0, done.stderr
        shutil.copy(locked.project / "package-lock.json", project)
        (project / ".npmrc").unlink()
        change(project)
        command = settings.get("install", "npm ci")
        by_npm = HostSandbox(tmp_path / "npm", project, env)
        expected = by_npm.run(command, log=tmp_path / "log")
        if "code ERESOLVE" in expected.stderr:
            expected = by_npm.run(f"{command} --legacy-peer-deps", log=tmp_path / "log")
        tree = None
        if (by_npm.project / "node_modules").is_dir():
            tree = contents(by_npm.project / "node_modules")
            tree.pop(".package-lock.json", None)
        context = HostContext(tmp_path, registry.url, env, **settings)
        contexts.append(context)
        seen = InstallStage().run(context)  # type: ignore[arg-type]
        return Beside(expected.exit_code or 0, tree, seen, context)

    yield install
    for context in contexts:
        context.held.close()


def write(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=1))


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> Change:
    """Changes a JSON file of the project."""

    def apply(project: Path) -> None:
        content = json.loads((project / name).read_text())
        change(content)
        write(project / name, content)

    return apply


def manifest(change: Callable[[dict[str, Any]], object]) -> Change:
    return changed("package.json", change)


def entry(name: str, **values: Any) -> Change:
    """Changes an entry of the lock file; None removes what it says."""

    def change(lock: dict[str, Any]) -> None:
        found = lock["packages"][f"node_modules/{name}"]
        found.update(values)
        for key in [key for key, value in values.items() if value is None]:
            del found[key]

    return changed("package-lock.json", change)


def lock(change: Callable[[dict[str, Any]], object]) -> Change:
    return changed("package-lock.json", change)


def both(*changes: Change) -> Change:
    def apply(project: Path) -> None:
        for each in changes:
            each(project)

    return apply


def npmrc(text: str) -> Change:
    return lambda project: (project / ".npmrc").write_text(text) and None


LAID: dict[str, tuple[Mapping[str, str], Change, dict[str, Any]]] = {
    "plain": ({"leaf": "1.0.0", "@scope/tool": "*"}, lambda _: None, {}),
    "nested": ({"leaf": "2.0.0", "old-leaf": "*"}, lambda _: None, {}),
    "aliased": ({"other": "npm:leaf@1.0.0", "leaf": "2.0.0"}, lambda _: None, {}),
    "bundled": ({"bundles": "*"}, lambda _: None, {}),
    "overridden": (
        {"leaf": "2.0.0", "old-leaf": "*"},
        lambda _: None,
        {"more": {"overrides": {"leaf": "2.0.0"}}},
    ),
    "optional ones of another platform": ({"choice": "*"}, lambda _: None, {}),
    "development and optional": (
        {"leaf": "1.0.0"},
        lambda _: None,
        {"more": {"devDependencies": {"old-leaf": "*"}, "optionalDependencies": {"choice": "*"}}},
    ),
    "an entry that nobody needs": (
        {"leaf": "1.0.0", "old-leaf": "*"},
        both(
            lock(lambda content: content["packages"][""]["dependencies"].pop("old-leaf")),
            manifest(lambda package: package["dependencies"].pop("old-leaf")),
        ),
        {},
    ),
    "a peer that nobody else asks for": ({"old-peer": "*"}, lambda _: None, {}),
    "a peer under the flag that ignores peers": (
        {"old-peer": "*"},
        lambda _: None,
        {"install": "npm ci --legacy-peer-deps"},
    ),
    "lock file version 2": (
        {"leaf": "1.0.0", "old-leaf": "*"},
        lambda _: None,
        {"lock_with": "--lockfile-version=2"},
    ),
    "unsupported engine that nobody is strict about": (
        {"needs-node-99": "*"},
        lambda _: None,
        {},
    ),
    "harmless settings": (
        {"leaf": "1.0.0"},
        npmrc("# ours\nfund=false\nengine-strict = true\n"),
        {},
    ),
    "peer conflict that the project overrides": (
        {"leaf": "2.0.0", "old-peer": "*"},
        npmrc("legacy-peer-deps=true\n"),
        {"lock_with": "--legacy-peer-deps"},
    ),
}


@pytest.mark.parametrize("case", LAID)
def test_laid_as_npm_installs(beside: Callable[..., Beside], case: str) -> None:
    dependencies, change, more = LAID[case]
    done = beside(dependencies, change, **more)
    assert done.seen.installed_by_npm == ""
    assert done.exit_code == 0
    assert done.context.exit_codes == [0]
    assert [shlex.split(each)[-1] for each in done.context.commands] == ["--no-audit"]
    folder = done.context.mounted["node_modules"]
    assert contents(folder) == done.tree
    assert (done.context.sandbox.project / "NOTES.md").exists()
    assert not (done.context.sandbox.project / "node_modules").exists()


def test_a_peer_conflict_is_tried_again(beside: Callable[..., Beside]) -> None:
    """The thesis's protocol, npm's own word on both."""
    done = beside({"leaf": "2.0.0", "old-peer": "*"}, lock_with="--legacy-peer-deps")
    assert done.seen.retried_with_legacy_peer_deps
    assert done.exit_code == 0
    assert [code == 0 for code in done.context.exit_codes] == [False, True]
    assert contents(done.context.mounted["node_modules"]) == done.tree


def test_peers_are_left_out_when_a_conflict_is_tried_again(beside: Callable[..., Beside]) -> None:
    """What only a peer dependency asks for is in the lock file, and npm prunes it."""
    done = beside(
        {"leaf": "2.0.0", "old-peer": "*", "other-peer": "*"},
        lock(
            lambda content: content["packages"].update(
                {"node_modules/inside": {"version": "1.0.0", "peer": True}}
            )
        ),
        lock_with="--legacy-peer-deps",
    )
    assert done.seen.retried_with_legacy_peer_deps
    assert done.tree is not None
    assert "inside" not in done.tree
    assert contents(done.context.mounted["node_modules"]) == done.tree


REFUSED: dict[str, tuple[Mapping[str, str], Change, dict[str, Any]]] = {
    "a version that does not satisfy": (
        {"leaf": "1.0.0"},
        entry("leaf", version="2.0.0", resolved=None, integrity=None),
        {},
    ),
    "a package that another one lacks": (
        {"old-leaf": "*"},
        lock(lambda content: content["packages"].pop("node_modules/leaf")),
        {},
    ),
    "unsupported engine, strictly": ({"needs-node-99": "*"}, npmrc("engine-strict=true\n"), {}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_npm_and_by_its_dry_run(beside: Callable[..., Beside], case: str) -> None:
    """Packages can be laid, and npm would not have installed them."""
    dependencies, change, more = REFUSED[case]
    done = beside(dependencies, change, **more)
    assert done.seen.installed_by_npm == ""
    assert done.exit_code != 0
    assert done.context.exit_codes[-1] == done.exit_code


def workspaces(project: Path) -> None:
    (project / "inner").mkdir()
    write(project / "inner/package.json", {"name": "inner", "version": "1.0.0"})
    manifest(lambda package: package.update(workspaces=["inner"]))(project)


BY_NPM: dict[str, tuple[Mapping[str, str], Change, dict[str, Any], str]] = {
    "no lock file": (
        {"leaf": "1.0.0"},
        lambda project: (project / "package-lock.json").unlink(),
        {},
        "cannot be read",
    ),
    "a lock file that is none": (
        {"leaf": "1.0.0"},
        lambda project: (project / "package-lock.json").write_text("{") and None,
        {},
        "",
    ),
    "lock file version 1": (
        {"leaf": "1.0.0", "old-leaf": "*"},
        lambda _: None,
        {"lock_with": "--lockfile-version=1"},
        "",
    ),
    "another package.json": (
        {"leaf": "1.0.0", "old-leaf": "*"},
        manifest(lambda package: package["dependencies"].pop("old-leaf")),
        {},
        "made for another package.json",
    ),
    "an override that the lock file was not made with": (
        {"leaf": "2.0.0", "old-leaf": "*"},
        manifest(lambda package: package.update(overrides={"leaf": "2.0.0"})),
        {},
        "overrides leaf",
    ),
    "an override that is no version": (
        {"leaf": "2.0.0", "old-leaf": "*"},
        lambda _: None,
        {"more": {"overrides": {"old-leaf": {"leaf": "$leaf"}}}},
        "overrides old-leaf",
    ),
    "out of sync": (
        {"leaf": "1.0.0"},
        manifest(lambda package: package["dependencies"].update({"old-leaf": "*"})),
        {},
        "made for another package.json",
    ),
    "a version that there is not": (
        {"leaf": "1.0.0"},
        both(
            manifest(lambda package: package["dependencies"].update(leaf="9.9.9")),
            lock(lambda content: content["packages"][""]["dependencies"].update(leaf="9.9.9")),
            entry("leaf", version="9.9.9", resolved=None, integrity=None),
        ),
        {},
        "is not published",
    ),
    "another integrity": (
        {"leaf": "1.0.0"},
        entry("leaf", integrity="sha512-" + "A" * 86 + "=="),
        {},
        "another integrity",
    ),
    "for another platform": (
        {"choice": "*", "elsewhere": "1.0.0"},
        lambda _: None,
        {"lock_with": "--force"},
        "another system",
    ),
    "workspaces": ({"leaf": "1.0.0"}, workspaces, {}, "workspaces"),
    "a link": (
        {"leaf": "1.0.0"},
        entry("leaf", link=True, resolved="inner"),
        {},
        "no address of a registry",
    ),
    "an install script that fails": (
        {"scripted": "*"},
        lambda _: None,
        {},
        "brings an install script",
    ),
    "an optional one whose script fails": (
        {"failing-choice": "*"},
        lambda _: None,
        {},
        "brings an install script",
    ),
    "a lifecycle script": (
        {"leaf": "1.0.0"},
        manifest(lambda package: package.update(scripts={"postinstall": "exit 3"})),
        {},
        "lifecycle script postinstall",
    ),
    "settings that change the tree": ({"leaf": "1.0.0"}, npmrc("omit=dev\n"), {}, "omit"),
    "settings in an odd form": ({"leaf": "1.0.0"}, npmrc('"ignore-scripts"=true\n'), {}, "says"),
    "a shrinkwrap": (
        {"leaf": "1.0.0"},
        lambda project: (
            shutil.copy(project / "package-lock.json", project / "npm-shrinkwrap.json") and None
        ),
        {},
        "takes the place",
    ),
    "another command": ({"leaf": "1.0.0"}, lambda _: None, {"install": "npm ci --omit=dev"}, ""),
    "an engine on another machine": ({"leaf": "1.0.0"}, lambda _: None, {"can_mount": False}, ""),
    "asked for": ({"leaf": "1.0.0"}, lambda _: None, {"plain": True}, "the long way"),
    "builds that can differ": ({"leaf": "1.0.0"}, lambda _: None, {"differ": ("so",)}, "so"),
}


@pytest.mark.parametrize("case", BY_NPM)
def test_npm_installs_and_the_record_says_why(beside: Callable[..., Beside], case: str) -> None:
    dependencies, change, more, reason = BY_NPM[case]
    done = beside(dependencies, change, **more)
    assert done.seen.installed_by_npm
    assert reason in done.seen.installed_by_npm
    assert done.seen.laid is None
    assert done.context.commands == [more.get("install", "npm ci")]
    made = done.context.sandbox.project / "node_modules"
    assert made.is_dir() is (done.tree is not None)


def test_optional_packages_that_the_lock_file_forgot(beside: Callable[..., Beside]) -> None:
    """npm does without them, and they are laid and told: the package itself pins them."""
    done = beside(
        {"own-choice": "*"},
        lock(lambda content: content["packages"].pop("node_modules/for-here")),
    )
    assert done.seen.laid is not None
    assert done.seen.laid.packages.added == ("for-here@1.0.0",)
    assert [each.code for each in done.seen.laid.findings] == ["optional-packages-missing"]
    assert done.exit_code in (0, 1)
