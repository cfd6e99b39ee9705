import pytest

from pytest_benchmac.tracks.maven.sd_feedback.edits import Edit, EditError, apply_edits, read_edits

FILES = {
    "src/A.java": "class A {\n    int one;\n    int two;\n}\n",
    "src/Windows.java": "class W {\r\n    int one;\r\n}\r\n",
    "open.txt": "first\nlast",
    "twice.txt": "a\nb\na\n",
}


def block(path: str, find: str, instead: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{find}=======\n{instead}>>>>>>> REPLACE\n"


def test_blocks_are_read_from_an_answer() -> None:
    answer = (
        "The name is a keyword.\n\n"
        + block("src/A.java", "    int one;\n", "    long one;\n")
        + "\nand a new file:\n```java\n"
        + block("./src/New.java", "", "class New {}\n")
        + "```\n**src/B.java**\n```java\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n```\n"
    )
    assert read_edits(answer) == (
        Edit("src/A.java", "    int one;\n", "    long one;\n"),
        Edit("src/New.java", "", "class New {}\n"),
        Edit("src/B.java", "x\n", ""),
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I would change the version.", "There is no edit block"),
        (block("../etc/passwd", "a\n", "b\n"), "is no file of the project"),
        (block("/etc/passwd", "a\n", "b\n"), "is no file of the project"),
        ("src/A.java\n<<<<<<< SEARCH\na\n=======\nb\n", "There is no edit block"),
        (
            block("src/A.java", "a\n", "b\n") + "src/A.java\n<<<<<<< SEARCH\na\n",
            "is not complete",
        ),
    ],
    ids=["words", "above", "absolute", "no end", "one without an end"],
)
def test_answers_that_do_not_parse(answer: str, why: str) -> None:
    with pytest.raises(EditError, match=why):
        read_edits(answer)


@pytest.mark.parametrize(
    ("edits", "changed"),
    [
        (
            [Edit("src/A.java", "    int one;\n", "    long one;\n")],
            {"src/A.java": "class A {\n    long one;\n    int two;\n}\n"},
        ),
        (
            [
                Edit("src/A.java", "    int one;\n", ""),
                Edit("src/A.java", "    int two;\n", "    int one;\n"),
            ],
            {"src/A.java": "class A {\n    int one;\n}\n"},
        ),
        (
            [Edit("src/Windows.java", "    int one;\n", "    int two;\n    int three;\n")],
            {"src/Windows.java": "class W {\r\n    int two;\r\n    int three;\r\n}\r\n"},
        ),
        ([Edit("open.txt", "last\n", "end\n")], {"open.txt": "first\nend"}),
        ([Edit("new/B.java", "", "class B {}\n")], {"new/B.java": "class B {}\n"}),
        ([Edit("open.txt", "first\nlast\n", "")], {"open.txt": None}),
    ],
    ids=["one", "two of a file", "ends of lines", "no last end", "a new file", "a file that goes"],
)
def test_edits_are_applied(edits: list[Edit], changed: dict[str, str | None]) -> None:
    assert apply_edits(edits, FILES.get) == changed


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Edit("src/None.java", "a\n", "b\n"), "There is no file src/None.java."),
        (Edit("src/A.java", "    int three;\n", ""), "is not in src/A.java"),
        (Edit("src/A.java", "int one;\n", ""), "is not in src/A.java"),
        (Edit("twice.txt", "a\n", "c\n"), "stands 2 times in twice.txt"),
        (Edit("src/A.java", "", "class A {}\n"), "is there already"),
        (Edit("src/A.java", "    int one;\n", "    int one;\n"), "change nothing"),
        (Edit("src/None.java", "", "\n"), "change nothing"),
    ],
    ids=["file", "snippet", "half a line", "ambiguous", "there already", "nothing", "empty"],
)
def test_edits_that_cannot_be_applied(edit: Edit, why: str) -> None:
    with pytest.raises(EditError, match=why):
        apply_edits([edit], FILES.get)
