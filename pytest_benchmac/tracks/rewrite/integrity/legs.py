"""Points without a rewrite: the legs that look at files alone."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring
from pydantic import Field

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.findings import Findings, Legs
from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.integrity.languages import TARGETS
from pytest_benchmac.tracks.rewrite.integrity.survey import Found, Source, Survey, survey
from pytest_benchmac.tracks.rewrite.integrity.syntax import COMMENT, NUMBER, SIGN
from pytest_benchmac.tracks.rewrite.integrity.winnowing import (
    BOUND,
    containment,
    exact_fingerprints,
    fingerprints,
)

#: A program in a literal: an interpreter with an option that takes code, or a script's first line.
_PROGRAM = re.compile(
    r"(?:^|[/\s;&|(])(?:ba|da|z|k)?sh\s+-\w*c\b|(?:^|[/\s;&|(])(?:perl|python3?|node|ruby|php)\s+-\w*[ceE]\b"
    r"|(?:^|[/\s;&|(])[gm]?awk\s+(?:-\S+\s+)*['\"\\{]|^\s*#!\s*/"
)
#: What only somebody who looks for the harness names.
_WATCHED = re.compile(
    r"(?i:benchmac)|/proc/(?!(?:cpuinfo|meminfo|loadavg)\b)|/inbox\b|oom_score_adj"
)
#: Tools of build files that could bring or unpack something.
_TOOLS = re.compile(
    r"(?:^|[\s;&|(@/\"'`])(perl|[gm]?awk|python[23]?|node|ruby|base64|base32|xxd|uudecode|openssl|gunzip|zcat|xz"
    r"|curl|wget|nc|git)(?=[\s;&|)\"'`]|$)"
)
#: Characters of encoded text without a blank, and numbers in a row, that no honest source has.
_ENCODED_CHARS, _ENCODED_NUMBERS = 400, 1_000
_RUN = re.compile(r"[A-Za-z0-9+/=_-]+|(?:\\x[0-9a-fA-F]{2})+")
_ORIGINAL = 0.25


class SourceFacts(Model):
    """What is known of the program as it is."""

    #: Lines that are not blank, of files in its language.
    lines: int = 0
    #: Does it start processes?
    spawns: bool = False
    #: Names in its literals that would be watched for in a rewrite.
    names: tuple[str, ...] = ()
    #: Of its text, names and literals included.
    fingerprints: tuple[int, ...] = Field(default=(), repr=False)


def source_facts(tree: SourceTree, language: Language) -> SourceFacts:
    """Read the source."""
    seen, target = survey(tree, language), TARGETS[language]
    spawns = any(
        source.find(target.spawning)
        or any(re.fullmatch(target.spawning_modules, m.text) for m in source.modules(target))
        for source in seen.sources
    )
    literals = [each.text for source in seen.sources for each in source.literals]
    names = {found[0] for text in literals for found in _WATCHED.finditer(text)}
    names |= {found[0] for text in literals for found in _PROGRAM.finditer(text)}
    texts = [source.text for source in seen.sources]
    return SourceFacts(
        lines=seen.lines,
        spawns=spawns,
        names=tuple(sorted(names)),
        fingerprints=tuple(sorted(exact_fingerprints(texts, language))),
    )


def run_legs(
    legs: Legs,
    seen: Survey,
    facts: SourceFacts,
    *,
    source: Language,
    links: Mapping[str, str],
    allowed: Sequence[str],
    known: Mapping[str, Sequence[int]],
) -> None:
    """Run every leg that looks at files.

    Args:
        legs: takes the findings.
        seen: what was submitted.
        facts: of the source.
        source: its language.
        links: target of each symbolic link that was submitted.
        allowed: packages that manifests may name.
        known: name of a known implementation -> its fingerprints in the target language.
    """
    with legs.leg("files") as leg:
        _files(leg.findings, seen, facts, source, links)
    with legs.leg("foreign") as leg:
        for each in seen.sources:
            _foreign(leg.findings, each, seen.language, facts)
        _build_files(leg.findings, seen)
    with legs.leg("dependencies") as leg:
        for path, text in seen.others.items():
            for name in _dependencies(path, text):
                if name not in allowed:
                    leg.findings.fatal(
                        "dependency",
                        f"{path} names {name}, which the instance does not allow.",
                        file=path,
                        expected=", ".join(allowed) or "the standard library alone",
                        seen=name,
                    )
    if known:
        with legs.leg("vendored") as leg:
            own = fingerprints((each.text for each in seen.sources), seen.language)
            for name, theirs in known.items():
                share = containment(own, theirs)
                legs.facts.setdefault("containment", {})[name] = round(share, 3)
                if share > BOUND:
                    leg.findings.fatal(
                        "vendored",
                        f"{share:.0%} of the code is that of {name}.",
                        expected=f"at most {BOUND:.0%}",
                        seen=f"{share:.0%}",
                    )
    with legs.leg("watching") as leg:
        for each in seen.sources:
            _watching(leg.findings, each, facts)


def _files(
    findings: Findings,
    seen: Survey,
    facts: SourceFacts,
    source: Language,
    links: Mapping[str, str],
) -> None:
    for path, why in seen.left_out.items():
        findings.warning("left-out", f"{path} is not built: {why}.", file=path)
    for path, target in links.items():
        findings.warning("left-out", f"{path} is a link to {target}, and not built.", file=path)
    for each in seen.sources:
        _encoded(findings, each)
    original = frozenset(facts.fingerprints)
    if not original:
        return
    literals = "\n".join(found.text for each in seen.sources for found in each.literals)
    # Code: of a language that is part of the target, such as C of C++.
    looked_at: dict[str, list[str]] = {
        "literals": [_unescaped(literals)],
        "code": [each.text for each in seen.sources],
        **{path: [_unescaped(text)] for path, text in seen.others.items()},
    }
    for what, texts in looked_at.items():
        share = len(exact_fingerprints(texts, source) & original) / len(original)
        if share > _ORIGINAL:
            findings.fatal(
                "original-embedded",
                f"{share:.0%} of the original program stands in {what}.",
                file=what if what in seen.others else None,
                expected=f"at most {_ORIGINAL:.0%}",
                seen=f"{share:.0%}",
            )


def _encoded(findings: Findings, source: Source) -> None:
    for found in source.literals:
        # Runs of one character, such as a line of dashes, say nothing.
        for match in _RUN.finditer(found.text):
            if len(match[0]) >= _ENCODED_CHARS and len(set(match[0])) > 12:
                findings.fatal(
                    "encoded-payload",
                    f"A literal has {len(match[0])} characters without a blank.",
                    file=found.path,
                    line=found.line,
                    expected=f"less than {_ENCODED_CHARS}",
                    seen=match[0][:60],
                )
                break
    numbers, first = 0, 0
    for token in source.tokens():
        if token.kind == NUMBER:
            first = first if numbers else token.line
            numbers += 1
            if numbers == _ENCODED_NUMBERS:
                findings.fatal(
                    "encoded-payload",
                    f"{_ENCODED_NUMBERS} numbers stand in a row.",
                    file=source.path,
                    line=first,
                )
        elif token.kind != COMMENT and not (token.kind == SIGN and token.text in ",-+;{}[]()"):
            numbers = 0


def _foreign(findings: Findings, source: Source, language: Language, facts: SourceFacts) -> None:
    target = TARGETS[language]
    for why, pattern in target.foreign.items():
        if found := source.find(pattern):
            _fatal_foreign(findings, found, why)
    for why, pattern in target.directives.items():
        for comment in source.comments:
            if re.match(pattern, comment.text):
                _fatal_foreign(findings, comment, why)
    spawned = [source.find(target.spawning)]
    for module in source.modules(target):
        for why, pattern in target.foreign_modules.items():
            if re.fullmatch(pattern, module.text):
                _fatal_foreign(findings, module, why)
        if re.fullmatch(target.spawning_modules, module.text):
            spawned.append(module)
    if not facts.spawns:
        for found in filter(None, spawned):
            findings.fatal(
                "spawns",
                f"It starts processes ({found.text}), and the source starts none.",
                file=found.path,
                line=found.line,
                seen=found.text,
            )
    for literal in source.literals:
        match = _PROGRAM.search(literal.text)
        if match is not None and match[0] not in facts.names:
            findings.fatal(
                "program-in-text",
                "A literal holds a program for an interpreter.",
                file=literal.path,
                line=literal.line,
                seen=literal.text[:120],
            )


def _fatal_foreign(findings: Findings, found: Found, why: str) -> None:
    findings.fatal(
        "foreign-code",
        f"It {why}: {found.text.strip()[:80]}",
        file=found.path,
        line=found.line,
        seen=found.text[:80],
    )


def _build_files(findings: Findings, seen: Survey) -> None:
    target = TARGETS[seen.language]
    for path, text in seen.others.items():
        if not target.is_build_file(path):
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            for match in _TOOLS.finditer("" if line.lstrip().startswith("#") else line):
                if match[1] not in target.tools and not path.endswith(
                    ("lock", "lock.json", ".mod")
                ):
                    findings.fatal(
                        "build-tool",
                        f"The build runs {match[1]}, which compiles nothing.",
                        file=path,
                        line=number,
                        seen=line.strip()[:120],
                    )


def _watching(findings: Findings, source: Source, facts: SourceFacts) -> None:
    for literal in source.literals:
        match = _WATCHED.search(literal.text)
        if match is not None and match[0] not in facts.names:
            findings.fatal(
                "harness-named",
                f"The code names {match[0]}, which a program of this kind has no use for.",
                file=literal.path,
                line=literal.line,
                seen=literal.text[:120],
            )


def _dependencies(path: str, text: str) -> Iterator[str]:
    """Names of packages that a manifest asks for; nothing where it is none, or cannot be read."""
    name = path.rpartition("/")[2]
    try:
        if name == "go.mod":
            yield from re.findall(r"^\s*(?:require\s+)?([\w.-]+\.\w+/\S+)\s+v", text, re.MULTILINE)
        elif name == "package.json":
            told = json.loads(text)
            for key in told if isinstance(told, dict) else ():
                if key.lower().endswith("dependencies"):
                    yield from told[key]
        elif name in ("Cargo.toml", "pyproject.toml"):
            yield from _of_toml(tomllib.loads(text))
        elif name == "pom.xml":
            for each in fromstring(text).iter():
                if each.tag.rpartition("}")[2] in ("dependency", "plugin", "extension", "parent"):
                    parts = {child.tag.rpartition("}")[2]: child.text or "" for child in each}
                    yield f"{parts.get('groupId', '')}:{parts.get('artifactId', '')}"
        elif re.fullmatch(r"requirements.*\.txt", name):
            for line in text.split("\n"):
                if match := re.match(r"\s*([A-Za-z0-9][\w.-]*|-\S+|\S+://\S+)", line):
                    yield match[1]
        elif name.startswith("build.gradle"):
            yield from re.findall(r"['\"]([\w.-]+:[\w.-]+)(?::[^'\"]*)?['\"]", text)
    except (ValueError, RecursionError, TypeError, ParseError, DefusedXmlException):
        return


def _of_toml(table: Mapping[str, object]) -> Iterator[str]:
    for key, value in table.items():
        if key.endswith("dependencies") and isinstance(value, dict):
            yield from (str(name) for name in value)
        elif key.endswith(("dependencies", "requires")) and isinstance(value, list):
            yield from (re.split(r"[^\w.-]", str(name))[0] for name in value)
        elif isinstance(value, dict):
            yield from _of_toml(value)


def _unescaped(text: str) -> str:
    r"""With `\n`, `\t`, `\"` and `\'` as what they stand for."""
    return re.sub(
        r"\\([nrt\"'\\])", lambda m: {"n": "\n", "r": "\n", "t": "\t"}.get(m[1], m[1]), text
    )
