"""What a run does: loads a program and calls it, runs its tests, counts the lines that they run."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .describing import Describer, shortened
from .literals import decode
from .recording import Recorder

Tell = Callable[[object], None]
#: Printed by one input; what is beyond is told by a digest.
_PRINTED = 1 << 20
#: Calls within calls while a value is told: as many as the stack has room for.
_TELLING_DEPTH = 9_000


class Run:
    """One request, in a process of its own.

    Args:
        request: `files`, `main` and what the task takes; see `server`.
        folder: where the files are put; it is not there yet.
        pipe: takes answers.
    """

    def __init__(self, request: Mapping[str, Any], folder: Path, pipe: int) -> None:
        self._request = request
        self._folder = folder
        self._pipe = pipe
        self._main: str = request["main"]
        self._own = frozenset([*(Path(name).stem for name in request["files"]), "__main__"])
        self._printed = [os.memfd_create(name) for name in ("stdout", "stderr")]
        self._shown = [0, 0]
        self._taken: list[object] = []

    def go(self) -> None:
        """Do what the request asks for."""
        self._folder.mkdir()
        os.chdir(self._folder)
        for name, text in self._request["files"].items():
            (self._folder / name).write_text(text, "utf-8", newline="")
        sys.path.insert(0, str(self._folder))
        sys.dont_write_bytecode = True
        sys.argv = [self._main]
        for target, source in enumerate((os.open(os.devnull, os.O_RDONLY), *self._printed)):
            os.dup2(source, target)
        _open_streams()
        # A process forked from another has its numbers, too.
        random.seed()
        if (numpy := sys.modules.get("numpy")) is not None:
            numpy.random.seed()
        getattr(self, f"_{self._request['task']}")()

    def _tell(self, answer: object) -> None:
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(self._pipe, line) :]

    # --- tests ---

    def _tests(self) -> None:
        if (module := self._loaded()) is not None:
            self._tell({"failed": self._failure(module)})

    def _coverage(self) -> None:
        coverage = importlib.import_module("coverage")
        files = [str(self._folder / name) for name in self._request["counted"]]
        counter = coverage.Coverage(data_file=None, config_file=False, include=files)
        counter.start()
        if self._request["tests"]["kind"] == "streams":
            for text in self._request["tests"]["inputs"]:
                self._run_main(text)
            failed = ""
        else:
            module = self._loaded()
            if module is None:
                return
            failed = self._failure(module)
        counter.stop()
        lines = missed = 0
        for file in files:
            # A module that nothing imports has no line that runs.
            _, statements, _, missing, _ = counter.analysis2(file)
            lines += len(statements)
            missed += len(missing)
        self._tell({"failed": failed, "lines": {"all": lines, "run": lines - missed}})

    def _record(self) -> None:
        recorder = Recorder()
        if (module := self._loaded()) is not None:
            recorder.wrap(module, self._request["names"])
            failed = self._failure(module)
            self._tell({"failed": failed, "inputs": recorder.inputs})

    def _failure(self, module: types.ModuleType) -> str:
        """Run the tests on a loaded program; what failed, or nothing."""
        tests = self._request["tests"]
        if tests["kind"] == "files":
            return self._pytest_failure(tests["names"])
        try:
            # Among the program's names, and yet without changing what they are for the program.
            exec(compile(tests["text"], "<tests>", "exec"), dict(vars(module)))  # noqa: S102
        except BaseException as error:  # noqa: BLE001 - SystemExit is no success
            return _told_failure(error)
        return ""

    def _pytest_failure(self, names: list[str]) -> str:
        pytest = importlib.import_module("pytest")
        seen = Seen()
        options = ["-q", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull, "-x"]
        code = pytest.main([*options, *names], plugins=[seen])
        if seen.failed or code != 0 or not seen.passed:
            return seen.failed or f"pytest ended with {int(code)}, {seen.passed} tests passed"
        return ""

    # --- inputs ---

    def _calls(self) -> None:
        self._make_output_comparable()
        if self._request.get("scattered"):
            self._scatter()
        module = self._loaded()
        if module is None:
            return
        for steps in self._request["inputs"]:
            self._start_clock()
            began = time.process_time()
            told = self._take_steps(module, steps)
            self._tell({"steps": told, "cpu_s": time.process_time() - began})

    def _scatter(self) -> None:
        """Take memory of every size by chance, so that what shows addresses shows others."""
        for size in [0, *range(1, 512, 16), 4096, 65536]:
            for _ in range(random.randrange(1, 200)):  # noqa: S311
                self._taken.append(bytes(size) if size else object())
                self._taken.append(float(size))

    def _take_steps(self, module: types.ModuleType, steps: list[dict[str, Any]]) -> list[Any]:
        told: list[Any] = []
        results: list[Any] = []
        for step in steps:
            args = [decode(each) for each in step["args"]]
            kwargs = {name: decode(each) for name, each in step["kwargs"].items()}
            describer = Describer(self._own)
            target: Any = module if "on" not in step else results[step["on"]]
            result, raised = None, None
            try:
                result = getattr(target, step["call"])(*args, **kwargs)
                if inspect.iscoroutine(result):
                    result = asyncio.run(result)
            except BaseException as error:  # noqa: BLE001 - whatever the program raises
                raised = error
            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(limit, _TELLING_DEPTH))
            objects = [target] if "on" in step else []
            before = describer.text([*objects, *args, kwargs])
            kind, text = "value", ""
            if raised is not None:
                traceback.clear_frames(raised.__traceback__)
                kind, text = "exception", describer.raised(raised)
            else:
                text = describer.result(result)
            after = Describer(self._own).text([*objects, *args, kwargs])
            sys.setrecursionlimit(limit)
            # What a generator does to the arguments shows when it is used up.
            changed = before if before == after else f"{before}, then {after}"
            told.append([kind, text, changed, *self._new_output()])
            results.append(result)
            if raised is not None:
                break
        return told

    def _streams(self) -> None:
        self._make_output_comparable()
        for text in self._request["inputs"]:
            self._start_clock()
            began = time.process_time()
            kind, told = self._run_main(text)
            steps = [[kind, told, "", *self._new_output()]]
            self._tell({"steps": steps, "cpu_s": time.process_time() - began})

    def _run_main(self, text: str) -> tuple[str, str]:
        """Run the program as a script that is given this on standard input."""
        given = os.memfd_create("stdin")
        os.write(given, text.encode("utf-8", "surrogateescape"))
        os.lseek(given, 0, os.SEEK_SET)
        os.dup2(given, 0)
        os.close(given)
        for target, source in enumerate(self._printed, start=1):
            os.dup2(source, target)
        _open_streams()
        for name in self._own:
            sys.modules.pop(name, None)
        path = self._folder / self._main
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(path), __builtins__=__builtins__)
        sys.modules["__main__"] = module
        try:
            exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102
        except SystemExit as end:
            result = "value", "" if end.code in (None, 0) else f"exit {end.code!r}"
        except BaseException as error:  # noqa: BLE001 - whatever the program raises
            result = "exception", Describer(self._own).raised(error)
        else:
            result = "value", ""
        # As the interpreter does at the end of a script.
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        return result

    # --- what all have in common ---

    def _loaded(self) -> types.ModuleType | None:
        """The program as a module; None, and told, where it cannot be loaded."""
        self._start_clock()
        path = self._folder / self._main
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ValueError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:  # noqa: BLE001 - whatever the program raises
            self._tell({"broken": Describer(self._own).raised(error)})
            return None
        # What it prints while it is loaded is behaviour, too.
        self._tell({"loaded": self._new_output()})
        return module

    def _start_clock(self) -> None:
        """Give what follows its processor time; who exceeds it is ended by the kernel."""
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, self._request["each_s"])

    def _new_output(self) -> list[str]:
        """What was printed since it was last asked: standard output, standard error."""
        told = []
        for number, (stream, file) in enumerate(
            zip((sys.stdout, sys.stderr), self._printed, strict=True)
        ):
            # The program may have closed or replaced it.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
            end = os.fstat(file).st_size
            piece = os.pread(file, min(end - self._shown[number], _PRINTED), self._shown[number])
            told.append(shortened(piece.decode("utf-8", "backslashreplace")))
            self._shown[number] = end
        return told

    def _make_output_comparable(self) -> None:
        """Warnings and exceptions of threads are printed without the place that they come from."""
        own = Describer(self._own)

        def show(message: Any, category: type[Warning], *_: object, **__: object) -> None:
            sys.stderr.write(f"{category.__name__}: {message}\n")

        def tell_thread(args: Any) -> None:
            sys.stderr.write(f"a thread raised {own.raised(args.exc_value)}\n")

        warnings.simplefilter("always")
        warnings.showwarning = show
        threading.excepthook = tell_thread
        sys.unraisablehook = lambda args: None


class Seen:
    """A plugin of pytest that keeps what failed first."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test's phase."""
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid}: {str(report.longrepr)[-2000:]}"
        elif report.passed and report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: Any) -> None:
        """Keep why a file cannot be collected."""
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid}: {str(report.longrepr)[-2000:]}"


def _open_streams() -> None:
    """Streams on descriptors 0 to 2, as at a process's beginning."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = io.TextIOWrapper(
            open(number, "wb" if number else "rb", closefd=False),  # noqa: SIM115
            "utf-8",
            "backslashreplace" if number else "surrogateescape",
            line_buffering=number == 2,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _told_failure(error: BaseException) -> str:
    """An exception of tests: the line of theirs that it comes from, type and message."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == "<tests>"
    ]
    where = f"line {lines[-1]} of the tests: " if lines else ""
    return shortened(f"{where}{type(error).__name__}: {error}")[:2000]
