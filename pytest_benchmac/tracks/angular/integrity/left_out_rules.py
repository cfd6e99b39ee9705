"""Tests that run in the base are run by whoever asks for tests.

The harness runs an instance's tests by a configuration of its own; what people and their machines
run is decided by files of the patch. Honest work moves to another runner, and changes its settings;
what it does not do is to have it run fewer of the tests that are there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.tracks.angular.integrity.config_reading import Setting, read_settings
from pytest_benchmac.tracks.angular.integrity.globs import expression_matches, matches
from pytest_benchmac.tracks.angular.integrity.inventory import FATAL_RECALL
from pytest_benchmac.tracks.angular.integrity.left_out_scripts import Fault, faults, runners_of
from pytest_benchmac.tracks.angular.integrity.packages import MANIFEST, read_manifest
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.sources import NO_APPLICATION
from pytest_benchmac.tracks.angular.integrity.workspace import (
    inside,
    items,
    mapping,
    section_of,
)
from pytest_benchmac.tracks.findings import Findings

CODE = "tests-left-out"
_SPEC = re.compile(r"\.(?:spec|test)\.[cm]?[jt]sx?$")
_MAX_SPECS = 500
#: Files with settings of runners; those of the first names are read without being asked for.
_CONFIGS: Mapping[str, re.Pattern[str]] = {
    "ng": re.compile(r"(?:^|/)karma[\w.-]*\.conf[\w.-]*\.[cm]?[jt]s$"),
    "jest": re.compile(r"(?:^|/)jest[\w.-]*\.config[\w.-]*\.[cm]?[jt]s$"),
    "vitest": re.compile(r"(?:^|/)(?:vitest|vite)[\w.-]*\.config[\w.-]*\.[cm]?[jt]s$"),
}
_UNASKED = re.compile(r"(?:^|/)(?:karma\.conf|jest\.config|vitest\.config|vite\.config)\.\w+$")
#: A builder that does nothing, and says that all is well.
_NO_BUILDER = "@angular-devkit/architect:true"
_FILTERS = frozenset({"grep", "fgrep", "specFilter", "testNamePattern"})
_ARGUMENTS = re.compile(r"(?:^|\s)(?:--(?:f?grep|filter|spec|testNamePattern)|-[gft])[=\s]+(\S+)")
_EVERYTHING = frozenset({"", ".", "*", ".*", "**", "/"})


@dataclass(frozen=True)
class _Said:
    """One setting of a runner."""

    runner: str
    file: str
    setting: Setting

    @property
    def name(self) -> str:
        return self.setting.names[-1]

    @property
    def key(self) -> str:
        """What makes it the same in another file or another form."""
        return json.dumps([self.name, self.setting.value], sort_keys=True)


@dataclass
class _Line:
    """Patterns that have to let a spec through, so that one configuration runs it."""

    folders: tuple[str, ...]
    #: Of each of them one has to match: globs, or expressions with flags.
    wanted: list[list[tuple[str, str | None]]] = field(default_factory=list)
    unwanted: list[tuple[str, str | None]] = field(default_factory=list)

    def runs(self, path: str) -> bool:
        """Is a spec run, as far as is known?"""
        places = [path]
        places += [path[len(each) + 1 :] for each in self.folders if path.startswith(f"{each}/")]

        def one(patterns: Sequence[tuple[str, str | None]], unknown: bool) -> bool:
            found = [_fits(each, place) for each in patterns for place in places]
            return True in found or (unknown and None in found)

        return all(one(each, True) for each in self.wanted) and not one(self.unwanted, False)


def _fits(pattern: tuple[str, str | None], place: str) -> bool | None:
    text, flags = pattern
    return matches(text, place) if flags is None else expression_matches(text, place, flags)


@dataclass(frozen=True)
class _Runs:
    """How a tree's tests are run."""

    said: tuple[_Said, ...]
    #: By runner, the configurations that a spec may be run by.
    lines: Mapping[str, tuple[_Line, ...]]
    #: Runners that the script `test` has; all, where it is not known to have any.
    asked: frozenset[str]

    def leaves_out(self, path: str) -> bool:
        """Is this spec run by nothing?"""
        lines = [each for runner in self.asked for each in self.lines.get(runner, ())]
        near = [each for each in lines if not each.folders[0] or path.startswith(each.folders[0])]
        return bool(near) and not any(each.runs(path) for each in near)


def check_left_out(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """No test of the base is newly left out by settings or scripts.

    Args:
        base: the untouched base; where it has no tests, there is nothing to be left out.
        patched: the patched tree.
        findings: where to.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    names = {_spec_name(path) for path in _specs(base.tree)}
    specs = [path for path in _specs(patched.tree) if _spec_name(path) in names][:_MAX_SPECS]
    if not names:
        return
    after = _runs(patched)
    narrowed = [(each, told) for each in after.said if (told := _narrows(each)) is not None]
    left_out = [path for path in specs if after.leaves_out(path)]
    # Most patches do neither, and need not be held against the base.
    if narrowed or left_out:
        before = _runs(base)
        _check_settings(narrowed, before, findings)
        _check_files(left_out, specs, before, findings)
    _check_scripts(base, patched, specs, findings)


def _check_settings(
    narrowed: Sequence[tuple[_Said, str]], before: _Runs, findings: Findings
) -> None:
    known = {each.key for each in before.said}
    had = {each.runner for each in before.said} | before.asked
    for each, told in narrowed:
        if each.key in known:
            continue
        # Templates for a runner that the base has not are written like that.
        doubt = each.name == "passWithNoTests" and each.runner not in had
        (findings.warning if doubt else findings.fatal)(
            CODE,
            f"Whoever runs the tests {told}.",
            file=each.file,
            line=each.setting.line,
            expected="all tests, as the base has it",
            seen=f"{'.'.join(each.setting.names)}: {each.setting.value}",
        )


def _spec_name(path: str) -> str:
    return _SPEC.sub("", path.rpartition("/")[2])


def _specs(tree: SourceTree) -> list[str]:
    return [path for path in tree.files if _SPEC.search(path) and outside(path, NO_APPLICATION)]


def _narrows(said: _Said) -> str | None:
    """What a setting makes of a run of the tests, if that is less; None if it is not."""
    value, names = said.setting.value, said.setting.names
    name, client = said.name, "client" in names[:-1]
    if isinstance(value, dict) and "regex" in value:
        value = value["regex"]
    text = value if isinstance(value, str) and value not in _EVERYTHING else ""
    filters = name in _FILTERS or (name == "filter" and (client or said.file.endswith(".json")))
    if filters and text:
        return "gets only those of some names"
    if name == "args" and client and isinstance(value, list):
        given = " ".join(each if isinstance(each, str) else "-" for each in value)
        found = _ARGUMENTS.search(given)
        if found and found[1] not in _EVERYTHING and not found[1].startswith("-"):
            return "gets only those of some names"
    if (name, value) in (("failOnEmptyTestSuite", False), ("passWithNoTests", True)):
        return "is told that all is well where there are none"
    if name == "process.exit" and value in ([], ["0"]):
        return "is told that all is well without any"
    if name == "builder" and value == _NO_BUILDER:
        return "is told that all is well without any"
    return None


def _check_files(
    left_out: Sequence[str], specs: Sequence[str], before: _Runs, findings: Findings
) -> None:
    newly = [path for path in left_out if not before.leaves_out(path)]
    if newly:
        fatal = len(newly) > (1 - FATAL_RECALL) * len(specs)
        (findings.fatal if fatal else findings.warning)(
            CODE,
            f"Whoever runs the tests gets {len(newly)} files of {len(specs)} less.",
            file=newly[0],
            expected="all tests, as the base has it",
            seen=f"not run: {', '.join(newly[:10])}",
        )


# --- settings -----------------------------------------------------------------------------------


def _runs(snapshot: Snapshot) -> _Runs:
    tree = snapshot.tree
    targets = list(_targets(snapshot))
    named = {
        path
        for each in targets
        for option in ("karmaConfig", "runnerConfig", "main")
        if isinstance(value := each.options.get(option), str) and (path := inside(value))
    }
    files = {
        path: next((name for name, one in _CONFIGS.items() if one.search(path)), "ng")
        for path in tree.files
        if outside(path, ("node_modules",))
        and (path in named or any(each.search(path) for each in _CONFIGS.values()))
    }
    said = [
        _Said(files[path], path, each)
        for path, some in read_settings(tree, files).items()
        for each in some.settings
    ]
    manifest = snapshot.packages.manifest
    said += [_Said("jest", MANIFEST, each) for each in _flat(mapping(manifest.value.get("jest")))]
    lines: dict[str, tuple[_Line, ...]] = {
        runner: tuple(
            _line(runner, path, [each.setting for each in said if each.file == path])
            for path in dict.fromkeys(each.file for each in said if each.runner == runner)
            if _UNASKED.search(path) or path == MANIFEST
        )
        for runner in ("jest", "vitest")
    }
    lines["ng"] = tuple(_target_line(each, said) for each in targets)
    for each in targets:
        said += [_Said("ng", each.file, one) for one in _flat(each.options, each.line)]
    asked = runners_of(manifest.scripts.get("test", ""), manifest.scripts)
    return _Runs(tuple(said), lines, frozenset(asked or lines))


@dataclass(frozen=True)
class _Target:
    """A `test` target of the workspace."""

    file: str
    root: str
    source_root: str
    options: Mapping[str, object]
    line: int


def _targets(snapshot: Snapshot) -> Iterator[_Target]:
    document, file = snapshot.workspace.document, snapshot.workspace.file
    for name, project in mapping(mapping(document.value).get("projects")).items():
        section = section_of(mapping(project))
        test = mapping(mapping(mapping(project).get(section)).get("test"))
        if not test or file is None:
            continue
        options = dict(mapping(test.get("options")))
        default = test.get("defaultConfiguration")
        for each in default.split(",") if isinstance(default, str) else ():
            options |= mapping(mapping(test.get("configurations")).get(each))
        options["builder"] = test.get("builder")
        root, source = (
            inside(value) or "" if isinstance(value := project.get(each), str) else ""
            for each in ("root", "sourceRoot")
        )
        line = document.line("projects", name, section, "test") or 1
        yield _Target(file, root, source or f"{root}/src".lstrip("/"), options, line)


def _flat(options: Mapping[str, object], line: int = 1) -> Iterator[Setting]:
    """Settings of JSON, as those of a script are read."""
    for name, value in options.items():
        if isinstance(value, str | bool | list):
            yield Setting(path=(name,), value=value, line=line)


def _line(runner: str, file: str, settings: Sequence[Setting]) -> _Line:
    """What a configuration of Jest or Vitest lets through."""
    line = _Line((file.rpartition("/")[0],))
    if any("projects" in each.names for each in settings):
        return line
    for each in settings:
        own = each.outermost if runner == "jest" else each.names[-2:-1] == ("test",)
        name = each.names[-1]
        if not own:
            continue
        # What is for paths as expressions is so in Jest.
        flags = "" if name in ("testRegex", "testPathIgnorePatterns") else None
        patterns = _patterns(each.value, flags)
        if name in ("include", "dir", "testMatch", "testRegex", "roots"):
            if each.known and patterns:
                line.wanted.append(patterns)
        elif name in ("exclude", "testPathIgnorePatterns"):
            line.unwanted += patterns
    return line


def _target_line(target: _Target, said: Sequence[_Said]) -> _Line:
    """What a target of the workspace, with Karma's configuration and its entry, lets through."""
    line = _Line((target.root, target.source_root))
    wanted = _patterns(target.options.get("include"), None)
    if wanted:
        line.wanted.append(wanted)
    line.unwanted += _patterns(target.options.get("exclude"), None)
    karma = inside(str(target.options.get("karmaConfig") or "karma.conf.js"))
    main = inside(str(target.options.get("main") or ""))
    for each in said:
        if each.file == karma and each.name == "exclude" and each.setting.outermost:
            line.unwanted += _patterns(each.setting.value, None)
        if each.file == main and each.name == "require.context" and each.setting.known:
            line.wanted += _context(main or "", each.setting.value)
    return line


def _context(main: str, given: object) -> Iterator[list[tuple[str, str | None]]]:
    """Patterns of what `require.context` asks for: a folder, whether below it, and names."""
    values = items(given)
    expression = mapping(values[2]) if len(values) > 2 else {}
    if isinstance(expression.get("regex"), str) and isinstance(values[0], str):
        yield [(expression["regex"], str(expression.get("flags", "")))]
        folder = inside(f"{main.rpartition('/')[0]}/{values[0]}")
        if folder:
            yield [(folder, None)]


def _patterns(value: object, flags: str | None) -> list[tuple[str, str | None]]:
    values = value if isinstance(value, list) else [value]
    found = [(each, flags) for each in values if isinstance(each, str) and each[:1] != "!"]
    return found + [
        (each["regex"], str(each.get("flags", "")))
        for each in values
        if isinstance(each, dict) and isinstance(each.get("regex"), str)
    ]


# --- scripts ------------------------------------------------------------------------------------


_SAYS = {
    "names": "runs only tests of some names",
    "empty": "passes where there are no tests",
    "none": "passes where there are no tests",
    "passes": "passes whatever tests say",
}


def _check_scripts(
    base: Snapshot, patched: Snapshot, specs: Sequence[str], findings: Findings
) -> None:
    """A script that runs tests still runs them, and fails where they fail."""
    for path in patched.tree.named(MANIFEST):
        if not outside(path, ("node_modules",)):
            continue
        old, new = read_manifest(base.tree, path).scripts, read_manifest(patched.tree, path)
        for name, command in new.scripts.items():
            had = runners_of(old.get(name, ""), old)
            if not had:
                continue
            known = set(faults(old[name], old))
            for each in dict.fromkeys(faults(command, new.scripts)):
                if each in known:
                    continue
                lost = [spec for spec in specs if _loses(each, spec)]
                says = _SAYS.get(each.kind, f"leaves out {len(lost)} of {len(specs)} files")
                few = len(lost) <= (1 - FATAL_RECALL) * len(specs)
                if each.kind == "files" and not lost:
                    continue
                other = each.kind == "none" and not runners_of(command, new.scripts) & had
                doubt = other or (each.kind == "files" and few)
                (findings.warning if doubt else findings.fatal)(
                    CODE,
                    f"The script `{name}` {says}.",
                    file=path,
                    line=new.line(name),
                    expected=old[name],
                    seen=command,
                )


def _loses(fault: Fault, spec: str) -> bool:
    """Does an option of a script leave out this spec?"""
    if fault.kind != "files":
        return False
    places = [spec, spec.partition("/")[2]]
    if "path" in fault.text.lower().partition("=")[0]:
        fits = [expression_matches(fault.pattern, place) for place in places]
    else:
        fits = [matches(fault.pattern, place) for place in places]
    return True in fits if fault.excludes else not (True in fits or None in fits)
