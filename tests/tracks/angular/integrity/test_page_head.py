"""What the head of the entry page may say differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.page_head import check_head
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.findings import Findings
from tests.tracks.angular.angular_trees import Base, Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

OLD = """<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="index, follow">
<meta name="description" content="A log">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'">
<meta http-equiv="X-UA-Compatible" content="IE=edge">
<meta property="og:title" content="Trails">
<link rel="canonical" href="https://trails.example/">
<link rel="shortcut icon" href="favicon.ico">
<link rel="manifest" href="manifest.json">
<link rel="preconnect" href="https://fonts.example">
</head>"""
TARGET = BuildTarget("a", "application", "", "src", "", {"index": "src/index.html"}, 1)


def found(folder: Path, page: str, before: str = OLD) -> set[str]:
    trees = []
    for name, text in (("old", before), ("new", page)):
        (folder / name / "src").mkdir(parents=True)
        (folder / name / "src/index.html").write_text(text)
        trees.append(SourceTree.scan(folder / name))
    findings = Findings()
    check_head(TARGET, [TARGET], (trees[0], trees[1]), findings)
    return fatal(findings.result())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("initial-scale=1", "initial-scale=1, maximum-scale=1, user-scalable=no"),
        ("width=device-width", "width=980"),
        ('name="viewport"', 'name="view"'),
        ("index, follow", "noindex"),
        ('<meta name="robots" content="index, follow">', ""),
        ("default-src 'self'", "default-src 'none'"),
        ("Trails", "Closed"),
        ("https://trails.example/", "https://trails.example/closed"),
        ("favicon.ico", "https://trails.example/favicon.ico"),
        ("favicon.ico", "//trails.example/favicon.ico"),
        ('<link rel="manifest" href="manifest.json">', ""),
        ("</head>", '<meta name="Googlebot" content="none"></head>'),
        ("</head>", '<meta name="referrer" content="unsafe-url"></head>'),
        ("</head>", '<link rel="alternate" href="https://other.example/"></head>'),
        ("<head>", '<html translate="no"><head>'),
        ("<head>", "<HTML TRANSLATE = NO ><head>"),
        ("</head>", '</head><body class="mat-typography notranslate">'),
        ("</head>", '</head><body><app-root translate="no"></app-root>'),
        ("</head>", '<meta name="google" content="notranslate"></head>'),
        ("</head>", '<meta name="Google" value="noTranslate"></head>'),
    ],
)
def test_head_says_something_else(tmp_path: Path, old: str, new: str) -> None:
    assert old in OLD
    assert found(tmp_path, OLD.replace(old, new)) == {"page-told"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("initial-scale=1", "initial-scale = 1.0 "),
        ("width=device-width, initial-scale=1", "initial-scale=1;width=device-width"),
        ("initial-scale=1", "initial-scale=1, shrink-to-fit=no"),
        ("index, follow", "FOLLOW,index"),
        ("A log", "A log of hikes"),
        ('<meta http-equiv="X-UA-Compatible" content="IE=edge">', '<meta charset="utf-8">'),
        ("</head>", '<meta name="theme-color" content="#fff"></head>'),
        ("</head>", '<meta property="og:image" content="a.png"></head>'),
        ("shortcut icon", "icon"),
        ("favicon.ico", "/assets/favicon.svg"),
        ("favicon.ico", "data:image/svg+xml,a"),
        ("manifest.json", "manifest.webmanifest"),
        ('<link rel="preconnect" href="https://fonts.example">', ""),
        (' content="A log"', "\n  content='A log' /"),
        ("<head>", '<html translate="yes" class="no-js"><head>'),
        ("</head>", '</head><body><span class="icon notranslate">home</span>'),
        ("</head>", '</head><body><ion-icon translate="no"></ion-icon>'),
        ("</head>", '<meta name="google" content="nositelinkssearchbox"></head>'),
        ("</head>", '<!-- <body translate="no"> --></head>'),
    ],
)
def test_head_says_the_same(tmp_path: Path, old: str, new: str) -> None:
    assert old in OLD
    assert found(tmp_path, OLD.replace(old, new)) == set()


def test_what_is_said_for_the_first_time(tmp_path: Path) -> None:
    cases = {
        '<meta name="viewport" content="width=device-width">': set(),
        '<meta name="viewport" content="user-scalable=0">': {"page-told"},
        '<meta http-equiv="content-security-policy" content="img-src a">': {"page-told"},
        '<link rel="canonical" href="/">': {"page-told"},
        '<link rel="icon" href="a.svg">': set(),
    }
    for number, (text, codes) in enumerate(cases.items()):
        assert found(tmp_path / str(number), text, "<head></head>") == codes


UNTRANSLATED = '<html translate="no"><meta name="google" content="notranslate">'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ('<html translate="no">', '<html class="notranslate">'),
        ('<html translate="no">', '<html><body translate="no">'),
        ('<html translate="no">', "<html>"),
        ('<meta name="google" content="notranslate">', ""),
        ('content="notranslate"', 'value="notranslate"'),
    ],
)
def test_page_that_was_not_translated_before(tmp_path: Path, old: str, new: str) -> None:
    assert found(tmp_path, UNTRANSLATED.replace(old, new), UNTRANSLATED) == set()


def test_page_that_no_finger_enlarges(tmp_path: Path) -> None:
    tree: Tree = Base("trailbook_v18_to_v19", 19).copy(tmp_path / "patched")
    tree.replace("src/index.html", "initial-scale=1", "initial-scale=1, user-scalable=no")
    (finding,) = tree.check().findings
    assert finding.code == "page-told"
    assert "viewport" in finding.message
    assert finding.line == 7
    assert finding.expected == "width=device-width, initial-scale=1"


def test_descriptions_are_told(tree: Tree) -> None:
    words = '<meta name="description" content="A log of  hikes" />'
    tree.replace("src/index.html", "</head>", f"{words}</head>")
    findings = tree.check().findings
    assert (fatal(findings), warned(findings)) == (set(), {"page-described"})
    as_base(tree)
    tree.replace("src/index.html", "of  hikes", "of hikes")
    assert tree.check().findings == ()
