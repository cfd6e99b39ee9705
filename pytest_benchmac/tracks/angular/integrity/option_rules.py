"""What all configurations of a workspace build and serve, held against the base's.

A case is built by one configuration, and boots see what that makes. Here are the others, and what
no page shows. Lists of options that may be others, and of those that must not: settings.toml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.tracks.angular.integrity.manifest_rules import listed
from pytest_benchmac.tracks.angular.integrity.server_rules import SERVER
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    mapping,
    merged,
    origin,
    section_of,
    targets_of,
)
from pytest_benchmac.tracks.findings import Findings

_BUILD, _PRODUCTION = "build", "production"
#: So many configurations of a target are looked at, each by itself; or as many as the base has.
_MAX_CONFIGURATIONS = 200
_LISTED = (_BUILD, SERVER, "extract-i18n", "test")
_VENDOR = ("@angular-devkit/build-angular:", "@angular/build:")
#: By which option a target says what it serves; the older name first.
_LEADS = ("browserTarget", "buildTarget")
#: What is there to be replaced: `environments/environment.ts`.
_SETTINGS = "environment"

#: Names of configurations; None for a target's own defaults.
Names = tuple[str, ...] | None


@dataclass(frozen=True)
class _Project:
    """An application's targets, as they are written."""

    workspace: AngularWorkspace
    name: str

    @property
    def targets(self) -> Mapping[str, Mapping[str, Any]]:
        return targets_of(self.workspace.document, self.name)

    def options(self, target: str, names: Names) -> dict[str, Any]:
        return merged(self.targets.get(target, {}), names)

    def configurations(self, target: str) -> frozenset[str]:
        return frozenset(mapping(self.targets.get(target, {}).get("configurations")))

    def built(self, names: Names) -> BuildTarget | None:
        """What configurations build."""
        return self.workspace.built(self.name, names)

    @property
    def released(self) -> BuildTarget | None:
        """What is built for production, or unasked where nothing is."""
        production = _PRODUCTION in self.configurations(_BUILD)
        return self.built((_PRODUCTION,) if production else None)

    def leads(self, target: str, names: Names) -> tuple[str, str, Names] | None:
        """Project, target and configurations that a target of the project takes."""
        options = self.options(target, names)
        given = next((options[each] for each in reversed(_LEADS) if each in options), None)
        parts = given.split(":") if isinstance(given, str) else []
        if len(parts) not in (2, 3):
            return None
        chosen = tuple(parts[2].split(",")) if len(parts) == 3 else None
        return parts[0] or self.name, parts[1], chosen

    def served(self, names: Names) -> tuple[str, str, Names] | None:
        """As `leads`, of its server."""
        return self.leads(SERVER, names)

    def built_unasked(self, names: Names) -> Names:
        """Configurations of its build, where none may be named: its defaults then."""
        if names is not None:
            return names
        default = self.targets.get(_BUILD, {}).get("defaultConfiguration")
        return tuple(default.split(",")) if isinstance(default, str) else None

    def line(self, target: str, names: Names, option: str) -> int | None:
        """The line of an option, where it is set last."""
        project = mapping(mapping(self.workspace.document.value).get("projects")).get(self.name)
        head = ("projects", self.name, section_of(mapping(project)), target)
        places = [(*head, "configurations", each, option) for each in reversed(names or ())]
        for place in [*places, (*head, "options", option), head]:
            if (line := self.workspace.document.line(*place)) is not None:
                return line
        return None


def check_options(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Each configuration starts, replaces and says what the base's of its name does.

    Args:
        base: the untouched base.
        patched: the patched tree.
        findings: where to.
    """
    for target in patched.workspace.applications:
        before = origin(target, base.workspace, patched.workspace)
        if before is None:
            continue
        old = _Project(base.workspace, before.project)
        new = _Project(patched.workspace, target.project)
        if _has_too_many(old, new, findings):
            continue
        _check_started(old, new, findings)
        _check_replaced(old, new, patched, findings)
        _check_served(old, new, findings)
        _check_handed_on(old, new, findings)
        for name in _LISTED:
            _check_listed(name, old, new, findings)


def _has_too_many(old: _Project, new: _Project, findings: Findings) -> bool:
    for target in (_BUILD, SERVER):
        number = len(new.configurations(target))
        most = max(_MAX_CONFIGURATIONS, len(old.configurations(target)))
        if number > most:
            findings.fatal(
                "option-changed",
                f"The target `{target}` has more configurations than are looked at.",
                file=new.workspace.file,
                line=new.line(target, None, "builder"),
                expected=f"at most {most}",
                seen=number,
            )
            return True
    return False


def _asked(old: _Project, new: _Project) -> Iterator[Names]:
    """What somebody builds or serves: configurations that the base has, and defaults."""
    yield None
    for name in sorted(new.configurations(_BUILD)):
        yield (name,)
    for names in (None, *((each,) for each in sorted(old.configurations(SERVER)))):
        served = new.served(names)
        if served is not None and served[2] is not None:
            yield served[2]


def _start(target: BuildTarget | None) -> dict[str, object]:
    """Where an application starts, with what takes its place."""
    main = target.main if target is not None else None
    return {
        "main": _replaced(target).get(main or "", main),
        "index": target.path("index") if target is not None else None,
    }


def _check_started(old: _Project, new: _Project, findings: Findings) -> None:
    """All configurations start where the released one does, or the base's of their name."""
    told: set[tuple[str, object]] = set()
    released = _start(new.released)
    for names in dict.fromkeys(_asked(old, new)):
        named = names is None or set(names) <= old.configurations(_BUILD)
        before = [old.built(each) for each in ([names] if named else _configured(old))]
        for option, value in _start(new.built(names)).items():
            known = {released[option], *(_start(each)[option] for each in before)}
            if value in known or (option, value) in told:
                continue
            told.add((option, value))
            findings.fatal(
                "configuration-starts-other",
                f"{_called(names)} starts in another file than what is built for production.",
                file=new.workspace.file,
                line=new.line(_BUILD, names, "browser" if option == "main" else option),
                expected=released[option],
                seen=value,
            )


def _check_replaced(old: _Project, new: _Project, patched: Snapshot, findings: Findings) -> None:
    """Configurations replace what the base's do, and settings; no part of the application."""
    known = {each for names in _configured(old) for each in _replaced(old.built(names))}
    told: set[str] = set()
    for names in dict.fromkeys(_asked(old, new)):
        for replaced, by in _replaced(new.built(names)).items():
            facts = patched.sources.facts.get(replaced)
            settings = facts is None or (_SETTINGS in replaced and not facts.classes)
            if settings or replaced in known | told:
                continue
            told.add(replaced)
            (findings.fatal if facts and facts.classes else findings.warning)(
                "configuration-replaces",
                f"{_called(names)} has another file in the place of a source.",
                file=new.workspace.file,
                line=new.line(_BUILD, names, "fileReplacements"),
                expected=replaced,
                seen=by,
            )


def _configured(project: _Project) -> list[Names]:
    return [None, *((each,) for each in sorted(project.configurations(_BUILD)))]


def _replaced(target: BuildTarget | None) -> Mapping[str, str]:
    return target.replacements if target is not None else {}


def _check_served(old: _Project, new: _Project, findings: Findings) -> None:
    """The server is the vendor's, and serves its own project's application."""
    before, now = (str(each.targets.get(SERVER, {}).get("builder", "")) for each in (old, new))
    if not before or not now:
        return
    # That of the application itself is looked at by another rule.
    own = str(new.targets[_BUILD].get("builder")).partition(":")[0]
    if now != before and not now.startswith(_VENDOR) and now.partition(":")[0] != own:
        findings.fatal(
            "builder-unknown",
            f"The project {new.name} is served by neither the vendor's builder nor the baseline's.",
            file=new.workspace.file,
            line=new.line(SERVER, None, "builder"),
            expected=before,
            seen=now,
        )
    for names in (None, *((each,) for each in sorted(new.configurations(SERVER)))):
        was, leads = old.served(names), new.served(names)
        if was is None or leads is None or was[:2] != (old.name, _BUILD):
            continue
        if leads[:2] != (new.name, _BUILD):
            findings.fatal(
                "configuration-starts-other",
                f"The server of {new.name} serves another target than its application.",
                file=new.workspace.file,
                line=new.line(SERVER, names, _LEADS[1]),
                expected=f"{new.name}:{_BUILD}",
                seen=":".join(leads[:2]),
            )


def _check_handed_on(old: _Project, new: _Project, findings: Findings) -> None:
    """What other targets take from the build, to deploy it say, is what they took."""
    others = (old.targets.keys() & new.targets.keys()) - {_BUILD, *_LISTED}
    for target in sorted(others):
        shared = sorted(old.configurations(target) & new.configurations(target))
        for names in (None, *((each,) for each in shared)):
            was, leads = old.leads(target, names), new.leads(target, names)
            if was is None or leads is None or was[:2] != (old.name, _BUILD):
                continue
            before, after = old.built_unasked(was[2]), new.built_unasked(leads[2])
            # One that has another name now, or says the same, is no other.
            named = before is None or not set(before) <= new.configurations(_BUILD)
            same = named or new.options(_BUILD, before) == new.options(_BUILD, after)
            if leads[:2] == (new.name, _BUILD) and same:
                continue
            findings.fatal(
                "target-takes-other",
                f"The target `{target}` takes something else than it took.",
                file=new.workspace.file,
                line=new.line(target, names, _LEADS[1]),
                expected=":".join((new.name, _BUILD, *(before or ()))),
                seen=":".join((*leads[:2], *(after or ()))),
            )
            break


def _check_listed(target: str, old: _Project, new: _Project, findings: Findings) -> None:
    """Options that are others than the base's, by the lists."""
    builder = str(new.targets.get(target, {}).get("builder", ""))
    if target == "test" and not builder.startswith(_VENDOR):
        # Other runners have options of their own.
        return
    free, fatal = (listed(target).get(each, {}) for each in ("free", "fatal"))
    shared = sorted(old.configurations(target) & new.configurations(target))
    told: set[str] = set()
    for name in sorted(old.configurations(target) - new.configurations(target)):
        findings.warning(
            "option-changed",
            f"The target `{target}` has no configuration {name} any more.",
            file=new.workspace.file,
            line=new.line(target, None, "builder"),
            expected=name,
            seen=", ".join(sorted(new.configurations(target))) or "none",
        )
    for names in (None, *((each,) for each in shared)):
        before, after = old.options(target, names), new.options(target, names)
        for option in dict.fromkeys([*before, *after]):
            if before.get(option) == after.get(option) or option in free or option in told:
                continue
            harm = fatal.get(option)
            if harm is not None and (option not in after or after[option] in harm["harmless"]):
                continue
            told.add(option)
            (findings.warning if harm is None else findings.fatal)(
                "option-changed",
                f"The target `{target}` says something else by `{option}`"
                + ("." if harm is None else f": {harm['why']}."),
                file=new.workspace.file,
                line=new.line(target, names, option),
                expected=before.get(option, "nothing"),
                seen=after.get(option, "nothing"),
            )


def _called(names: Sequence[str] | None) -> str:
    return f"The configuration {','.join(names)}" if names else "What is built unasked"
