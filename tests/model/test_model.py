from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_benchmac.model.evaluation import (
    Attempt,
    Evaluation,
    EvaluationEnvironment,
    Finding,
    Integrity,
    Limit,
    Outcome,
    Severity,
    StageResult,
    Verdict,
)
from pytest_benchmac.model.instance import Commands
from pytest_benchmac.model.submission import Case, Metadata, SubmissionKind, encode_name

# Everything that UTF-8 can hold.
text = st.text(st.characters(exclude_categories=["Cs"]))
sut_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=512)
nasty_names = st.sampled_from(
    [".", "..", "...", "/", "a/b", "../x", "\0", "~", "%", "%2F", " ", "\n", "-x", ".hidden", "é"]
)
instance_ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", fullmatch=True)
finite = st.floats(min_value=0, allow_infinity=False)
sha256 = st.from_regex(r"[0-9a-f]{64}", fullmatch=True)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(text, children, max_size=3),
    max_leaves=10,
)

attempts = st.builds(
    Attempt,
    command=text,
    exit_code=st.none() | st.integers(0, 255),
    timed_out=st.booleans(),
    limits_hit=st.lists(st.sampled_from(Limit), max_size=3).map(tuple),
    duration_s=finite,
    log=st.none() | text,
    stderr_tail=text,
)
stages = st.builds(
    StageResult,
    name=text,
    outcome=st.sampled_from(Outcome),
    attempts=st.lists(attempts, max_size=2).map(tuple),
    duration_s=finite,
    reason=text,
    observations=st.dictionaries(text, json_values, max_size=3),
)
findings = st.builds(
    Finding, code=text, severity=st.sampled_from(Severity), message=text, file=st.none() | text
)
evaluations = st.builds(
    Evaluation,
    instance_id=instance_ids,
    sut=sut_names | nasty_names,
    attempt=st.integers(1, 10**6),
    kind=st.sampled_from(SubmissionKind),
    track=text,
    criteria=st.dictionaries(text, json_values, max_size=3),
    status=st.sampled_from(["completed", "error"]),
    metrics=st.dictionaries(text, st.none() | st.booleans() | st.floats(0, 1), max_size=5),
    integrity=st.builds(
        Integrity,
        verdict=st.sampled_from(Verdict),
        findings=st.lists(findings, max_size=2).map(tuple),
    ),
    resolved=st.booleans(),
    stages=st.lists(stages, max_size=3).map(tuple),
    environment=st.builds(
        EvaluationEnvironment,
        sandbox=text,
        network=text,
        harness_version=text,
        protocol_version=st.integers(1, 9),
        limits=st.dictionaries(text, st.none() | st.integers() | finite, max_size=3),
        unenforced=st.lists(text, max_size=2).map(tuple),
    ),
    patch_sha256=st.none() | sha256,
    metadata=st.dictionaries(
        text.filter(lambda key: key not in Metadata.model_fields), json_values, max_size=3
    ).map(Metadata.model_validate),
    reuse_key=sha256,
    started_at=text,
    duration_s=finite,
)


@given(sut_names | nasty_names)
def test_encoded_names_are_safe_file_names(name: str) -> None:
    encoded = encode_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_+=,@~%-][A-Za-z0-9._+=,@~%-]*", encoded)
    assert len(encoded.encode()) <= 200


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=16) | nasty_names)
def test_short_names_can_be_decoded(name: str) -> None:
    assert unquote(encode_name(name), errors="strict") == name


@given(sut_names, sut_names)
def test_different_names_never_share_a_file(one: str, other: str) -> None:
    assert (encode_name(one) == encode_name(other)) == (one == other)


def test_long_names_are_cut_and_told_apart() -> None:
    one, other = encode_name("x" * 300), encode_name("x" * 299 + "y")
    assert len(one) == len(other) == 200
    assert one != other
    # A name that spells another's cut encoding is not mistaken for it.
    assert encode_name(one) != one


def test_known_encodings() -> None:
    assert encode_name("openai/gpt-5") == "openai%2Fgpt-5"
    assert encode_name("a b") == "a%20b"
    assert encode_name("gpt-4.1") == "gpt-4.1"
    assert encode_name("..") == "%2E."


@pytest.mark.parametrize("sut", ["", "x" * 513, "\ud800"])
def test_names_that_are_refused(sut: str) -> None:
    with pytest.raises(ValidationError):
        Case(instance_id="a", sut=sut)


@pytest.mark.parametrize("instance_id", ["", ".", "..", "a/b", "a b", "é", "a\n", "x" * 129])
def test_instance_ids_that_are_refused(instance_id: str) -> None:
    with pytest.raises(ValidationError):
        Case(instance_id=instance_id, sut="x")


def test_case_words() -> None:
    assert Case(instance_id="app", sut="openai/gpt-5").id == "{openai%2Fgpt-5/app}"
    later = Case(instance_id="app", sut="x", attempt=2)
    assert later.id == "{x/app#2}"
    assert str(later.stem) == "x/app.2"
    assert later == Case(instance_id="app", sut="x", attempt=2)
    assert len({later, Case(instance_id="app", sut="x", attempt=2)}) == 1


@given(evaluations)
def test_evaluations_survive_json(evaluation: Evaluation) -> None:
    text_form = evaluation.model_dump_json()
    read = Evaluation.model_validate_json(text_form, strict=True)
    assert read == evaluation
    assert read.model_dump_json() == text_form


@given(st.text())
def test_text_from_a_sandbox_can_always_be_written(foreign: str) -> None:
    stage = StageResult(
        name="version",
        outcome=Outcome.FAILED,
        reason=foreign,
        observations={"seen": [{foreign: foreign}]},
    )
    read = StageResult.model_validate_json(stage.model_dump_json())
    assert read == stage
    escaped = foreign.encode("utf-8", "backslashreplace").decode()
    assert read.reason == escaped
    assert read.observations == {"seen": [{escaped: escaped}]}


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf"), "high"])
def test_shares_stay_between_0_and_1(share: object) -> None:
    data = {**_plain_evaluation(), "metrics": {"pass_rate": share}}
    with pytest.raises(ValidationError):
        Evaluation.model_validate(data)


def test_metrics_keep_their_kind() -> None:
    data = {**_plain_evaluation(), "metrics": {"a": True, "b": 1.0, "c": None, "d": False}}
    metrics = Evaluation.model_validate_json(
        Evaluation.model_validate(data).model_dump_json()
    ).metrics
    assert metrics["a"] is True
    assert type(metrics["b"]) is float
    assert metrics["c"] is None
    assert metrics["d"] is False


def test_stage_lookup() -> None:
    evaluation = Evaluation.model_validate(
        {**_plain_evaluation(), "stages": [{"name": "patch", "outcome": "passed"}]}
    )
    assert evaluation.stage("patch").outcome is Outcome.PASSED
    with pytest.raises(KeyError, match=r"no stage 'build'.*'patch'"):
        evaluation.stage("build")


def test_blank_commands_are_refused() -> None:
    class BuildCommands(Commands):
        build: str

    assert BuildCommands(build="make").build == "make"
    with pytest.raises(ValidationError, match="`build` is blank"):
        BuildCommands(build=" \n")


def _plain_evaluation() -> dict[str, object]:
    return {
        "instance_id": "app",
        "sut": "x",
        "track": "toy",
        "criteria": {"target_version": "17"},
        "status": "completed",
        "metrics": {},
        "resolved": False,
        "stages": [],
        "environment": {
            "sandbox": "docker",
            "network": "open",
            "harness_version": "0.1.0",
            "protocol_version": 1,
        },
        "patch_sha256": None,
        "reuse_key": "0" * 64,
        "started_at": "2026-11-21T22:00:00Z",
        "duration_s": 1.5,
    }
