"""What a system under test is told: made of `benchmark.yml`, with the constraints of the paper."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.rewrite.benchmark import Program
from pytest_benchmac.tracks.rewrite.instance import SOURCE, TARGET, RewriteInstance
from pytest_benchmac.tracks.rewrite.integrity.languages import TARGETS

#: For people.
_NAMES = {"c": "C", "c++": "C++", "javascript": "JavaScript", "typescript": "TypeScript"}


def descriptions_of(instance: Instance) -> dict[str, str]:
    """The one description of an instance's task; none of another track's."""
    if not isinstance(instance, RewriteInstance):
        return {}
    told = instance.benchmark
    text = files("pytest_benchmac.tracks.rewrite") / "prompts" / f"{told.benchmark.type}.txt"
    words = {
        "name": told.benchmark.name,
        "source": SOURCE,
        "target": TARGET,
        "source_language": _name(told.source.language),
        "target_language": _name(told.destination.language),
        "source_description": told.source.description.strip(),
        "target_description": told.destination.description.strip(),
        "source_commands": _commands(told.source),
        "target_commands": _commands(told.destination),
        "port": told.port,
        "health": told.health,
        "start_timeout_s": f"{told.start_timeout_s:g}",
        "absent": ", ".join(instance.toolchain.absent),
        "allowed": ", ".join(instance.dependencies.allowed) or "none but the standard library",
        "endings": ", ".join(TARGETS[told.destination.language].sources),
    }
    return {"task": Template(text.read_text("utf-8")).substitute(words).strip()}


def _name(language: str) -> str:
    return _NAMES.get(language, language.capitalize())


def _commands(side: Program) -> str:
    told = {"install": side.install_cmd, "build": side.build_cmd, "run": side.run_cmd}
    return "\n".join(f"    {name + ':':9}{text or '(nothing)'}" for name, text in told.items())
