"""Programs that run text as code."""

import pytest

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.tasks.running_text import runs_text


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return eval(x)\n",
        "def f(x):\n    exec(x)\n",
        "run = compile\n",
        "import builtins\nrun = builtins.eval\n",
        "from builtins import exec as run\n",
        "import builtins\nrun = getattr(builtins, 'eval')\n",
        "run = __builtins__['exec']\n",
    ],
)
def test_programs_that_do(text: str) -> None:
    assert runs_text(Program("p", text))
    assert runs_text(Program("p", "x = 1\n", modules={"helpers.py": text}))


@pytest.mark.parametrize(
    "text",
    [
        "import re\nfind = re.compile('a').search\n",
        "evaluate = 'evaluated'\n",
        "x = [b'eval', 1, None, ...]  # eval\n",
        'def f(x):\n    """Does not exec."""\n',
    ],
)
def test_programs_that_do_not(text: str) -> None:
    assert not runs_text(Program("p", text))
