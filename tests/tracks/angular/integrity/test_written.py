"""Install scripts that an instance names, over laid packages, in a real sandbox."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.sandboxes import case_sandbox
from pytest_benchmac.model.settings import SandboxName
from pytest_benchmac.tracks.angular.install import ENV
from pytest_benchmac.tracks.angular.instance import AngularInstance, AngularIntegrity
from pytest_benchmac.tracks.angular.integrity.laid import LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.laid_install import registry_of
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.integrity.rooms import prepared

ESBUILD, BINARY = "esbuild/bin/esbuild", "@esbuild/linux-x64/bin/esbuild"


@pytest.mark.parametrize("sandbox", ["docker", "bubblewrap"])
def test_a_script_changes_its_own_package_alone(sandbox: SandboxName, tmp_path: Path) -> None:
    """esbuild's puts the program of its platform in the place of a script of node's."""
    needs = {"dependencies": {"esbuild": "0.21.5", "@esbuild/linux-x64": "0.21.5"}}
    project = {"name": "app", "version": "1.0.0", **needs}
    packages = {
        "": project,
        "node_modules/esbuild": {
            "version": "0.21.5",
            "hasInstallScript": True,
            "bin": {"esbuild": "bin/esbuild"},
        },
        "node_modules/@esbuild/linux-x64": {"version": "0.21.5", "optional": True},
    }
    source = tmp_path / "source"
    source.mkdir()
    (source / "package.json").write_text(json.dumps(project))
    lock = {"name": "app", "lockfileVersion": 3, "packages": packages}
    (source / "package-lock.json").write_text(json.dumps(lock))
    tree = SourceTree.scan(source)
    with prepared(sandbox, tmp_path / "reports", tmp_path) as state, ExitStack() as stack:
        assert isinstance(state.instance, AngularInstance)
        integrity = AngularIntegrity(install_scripts=("esbuild",))
        state = replace(state, instance=state.instance.model_copy(update={"integrity": integrity}))
        started = stack.enter_context(case_sandbox(state))
        context = Context(state, started, tmp_path)
        laid = lay_packages(
            context, tree, tree, registry_of(context), Findings(), stack, legacy_peer_deps=False
        )
        assert isinstance(laid, LaidPackages), laid
        made = laid.prepared(context, ENV, stack)
        assert made != laid.folder
        assert (made / ESBUILD).read_bytes() == (made / BINARY).read_bytes()
        assert (made / ESBUILD).stat().st_mode & 0o111
        assert (made / BINARY).samefile(laid.folder / BINARY)
        assert (laid.folder / ESBUILD).read_bytes().startswith(b"#!/usr/bin/env node")
        changed = [
            path
            for path in made.rglob("*")
            if path.is_file()
            and not path.is_symlink()
            and not path.samefile(laid.folder / path.relative_to(made))
        ]
        assert changed == [made / ESBUILD]
