"""Whom the development server answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal
from tests.tracks.angular.integrity.test_automation import as_base


def _serve(tree: Tree, section: str, options: dict[str, Any]) -> None:
    def change(value: Any) -> None:
        serve = value["projects"]["trailbook"]["architect"]["serve"]
        place = serve.setdefault("options", {}) if section == "options" else None
        (serve["configurations"][section] if place is None else place).update(options)

    tree.edit("angular.json", change)


def _start(tree: Tree, command: str) -> None:
    tree.edit("package.json", lambda value: value["scripts"].update(start=command))


@pytest.mark.parametrize(
    ("section", "options", "seen"),
    [
        ("options", {"host": "0.0.0.0"}, "other machines (host 0.0.0.0)"),
        ("options", {"host": "192.168.1.9"}, "other machines (host 192.168.1.9)"),
        ("development", {"disableHostCheck": True}, "pages of any host"),
        ("options", {"allowedHosts": True}, "pages of any host"),
        ("options", {"allowedHosts": ["a.example", "b.example"]}, "pages of a.example, b.example"),
    ],
)
def test_a_server_for_others_is_found(
    tree: Tree, section: str, options: dict[str, Any], seen: str
) -> None:
    _serve(tree, section, options)
    (finding,) = tree.check().findings
    assert (finding.code, finding.seen, finding.file) == ("server-open", seen, "angular.json")
    assert finding.line


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        ("ng serve --host 0.0.0.0", "other machines (host 0.0.0.0)"),
        ("ng s --host=:: --port 80", "other machines (host ::)"),
        ("ng serve --disable-host-check", "pages of any host"),
        ("ng serve --allowed-hosts --open", "pages of any host"),
        ("ng serve --allowed-hosts=a.example", "pages of a.example"),
    ],
)
def test_a_script_that_starts_one_is_found(tree: Tree, command: str, seen: str) -> None:
    _start(tree, command)
    (finding,) = tree.check().findings
    assert (finding.code, finding.seen, finding.file) == ("server-open", seen, "package.json")
    assert finding.line


def test_a_server_for_who_works_on_the_project(tree: Tree) -> None:
    _serve(tree, "options", {"host": "127.0.0.1", "port": 4300, "open": True, "allowedHosts": []})
    _start(tree, "ng serve --host localhost --disable-host-check=false --open")
    assert "server-open" not in fatal(tree.check().findings)


def test_what_was_open_may_be(tree: Tree) -> None:
    """The option has another name from version 19 on."""
    _serve(tree, "options", {"disableHostCheck": True})
    _start(tree, "ng serve --host 0.0.0.0")
    as_base(tree)
    _serve(tree, "options", {"disableHostCheck": False, "allowedHosts": True, "host": "0.0.0.0"})
    _start(tree, "ng serve")
    assert "server-open" not in fatal(tree.check().findings)
    _serve(tree, "options", {"host": "192.168.1.9"})
    assert "server-open" in fatal(tree.check().findings)
