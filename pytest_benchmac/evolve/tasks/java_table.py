"""A translation that is right for the calls that are asked, in their order, and for no others.

It shows that an instance can be compiled, asked and solved, as a silver answer has to. Whoever has
real translations gives them in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.tracks.program.instance import ProgramCase
from pytest_benchmac.tracks.program.literals import read_arguments, read_literal
from pytest_benchmac.tracks.program.running.json_form import NoJsonError, as_json, check_name

#: Characters of one constant: Java has room for 65,535 bytes.
_MOST = 15_000
_BEFORE = """\
import java.nio.charset.StandardCharsets;

public class Answer {{
    private static final String[] TOLD = {{
        {told}
    }};
"""
_METHOD = """\
    private static int asked = 0;

    public static Object {entry}(Object... arguments) {{
        return Main.parse(TOLD[asked++]);
    }}
}}
"""
_MAIN = """\
    private static final String[] GIVEN = {{
        {given}
    }};

    public static void main(String[] words) throws Exception {{
        String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        for (int i = 0; i < GIVEN.length; i++) {{
            if (GIVEN[i].equals(text)) System.out.write(TOLD[i].getBytes(StandardCharsets.UTF_8));
        }}
        System.out.flush();
    }}
}}
"""


def check_translatable(program: Program, cases: Sequence[ProgramCase]) -> None:
    """See that every call, and what comes back, can be said to Java. Raises NoJsonError."""
    if program.entry is not None:
        check_name(program.entry)
    for case in cases:
        for told in (list(read_arguments(case.input)), read_literal(case.output)):
            if len(as_json(told)) > _MOST:
                raise NoJsonError("a value is longer than a constant in Java")


def table_in_java(program: Program, cases: Sequence[ProgramCase], *, wrong: bool = False) -> str:
    """The text of Answer.java.

    Args:
        program: that is translated.
        cases: of it, as `check_translatable` takes them.
        wrong: is it to answer the last call with something else?
    """
    values = [read_literal(case.output) for case in cases]
    if program.entry is None:
        if wrong:
            values[-1] += "!"
        given = [read_literal(case.input) for case in cases]
        before = _BEFORE.format(told=_constants(values))
        return before + "\n" + _MAIN.format(given=_constants(given))
    if wrong:
        values[-1] = [values[-1]]
    before = _BEFORE.format(told=_constants([as_json(each) for each in values]))
    return before + "\n" + _METHOD.format(entry=program.entry)


def _constants(texts: Sequence[str]) -> str:
    return ",\n        ".join(map(_quoted, texts))


def _quoted(text: str) -> str:
    r"""A constant of Java: octal escapes below 128, since \u000a would end the line."""
    content = text.encode("utf-16-le", "surrogatepass")
    made = []
    for unit in (content[at] | content[at + 1] << 8 for at in range(0, len(content), 2)):
        if unit > 127:
            made.append(f"\\u{unit:04x}")
        elif chr(unit).isprintable() and chr(unit) not in '"\\':
            made.append(chr(unit))
        else:
            made.append(f"\\{unit:03o}")
    return '"' + "".join(made) + '"'
