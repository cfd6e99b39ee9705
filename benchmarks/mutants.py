"""Breaks important modules in small ways, one at a time: do the tests that are meant for them fail?

    pip install cosmic-ray
    python -m benchmarks.mutants [--sample 20] [--seed 1] [--all] [MODULE ...]

The changes are cosmic-ray's; only a sample of each module's, drawn by the seed, is tried.
cosmic-ray itself starts a whole pytest for each: here one process loads what is slow to load, and
each mutant is a fork of it that imports the package anew, with one module changed. Sessions that
tests start meet the changed module, too. Whatever survives is printed as a diff, and the exit
status is 1.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import itertools
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "pytest_benchmac"
#: Modules whose faults cost a verdict, and the tests that are meant for each, the quickest first.
MODULES = {
    "judging.verdict": ["judging/test_verdict.py", "judging/test_evaluate.py"],
    "judging.reuse": ["judging/test_reuse.py", "judging/test_evaluate.py"],
    "judging.store": ["judging/test_store.py", "judging/test_running.py"],
    "judging.running": ["judging/test_running.py"],
    "judging.network": ["judging/test_network.py", "ecosystems/test_outage.py"],
    "judging.provoked": ["judging/test_provoked.py"],
    "input.staging": ["input/test_staging.py"],
    "generate.redaction": ["generate/test_redaction.py"],
    "tracks.angular.integrity.closed_world": [
        "tracks/angular/integrity/test_closed_world.py",
        "tracks/angular/integrity/test_closed_world_rules.py",
    ],
    "tracks.angular.integrity.bundle": ["tracks/angular/integrity/test_inventory.py"],
    "tracks.angular.integrity.bill": ["tracks/angular/integrity/test_bill.py"],
    "tracks.angular.boot.compare": ["tracks/angular/boot/test_compare.py"],
    "plugin.scheduler": ["plugin/test_scheduler.py"],
}
#: Slow to load, and the same for every mutant.
PRELOADED = (
    *("pytest", "pydantic", "docker", "docker.models.containers", "requests", "hypothesis"),
    *("hypothesis.strategies", "xdist", "pytest_jsonreport.plugin", "rich.table", "yaml"),
)
TIMEOUT_S = 900.0
#: In sessions that tests start, by PYTHONPATH.
SITE = """
import os, sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == os.environ.get("MUTANT_MODULE"):
            return spec_from_file_location(name, os.environ["MUTANT_FILE"])
sys.meta_path.insert(0, Finder)
"""


def meaning(source: str) -> str:
    """What a source says, without annotations and documentation, which change nothing."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)


def mutants(source: str, moments: random.Random) -> Iterator[str]:
    """Every changed source that says something else and can be compiled, in any order."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(source)))
    places = []
    for operator in map(get_operator, operator_names()):
        if not operator.arguments():
            changes = sum(len(list(operator().mutation_positions(node))) for node in nodes)
            places += [(operator, occurrence) for occurrence in range(changes)]
    moments.shuffle(places)
    seen = {meaning(source)}
    for operator, occurrence in places:
        changed = mutate_code(source, operator(), occurrence)
        with suppress(SyntaxError):
            if changed is not None and (said := meaning(changed)) not in seen:
                seen.add(said)
                yield changed


def passes(module: str, file: Path, tests: list[str], output: Path) -> bool:
    """Do the tests pass in a fork that imports the module from this file?"""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        told = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(told, 1)
        os.dup2(told, 2)
        os.environ |= {"MUTANT_MODULE": module, "MUTANT_FILE": str(file)}
        os.environ["PYTHONPATH"] = f"{file.parent}{os.pathsep}{ROOT}"
        exec(SITE, {"__name__": "site"})
        import pytest

        paths = [str(ROOT / "tests" / test) for test in tests]
        quiet = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header")
        os._exit(int(pytest.main([*quiet, f"--rootdir={ROOT}", *paths])))
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    # What no longer ends is noticed.
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def try_module(name: str, sample: int | None, seed: int) -> int:
    """Try a sample of a module's mutants; how many survive."""
    file = ROOT / PACKAGE / f"{name.replace('.', '/')}.py"
    source, module = file.read_text(), f"{PACKAGE}.{name}"
    drawn = list(itertools.islice(mutants(source, random.Random(f"{seed} {name}")), sample))
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        Path(folder).chmod(0o755)
        changed, output = Path(folder, file.name), Path(folder, "output")
        Path(folder, "sitecustomize.py").write_text(SITE)
        changed.write_text(source)
        if not passes(module, changed, MODULES[name], output):
            raise SystemExit(f"{name}: its tests fail as it is:\n{output.read_text()[-3000:]}")
        for number, mutant in enumerate(drawn):
            # Of another name each, so that no compiled file is taken for another's.
            tried = changed.with_name(f"mutant{number}.py")
            tried.write_text(mutant)
            if passes(module, tried, MODULES[name], output):
                survived += 1
                lines = difflib.unified_diff(
                    source.splitlines(), mutant.splitlines(), name, name, n=0, lineterm=""
                )
                print("\n".join(list(lines)[2:]), flush=True)
    print(f"{name}: {len(drawn) - survived} of {len(drawn)} killed", flush=True)
    return survived


def main() -> int:
    """Try the modules that are named, else all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", default=list(MODULES))
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="every mutant, no sample")
    args = parser.parse_args()
    for each in PRELOADED:
        importlib.import_module(each)
    sys.dont_write_bytecode = True
    sample = None if args.all else args.sample
    return int(sum(try_module(name, sample, args.seed) for name in args.modules) > 0)


if __name__ == "__main__":
    sys.exit(main())
