"""Several cases at a time: order, bounds, cancelling, dead workers, and no growth."""

import asyncio
import os
import shutil
import tempfile
import uuid
from pathlib import Path

import pytest

from pytest_benchmac.api import Evaluation, Judge, WorkerDiedError
from pytest_benchmac.model.errors import InfrastructureError
from tests.api.conftest import Toy

#: Patches that the bounded test of growth judges; the whole one is `benchmarks/soak.py`.
_CASES = 24


def _variant(toy: Toy, number: int) -> bytes:
    """The good patch, as another patch each time."""
    return toy.patch("good").read_bytes().replace(b"diff --git", f"# {number}\ndiff --git".encode())


def _workers() -> list[int]:
    """Process ids of this process's workers."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"\x00pytest_benchmac.api\x00" in command and int(stat[1]) == os.getpid():
            found.append(int(folder.name))
    return found


def test_cases_side_by_side_in_two_processes(toy: Toy) -> None:
    instance = toy.instance(build="sh build.sh && sleep 1")
    seen: list[int] = []

    async def judged() -> list[Evaluation]:
        async with Judge(toy.settings, workers=2) as judge:
            names = ("good", "wrong_version", "broken_build")
            asked = [judge.evaluate(instance, toy.patch(name)) for name in names]
            evaluations = await asyncio.gather(*asked)
            seen.extend(_workers())
            return evaluations

    evaluations = asyncio.run(judged())
    assert [each.resolved for each in evaluations] == [True, False, False]
    assert len(seen) == 2
    assert _workers() == []


def test_cancelling_stops_the_case_and_the_next_one_is_judged(toy: Toy) -> None:
    slow = toy.instance(build="sleep 600")

    async def cancelled() -> Evaluation:
        async with Judge(toy.settings, workers=1) as judge:
            task = asyncio.create_task(judge.evaluate(slow, toy.patch("good")))
            while not _sleeping(toy):
                await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not _sleeping(toy)
            shutil.rmtree(slow.directory)
            return await judge.evaluate(toy.instance(), toy.patch("good"))

    assert asyncio.run(cancelled()).resolved
    assert list((toy.settings.reports / "running").iterdir()) == []


def _sleeping(toy: Toy) -> bool:
    """Does a process of the slow build run?"""
    for folder in Path("/proc").iterdir():
        try:
            if (folder / "cmdline").read_bytes() == b"sleep\x00600\x00":
                return True
        except OSError:
            continue
    return False


@pytest.mark.promise("crash")
def test_a_worker_that_dies_takes_its_own_case_alone(toy: Toy) -> None:
    instance = toy.instance(build="sleep 2; sh build.sh")

    async def judged() -> Evaluation:
        async with Judge(toy.settings, workers=1) as judge:
            task = asyncio.create_task(judge.evaluate(instance, toy.patch("good")))
            while not _workers():
                await asyncio.sleep(0.05)
            os.kill(_workers()[0], 9)
            with pytest.raises(WorkerDiedError, match="ended with -9"):
                await task
            return await judge.evaluate(instance, toy.patch("good"))

    assert asyncio.run(judged()).resolved


def _sandboxes_of(sut: str) -> list[Path]:
    """Labels of the local sandboxes that its cases have now."""
    labels = Path(tempfile.gettempdir(), f"benchmac-{os.geteuid()}").glob("local-*/label")
    return [each for each in labels if sut in each.read_text()]


@pytest.mark.promise("crash")
def test_a_dead_workers_sandbox_goes_when_another_takes_its_place(toy: Toy) -> None:
    instance = toy.instance(build="sleep 1; sh build.sh")
    dies = f"dies-{uuid.uuid4().hex}"

    async def judged() -> None:
        async with Judge(toy.settings, workers=1) as judge:
            task = asyncio.create_task(judge.evaluate(instance, toy.patch("good"), sut=dies))
            while not _sandboxes_of(dies):
                await asyncio.sleep(0.05)
            os.kill(_workers()[0], 9)
            with pytest.raises(WorkerDiedError):
                await task
            assert _sandboxes_of(dies)
            await judge.evaluate(instance, toy.patch("good"))

    asyncio.run(judged())
    assert not _sandboxes_of(dies)


def test_leaving_stops_what_is_still_judged(toy: Toy) -> None:
    slow = toy.instance(build="sleep 600")

    async def left() -> None:
        async with Judge(toy.settings, workers=1) as judge:
            task = asyncio.create_task(judge.evaluate(slow, toy.patch("good")))
            waits = asyncio.create_task(judge.evaluate(slow, _variant(toy, 1)))
            while not _sleeping(toy):
                await asyncio.sleep(0.1)
        for each in (task, waits):
            with pytest.raises(WorkerDiedError):
                await each

    asyncio.run(left())
    assert not _sleeping(toy)
    assert _workers() == []


def test_what_cannot_be_judged_is_an_error_with_its_words(toy: Toy) -> None:
    instance = toy.instance()

    async def judged() -> Evaluation:
        async with Judge(toy.settings, workers=1) as judge:
            with pytest.raises(InfrastructureError, match="cannot be read"):
                await judge.evaluate(instance, toy.bench.root / "none.patch")
            return await judge.evaluate(instance, toy.patch("good"))

    assert asyncio.run(judged()).resolved


def test_no_more_wait_than_the_queue_holds(toy: Toy) -> None:
    instance = toy.instance(build="sleep 1; sh build.sh")

    async def waiting() -> int:
        async with Judge(toy.settings, workers=1, queue=1) as judge:
            asked = [
                asyncio.create_task(judge.evaluate(instance, _variant(toy, number)))
                for number in range(4)
            ]
            await asyncio.sleep(0.5)
            # Patches of those that have no room yet are not written anywhere.
            written = len(list((toy.settings.reports / "patches").iterdir()))
            await asyncio.gather(*asked)
            return written

    assert asyncio.run(waiting()) == 2
    with pytest.raises(ValueError, match="workers=0"):
        Judge(toy.settings, workers=0)


def test_a_worker_does_not_grow(toy: Toy) -> None:
    instance = toy.instance()
    sizes: list[tuple[int, int]] = []

    async def judged() -> None:
        async with Judge(toy.settings, workers=1) as judge:
            for number in range(_CASES):
                await judge.evaluate(instance, _variant(toy, number))
                (worker,) = _workers()
                resident = int(Path(f"/proc/{worker}/statm").read_text().split()[1])
                sizes.append((resident * 4096, len(list(Path(f"/proc/{worker}/fd").iterdir()))))

    asyncio.run(judged())
    memory = [each[0] for each in sizes]
    assert memory[-1] - memory[_CASES // 2] < 4 * 1024 * 1024
    assert len({each[1] for each in sizes[2:]}) == 1
