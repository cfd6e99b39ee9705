"""Why an Angular case failed, by what npm, the Angular CLI and its builders print.

docs/failures.md has the rules in words. Rules are tried in order; the first that fits decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from pytest_benchmac.tracks.angular.boot.compare import BootResult, PageResult, faults
from pytest_benchmac.tracks.diagnosis import Diagnosis, place_in, shortened


class AngularCause(StrEnum):
    """Causes beside those of `report.causes.Cause`."""

    LOCK_OUT_OF_SYNC = "lock_out_of_sync"
    MANIFEST_INVALID = "manifest_invalid"
    DEPENDENCY_CONFLICT = "dependency_conflict"
    PACKAGE_MISSING = "package_missing"
    ENGINE_UNSUPPORTED = "engine_unsupported"
    HOST_UNREACHABLE = "host_unreachable"
    INSTALL_SCRIPT_FAILED = "install_script_failed"
    WRONG_VERSION = "wrong_version"
    TYPE_ERROR = "type_error"
    TEMPLATE_ERROR = "template_error"
    STYLE_ERROR = "style_error"
    CONFIGURATION_ERROR = "configuration_error"
    BUDGET_EXCEEDED = "budget_exceeded"
    NOTHING_RENDERED = "nothing_rendered"
    RUNTIME_ERROR = "runtime_error"
    BEHAVIOUR_CHANGED = "behaviour_changed"
    TESTS_FAILED = "tests_failed"
    OUT_OF_MEMORY = "out_of_memory"


# A search is fast where every alternative begins with a letter of its own, and slow behind a group
# or an anchor.
class _Rule(NamedTuple):
    cause: AngularCause
    words: re.Pattern[str]


def _rules(*pairs: tuple[AngularCause, str]) -> tuple[_Rule, ...]:
    return tuple(_Rule(cause, re.compile(words, re.MULTILINE)) for cause, words in pairs)


#: npm's error codes and sentences, of npm 6 to 11 (`npm ERR!` until 9, `npm error` from 10).
_NPM = r"^npm (?:ERR!|error) "
_INSTALL = _rules(
    (AngularCause.OUT_OF_MEMORY, r"JavaScript heap out of memory"),
    (
        AngularCause.LOCK_OUT_OF_SYNC,
        r"can only install packages when your package\.json and|"
        r"can only install with an existing package-lock\.json|"
        r"cipm can only install packages|code EINTEGRITY|"
        r"EJSONPARSE[\s\S]{0,400}package-lock\.json|package-lock\.json[^\n]*(?:parse|JSON)",
    ),
    (
        AngularCause.MANIFEST_INVALID,
        _NPM + r"(?:code|JSON\.parse|Invalid).*(?:EJSONPARSE|EINVALID)",
    ),
    (AngularCause.DEPENDENCY_CONFLICT, _NPM + r"code (?:ERESOLVE|EPEERINVALID)"),
    (AngularCause.PACKAGE_MISSING, _NPM + r"code (?:E404|ETARGET|ENOVERSIONS)"),
    (AngularCause.ENGINE_UNSUPPORTED, _NPM + r"code (?:EBADENGINE|EBADPLATFORM|ENOTSUP)"),
    (
        AngularCause.HOST_UNREACHABLE,
        _NPM + r"code (?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|E403|"
        r"ERR_SOCKET_TIMEOUT)",
    ),
    (
        AngularCause.INSTALL_SCRIPT_FAILED,
        _NPM + r"(?:command failed|code ELIFECYCLE|command sh -c|command \S*sh -c)",
    ),
)

_BUILD = _rules(
    (
        AngularCause.OUT_OF_MEMORY,
        r"JavaScript heap out of memory|Reached heap limit|ENOMEM|"
        r"^(?:fatal error: )?(?:runtime: )?out of memory",
    ),
    (
        AngularCause.WRONG_VERSION,
        r"requires TypeScript (?:version )?[<>=~^\d].*|"
        r"version of CLI is only compatible with|"
        r"^Node\.js version \S+ detected|"
        r"The current version of \S+ is not (?:supported|compatible)|"
        r"requires a minimum Node\.js version",
    ),
    (
        AngularCause.CONFIGURATION_ERROR,
        r"Schema validation failed|Could not find the '[^']*' builder|"
        r"Cannot find builder|Project target does not exist|Project '[^']*' (?:could not|does not)|"
        r"Configuration '[^']*' (?:for target '[^']*' in project '[^']*' )?is not set|"
        r"Cannot determine project(?: or target)?|Unknown (?:argument|option)s?: |"
        r"error TS(?:5\d{3}|60\d\d|18003)\b|TS(?<!\wTS)(?:5\d{3}|60\d\d|18003): |"
        r"Cannot find (?:tsconfig|browserslist) file|Invalid (?:format version|workspace)|"
        r"The specified tsconfig|Cannot read file [^\n]*tsconfig|"
        r"Failed to read file [^\n]*tsconfig|"
        r"angular\.json[^\n]*(?:JSON|parse|invalid)|workspace[^\n]*(?:JSON|parse|invalid)|"
        r"InvalidSymbol|no such file or directory, [^\n]*(?:tsconfig|angular\.json)|"
        r"Failed to (?:read|find) (?:index )?HTML|index\.html? [^\n]*(?:not found|does not exist)|"
        r"Entry point [^\n]*(?:not found|could not)|Could not resolve \"[^\"]*src/[^\"]*\.ts\"",
    ),
)

#: A module of a package that is not there: TypeScript, esbuild, webpack, Node. Relative paths
#: (and those below src/) are files of the project.
_MODULE = re.compile(
    r"(?:Cannot find module|Could not resolve|Can't resolve|Cannot find package) "
    r"[\"']((?![./]|src/)[^\"']+|/[^\"']*/node_modules/[^\"']+)[\"']"
)
_STYLE = re.compile(
    r"\[plugin angular-(?:sass|css|less|stylesheets?|styles)\]|SassError|"
    r"\[(?:css-syntax-error|undefined-import)\]|CssSyntaxError|"
    r"sass-loader|postcss-loader|less-loader|Can't find stylesheet to import|"
    r"Undefined variable\.?$",
    re.MULTILINE,
)
_BUDGET = re.compile(r"exceeded maximum budget")
#: A diagnostic's code; `TS-998001` is how older builders print NG8001. What stands before it is
#: looked at last, since a search is fast only where the first letters are known.
_CODE = re.compile(r"(TS|NG)(?<!\w[TN][SG])(-99)?(\d{1,6}):")
#: How a diagnostic begins: esbuild's, then webpack's (with the file that it is about).
_DIAGNOSTIC = re.compile(
    r"^\s*[✘X▲!x] \[(ERROR|WARNING)\] ?|^(?:\S+ - )?(Error|Warning|error|warning): ", re.MULTILINE
)


def diagnose_install(output: str) -> Diagnosis | None:
    """The cause that npm's own words name."""
    return _first(_INSTALL, output)


def diagnose_build(output: str) -> Diagnosis | None:
    """The cause of a failed build, with the codes and the number of its errors."""
    errors = error_blocks(output)
    # Some tools just print, without marking errors and warnings: then all of it may tell.
    told = errors if _DIAGNOSTIC.search(output) else [output]
    codes = diagnostic_codes("\n".join(told))
    found = _first(_BUILD, output) or _of_errors(told, codes)
    if found is None:
        return None
    count = len(errors) or sum(codes.values())
    file, line = _place(found.evidence, told)
    return Diagnosis(
        cause=found.cause,
        evidence=found.evidence,
        codes=codes,
        errors=count or None,
        file=file,
        line=line,
    )


def _place(evidence: str, errors: Sequence[str]) -> tuple[str | None, int | None]:
    """Where the error is, which esbuild prints on a line of its own below it."""
    if place_in(evidence) is None:
        for error in errors:
            if evidence and evidence.removesuffix("…") in " ".join(error.split()):
                return place_in(error) or (None, None)
    return None, None


def diagnose_boot(result: BootResult) -> Diagnosis:
    """Why the application does not run as its base did.

    An error comes first, since a blank page follows from it.
    """
    for page in result.pages:
        for error in (*page.new_exceptions, *page.new_console_errors):
            return _of_page(AngularCause.RUNTIME_ERROR, page, error)
    if result.walk is not None and result.walk.errors:
        said = f"on a walk: {result.walk.errors[0]}"
        return Diagnosis(cause=AngularCause.RUNTIME_ERROR, evidence=shortened(said))
    if result.problem:
        return Diagnosis(cause=AngularCause.NOTHING_RENDERED, evidence=shortened(result.problem))
    for page in result.pages:
        if not page.rendered:
            return _of_page(AngularCause.NOTHING_RENDERED, page, page.problem or "nothing is shown")
    for page in result.pages:
        if page.version is None or page.version.partition(".")[0] != str(result.expected_major):
            said = f"{page.version or 'no version'} is running"
            return _of_page(AngularCause.WRONG_VERSION, page, said)
    said = next(iter(faults(result)), "")
    return Diagnosis(cause=AngularCause.BEHAVIOUR_CHANGED, evidence=shortened(said))


def _of_page(cause: AngularCause, page: PageResult, said: str) -> Diagnosis:
    return Diagnosis(cause=cause, evidence=shortened(f"{page.name}: {said}"))


def error_blocks(output: str) -> list[str]:
    """The errors that a builder printed, each with its lines; warnings are left out."""
    marks = list(_DIAGNOSTIC.finditer(output))
    ends = [*(mark.start() for mark in marks[1:]), len(output)] if marks else []
    return [
        output[mark.start() : end].strip()
        for mark, end in zip(marks, ends, strict=True)
        if (mark[1] or mark[2]).lower() == "error"
    ]


def _of_errors(errors: Sequence[str], codes: dict[str, int]) -> Diagnosis | None:
    """What kind of error there is, if the tool got as far as the code.

    A package that is missing comes first, since the type errors around it follow from it; then
    what most of the codes say.
    """
    text = "\n".join(errors)
    if missing := _MODULE.search(text):
        return _diagnosis(AngularCause.PACKAGE_MISSING, text, missing)
    of_angular, of_typescript = (
        sum(n for code, n in codes.items() if code.startswith(kind)) for kind in ("NG", "TS")
    )
    if of_angular or of_typescript:
        # Angular's own errors win a tie: type errors in templates follow from them.
        templates = of_angular >= of_typescript
        cause = AngularCause.TEMPLATE_ERROR if templates else AngularCause.TYPE_ERROR
        evidence = _line_of(text, "NG" if templates else "TS")
        return Diagnosis(cause=cause, evidence=shortened(evidence))
    for cause, words in (
        (AngularCause.STYLE_ERROR, _STYLE),
        (AngularCause.BUDGET_EXCEEDED, _BUDGET),
    ):
        for error in errors:
            if match := words.search(error):
                marked = _DIAGNOSTIC.match(error) is not None
                line = error.splitlines()[0] if marked else _line(error, match)
                return Diagnosis(cause=cause, evidence=shortened(line))
    return None


def _line_of(output: str, kind: str) -> str:
    """The first line with a code of this kind."""
    for line in output.splitlines():
        if (match := _CODE.search(line)) and (match[1] if not match[2] else "NG") == kind:
            return line
    return ""


def diagnostic_codes(output: str) -> dict[str, int]:
    """TypeScript's and Angular's codes -> how often they were printed, most frequent first."""
    codes: Counter[str] = Counter()
    for match in _CODE.finditer(output):
        kind = "NG" if match[2] else match[1]
        codes[f"{kind}{match[3]}"] += 1
    return dict(codes.most_common())


def _first(rules: Sequence[_Rule], output: str) -> Diagnosis | None:
    for rule in rules:
        if match := rule.words.search(output):
            return _diagnosis(rule.cause, output, match)
    return None


def _diagnosis(cause: AngularCause, output: str, match: re.Match[str]) -> Diagnosis:
    return Diagnosis(cause=cause, evidence=shortened(_line(output, match)))


def _line(output: str, match: re.Match[str]) -> str:
    """The whole line in which a match ends."""
    start = output.rfind("\n", 0, match.end() - 1) + 1
    end = output.find("\n", match.end())
    return output[start : end if end >= 0 else None]
