"""What a system under test is told: the prompt that the instance brings."""

from __future__ import annotations

from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.program.instance import PROMPT_FILE, ProgramInstance

_WHERE = """

The program lies in the current folder. Write your answer, and nothing else, to its file {file}.
"""


def descriptions_of(instance: Instance) -> dict[str, str]:
    """The one description of an instance's task; none of another track's."""
    if not isinstance(instance, ProgramInstance):
        return {}
    prompt = (instance.directory / PROMPT_FILE).read_text("utf-8")
    return {"task": prompt.strip() + _WHERE.format(file=instance.answer_file).rstrip()}
