"""What a task's Dockerfile asks for, as far as it can be had without an image registry."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pytest_benchmac.model.errors import InputError

#: What is bootstrapped for an image of that name: Debian packages beside the minimal system.
_BASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "debian": (),
        "ubuntu": (),
        "buildpack-deps": ("curl", "git"),
        "python": ("python-is-python3", "python3", "python3-pip", "python3-venv"),
    }
)
#: Nothing in a sandbox depends on these.
_WITHOUT_EFFECT = frozenset(
    {"CMD", "ENTRYPOINT", "EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "HEALTHCHECK",
     "USER"}
)  # fmt: skip
_APT_INSTALL = re.compile(
    r"(?:sudo\s+)?apt(?:-get)?\s+(?:-\S+\s+)*install\s+(?P<rest>.*)", re.DOTALL
)
#: What only prepares or tidies up after an installation.
_APT_OTHER = re.compile(
    r"(?:sudo\s+)?(?:apt(?:-get)?\s+(?:-\S+\s+)*(?:update|clean|autoremove|autoclean)\b.*"
    r"|rm\s+-rf\s+/var/lib/apt/lists/?\*?)$"
)
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]+")


@dataclass(frozen=True)
class Copy:
    """Files of the task's environment that the sandbox starts with."""

    #: Relative to the environment's folder; patterns as of `Path.glob`.
    sources: tuple[str, ...]
    #: Absolute; with a slash at its end, a folder.
    target: str


@dataclass(frozen=True)
class Run:
    """A command, and the folder it runs in."""

    command: str
    folder: str


@dataclass(frozen=True)
class Definition:
    """What a sandbox of a task is made of."""

    #: Of Debian, beside the minimal system.
    packages: tuple[str, ...]
    #: The image that was named; what is bootstrapped is another one.
    image: str
    env: Mapping[str, str]
    workdir: str
    steps: tuple[Copy | Run, ...]


def read_definition(folder: Path, image: str | None) -> Definition:
    """The definition of a task's environment.

    Args:
        folder: with the Dockerfile, if there is one.
        image: the image that the task names instead.

    Raises:
        InputError: it has something that cannot be done here.
    """
    file = folder / "Dockerfile"
    if (folder / "docker-compose.yaml").exists():
        raise InputError("several containers cannot be had", where=folder / "docker-compose.yaml")
    if image is not None and not file.exists():
        return Definition(_packages_of(image, where=folder), image, {}, "/app", ())
    if not file.exists():
        raise InputError("there is no Dockerfile, and the task names no image", where=folder)
    return _Reading(file).read(_instructions(file.read_text("utf-8")))


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, name and value of each; lines that end in a backslash go on."""
    began, held = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("#") or (not held and not line.strip()):
            continue
        began = began if held else number
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1]
            continue
        name, _, value = (held + line).strip().partition(" ")
        held = ""
        yield began, name.upper(), value.strip()


class _Reading:
    """A Dockerfile, instruction by instruction."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._image: str | None = None
        self._packages: list[str] = []
        self._env: dict[str, str] = {}
        self._workdir = "/"
        self._steps: list[Copy | Run] = []

    def read(self, instructions: Iterable[tuple[int, str, str]]) -> Definition:
        for number, name, value in instructions:
            where = f"{self._file}:{number}"
            if name in _WITHOUT_EFFECT:
                continue
            if name == "FROM":
                self._from(value, where)
            elif name == "ENV":
                self._env |= _variables(value, where)
            elif name == "WORKDIR":
                self._workdir = str(PurePosixPath(self._workdir) / self._filled(value))
                self._steps.append(Run(f"mkdir -p {shlex.quote(self._workdir)}", "/"))
            elif name == "COPY":
                self._copy(value, where)
            elif name == "RUN":
                self._run(value, where)
            else:
                raise InputError(f"{name} is not supported", where=where)
        if self._image is None:
            raise InputError("there is no FROM", where=self._file)
        return Definition(
            tuple(dict.fromkeys(self._packages)),
            self._image,
            self._env,
            self._workdir,
            tuple(self._steps),
        )

    def _from(self, value: str, where: str) -> None:
        if self._image is not None:
            raise InputError("several stages are not supported", where=where)
        words = [word for word in value.split() if not word.startswith("--")]
        self._image = words[0]
        self._packages += _packages_of(words[0], where=where)

    def _copy(self, value: str, where: str) -> None:
        try:
            words = json.loads(value) if value.startswith("[") else shlex.split(value)
        except ValueError as error:
            raise InputError(f"COPY cannot be read: {error}", where=where) from error
        flags = [word for word in words if word.startswith("--")]
        words = [self._filled(word) for word in words if not word.startswith("--")]
        if any(flag.startswith(("--from", "--parents")) for flag in flags) or len(words) < 2:
            raise InputError("this COPY is not supported", where=where)
        target = str(PurePosixPath(self._workdir) / words[-1])
        if words[-1].endswith(("/", ".")) or len(words) > 2:
            target = target.rstrip("/") + "/"
        self._steps.append(Copy(tuple(words[:-1]), target))

    def _run(self, value: str, where: str) -> None:
        if value.startswith(("[", "--", "<<")):
            raise InputError("this form of RUN is not supported", where=where)
        left = []
        for part in re.split(r"&&|;", value):
            command = part.strip()
            if install := _APT_INSTALL.fullmatch(command):
                self._packages += _listed(install["rest"], where)
            elif command and not _APT_OTHER.fullmatch(command):
                left.append(command)
        if len(left) == len(re.split(r"&&|;", value)):
            # Nothing was taken out: as it was written, quoting and all.
            left = [value]
        if left:
            self._steps.append(Run(" && ".join(left), self._workdir))

    def _filled(self, text: str) -> str:
        return re.sub(
            r"\$\{?(\w+)\}?", lambda found: self._env.get(found[1], found[0]), text
        ).strip("\"'")


def _packages_of(image: str, where: str | Path) -> tuple[str, ...]:
    name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    if name not in _BASES:
        raise InputError(
            f"no image like {image!r} can be bootstrapped",
            where=where,
            remedy=f"There are substitutes for {', '.join(_BASES)}.",
        )
    return _BASES[name]


def _listed(rest: str, where: str) -> list[str]:
    try:
        words = [word for word in shlex.split(rest) if not word.startswith("-")]
    except ValueError as error:
        raise InputError(f"this installation cannot be read: {error}", where=where) from error
    for word in words:
        if not _PACKAGE.fullmatch(word):
            raise InputError(f"{word!r} is no Debian package of any version", where=where)
    return words


def _variables(value: str, where: str) -> dict[str, str]:
    if "=" not in value.split()[0]:
        name, _, text = value.partition(" ")
        return {name: text.strip()}
    try:
        return dict(word.split("=", 1) for word in shlex.split(value))
    except ValueError as error:
        raise InputError(f"ENV cannot be read: {error}", where=where) from error
