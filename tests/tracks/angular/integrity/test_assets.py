"""What a build copies beside its bundles, and what is in it."""

from __future__ import annotations

import base64
import io
import struct

import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from pytest_benchmac.tracks.angular.integrity.asset_pictures import shows_nothing
from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{}</svg>\n'
_LINK = '<link rel="icon" type="image/svg+xml" href="favicon.svg" />'


def told(tree: Tree) -> tuple[set[str], set[str]]:
    findings = tree.check().findings
    return fatal(findings), warned(findings)


def png(*, blank: bool, kind: str = "PNG") -> bytes:
    picture = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    if not blank:
        ImageDraw.Draw(picture).ellipse((4, 4, 28, 28), fill=(200, 30, 30, 255))
    written = io.BytesIO()
    picture.save(written, kind)
    return written.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        _SVG.format(""),
        _SVG.format("<!-- <path d='M2 28 12 8l6 11 3-5 9 14z'/> -->"),
        _SVG.format('<path d="M2 28 12 8l6 11 3-5 9 14z" opacity="0"/>'),
        _SVG.format('<path d="M2 28 12 8l6 11 3-5 9 14z" style="display: none"/>'),
        "",
    ],
)
def test_an_icon_of_nothing(tree: Tree, content: str) -> None:
    tree.write("public/favicon.svg", content)
    assert "asset-emptied" in told(tree)[0]


def test_another_icon_is_told(tree: Tree) -> None:
    tree.write("public/favicon.svg", _SVG.format('<circle cx="16" cy="16" r="9" opacity="0.5"/>'))
    assert told(tree) == (set(), {"asset-changed"})


def test_other_line_endings_are_no_other_file(tree: Tree) -> None:
    text = tree.text("public/favicon.svg")
    tree.write("public/favicon.svg", text.replace("\n", "\r\n").encode())
    assert told(tree) == (set(), set())


@pytest.mark.parametrize(
    ("link", "found"),
    [
        (_LINK.replace("favicon.svg", "other.svg"), True),
        (_LINK.replace("favicon.svg", "none.svg"), True),
        (_LINK.replace("favicon.svg", "data:image/svg+xml,%3Csvg/%3E"), True),
        (_LINK.replace("favicon.svg", "good.png"), False),
        (_LINK.replace("favicon.svg", "/favicon.svg?v=2"), False),
        (f"{_LINK}{_LINK}".replace("favicon.svg", "other.svg", 1), True),
    ],
)
def test_icons_that_the_page_names(tree: Tree, link: str, found: bool) -> None:
    tree.write("public/other.svg", _SVG.format("<g/>"))
    tree.write("public/good.png", png(blank=False))
    tree.replace("src/index.html", _LINK, link)
    assert ("asset-emptied" in told(tree)[0]) == found


def test_an_icon_in_an_address(tree: Tree) -> None:
    picture = base64.b64encode(png(blank=False)).decode()
    tree.replace("src/index.html", 'href="favicon.svg"', f'href="data:image/png;base64,{picture}"')
    assert "asset-emptied" not in told(tree)[0]


@pytest.mark.parametrize("kind", ["PNG", "ICO", "GIF"])
def test_pictures_of_dots(tree: Tree, kind: str) -> None:
    path = f"public/mark.{kind.lower()}"
    tree.write(path, png(blank=False, kind=kind))
    as_base(tree)
    tree.write(path, png(blank=True, kind=kind))
    assert told(tree)[0] == {"asset-emptied"}
    tree.write(path, b"no picture")
    assert told(tree)[0] == {"asset-emptied"}


def test_an_icon_that_says_to_be_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is not decoded if it is large; and what is broken is no picture."""
    large = io.BytesIO()
    Image.new("1", (9000, 9000)).save(large, "PNG")
    entry = struct.pack("<4B2H2I", 16, 16, 0, 0, 1, 32, large.tell(), 22)
    content = b"\0\0\1\0\1\0" + entry + large.getvalue()
    decoded: list[object] = []
    monkeypatch.setattr(PngImagePlugin.PngImageFile, "load", decoded.append)
    assert not shows_nothing("favicon.ico", content)
    assert not decoded
    assert shows_nothing("favicon.ico", b"\0\0\1\0\0\0")


def test_more_icons_than_are_looked_at(tree: Tree) -> None:
    links = "".join(_LINK.replace("favicon.svg", f"favicon.svg?{at}") for at in range(51))
    tree.replace("src/index.html", _LINK, links)
    assert "asset-emptied" in told(tree)[0]
    tree.replace("src/index.html", links, _LINK * 51)
    assert told(tree) == (set(), set())


def test_icons_of_kinds_that_are_not_looked_at(tree: Tree) -> None:
    tree.replace("src/index.html", 'href="favicon.svg"', 'href="data:image/webp;base64,UklGRg=="')
    assert "asset-emptied" not in told(tree)[0]


def test_data_that_is_gone_or_another(tree: Tree) -> None:
    tree.write("public/huts.json", "[1, 2]\n")
    as_base(tree)
    tree.write("public/huts.json", "[1, 2, 3]\n")
    assert told(tree) == (set(), {"asset-changed"})
    tree.write("public/huts.json", "[1, 2]\n" + " " * 2**22)
    assert told(tree) == (set(), {"asset-changed"})
    tree.write("public/huts.json", "\n")
    assert told(tree) == ({"asset-emptied"}, set())


@pytest.mark.parametrize(
    ("name", "text", "fatally"),
    [
        (".htaccess", "Require all denied\n", True),
        (".htaccess", "RewriteEngine On\nRewriteRule ^ - [F]\n", True),
        (".htaccess", '<FilesMatch ".*">\nRequire all denied\n</FilesMatch>\n', True),
        (".htaccess", "Redirect 410 /\n", True),
        (".htaccess", "<LimitExcept POST>\nRequire all denied\n</LimitExcept>\n", True),
        (".htaccess", "<Limit GET POST>\nDeny from all\n</Limit>\n", True),
        (".htaccess", "<LimitExcept GET HEAD>\nRequire all denied\n</LimitExcept>\n", False),
        (".htaccess", "<Limit PUT>\nDeny from all\n</Limit>\n", False),
        (".htaccess", "<Files a.md>\n</Files>\n<IfModule m>\nDeny from all\n</IfModule>\n", True),
        (".htaccess", "<Files a.md>\n<IfModule m>\nDeny from all\n</IfModule>\n</Files>\n", False),
        (".htaccess", '<FilesMatch "^\\.env">\nRequire all denied\n</FilesMatch>\n', False),
        (
            ".htaccess",
            "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [L]\n"
            "RewriteRule ^ /index.html\nRewriteCond %{HTTPS} off\n"
            "RewriteRule (.*) https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]\n",
            False,
        ),
        (
            ".htaccess",
            "RewriteCond %{HTTP_HOST} !^www [NC]\nRewriteRule ^(.*)$ https://www.a.test/$1 [R]\n",
            False,
        ),
        (".htaccess", "RewriteCond %{HTTP_HOST} .\nRewriteRule ^ - [F]\n", True),
        (
            ".htaccess",
            "RewriteCond %{HTTPS} off\nRewriteRule ^a$ /b [R]\nRewriteRule ^ /gone [R]\n",
            True,
        ),
        ("_redirects", "/*  /en/index.html  200\n", False),
        ("_redirects", "/*  /en/index.html  410\n", True),
        ("_redirects", "/*  /gone.html  410\n", True),
        ("_redirects", "/*  https://other.invalid/:splat\n", True),
        ("_redirects", "/old /new 301\n/*  /index.html  200\n", False),
        ("robots.txt", "User-agent: *\nDisallow: /\n", True),
        ("robots.txt", "User-agent: some\nUser-agent: *\nDisallow: /\n", True),
        ("robots.txt", "User-agent: some\nDisallow: /\n\nUser-agent: *\nDisallow: /in\n", False),
        ("CNAME", "trails.invalid\n", False),
    ],
)
def test_new_orders_for_servers(tree: Tree, name: str, text: str, fatally: bool) -> None:
    tree.write(f"public/{name}", text)
    fatals, warnings = told(tree)
    assert ("server-file" in fatals, "server-file" in warnings) == (fatally, not fatally)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("robots.txt", "User-agent: *\nDisallow: /\n"),
        ("_redirects", "/* https://other.invalid/:splat 301\n"),
    ],
)
def test_orders_that_the_base_has_beside_others(tree: Tree, name: str, text: str) -> None:
    tree.write(f"public/{name}", text)
    as_base(tree)
    tree.append(f"public/{name}", "# Moved.\n")
    assert "server-file" not in told(tree)[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("robots.txt", "User-agent: *\nDisallow:\n"), ("notes.txt", "Disallow: /\n")],
)
def test_files_that_keep_nobody_out(tree: Tree, name: str, text: str) -> None:
    tree.write(f"public/{name}", text)
    assert told(tree) == (set(), set())


@pytest.mark.parametrize(
    ("name", "missed"),
    [(".gitkeep", False), (".npmignore", False), (".nojekyll", True)],
)
def test_an_empty_file_is_missed_where_a_host_acts_on_it(
    tree: Tree, name: str, missed: bool
) -> None:
    tree.write(f"public/{name}", "")
    as_base(tree)
    (tree.root / "public" / name).unlink()
    assert ("asset-missing" in told(tree)[0]) is missed
