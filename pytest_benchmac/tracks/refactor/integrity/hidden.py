"""Source that moved where rules do not look. Pure.

Rules read source files of their languages. Code can go where they do not: into text that is run, a
file of another ending, an archive, a folder that is not scanned, a literal that is decoded. Each of
these takes a name or a file that a refactoring has no reason to bring: what base or golden has as
often, a patch may have too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.instance import Language
from pytest_benchmac.tracks.refactor.integrity.sources import Sources
from pytest_benchmac.tracks.refactor.integrity.told import ENCODED
from pytest_benchmac.tracks.refactor.rules.verdicts import LANGUAGES

_MAX_BYTES = 8 * 1024 * 1024
#: Lines that look like source, in a file that is none.
_CODE_LINES = 5

_CODE = re.compile(
    r"^\s*(?:def |class |import |from \w+ import|export |function |const |let |public |private "
    r"|package |func |return\b|if .*[:{]$|for .*[:{]$|@\w+|[\w.]+\(.*\);?$)",
)
#: Endings of files that programs of a language may be read from, whatever rules look at.
_SOURCES: Mapping[Language, frozenset[str]] = {
    "python": frozenset({"py", "pyi", "pyx", "pyc", "pyo", "so", "pyz", "egg", "whl", "pth"}),
    "typescript": frozenset(
        {"ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "node", "wasm", "vue", "svelte"}
    ),
    "java": frozenset(
        {"java", "class", "jar", "war", "groovy", "kt", "scala", "clj", "jsh", "js", "jsp"}
    ),
    "go": frozenset({"go", "s", "c", "cc", "cpp", "h", "so", "a", "syso"}),
}
_ARCHIVES = frozenset(
    "zip tar gz tgz bz2 xz 7z jar war egg whl pyz zst br lz4 bin dat pkl pickle".split()
)
_PROSE = frozenset("md rst txt adoc".split())
_SIGNATURES = (
    b"PK\3\4",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x7fELF",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
)


class Seen(Model):
    """What one tree has of all that; learnt of base and golden."""

    #: `language:name` -> how often it stands in sources, outside of comments.
    names: dict[str, int]
    #: Long literals without blanks, in all sources.
    encoded: int
    #: Files that are no sources which rules look at, each with its kind.
    files: dict[str, str]
    #: Sources that cannot be parsed.
    broken: tuple[str, ...]


def look(
    tree: SourceTree,
    sources: Sources,
    language: Language,
    languages: frozenset[str],
    excluded: Callable[[str], bool],
) -> Seen:
    """What a tree has.

    Args:
        tree: regular files.
        sources: those of the tree.
        language: the instance's.
        languages: those that its rules look at.
        excluded: is a path left out by the rules' scan?
    """
    odd: dict[str, str] = {}
    for path in tree.files:
        ending = path.rpartition("/")[2].rpartition(".")[2].lower()
        kind = _kind(ending, tree.read(path, _MAX_BYTES), language)
        scanned = LANGUAGES.get(f".{ending}") in languages and not excluded(path)
        if kind and (not scanned or kind in ("binary", "too large")):
            odd[path] = kind
    return Seen(
        names=sources.names,
        encoded=sum(each.encoded for each in sources.files.values()),
        files=odd,
        broken=tuple(sources.broken),
    )


def _kind(ending: str, content: bytes | None, language: Language) -> str:
    """Why code could hide in a file; empty where it hardly can."""
    if content is None:
        return "too large"
    if content.startswith(_SIGNATURES) or ending in _ARCHIVES or b"\0" in content[:8192]:
        return "binary"
    if ending in _SOURCES[language]:
        return "source"
    if ending in ("toml", "xml"):
        return ""
    lines = [line for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    code = sum(bool(_CODE.match(line)) for line in lines)
    # Prose may quote some.
    least = max(_CODE_LINES, len(lines) // 2) if ending in _PROSE else _CODE_LINES
    if code >= least:
        return "code"
    return "encoded" if any(_encoded(line.strip()) for line in lines) else ""


def _encoded(text: str) -> bool:
    return len(text) >= ENCODED and not re.search(r"\s", text.strip()) and "/" not in text[:8]


def check_hidden(findings: Findings, base: Seen, golden: Seen, patched: Seen) -> None:
    """Nothing of it is new.

    Args:
        findings: gets the codes `evasive-name`, `encoded-literal`, `unscanned-file` and
            `unparsed-source`.
        base: of the base.
        golden: of the golden tree.
        patched: of the patched tree.
    """
    for name, count in sorted(patched.names.items()):
        most = max(base.names.get(name, 0), golden.names.get(name, 0))
        # What the base does already may be split up or repeated; what it never did is new.
        if most == 0:
            findings.fatal(
                "evasive-name",
                f"`{name.partition(':')[2]}` stands in the sources, and not in those of base and "
                "golden: it runs or finds code that rules do not see.",
                seen=count,
                expected=most,
            )
        elif count > 2 * most + 2:
            findings.warning(
                "evasive-name",
                f"`{name.partition(':')[2]}` stands {count} times in the sources, at most "
                f"{most} times in those of base and golden.",
            )
    if patched.encoded > max(base.encoded, golden.encoded):
        findings.fatal(
            "encoded-literal",
            f"A literal of {ENCODED} characters or more without a blank is new.",
        )
    for path, kind in sorted(patched.files.items()):
        if path not in base.files and path not in golden.files:
            findings.fatal(
                "unscanned-file",
                f"{path} is new ({kind}): code could lie there, and no rule looks at it.",
                file=path,
            )

    for path in patched.broken:
        if path not in base.broken and path not in golden.broken:
            findings.fatal("unparsed-source", f"{path} cannot be parsed.", file=path)


def check_files(findings: Findings, links: Mapping[str, str], unnamed: Sequence[str]) -> None:
    """Files that cannot be copied, and so not be scanned; gets `link` and `file-name`."""
    for path, target in links.items():
        findings.fatal("link", f"{path} is a new link to {target}.", file=path)
    for path in unnamed:
        findings.fatal("file-name", "A file's name is no text, or acts on terminals.", file=path)
