"""Control groups of version 2: what is written where. The sandbox tests use this machine's own."""

from pathlib import Path

import pytest

from pytest_benchmac.model.settings import MIB, Limits
from pytest_benchmac.sandbox import cgroup

LIMITS = Limits(memory_bytes=64 * MIB, pids=10, cpus=1.5)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The top of a version 2 hierarchy that hands memory and pids down.

    Ordinary files take what the kernel's would, which is all that is looked at.
    """
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory pids\n")
    (tmp_path / "cgroup.procs").write_text("")
    return tmp_path


def written(group: cgroup.Cgroup) -> dict[str, str]:
    (folder,) = group.folders
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_limits_are_set(root: Path) -> None:
    (root / "cgroup.subtree_control").write_text("cpu memory pids\n")
    group = cgroup.create("name", LIMITS, root)
    assert group.unenforced == ()
    assert group.folders == (root / "name",)
    # memory.swap.max is left out where the kernel has no such file.
    assert written(group) == {
        "memory.max": str(64 * MIB),
        "pids.max": "10",
        "cpu.max": "150000 100000",
    }
    assert group.procs == (root / "name" / "cgroup.procs",)


def test_a_controller_that_is_not_handed_down_is_asked_for(root: Path) -> None:
    group = cgroup.create("name", LIMITS, root)
    assert (root / "cgroup.subtree_control").read_text() == "+cpu"
    # An ordinary file keeps what is written; this "kernel" has thereby taken all others away.
    assert set(group.unenforced) == {"memory_bytes", "pids", "cpus"}


def test_without_the_controllers_all_is_unenforced(root: Path) -> None:
    (root / "cgroup.subtree_control").unlink()
    (root / "cgroup.subtree_control").mkdir()
    group = cgroup.create("name", LIMITS, root)
    assert group.folders == ()
    assert set(group.unenforced) == {"memory_bytes", "pids", "cpus"}
    assert group.procs == ()
    assert (group.memory_events().kills, group.pids_refused()) == (0, 0)


def test_processors_that_are_not_limited_need_no_controller(root: Path) -> None:
    group = cgroup.create("name", Limits(memory_bytes=64 * MIB, pids=10), root)
    assert group.unenforced == ()
    assert "cpu.max" not in written(group)


def test_counters(root: Path) -> None:
    group = cgroup.create("name", Limits(), root)
    (folder,) = group.folders
    (folder / "memory.events").write_text("low 0\noom 7\noom_kill 3\noom_group_kill 1\n")
    (folder / "pids.events").write_text("max 12\n")
    assert (group.memory_events(), group.pids_refused()) == (cgroup.MemoryEvents(3, 7), 12)


def test_counters_of_version_1(tmp_path: Path) -> None:
    (tmp_path / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    (tmp_path / "memory.limit_in_bytes").write_text("1000\n")
    group = cgroup.Cgroup((tmp_path,), ())
    for most, full in (("400", False), ("999", True)):
        (tmp_path / "memory.max_usage_in_bytes").write_text(f"{most}\n")
        assert group.memory_events() == cgroup.MemoryEvents(2, 0, full)


def test_whose_limit_a_kill_was_for() -> None:
    before = cgroup.MemoryEvents(1, 1)
    assert cgroup.MemoryEvents(1, 2).own_kill_since(before) is None
    assert cgroup.MemoryEvents(2, 1).own_kill_since(before) is False
    assert cgroup.MemoryEvents(2, 2).own_kill_since(before) is True
    assert cgroup.MemoryEvents(2, 1, was_full=True).own_kill_since(before) is True


def test_leftovers_of_another_login_are_removed(root: Path) -> None:
    """Sessions of systemd each have a group: the next run is seldom in that of the killed one."""
    left = root / "user.slice" / "session-1.scope" / "bubblewrap-1234"
    others = left.with_name("bubblewrap-5678")
    for folder in (left, others):
        folder.mkdir(parents=True)
    cgroup.remove_leftovers(left.name, root)
    assert not left.exists()
    assert others.exists()
