"""All of a shed in one file, and back."""

import json
import os
from datetime import datetime
from pathlib import Path

from toolshed import journal, settings, storage
from toolshed.errors import InputError, RefusedError, StoreError

FORMAT = 1


def make(root, target):
    """Write the whole shed to a file."""
    stamp = os.environ.get("TOOLSHED_NOW")
    now = datetime.fromisoformat(stamp) if stamp else datetime.now()
    rules = settings.read(root)
    bundle = {
        "format": FORMAT,
        "shed": rules["name"],
        "made": now.isoformat(timespec="seconds"),
        "settings": (Path(root) / settings.FILE).read_text(encoding="utf-8"),
        "collections": {name: storage.load(root, name) for name in storage.COLLECTIONS},
    }
    with open(target, "w", encoding="utf-8") as stream:
        json.dump(bundle, stream, indent=1, sort_keys=True, ensure_ascii=False)
        stream.write("\n")
    journal.write(root, "backup", target)
    total = sum(len(records) for records in bundle["collections"].values())
    print(f"{total} records of {rules['name']} written to {target}")


def restore(root, source, sure=False):
    """Make the shed what it was when the backup was made; the journal goes on."""
    path = Path(source)
    if not path.is_file():
        raise InputError(f"no such file: {source}")
    text = path.read_text(encoding="utf-8")
    try:
        bundle = json.loads(text)
    except ValueError as problem:
        raise StoreError(f"{source} is not JSON: {problem}") from problem
    if not isinstance(bundle, dict) or bundle.get("format") != FORMAT:
        raise StoreError(f"{source} is not a backup that this version reads")
    for part in ("made", "settings", "collections"):
        if part not in bundle:
            raise StoreError(f"{source} lacks {part!r}")
    collections = {}
    for name in storage.COLLECTIONS:
        rows = bundle["collections"].get(name, [])
        collections[name] = storage.check_all(name, rows, f"{source}, {name}")
    if not sure:
        answer = input(f"Replace all records by those of {bundle['made']}? [y/N] ")
        if answer.strip().lower() not in ("y", "yes"):
            raise RefusedError("nothing restored")
    folder = Path(root)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / settings.FILE).write_text(bundle["settings"], encoding="utf-8")
    for name, records in collections.items():
        storage.save(root, name, records)
    journal.write(root, "restore", source)
    print(f"{sum(len(records) for records in collections.values())} records restored")


def init(root, name):
    """Start an empty shed."""
    folder = Path(root)
    if (folder / settings.FILE).exists():
        raise RefusedError(f"there is a shed in {root} already")
    folder.mkdir(parents=True, exist_ok=True)
    text = settings.TEMPLATE.format(name=name)
    (folder / settings.FILE).write_text(text, encoding="utf-8")
    for collection in storage.COLLECTIONS:
        storage.save(root, collection, [])
    journal.write(root, "init", name)
    print(f"{name} starts in {root}")
