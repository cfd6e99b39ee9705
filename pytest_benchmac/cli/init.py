"""`benchmac init`: an instance from a checkout, or the package of a track."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console

from pytest_benchmac.files.archives import unpack
from pytest_benchmac.files.shipped import shipped
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.options import names_of
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track, track_names

_NAME = re.compile(r"[a-z][a-z0-9]*")
#: The track that docs/new-track.md builds.
_TEMPLATE = "toy"

#: Where instances go unless another folder is named.
_INSTANCES = "instances"
_SILVER = '[silver]\npatch = "silver.patch"\n'


def add_parser(subparsers: Subparsers) -> None:
    """Add `benchmac init`."""
    parser = subparsers.add_parser(
        "init",
        help="write an instance from a checkout, or begin a track",
        description="Write instance.toml from a git checkout: versions, Node, package manager, "
        "commands, tests and license as its files say, and the tree of one commit beside it. With "
        "--track alone, begin a track of that name: a package with tests, as docs/new-track.md "
        "builds it.",
        epilog="examples:\n"
        "  benchmac init ../my-app --id my_app_v18_to_v19\n"
        "  benchmac init . --at origin/main --silver HEAD --output instances\n"
        "  benchmac init --track cobol",
    )
    parser.add_argument(
        "checkout", metavar="CHECKOUT", type=Path, nargs="?", help="a folder of a git repository"
    )
    parser.add_argument("--id", metavar="ID", help="instance id (default: the folder's name)")
    parser.add_argument(
        "--track",
        metavar="NAME",
        help=f"the instance's track: {', '.join(track_names())} (default: angular); without "
        "CHECKOUT, the name of a new track",
    )
    parser.add_argument(
        "--at", metavar="REV", default="HEAD", help="the base commit (default: %(default)s)"
    )
    parser.add_argument(
        "--target", metavar="VERSION", help="version to reach (default: the next major)"
    )
    parser.add_argument(
        *names_of("--silver"),
        metavar="REV",
        help="a commit with the migration done: what it changes becomes silver.patch",
    )
    parser.add_argument(
        "--by-reference",
        action="store_true",
        help="name the repository's address and commit instead of copying the tree; the address "
        "has to answer without a password",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help=f"the folder that gets the instance's folder (default: {_INSTANCES}); for a track, "
        "its package (default: the current folder)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if args.checkout is None:
        if args.track is None:
            raise InputError(
                "neither a checkout nor a track is named",
                where="benchmac init",
                remedy="Write: benchmac init CHECKOUT, or: benchmac init --track NAME",
            )
        folder = _new_track(args.track, args.output or Path())
        console.print(
            f"written: {folder}\n"
            f"next: pip install -e {folder}\n"
            f"      pytest --silver --instances={folder}/instances --sandbox=local"
        )
        return 0
    folder = _new_instance(args)
    console.print(
        f"written: {folder / INSTANCE_FILE}\n"
        f"next: read it, and benchmac validate {folder.name} --instances {folder.parent}"
    )
    return 0


def _new_instance(args: argparse.Namespace) -> Path:
    checkout: Path = args.checkout
    track = args.track or "angular"
    if track not in track_names():
        raise InputError(
            f"no track is called {track!r}",
            where="--track",
            remedy=f"There are: {', '.join(track_names())}.",
        )
    initial = get_track(track).extras().initial
    if initial is None:
        raise InputError(
            f"the track {track} writes no instances from a checkout",
            where="--track",
            remedy="Copy one of its instances, and change that.",
        )
    if not checkout.is_dir():
        raise InputError("is no folder", where=checkout)
    name = args.id or re.sub(r"[^A-Za-z0-9._-]+", "-", checkout.resolve().name)
    folder: Path = (args.output or Path(_INSTANCES)) / name
    if folder.exists():
        raise InputError("is there already", where=folder, remedy="Remove it, or give --id.")
    commit = _git(checkout, "rev-parse", "--verify", f"{args.at}^{{commit}}").decode().strip()
    source = folder / "source"
    try:
        # The commit alone decides: neither what is changed nor what is ignored in the checkout.
        source.mkdir(parents=True)
        archive = folder / "source.tar"
        archive.write_bytes(_git(checkout, "archive", commit))
        unpack(archive, source, keep_owners=False)
        archive.unlink()
        text = initial(source, name, args.target)
        if args.by_reference:
            address = _origin(checkout)
            told = f'git = "{address}"\ncommit = "{commit}"'
            shutil.rmtree(source)
        else:
            told = f'path = "source"  # the tree of {commit}'
        text = text.replace("@source@", told)
        if args.silver is not None:
            patch = _git(checkout, "diff", "--binary", commit, args.silver, "--", ".")
            write_whole(folder / "silver.patch", patch)
            text += f"\n{_SILVER}"
        else:
            commented = "".join(f"# {line}" for line in _SILVER.splitlines(keepends=True))
            text += f"\n# A known-good patch, if there is one:\n{commented}"
        write_whole(folder / INSTANCE_FILE, text.encode())
        load_instance(folder / INSTANCE_FILE)
    except BaseException:
        # Ctrl-C as well: half an instance would be refused by the next try.
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _origin(checkout: Path) -> str:
    """Where the checkout came from; InputError where that holds a secret."""
    address = _git(checkout, "remote", "get-url", "origin").decode().strip()
    parts = urlsplit(address)
    if parts.password is not None or (parts.scheme.startswith("http") and parts.username):
        raise InputError(
            "the address of `origin` has a password or a token, which instance.toml would show",
            where=checkout,
            remedy="Give it an address without (git remote set-url origin ADDRESS).",
        )
    return address


def _git(checkout: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *words], capture_output=True, check=True)
    except FileNotFoundError as error:
        raise InputError("git is not installed", where="benchmac init") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise InputError(f"git {words[0]} says: {said}", where=checkout) from error
    return done.stdout


def _new_track(name: str, parent: Path) -> Path:
    """A package of its own for a track, named anew from the one in docs/new-track.md."""
    if not _NAME.fullmatch(name) or name in track_names():
        raise InputError(
            f"{name!r} cannot be the name of a new track",
            where="--track",
            remedy="Take lower-case letters and digits, and none of: "
            f"{', '.join(track_names())}. For an instance, name its checkout too.",
        )
    folder = parent / f"{name}_track"
    if folder.exists():
        raise InputError("is there already", where=folder)
    # The track of docs/new-track.md.
    template = shipped("template_track", "tests/toy_track")
    for path in sorted(template.rglob("*")):
        inside = path.relative_to(template).as_posix()
        if path.is_file() and "__pycache__" not in inside and ".egg-info" not in inside:
            write_whole(folder / _renamed(inside, name), _renamed(path.read_text(), name).encode())
    return folder


def _renamed(text: str, name: str) -> str:
    text = text.replace(_TEMPLATE.capitalize(), name.capitalize())
    return re.sub(rf"(?<![A-Za-z]){_TEMPLATE}(?![a-z])", name, text)
