"""What the harness compiled, made on the host by real javac."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile

#: What classes of each kind are compiled with.
_WITH = {
    "test-classes": "classes",
    "base-test-classes": "classes",
    "base-classes-and-tests": "base-classes",
}


def own_compile(
    folder: Path, sources: Mapping[str, Mapping[str, str]], *options: str
) -> OwnCompile:
    """Classes of the package `a`, of one module: kind -> name -> source."""
    for kind, classes in sources.items():
        out = folder / "out/0" / kind
        out.mkdir(parents=True)
        for name, source in classes.items():
            (out / f"{name}.java").write_text(f"package a; {source}")
        files = [f"{name}.java" for name in classes]
        path = folder / "out/0" / _WITH.get(kind, kind)
        command = ["javac", "-nowarn", *options, "-cp", str(path), "-d", ".", *files]
        assert subprocess.run(command, cwd=out).returncode == 0
    resolved = Resolved((Module("", (), ()),), "key", in_image=True)
    return OwnCompile(resolved, SourceTree.scan(folder / "out"), {})
