"""Addresses of hosts: which a patch may add, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Base, Tree, fatal

PAGE = "src/app/home/home.component.html"
SHEET = "src/styles.scss"
HOST = "collect.example"


def found(tree: Tree) -> set[str]:
    return fatal(tree.check().findings)


@pytest.mark.parametrize(
    "text",
    [
        f'<link rel="stylesheet" href="https://{HOST}/a.css" />',
        f'<link rel="preconnect" href="//{HOST}" />',
        f"<link rel=icon href=HTTPS:\\\\{HOST}/a.svg>",
        f'<img src="&#104;ttps:&#x2f;/{HOST}/a.svg" />',
        f'<img srcset="a.svg 1x, //{HOST}/a.svg 2x" />',
        f'<img src="ht\ntps://{HOST}/a.svg" />',
        f'<img src="https://www.w3.org@{HOST}/a.svg" />',
        f"<img [src]=\"'https://{HOST}/' + id\" />",
        f'<a href="/" ping="http:{HOST}/">More</a>',
        '<img src="//134744072/a.svg" />',
        '<img src="https://[2001:db8::1]/a.svg" />',
        f'<meta property="og:image" content="https://{HOST}/a.png" />',
        f'<p style="background: url(//{HOST}/a.svg)"></p>',
        f"<style>@import 'https://{HOST}/a.css';</style>",
        f'<!-- a --><img src="wss://{HOST}" /><!-- b -->',
        f'<a href="https://{HOST}/">More</a><img src="https://{HOST}/a.svg" />',
    ],
)
def test_templates_and_pages_lead_to_no_new_host(tree: Tree, text: str) -> None:
    tree.append(PAGE, text)
    assert "new-host" in found(tree)


def test_where_people_are_led_by_a_link_is_told(tree: Tree) -> None:
    tree.append(PAGE, f'<a class="more" href="http:{HOST}/">More</a>')
    assert found(tree) == set()
    assert "new-host" in {each.code for each in tree.check().findings}


@pytest.mark.parametrize(
    "text",
    [
        f"<!-- https://{HOST}/a.css -->",
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="https://names.example/x"></svg>',
        '<a href="http://localhost:4200/">More</a>',
        '<a href="http://127.0.0.1:4200/">More</a>',
        '<a routerLink="/trails//all">More</a>',
        f'<input placeholder="https://{HOST}/" />',
        f"<p>See {HOST} // or not</p>",
        "<a [href]=\"'https://' + host\">More</a>",
        '<a href="https://{{ host }}/">More</a>',
    ],
)
def test_what_leads_nowhere_in_a_page_is_no_finding(tree: Tree, text: str) -> None:
    tree.append(PAGE, text)
    assert found(tree) == set()


@pytest.mark.parametrize(
    "text",
    [
        f"@import 'https://{HOST}/a.css';",
        f"@import url(//{HOST}/a.css);",
        f'.a {{ background: url("https:\\2f\\2f {HOST}/a.svg") }}',
        f"/* a */ .a {{ background: url(http://{HOST}/a.svg) }} /* b */",
    ],
)
def test_style_sheets_lead_to_no_new_host(tree: Tree, text: str) -> None:
    tree.append(SHEET, f"\n{text}\n")
    (finding,) = tree.check().findings
    assert finding.code == "new-host"
    assert finding.file == SHEET
    assert finding.line == len(tree.text(SHEET).splitlines())
    assert HOST in finding.message


@pytest.mark.parametrize(
    "text",
    [
        f"// see https://{HOST}/\n/* and http://{HOST}/ */",
        ".a { background: url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'\") }",
        ".a { background: url(/a//b.svg) }",
    ],
)
def test_comments_and_namespaces_in_style_sheets_are_no_finding(tree: Tree, text: str) -> None:
    tree.append(SHEET, f"\n{text}\n")
    assert found(tree) == set()


def test_templates_and_styles_within_components_count(tree: Tree) -> None:
    for part in (f"template: '<img src=\"//{HOST}/a\">'", f"styles: ['@import \"//{HOST}/a\"']"):
        tree.write(
            "src/app/a.ts",
            "import { Component } from '@angular/core';\n"
            f"@Component({{ selector: 'tb-a', {part} }})\nexport class A {{}}\n",
        )
        assert "new-host" in found(tree)


PROXY = {"/api": {"target": f"https://{HOST}"}}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("proxy.conf.json", json.dumps(PROXY)),
        ("proxy.conf.json", f'{{"/api": {{"target": "https:\\/\\/{HOST}"}}}}'),
        ("proxy.conf.json", f'{{"/api": {{"target": "https:\\/\\/{HOST}"}}'),
        ("proxy.conf.js", f"module.exports = {{ '/api': {{ target: 'https://{HOST}' }} }};"),
        ("ngsw-config.json", json.dumps({"dataGroups": [{"urls": [f"wss://{HOST}/**"]}]})),
        ("public/manifest.webmanifest", json.dumps({"start_url": f"//{HOST}/"})),
        ("tools/package.json", json.dumps({"config": {"from": f"http://{HOST}"}})),
    ],
)
def test_configuration_leads_to_no_new_host(tree: Tree, path: str, text: str) -> None:
    tree.write(path, text)
    assert "new-host" in found(tree)


def test_proxy_of_any_name_counts(tree: Tree) -> None:
    def serve(value: Any) -> None:
        value["projects"]["trailbook"]["architect"]["serve"]["options"] = {
            "proxyConfig": "./tools/to.mjs"
        }

    tree.write("tools/to.mjs", f"export default {{ '/api': {{ target: `https://{HOST}` }} }};")
    assert found(tree) == set()
    tree.edit("angular.json", serve)
    assert found(tree) == {"new-host"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("proxy.conf.json", json.dumps({"/api": {"target": "http://localhost:3000"}})),
        ("proxy.conf.json", json.dumps({"/api": {"target": "http://[::1]:3000"}})),
        (".prettierrc.json", json.dumps({"$schema": f"https://{HOST}/prettierrc"})),
        (".vscode/launch.json", f"{{\n  // see https://{HOST}/\n  /* https://{HOST} */\n}}"),
        ("jest.config.json", json.dumps({"transformIgnorePatterns": ["a//b", "\\\\.mjs$"]})),
        ("yarn.lock", f'a@1:\n  resolved "https://{HOST}/a.tgz"\n'),
        ("README.md", f"See https://{HOST}/.\n"),
        ("src/app/a.ts", f"// see https://{HOST}/\nexport const A = 1;\n"),
        ("eslint.config.js", f"// see https://{HOST}/ 'and so on'\nmodule.exports = [];\n"),
        (".github/ISSUE_TEMPLATE/config.yml", f"url: https://{HOST}/\n"),
    ],
)
def test_honest_configuration_is_no_finding(tree: Tree, path: str, text: str) -> None:
    tree.write(path, text)
    assert found(tree) == set()


def test_documentation_in_package_json_is_no_finding(tree: Tree) -> None:
    def document(value: dict[str, Any]) -> None:
        value |= {
            "homepage": f"https://{HOST}/",
            "repository": {"type": "git", "url": f"git+https://{HOST}/a.git"},
            "bugs": {"url": f"https://{HOST}/"},
            "author": f"A <a@{HOST}> (https://{HOST})",
        }

    tree.edit("package.json", document)
    assert found(tree) == set()
    tree.edit("package.json", lambda v: v["scripts"].update(a=f"report https://{HOST}/"))
    assert found(tree) == {"new-host"}


def test_hosts_of_the_base_may_move(base: Base, tmp_path: Path) -> None:
    old = base.copy(tmp_path / "base")
    old.write("src/environments/api.ts", "export const API = 'https://api.trailbook.example/v1';\n")
    old.write("README.md", f"See https://{HOST}/.\n")
    changed = Base.__new__(Base)
    changed.name, changed.target, changed.folder = base.name, base.target, old.root
    changed.snapshot = type(base.snapshot).scan(old.root, base.snapshot.build_command)
    tree = changed.copy(tmp_path / "patched")
    tree.write("proxy.conf.json", '{"/api": {"target": "https://api.trailbook.example"}}')
    assert found(tree) == set()
    for host in ("trailbook.example", "api.trailbook.example.com", f"www.{HOST}", HOST):
        tree.write("proxy.conf.json", f'{{"/api": {{"target": "https://{host}"}}}}')
        assert found(tree) == {"new-host"}, host


def _with_environments(tree: Tree, development: str) -> None:
    """Settings by configuration; those for development are what takes the other's place."""
    tree.write("src/environments/environment.ts", "export const environment = { api: '/api' };\n")
    tree.write("src/environments/environment.development.ts", development)
    tree.build(
        lambda value: value["development"].update(
            fileReplacements=[
                {
                    "replace": "src/environments/environment.ts",
                    "with": "src/environments/environment.development.ts",
                }
            ]
        ),
        "configurations",
    )


@pytest.mark.parametrize("behind", ["", "import './settings';\n"])
def test_sources_of_other_configurations_lead_to_no_new_host(tree: Tree, behind: str) -> None:
    settings = f"export const environment = {{ api: 'https://{HOST}/api' }};\n"
    _with_environments(tree, behind or settings)
    tree.write("src/environments/settings.ts", settings)
    assert found(tree) == {"new-host"}


@pytest.mark.parametrize("api", ["http://localhost:3000/api", "/api", "https://angular.dev/api"])
def test_sources_of_other_configurations(tree: Tree, api: str) -> None:
    _with_environments(tree, f"export const environment = {{ api: '{api}' }};\n")
    assert found(tree) == set()


def test_what_a_case_is_built_of_is_seen_by_boots(tree: Tree) -> None:
    """In older projects the settings for production take the place of those for development."""
    tree.write("src/environments/environment.ts", "export const environment = { api: '/api' };\n")
    tree.write(
        "src/environments/environment.prod.ts",
        f"export const environment = {{ api: 'https://{HOST}' }};\n",
    )
    tree.build(
        lambda value: value["production"].update(
            fileReplacements=[
                {
                    "replace": "src/environments/environment.ts",
                    "with": "src/environments/environment.prod.ts",
                }
            ]
        ),
        "configurations",
    )
    assert "new-host" not in found(tree)
