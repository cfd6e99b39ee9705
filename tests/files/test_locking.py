"""One process at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_benchmac.files.locking import exclusive

HOLDER = """
import sys
from pathlib import Path
from pytest_benchmac.files.locking import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
    Path(sys.argv[2]).touch()
"""


def test_others_wait_until_the_holder_is_done_or_dead(tmp_path: Path) -> None:
    lock, mark = tmp_path / "folder" / "lock", tmp_path / "mark"
    for killed in (False, True):
        mark.unlink(missing_ok=True)
        command = [sys.executable, "-c", HOLDER, str(lock), str(mark)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdin is not None
            assert holder.stdout.readline() == "held\n"
            if killed:
                holder.kill()
            else:
                holder.stdin.close()
            with exclusive(lock):
                # The holder's last act was inside its block.
                assert mark.exists() is not killed
    assert lock.exists()
