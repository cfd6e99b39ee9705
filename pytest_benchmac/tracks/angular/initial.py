"""An `instance.toml` for a checkout of an Angular application, from what its files say."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.tracks.angular.integrity.jsonc import JsoncError, parse
from pytest_benchmac.tracks.angular.integrity.nx import NX_FILE, NxError, angular_form
from pytest_benchmac.tracks.angular.integrity.page import elements
from pytest_benchmac.tracks.angular.integrity.workspace import mapping, merged


class _Node(NamedTuple):
    """An image that is known by its digest, with what comes in it."""

    last_major: int
    image: str
    node: str
    npm: str


#: The first that runs a major of Angular and the next one (angular.dev/reference/versions).
_NODES = (
    _Node(
        14,
        "node:16.20.2-bullseye@sha256:"
        "804874547be33d6a4f002f8fa8265c6cff5aca1a76f4fe4af6e8d30707465c62",
        "16.20.2",
        "8.19.4",
    ),
    _Node(
        17,
        "node:18.20.8@sha256:c6ae79e38498325db67193d391e6ec1d224d96c693a8a4d943498556716d3783",
        "18.20.8",
        "10.8.2",
    ),
    _Node(
        999,
        "node:20.19.5@sha256:47dacd49500971c0fbe602323b2d04f6df40a933b123889636fc1f76bf69f58a",
        "20.19.5",
        "10.8.2",
    ),
)
#: The last that write the lock files of their time: pnpm 8 until version 6, 9 from version 9 on.
_PNPM_OLD, _PNPM, _PNPM_LOCK = "8.15.9", "9.15.0", 9
_YARN = "1.22.22"
_EXACT = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")
#: Whose style sheets builds for production inline.
_FONTS = "fonts.googleapis.com"
_CORE = "@angular/core"


def initial(checkout: Path, instance_id: str, target: str | None) -> str:
    """What `benchmac init` writes; lines that nobody can know without running it are comments.

    Raises:
        InstanceError: the checkout is no Angular application, or its lock file does not say which
            version it has.
    """
    package = _json(checkout / "package.json")
    needs = {**mapping(package.get("dependencies")), **mapping(package.get("devDependencies"))}
    version = _locked(checkout, needs)
    major = int(version.partition(".")[0])
    known = next(each for each in _NODES if major <= each.last_major)
    found = _workspace(checkout, needs)
    index = checkout / found.sources / "index.html"
    page = index.read_text(errors="replace") if index.is_file() else ""
    project, tester = found.name, found.tester
    tool = "ng" if (checkout / "angular.json").is_file() else "nx"
    test = {"karma": f"npx {tool} test {project}".rstrip(), "jest": "npx jest"}.get(
        tester, "npx vitest run"
    )
    build = f"npx {tool} build {project}".rstrip() + " --configuration=production"
    build += " --aot" if found.by_browsers else ""
    lines = [
        f"id = {json.dumps(instance_id)}",
        'track = "angular"',
        f"license = {json.dumps(str(package.get('license') or 'UNKNOWN'))}",
        'description = ""  # what makes this migration interesting',
        "",
        "[source]",
        "@source@",
        "",
        "[migration]",
        f'source_version = "{version}"  # {_CORE} in the lock file',
        f'target_version = "{target or major + 1}"',
        "",
        "[environment]",
        "# Where no image registry can be reached, the same Node and npm are bootstrapped.",
        f'image = "{known.image}"',
        f'node = "{known.node}"{_wish(checkout, known.node)}',
        f'npm = "{known.npm}"',
        '# variables = { MY_TOKEN_CHECK = "off" }  # for every command',
        "",
        "[commands]",
        f'install = "{_install(checkout, package)}"',
        f'build = "{build}"',
    ]
    lines += (
        [
            f'# test = "{test}"',
            "",
            "# The project's own tests, held against runs on base and silver patch: with both, and",
            f"# `test` above, `benchmac record-tests {instance_id}` writes tests.json.",
            "# [tests]",
            f'# reporter = "{tester}"',
        ]
        if tester
        else ["# no test runner was found"]
    )
    lines += [
        "",
        "# Without a boot nobody sees whether the application still runs; `benchmac propose-boot",
        f"# {instance_id}` finds the pages.",
        "# [boot]",
        f'# root = "{_root_selector(page)}"',
        "# [[boot.routes]]",
        '# path = "/"',
        "",
        *_fonts(page),
    ]
    return "\n".join(lines)


def _json(path: Path) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(path.read_text()))
    except OSError as error:
        raise InstanceError(
            f"cannot be read: {error.strerror}",
            where=path,
            remedy="Name the folder of an Angular application: the one with package.json.",
        ) from error
    except ValueError as error:
        raise InstanceError(f"is no JSON: {error}", where=path) from error


def _locked(checkout: Path, needs: Mapping[str, Any]) -> str:
    """The exact version of the framework."""
    if _CORE not in needs:
        raise InstanceError(f"does not need {_CORE}", where=checkout / "package.json")
    for name in ("npm-shrinkwrap.json", "package-lock.json"):
        path = checkout / name
        if path.is_file():
            lock = _json(path)
            new = mapping(mapping(lock.get("packages")).get(f"node_modules/{_CORE}"))
            old = mapping(mapping(lock.get("dependencies")).get(_CORE))
            version = str(new.get("version") or old.get("version") or "")
            if _EXACT.fullmatch(version):
                return version
    for name, rule in (
        ("yarn.lock", r'^"?@angular/core@[^\n]*:\n\s+version:? "?([^"\s]+)'),
        ("pnpm-lock.yaml", r"^\s+'?/?@angular/core[@/]([0-9][^'(:_]*)"),
    ):
        path = checkout / name
        if path.is_file() and (found := re.search(rule, path.read_text(), re.MULTILINE)):
            return found[1]
    raise InstanceError(
        f"no lock file says which {_CORE} there is",
        where=checkout,
        remedy="Commit package-lock.json: run `npm install` once.",
    )


def _install(checkout: Path, package: Mapping[str, Any]) -> str:
    """By the lock file; another manager than npm in an exact version, the same for every case."""
    named = re.fullmatch(
        r"(pnpm|yarn)@(\d+\.\d+\.\d+)(?:\+.*)?", str(package.get("packageManager") or "")
    )
    if any((checkout / name).is_file() for name in ("package-lock.json", "npm-shrinkwrap.json")):
        return "npm ci"
    if (checkout / "pnpm-lock.yaml").is_file():
        text = (checkout / "pnpm-lock.yaml").read_text(errors="replace")
        written = re.match(r"lockfileVersion: '?(\d+)", text)
        known = _PNPM_OLD if written is not None and int(written[1]) < _PNPM_LOCK else _PNPM
        version = named[2] if named is not None and named[1] == "pnpm" else known
        return f"npx --yes pnpm@{version} install --frozen-lockfile"
    version = named[2] if named is not None and named[1] == "yarn" else _YARN
    return f"npx --yes yarn@{version} install --frozen-lockfile"


def _wish(checkout: Path, node: str) -> str:
    """A comment where the project names another Node."""
    for name in (".nvmrc", ".node-version"):
        if (checkout / name).is_file():
            told = (checkout / name).read_text(errors="replace").strip().removeprefix("v")
            if re.fullmatch(r"[0-9.]+", told) and not node.startswith(told):
                return f"  # {name} says {told}: pin the image of that, if it matters"
    return ""


class _Application(NamedTuple):
    """What angular.json says of the application."""

    #: Empty where it is the only project.
    name: str
    sources: str
    #: What runs its tests; empty where nothing is known to.
    tester: str
    #: Is it left to browsers to compile its components? No provenance can be told then.
    by_browsers: bool


def _workspace(checkout: Path, needs: Mapping[str, Any]) -> _Application:
    path, nx = checkout / "angular.json", checkout / NX_FILE
    try:
        if path.is_file():
            text = path.read_text(errors="replace")
        elif nx.is_file():
            text = angular_form(SourceTree.scan(checkout))
        else:
            raise InstanceError(
                "there is neither angular.json nor nx.json",
                where=checkout,
                remedy="Name the folder of an Angular application: the one with that file.",
            )
        projects = mapping(mapping(parse(text).value).get("projects"))
    except (JsoncError, NxError) as error:
        raise InstanceError(f"cannot be read: {error}", where=checkout) from error
    applications = [
        name for name, each in projects.items() if mapping(each).get("projectType") != "library"
    ]
    # Nx has no project that is built without a name.
    named = len(projects) > 1 or not path.is_file()
    name = applications[0] if applications and named else ""
    own = mapping(projects.get(applications[0] if applications else ""))
    sources = str(own.get("sourceRoot") or "src")
    targets = mapping(own.get("architect") or own.get("targets"))
    builder = str(mapping(targets.get("test")).get("builder") or "")
    tester = "vitest" if "vitest" in needs else ""
    if "karma" in builder:
        tester = "karma"
    elif "jest" in builder or "jest" in needs:
        tester = "jest"
    by_browsers = merged(mapping(targets.get("build")), ("production",)).get("aot") is False
    return _Application(name, sources, tester, by_browsers)


def _fonts(page: str) -> Iterator[str]:
    """Answers for the style sheets of fonts that production builds fetch, by the families named."""
    families: dict[str, list[str]] = {}
    for element in elements(page):
        address = urlsplit(html.unescape(element.attributes.get("href", "")))
        if element.name == "link" and address.netloc == _FONTS and address.path.strip("/"):
            named = families.setdefault(f"https://{_FONTS}{quote(address.path)}", [])
            for each in parse_qs(address.query).get("family", []):
                named += [one.partition(":")[0] for one in each.split("|")]
    for url, names in families.items():
        faces = " ".join(
            f"@font-face {{ font-family: '{name}'; src: local('{name}') }}"
            for name in dict.fromkeys(names)
            if re.fullmatch(r"[\w -]{1,60}", name)
        )
        yield "[[http_fixtures]]  # index.html links it, and builds for production fetch it"
        yield f"url = {json.dumps(url)}"
        yield 'content_type = "text/css; charset=utf-8"'
        yield f"body = {json.dumps(faces)}"
        yield ""


def _root_selector(page: str) -> str:
    """The element that the application is bootstrapped in."""
    body = page.partition("<body")[2]
    found = re.search(r"<([a-z][a-z0-9]*-[a-z0-9-]+)", body)
    return found[1] if found else "app-root"
