"""What systems under test are told: templates, of the package or of the user."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.program.instance import ProgramCase, TaskKind

_PACKAGED = files("pytest_benchmac.evolve.tasks") / "prompts"
_EXAMPLE = """\
Here is an example of such a task:

{question}

Its answer:

{answer}

Now the task.

"""
_ARGUMENTS = "Write them as Python literals, as they stand between the parentheses: 3, 'a', [1, 2]"
_TEXT = "Write it as one Python string, such as 'two\\nlines\\n'."
_METHOD = """\
It is called as the static method {entry} of the class Answer, with arguments that are made of JSON:
declare parameters as int, long, double, boolean, String, List<...>, Map<String, ...>, arrays of
these, or Object where several types come. What it returns is written as JSON."""
_MAIN = "It has the method main, reads standard input and prints to standard output."


class Prompts:
    """The templates of all tasks.

    Args:
        folder: of the user, with files `input.txt`, `output.txt`, `translate.txt`, `repair.txt`;
            those that are not there are the package's.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def question(
        self, kind: TaskKind, program: Program, case: ProgramCase, example: str = ""
    ) -> str:
        """The text of a task.

        Args:
            kind: of the task.
            program: what is asked about; for a repair, with its faults.
            case: what input and output prediction ask about.
            example: of `example`.

        Raises:
            InputError: a template of the user's cannot be read, or names what there is not.
        """
        printed = program.entry is None
        call = f"{program.entry}({case.input})"
        if printed:
            call = f"python {program.file}, with standard input {case.input}"
        if kind == "input":
            call = f"python {program.file}" if printed else f"{program.entry}(...)"
        words = {
            "example": example,
            "program": listing(program),
            "entry": program.entry or f"python {program.file}",
            "file": program.file,
            "call": call,
            "input": case.input,
            "output": case.output,
            "input_form": _TEXT if printed else _ARGUMENTS,
            "output_form": _TEXT if printed else "",
            "java_form": _MAIN if printed else _METHOD.format(entry=program.entry),
        }
        text, where = self._text(kind)
        try:
            return Template(text).substitute(words)
        except (KeyError, ValueError) as error:
            raise InputError(
                f"is no template of a prompt: {error}",
                where=where,
                remedy=f"Names that it may have: {', '.join(f'${name}' for name in words)}.",
            ) from None

    def example(self, kind: TaskKind, program: Program, case: ProgramCase, answer: str) -> str:
        """A question with its answer, to stand before another one."""
        question = self.question(kind, program, case)
        return _EXAMPLE.format(question=question.strip(), answer=answer.strip())

    def _text(self, kind: TaskKind) -> tuple[str, str]:
        if self._folder is not None and (own := self._folder / f"{kind}.txt").is_file():
            try:
                return own.read_text("utf-8"), str(own)
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"cannot be read: {error}", where=own) from None
        return (_PACKAGED / f"{kind}.txt").read_text("utf-8"), f"{kind}.txt"


def listing(program: Program) -> str:
    """The text of a program's files, each in a block with its name."""
    texts: Mapping[str, str] = {program.file: program.main, **program.modules}
    blocks = [f"```python\n# {name}\n{text.strip()}\n```" for name, text in texts.items()]
    return "\n\n".join(blocks)
