"""What a node lacks comes from the driver's machine, whole, and by its digest."""

from __future__ import annotations

import hashlib
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.executors.ray.head import PIECE_BYTES, Head
from pytest_benchmac.executors.ray.loading import load, load_all
from pytest_benchmac.executors.ray.orders import Export, NodeError, Order, digest_of, fingerprint
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission

CASE = Case(instance_id="a_v1_to_v2", sut="sut")


class Machines:
    """A driver's machine and a node, which asks it without a network between."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.there, self.here = root / "head", root / "node"
        self.head = Head(self.there)
        self.asked: list[str] = []

    def ask(self, method: str, *arguments: Any) -> Any:
        self.asked.append(method)
        return getattr(self.head, method)(*arguments)

    def offer(self, name: str, content: bytes) -> Export:
        path = self.there / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        export = Export(name, digest_of(path))
        self.head.offer(export, path)
        return export

    def offer_tree(self, name: str, inside: str) -> Export:
        (self.root / "tree").mkdir(exist_ok=True)
        (self.root / "tree" / "file").write_text("text")
        tar = self.root / "tree.tar"
        with tarfile.open(tar, "w") as file:
            file.add(self.root / "tree", inside)
        return self.offer(name, tar.read_bytes())

    def order(self, **changes: Any) -> Order:
        given: dict[str, Any] = {
            "fingerprint": fingerprint(),
            "settings": Settings(reports=self.root),
            "submission": Submission(case=CASE),
            "instance": self.offer_tree("instances/a_v1_to_v2", "a_v1_to_v2"),
            "patch": None,
            "bases": (),
            "source": None,
            "source_sha256": "",
            "facts": "",
            "store": False,
        }
        return Order(**{**given, **changes})

    def load(self, order: Order) -> tuple[Path, Path | None]:
        (self.root / "scratch").mkdir(exist_ok=True)
        return load_all(order, self.here, self.root / "scratch", self.ask)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def test_an_empty_cache_gets_all_of_it_once(machines: Machines) -> None:
    base = os.urandom(PIECE_BYTES + 1)
    order = machines.order(
        bases=(machines.offer("bases/key.tar", base),),
        patch=machines.offer("patch", b"--- a\n"),
        source=machines.offer_tree("sources/git-1", "."),
        source_sha256="1" * 64,
        facts="facts/key.json",
    )
    machines.offer("facts/key.json", b"{}")
    folder, patch = machines.load(order)
    assert (folder / "file").read_text() == "text"
    assert folder.name == CASE.instance_id
    assert patch is not None
    assert patch.read_bytes() == b"--- a\n"
    tar = machines.here / "bases" / "key.tar"
    assert tar.read_bytes() == base
    assert tar.with_suffix(".sha256").read_text() == hashlib.sha256(base).hexdigest()
    assert (machines.here / "sources/git-1/file").read_text() == "text"
    assert (machines.here / "sources/git-1.sha256").read_text() == "1" * 64
    assert (machines.here / "facts/key.json").read_bytes() == b"{}"
    machines.asked.clear()
    machines.load(order)
    # A patch is the case's own; its end is a second answer.
    assert machines.asked == ["read", "read"]


def test_another_base_of_the_same_recipe_is_replaced(machines: Machines) -> None:
    tar = machines.here / "bases" / "key.tar"
    tar.parent.mkdir(parents=True)
    tar.write_bytes(b"bootstrapped here")
    tar.with_suffix(".sha256").write_text(hashlib.sha256(b"bootstrapped here").hexdigest())
    base = machines.offer("bases/key.tar", b"bootstrapped there")
    machines.load(machines.order(bases=(base,)))
    assert tar.read_bytes() == b"bootstrapped there"
    assert tar.with_suffix(".sha256").read_text() == base.sha256


def test_what_does_not_come_whole_is_not_kept(machines: Machines) -> None:
    export = machines.offer("bases/key.tar", b"whole")
    (machines.there / "bases/key.tar").write_bytes(b"hole")
    with pytest.raises(NodeError, match=r"bases/key\.tar did not come whole"):
        machines.load(machines.order(bases=(export,)))
    assert list((machines.here / "bases").glob("*.tar")) == []
    with pytest.raises(NodeError):
        load(export, machines.root / "file", machines.ask)
    assert not (machines.root / "file").exists()


def test_facts_that_nobody_has_are_learnt_here(machines: Machines) -> None:
    machines.load(machines.order(facts="facts/none.json"))
    assert not (machines.here / "facts/none.json").exists()


def test_offline_all_registry_answers_come_along(machines: Machines) -> None:
    stored = machines.there / "http" / "blobs" / "aa" / "one"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"answer")
    os.utime(stored, (1_000_000, 1_000_000))
    stored.with_name(".writing-x").write_bytes(b"half")
    order = machines.order(store=True)
    machines.load(order)
    loaded = machines.here / "http" / "blobs" / "aa" / "one"
    assert loaded.read_bytes() == b"answer"
    # As old as it was there: whether it is current depends on it.
    assert loaded.stat().st_mtime == 1_000_000
    assert [each.name for each in loaded.parent.iterdir()] == ["one"]
    machines.asked.clear()
    machines.load(order)
    assert machines.asked == ["stored"]


def test_nothing_but_what_is_offered_can_be_read(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(KeyError):
        machines.head.read(Export("secret", digest_of(tmp_path / "secret")), 0)
    with pytest.raises(ValueError, match="is no registry answer"):
        machines.head.read_stored("../../secret")
