from __future__ import annotations

import copy
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_benchmac.cli.schemas import (
    EVALUATION_SCHEMA_FILE,
    LEADERBOARD_SCHEMA_FILE,
    schema_files,
)
from pytest_benchmac.input.instances import packaged_instances
from pytest_benchmac.input.schema import INSTANCE_SCHEMA_FILE, schema_part
from pytest_benchmac.model.evaluation import Evaluation

RECORD: dict[str, Any] = {
    "instance_id": "app",
    "sut": "openai/gpt-5",
    "track": "angular",
    "criteria": {"target_version": "17"},
    "status": "completed",
    "metrics": {"install_success": True, "pass_rate": 0.5, "build_success": None},
    "resolved": False,
    "stages": [
        {
            "name": "install",
            "outcome": "failed",
            "attempts": [
                {"command": "npm ci", "exit_code": 1, "duration_s": 3.5, "limits_hit": ["memory"]}
            ],
            "observations": {"retried": True},
        }
    ],
    "integrity": {
        "verdict": "rejected",
        "findings": [{"code": "x", "severity": "fatal", "message": "seen"}],
    },
    "environment": {
        "sandbox": "docker",
        "network": "open",
        "harness_version": "0.1.0",
        "protocol_version": 1,
        "node": "18.20.8",
    },
    "patch_sha256": "b" * 64,
    "metadata": {"cost_usd": 0.5, "settings": {"temperature": 0}},
    "reuse_key": "a" * 64,
    "started_at": "2026-11-21T22:00:00Z",
    "duration_s": 12.5,
}


def validator(file: Path) -> jsonschema.Draft202012Validator:
    schema = json.loads(file.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(
    "file", [EVALUATION_SCHEMA_FILE, INSTANCE_SCHEMA_FILE, LEADERBOARD_SCHEMA_FILE], ids=str
)
def test_shipped_schemas_are_up_to_date(file: Path) -> None:
    assert file.read_text() == schema_files()[file], "run: python -m pytest_benchmac.cli.schemas"


def test_the_command_writes_them(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "pytest_benchmac.cli.schemas", str(tmp_path)], check=True)
    written = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert written == {file.name: content for file, content in schema_files().items()}


def written_record() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(Evaluation.model_validate(RECORD).model_dump_json())
    return record


def test_a_written_record_is_valid() -> None:
    validator(EVALUATION_SCHEMA_FILE).validate(written_record())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("surprise", 1),
        ("status", "maybe"),
        ("metrics", {"pass_rate": 1.5}),
        ("metrics", {"build_success": "true"}),
        ("patch_sha256", "abc"),
        ("integrity", {"verdict": "fine", "findings": []}),
        ("sut", ""),
        ("attempt", 0),
        ("schema_version", 2),
    ],
)
def test_a_wrong_record_is_not(key: str, value: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        validator(EVALUATION_SCHEMA_FILE).validate({**written_record(), key: value})


@pytest.mark.parametrize("key", sorted(Evaluation.model_fields))
def test_every_key_of_a_record_is_required(key: str) -> None:
    record = written_record()
    del record[key]
    with pytest.raises(jsonschema.ValidationError):
        validator(EVALUATION_SCHEMA_FILE).validate(record)


def test_packaged_instances_are_valid_and_broken_ones_are_not() -> None:
    check = validator(INSTANCE_SCHEMA_FILE)
    files = sorted(packaged_instances().glob("gothinkster__*/instance.toml"))
    assert len(files) == 9
    for file in files:
        data = tomllib.loads(file.read_text())
        check.validate(data)
        for key in ("id", "track", "license", "source", "migration", "environment", "commands"):
            broken = copy.deepcopy(data)
            del broken[key]
            assert not check.is_valid(broken), f"{key} is missing"
        assert not check.is_valid({**data, "directory": "/etc"})
        assert not check.is_valid({**data, "track": "other"})
        assert not check.is_valid({**data, "commands": {**data["commands"], "test": "npm test"}})
        assert not check.is_valid({**data, "environment": {**data["environment"], "node": "18"}})


def test_nodes_are_found_through_references_lists_and_alternatives() -> None:
    schema = Evaluation.model_json_schema()
    assert schema_part(schema, ("stages", 3, "attempts", 0, "exit_code"))["type"] == "integer"
    assert "findings" in schema_part(schema, ("integrity",))["properties"]
    assert schema_part(schema, ("error", "kind"))["type"] == "string"
    assert schema_part(schema, ("no", "such", "place")) == {}
