"""The sources compile against the genuine framework: the harness's own run of the verified `ngc`.

With a tsconfig of the harness's own, of which the project's only gives what says how its language
is to be read. Executes no code of the patch.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom, script
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.own_tsconfig import OUT
from pytest_benchmac.tracks.findings import Findings

#: What ngc may print. Diagnostics are what is looked for.
_MAX_OUTPUT_BYTES = 1024 * 1024
_RESOLUTION_TIMEOUT_S = 600.0
_SHOWN_DIAGNOSTICS = 5
#: The first that the installed version has.
_NGC = ("bundles/src/bin/ngc.js", "src/main.js")
_COMPILER = "@angular/compiler-cli"
_ERROR = re.compile(r"^.*\berror\b.*$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def compile_sources(
    room: CleanRoom,
    world: ClosedWorld,
    tsconfigs: Mapping[str, dict[str, Any]],
    findings: Findings,
    *,
    timeout_s: float,
    env: Mapping[str, str],
) -> frozenset[str]:
    """Compile each application; what does not compile is a fatal finding.

    Args:
        room: with verified packages, and nothing run in it yet.
        world: those packages.
        tsconfigs: of each application, by its project's name.
        findings: where to.
        timeout_s: for each application.
        env: of the build.

    Returns:
        The sources that the compiler made scripts of, without their extension.

    Raises:
        SandboxError: the sandbox or the verified TypeScript failed.
    """
    compiler = world.root(_COMPILER)
    published = compiler.files if compiler is not None else ()
    ngc = next((path for path in _NGC if path in published), None)
    if ngc is None or world.version("typescript") is None:
        findings.fatal(
            "no-compiler",
            "The framework's compiler, or TypeScript, is not installed at the root.",
            file=f"node_modules/{_COMPILER}",
        )
        return frozenset()
    checker = room.sandbox.inbox / "integrity" / "check_resolution.js"
    room.sandbox.copy_in(script("check_resolution.js"), checker)
    for number, (name, tsconfig) in enumerate(tsconfigs.items()):
        path = room.sandbox.inbox / "integrity" / f"tsconfig.{number}.json"
        room.sandbox.copy_in(json.dumps(tsconfig, indent=1).encode(), path)
        if not tsconfig["files"]:
            findings.fatal(
                "no-entry-point",
                f"The application {name} has no TypeScript source that it starts with.",
                file="angular.json",
            )
            continue
        _check_resolution(room, checker, path, world, findings)
        command = shlex.join(["node", f"node_modules/{_COMPILER}/{ngc}", "-p", str(path)])
        done = room.run(
            f"compile.{number}",
            command,
            timeout_s=timeout_s,
            env=env,
            capture_bytes=_MAX_OUTPUT_BYTES,
        )
        if done.exit_code != 0:
            printed = _COLOUR.sub("", done.stderr + done.stdout.decode(errors="replace"))
            errors = _ERROR.findall(printed) or printed.splitlines()
            stopped = f"stopped at the bound on {', '.join(done.limits_hit)}; "
            findings.fatal(
                "does-not-compile",
                f"The sources of {name} do not compile against the genuine framework: "
                + (stopped if done.limits_hit else "")
                + " | ".join(line.strip()[:200] for line in errors[:_SHOWN_DIAGNOSTICS]),
                file=tsconfig["files"][0],
                expected="no diagnostics",
                seen=f"{len(errors)} lines of diagnostics",
            )
    return _compiled(room, findings)


def _compiled(room: CleanRoom, findings: Findings) -> frozenset[str]:
    """What the compiler wrote scripts for: nobody but the compiler itself can tell for certain."""
    words = ["find", OUT, "-type", "f", "-name", "*js", "-printf", r"%P\0"]
    listed = room.run(
        "compiled",
        shlex.join(words),
        timeout_s=_RESOLUTION_TIMEOUT_S,
        capture_bytes=_MAX_OUTPUT_BYTES * 16,
    )
    if listed.limits_hit:
        findings.fatal("sources-too-large", "The sources are more than the harness reads.")
    paths = listed.stdout.decode(errors="replace").split("\0")
    return frozenset(path.rpartition(".")[0] for path in paths if path)


def _check_resolution(
    room: CleanRoom,
    checker: PurePosixPath,
    tsconfig: PurePosixPath,
    world: ClosedWorld,
    findings: Findings,
) -> None:
    """See that the framework's names lead to the packages, from whatever source imports them."""
    names = room.sandbox.inbox / "integrity" / "framework.json"
    room.sandbox.copy_in(json.dumps(sorted(filter(framework, world.roots()))).encode(), names)
    command = ["node", str(checker), str(room.sandbox.project), str(tsconfig), str(names)]
    done = room.run(
        "resolution",
        shlex.join(command),
        timeout_s=_RESOLUTION_TIMEOUT_S,
        capture_bytes=_MAX_OUTPUT_BYTES,
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.exit_code != 0 and not done.limits_hit:
        raise SandboxError(f"the verified TypeScript failed: {done.stderr[-500:]}")
    if done.limits_hit or lines[-1:] != ['["end"]']:
        findings.fatal(
            "sources-too-large",
            "The sources are more than the harness reads.",
            seen=", ".join(done.limits_hit) or "output cut off",
        )
        return
    for file, module, place in map(json.loads, lines[:-1]):
        findings.fatal(
            "shadowed-package",
            f"An import of {module} does not lead to the installed package.",
            file=file,
            expected=f"node_modules/{module}",
            seen=place,
        )
