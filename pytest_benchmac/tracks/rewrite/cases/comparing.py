"""Did a program do what a case expects, or what the source did? Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from pytest_benchmac.tracks.rewrite.cases.answers import Answer, Did, Ended
from pytest_benchmac.tracks.rewrite.cases.matchers import (
    parse_json,
    text_difference,
    text_of,
    value_difference,
)
from pytest_benchmac.tracks.rewrite.cases.models import (
    ApiCase,
    Case,
    CliCase,
    CliExpected,
    Matcher,
    Step,
    StepExpected,
)

#: Begins a difference that is about starting the program.
NO_START = "the program does not start"
_CAPTURED = re.compile(r"\{([a-z][A-Za-z0-9_]*)\}")


def difference(case: Case, did: Did) -> str:
    """How a run differs from what its case expects, in a sentence; empty where it does not.

    Raises:
        ValueError: the case expects nothing.
    """
    if case.expect is None:
        raise ValueError(f"{case.id} expects nothing")
    if did.ended in (Ended.NOT_RUN, Ended.LOST):
        return f"{did.ended}"
    if isinstance(case, ApiCase):
        return _of_steps(case, did) if did.ready else f"{NO_START}: its port stays silent"
    return _of_run(case.expect, did)


def _of_run(expect: CliExpected, did: Did) -> str:
    if did.ended is not Ended.EXITED:
        return f"{did.ended} after {did.duration_s:.1f} s"
    if not did.started and expect.exit.value not in (126, 127):
        return f"{NO_START}: exit status {did.exit}"
    if told := value_difference(expect.exit, did.exit):
        return f"exit status {told}"
    for name, wanted, seen in (
        ("stdout", expect.stdout, did.stdout),
        ("stderr", expect.stderr, did.stderr),
    ):
        if told := text_difference(wanted, seen):
            return f"{name}: {told}"
    for path, wanted in expect.files.items():
        content = did.files.get(path)
        if wanted.match == "exact" and wanted.value is None:
            if content is not None:
                return f"{path} is there"
        elif content is None:
            return f"{path} is not there"
        elif told := text_difference(wanted, content):
            return f"{path}: {told}"
    return ""


def _of_steps(case: ApiCase, did: Did) -> str:
    captured: dict[str, JsonValue] = {}
    for number, step in enumerate(case.steps):
        place = f"step {number + 1} ({step.method} {step.path})"
        if number >= len(did.answers):
            return f"{place}: not reached"
        answer = did.answers[number]
        if answer.status is None:
            return f"{place}: {answer.problem or 'no answer'}"
        if told := _of_answer(step, answer, captured):
            return f"{place}: {told}"
        if step.capture:
            body, problem = parse_json(text_of(answer.body))
            for name, pointer in step.capture.items():
                found = None if problem else at_pointer(body, pointer)
                if found is None:
                    return f"{place}: nothing to capture at {pointer}"
                captured[name] = found
    return ""


def _of_answer(step: Step, answer: Answer, captured: Mapping[str, JsonValue]) -> str:
    expect = step.expect or StepExpected()
    if told := value_difference(expect.status, answer.status):
        return f"status {told}"
    for name, wanted in expect.headers.items():
        if told := value_difference(_filled(wanted, captured), answer.headers.get(name.lower())):
            return f"header {name}: {told}"
    told = text_difference(_filled(expect.body, captured), answer.body)
    return f"body: {told}" if told else ""


def _filled(matcher: Matcher, captured: Mapping[str, JsonValue]) -> Matcher:
    if not captured or matcher.match == "regex":
        return matcher
    return matcher.model_copy(update={"value": _fill(matcher.value, captured)})


def _fill(value: JsonValue, captured: Mapping[str, JsonValue]) -> JsonValue:
    """With what was captured in place of `{name}`; a text that is just that has its type, too."""
    if isinstance(value, str):
        whole = _CAPTURED.fullmatch(value)
        if whole and whole[1] in captured:
            return captured[whole[1]]
        return _CAPTURED.sub(
            lambda found: as_text(captured[found[1]]) if found[1] in captured else found[0], value
        )
    if isinstance(value, dict):
        return {key: _fill(each, captured) for key, each in value.items()}
    return [_fill(each, captured) for each in value] if isinstance(value, list) else value


def as_text(value: JsonValue) -> str:
    """A captured value as it is put into paths and bodies."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def at_pointer(value: JsonValue, pointer: str) -> JsonValue:
    """The value that a JSON pointer (RFC 6901) leads to; None where there is none."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def expecting(case: Case, did: Did, like: Case | None = None) -> Case:
    """The case with what a run left as its expectation.

    Args:
        case: what was asked.
        did: what the source did.
        like: the same case as it was, whose kinds of matchers and choice of files are kept.
    """
    if isinstance(case, CliCase):
        return case.model_copy(update={"expect": _expected_run(case, did, like)})
    steps = []
    for number, step in enumerate(case.steps):
        earlier = like.steps[number].expect if isinstance(like, ApiCase) else None
        if number < len(did.answers):
            step = step.model_copy(update={"expect": _expected(did.answers[number], earlier)})
        steps.append(step)
    return case.model_copy(update={"steps": tuple(steps)})


def _expected_run(case: CliCase, did: Did, like: Case | None) -> CliExpected:
    earlier = like.expect if isinstance(like, CliCase) else None
    changed = {
        path: content
        for path, content in did.files.items()
        if case.files.get(path) is None or case.files[path].encode() != content
    }
    if earlier is None:
        gone = [path for path in case.files if path not in did.files]
        told = {path: _exact(content) for path, content in changed.items()}
        told |= {path: Matcher(match="exact") for path in gone}
        return CliExpected(
            exit=Matcher(match="exact", value=did.exit), stdout=_exact(did.stdout), files=told
        )
    files = {path: _exact(content) for path, content in changed.items()}
    files |= {
        path: _kept(wanted, did.files[path]) if path in did.files else Matcher(match="exact")
        for path, wanted in earlier.files.items()
    }
    return CliExpected(
        exit=Matcher(match="exact", value=did.exit),
        stdout=_kept(earlier.stdout, did.stdout),
        stderr=_kept(earlier.stderr, did.stderr),
        files=files,
    )


def _expected(answer: Answer, earlier: StepExpected | None) -> StepExpected:
    status = Matcher(match="exact", value=answer.status)
    body = text_of(answer.body)
    if earlier is None:
        parsed, problem = parse_json(body)
        told = (
            Matcher(match="exact", value=body) if problem else Matcher(match="json", value=parsed)
        )
        return StepExpected(status=status, body=told)
    headers: dict[str, Matcher] = {
        name: wanted
        if wanted.match in ("regex", "ignored")
        else wanted.model_copy(update={"value": answer.headers.get(name.lower())})
        for name, wanted in earlier.headers.items()
    }
    return StepExpected(status=status, headers=headers, body=_kept(earlier.body, answer.body))


def _exact(content: bytes) -> Matcher:
    return Matcher(match="exact", value=text_of(content))


def _kept(wanted: Matcher, content: bytes) -> Matcher:
    """A matcher of the same kind; one that holds already stays, since people wrote it."""
    if wanted.match == "ignored" or (
        wanted.match != "exact" and not text_difference(wanted, content)
    ):
        return wanted
    text = text_of(content)
    if wanted.match == "json":
        parsed, problem = parse_json(text)
        return _exact(content) if problem else Matcher(match="json", value=parsed)
    if wanted.match == "regex":
        return _exact(content)
    return wanted.model_copy(update={"value": text})
