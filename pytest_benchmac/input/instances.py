"""Reads and validates instances: folders, each with an instance.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from pytest_benchmac.files.shipped import shipped
from pytest_benchmac.input.plain_words import in_plain_words, nearest, seen, unknown_key
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.registry import get_track, track_names

InstanceT = TypeVar("InstanceT", bound=Instance)

INSTANCE_FILE = "instance.toml"


def packaged_instances() -> Path:
    """The folder of the instances that come with the package.

    Raises:
        InputError: the package was installed without its data.
    """
    return shipped("instances", "instances")


def load_instances(
    folders: Sequence[Path] = (), pattern: str | Sequence[str] = "*"
) -> dict[str, Instance]:
    """Read and check every instance of the folders; those that the pattern selects, by id.

    A folder is one instance when it holds instance.toml, else its sub-folders are looked at.

    Args:
        folders: where to look; none means the packaged set.
        pattern: shell pattern over ids, case-sensitive; several select what any of them selects.

    Raises:
        InstanceError: names every problem of every file at once. Instances that the pattern
            leaves out are checked too.
    """
    folders = folders or (packaged_instances(),)
    patterns = (pattern,) if isinstance(pattern, str) else pattern
    problems: list[InstanceError] = []
    found: dict[str, Instance] = {}
    for file in _instance_files(folders, problems):
        try:
            instance = load_instance(file)
        except InstanceError as error:
            problems.append(error)
            continue
        if earlier := found.get(instance.id):
            problems.append(
                InstanceError(
                    f"id {instance.id!r} is taken by {earlier.directory / INSTANCE_FILE}",
                    where=file,
                    remedy="Ids have to be unique over all instance folders: rename one.",
                )
            )
            continue
        found[instance.id] = instance
    problems += _ambiguous_ids(found)
    if problems:
        raise InstanceError.join(problems, where=", ".join(map(str, folders)))
    return {
        name: found[name]
        for name in sorted(found)
        if any(fnmatchcase(name, wanted) for wanted in patterns)
    }


def load_one(folders: Sequence[Path], instance_id: str, kind: type[InstanceT]) -> InstanceT:
    """Read the instance of an id, which has to be of a track's type; folders: see `load_instances`.

    Raises:
        InstanceError: there is none, or a file has a problem.
    """
    instance = load_instances(folders, instance_id).get(instance_id)
    if not isinstance(instance, kind):
        named = "" if kind is Instance else f"{kind.__name__.removesuffix('Instance')} "
        raise InstanceError(
            f"there is no {named}instance of this id",
            where=instance_id,
            remedy="Give the id of an instance, and its folder with --instances=PATH.",
        )
    return instance


def load_instance(file: Path) -> Instance:
    """Read and check one instance.toml.

    Raises:
        InstanceError: names every problem of the file.
    """
    file = file.absolute()
    data = _parse(file)
    instance_type = _instance_type(data.get("track"), file)
    for key in sorted(instance_type.filled & data.keys()):
        # Set by us, so it would otherwise be overwritten without a word.
        raise unknown_key(file, (key,), instance_type.model_fields)
    try:
        instance = instance_type.model_validate(
            {**_with_tuples(data), "directory": file.parent}, strict=True
        )
    except ValidationError as error:
        schema = instance_type.model_json_schema()
        told = [in_plain_words(file, cast(dict[str, Any], e), schema) for e in error.errors()]
        raise InstanceError.join(told, where=file) from None
    problems = [
        InstanceError(what, where=file, remedy=remedy)
        for what, remedy in _consistency_problems(instance)
    ]
    if problems:
        raise InstanceError.join(problems, where=file)
    return instance


def _instance_files(folders: Sequence[Path], problems: list[InstanceError]) -> Iterator[Path]:
    for folder in folders:
        remedy = "--instances takes a folder with instance.toml, or a folder of such folders."
        try:
            if (folder / INSTANCE_FILE).is_file():
                yield folder / INSTANCE_FILE
                continue
            files = [child / INSTANCE_FILE for child in sorted(folder.iterdir())]
            files = [file for file in files if file.is_file()]
        except OSError as error:
            problems.append(
                InstanceError(f"cannot be read: {error.strerror}", where=folder, remedy=remedy)
            )
            continue
        if not files:
            problems.append(InstanceError("holds no instance", where=folder, remedy=remedy))
        yield from files


def _parse(file: Path) -> dict[str, Any]:
    try:
        content = file.read_bytes()
        return tomllib.loads(content.decode())
    except OSError as error:
        raise InstanceError(f"cannot be read: {error.strerror}", where=file) from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InstanceError(
            "is not UTF-8", where=f"{file}:{line}", remedy="TOML files are UTF-8: convert it."
        ) from None
    except (ValueError, RecursionError) as error:
        # TOMLDecodeError is a ValueError; so is what a number of 5,000 digits leads to.
        match = re.search(r"at line (\d+)", str(error))
        raise InstanceError(
            f"is not valid TOML: {error}", where=f"{file}:{match[1]}" if match else file
        ) from None


def _instance_type(track: object, file: Path) -> type[Instance]:
    names = track_names()
    if isinstance(track, str) and track in names:
        found: type[Instance] = get_track(track).instance_type
        return found
    known = f"Expected: one of {', '.join(map(repr, names))}."
    if track is None:
        raise InstanceError("key `track` is missing", where=file, remedy=known)
    hint = nearest(track, names) if isinstance(track, str) else ""
    what = f"`track` = {seen(track)}, but no such track exists"
    raise InstanceError(what, where=file, remedy=f"{known} {hint}".strip())


def _consistency_problems(instance: Instance) -> Iterator[tuple[str, str]]:
    """What validation alone does not see, each with its remedy."""
    folder = instance.directory
    if instance.id != folder.name:
        yield (
            f"`id` = {instance.id!r}, but the folder is called {folder.name!r}",
            "Rename one of them: an instance is looked up by its folder.",
        )
    if instance.source.path is not None:
        yield from _path_problems(folder, "source.path", instance.source.path, folder_wanted=True)
    if instance.silver is not None:
        if instance.silver.patch is not None:
            yield from _path_problems(folder, "silver.patch", instance.silver.patch)
        elif instance.source.git is None:
            yield (
                "`silver.commit` is given, but `source` is a folder without history",
                "Give `silver.patch`, or take the source from `source.git`.",
            )
    for index, fixture in enumerate(instance.http_fixtures):
        if fixture.body_file is not None:
            key = f"http_fixtures[{index}].body_file"
            yield from _path_problems(folder, key, fixture.body_file)


def _path_problems(
    folder: Path, key: str, value: str, *, folder_wanted: bool = False
) -> Iterator[tuple[str, str]]:
    relative = PurePosixPath(value)
    wanted = "folder" if folder_wanted else "file"
    path = folder / relative
    if "\0" in value or not relative.parts or relative.is_absolute() or ".." in relative.parts:
        what = "does not stay in its folder"
    elif not path.exists():
        what = "does not exist"
    elif not path.resolve().is_relative_to(folder.resolve()):
        what = "links out of its folder"
    elif not (path.is_dir() if folder_wanted else path.is_file()):
        what = f"is no {wanted}"
    else:
        return
    remedy = f"Expected: a {wanted} below {folder}, as a relative path."
    yield f"`{key}` = {seen(value)} {what}", remedy


def _ambiguous_ids(instances: Mapping[str, Instance]) -> Iterator[InstanceError]:
    """Ids like `x.2` beside `x`: `x.2.json` would be the record of two cases."""
    for name, instance in instances.items():
        match = re.fullmatch(r"(.+)\.([2-9]|[1-9][0-9]+)", name)
        if match and match[1] in instances:
            yield InstanceError(
                f"id {name!r} reads like attempt {match[2]} at instance {match[1]!r}",
                where=instance.directory / INSTANCE_FILE,
                remedy="Rename one of them.",
            )


def _with_tuples(value: Any) -> Any:
    """TOML's lists as tuples: strict validation takes no other type for a frozen model."""
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(_with_tuples(item) for item in value) if isinstance(value, list) else value
