"""Where a program is built, and where it runs: sandboxes with its folder and nothing else of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files.archives import pack as pack_files
from pytest_benchmac.model.errors import BaselineError, SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.archiving import pack, unpack
from pytest_benchmac.tracks.protocol import StageContext
from pytest_benchmac.tracks.rewrite.benchmark import Program as Side
from pytest_benchmac.tracks.rewrite.driving.batch import Program
from pytest_benchmac.tracks.rewrite.driving.running import Runner
from pytest_benchmac.tracks.rewrite.environment import VARIABLES
from pytest_benchmac.tracks.rewrite.instance import SOURCE, RewriteInstance

RewriteContext = StageContext[RewriteInstance]

#: Of a folder with all that was built.
BUILT_BYTES = 1024 * MIB


def build_commands(side: Side) -> list[str]:
    """Those of `install_cmd` and `build_cmd` that there are."""
    return [each for each in (side.install_cmd, side.build_cmd) if each.strip()]


def in_folder(folder: str, command: str) -> str:
    """The command line that runs a command in a folder of the project, which is `$ROOT`."""
    return f'cd {shlex.quote(folder)} && ROOT="$PWD" && export ROOT && {{ {command}\n}}'


def build(context: RewriteContext, side: Side, folder: str) -> bool:
    """Install and build in a context's sandbox, as attempts of the stage; did both succeed?"""
    timeouts, env = context.instance.timeouts, VARIABLES.get(side.language, {})
    for command in build_commands(side):
        limit = timeouts.install if command == side.install_cmd else timeouts.build
        if not context.run(in_folder(folder, command), timeout_s=limit, env=env).passed:
            return False
    return True


def pack_built(sandbox: Sandbox, folder: str, destination: Path, log: Path) -> bool:
    """Pack a folder with all that was built in it; False where that fails, which the log says.

    Raises:
        CopyLimitError: it is too large.
    """
    sandbox.run(f"chmod -R a+rX,u+w {shlex.quote(folder)}", timeout_s=120.0, log=log)
    return pack(sandbox, [folder], destination, max_bytes=BUILT_BYTES, log=log)


def lay(sandbox: Sandbox, files: Mapping[str, bytes], folder: Path, log: Path) -> None:
    """Put files into the project; those that begin with `#!` may be executed.

    Raises:
        SandboxError: that failed.
    """
    archive = folder / "tree.tar"
    pack_files(archive, files)
    if not unpack(sandbox, archive, log=log):
        raise SandboxError("a tree could not be put into the sandbox")
    archive.unlink()
    scripts = [path for path, content in files.items() if content.startswith(b"#!")]
    if scripts:
        sandbox.run(f"chmod +x -- {shlex.join(scripts)}", timeout_s=60.0, log=log)


@contextmanager
def running_room(
    context: RewriteContext,
    recipe: BaseRecipe,
    built: Path,
    folder: str,
    run_cmd: str,
    log: Path,
    *,
    recorded: bool = True,
) -> Iterator[Runner]:
    """A sandbox without network that has what was built, which nothing in there can write.

    Args:
        context: of the stage.
        recipe: of its base.
        built: as `pack_built` left it.
        folder: its name in the project.
        run_cmd: starts the program.
        log: of the harness's own commands there.
        recorded: are its runs attempts of the stage? The source's beside a submission are none.

    Raises (on entering):
        SandboxError: it could not be set up.
        ImageError: there is no such base.
    """
    with context.bare(recipe) as bare:

        def run(command: str, timeout_s: float) -> int | None:
            return bare.run(command, timeout_s=timeout_s).attempt.exit_code

        runner = runner_in(bare.sandbox, context.instance, built, folder, run_cmd, log)
        yield replace(runner, run_recorded=run if recorded else None)


def runner_in(
    sandbox: Sandbox,
    instance: RewriteInstance,
    built: Path,
    folder: str,
    run_cmd: str,
    log: Path,
) -> Runner:
    """Put what was built into a started sandbox; what runs it there, off the record.

    Raises:
        SandboxError: it could not be set up.
    """
    if not unpack(sandbox, built, log=log):
        raise SandboxError("what was built could not be put into the sandbox")
    sandbox.protect(folder)
    program = Program.of(instance.benchmark, run_cmd, str(sandbox.project / folder))
    return Runner(sandbox, program, instance.suite.jobs, instance.timeouts.case, log)


def build_source(sandbox: Sandbox, instance: RewriteInstance, destination: Path, log: Path) -> None:
    """Build the source as it is, in a sandbox of the untouched base, and pack it.

    Nothing that happens here is the submission's.

    Raises:
        BaselineError: it does not build.
    """
    side = instance.benchmark.source
    for command in build_commands(side):
        done = sandbox.run(
            in_folder(SOURCE, command),
            timeout_s=instance.timeouts.build,
            log=log,
            env=VARIABLES.get(side.language, {}),
        )
        if done.exit_code != 0:
            raise BaselineError(
                f"{instance.id}: the source does not build: `{command}` ended with "
                f"exit status {done.exit_code}: {done.stderr[-500:]}"
            )
    if not pack_built(sandbox, SOURCE, destination, log):
        raise BaselineError(f"{instance.id}: what the source builds cannot be packed")
