"""What a target language is made of: its files, and the words by which a program leaves it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pytest_benchmac.tracks.rewrite.benchmark import Language

#: Files of any rewrite that are neither code nor built.
_DOCUMENTS = r"(?:.*/)?(?:README|LICENSE|NOTICE|CHANGELOG|NOTES)(?:\.md|\.txt)?|(?:.*/)?[^/]*\.md"
_GIT_FILES = r"(?:.*/)?\.(?:gitignore|gitattributes|editorconfig)"


@dataclass(frozen=True)
class TargetLanguage:
    """One language, as a target.

    Patterns look at code without comments and literals, in which words and signs are apart by
    single blanks.
    """

    #: Endings of sources.
    sources: tuple[str, ...]
    #: Names of build files, as a pattern over the path.
    build: str
    #: What leaves the language: why -> a pattern.
    foreign: Mapping[str, str]
    #: Starts processes; not foreign where the source does so, too.
    spawning: str = r"(?!)"
    #: Finds the names of imported modules in code whose literals are still there; what stands
    #: before a literal is the name that the code gives it.
    modules: str = r"(?!)"
    #: Likewise, of modules: why -> a pattern over a whole name.
    foreign_modules: Mapping[str, str] = field(default_factory=dict)
    spawning_modules: str = r"(?!)"
    #: Comments that do something: why -> a pattern.
    directives: Mapping[str, str] = field(default_factory=dict)
    #: Folders that package managers and compilers fill.
    made: tuple[str, ...] = ()
    #: Tools that build files may run beside the compiler.
    tools: tuple[str, ...] = ()

    def is_source(self, path: str) -> bool:
        """Is it a source, by its name?"""
        return path.endswith(self.sources)

    def is_build_file(self, path: str) -> bool:
        """Does it say how the program is built?"""
        return re.fullmatch(rf"(?:.*/)?(?:{self.build})", path) is not None

    def admits(self, path: str) -> bool:
        """May a file of this name be part of a rewrite?"""
        if any(part in self.made for part in path.split("/")[:-1]):
            return False
        others = f"{_DOCUMENTS}|{_GIT_FILES}"
        return (
            self.is_source(path)
            or self.is_build_file(path)
            or re.fullmatch(others, path) is not None
        )


_MAKE = r"Makefile|makefile|GNUmakefile|[^/]*\.mk"
_C = TargetLanguage(
    sources=(".c", ".h"),
    build=rf"{_MAKE}|CMakeLists\.txt|[^/]*\.cmake|meson\.build|configure\.ac|[^/]*\.am",
    foreign={
        "loads code": r"\b(?:dlopen|dlsym|dlmopen|fdlopen)\b",
        "makes code": r"\b(?:PROT_EXEC|mprotect|memfd_create|fexecve)\b",
        "assembles": r"\b(?:asm|__asm__|__asm)\b",
        "embeds a file": r"# embed\b",
    },
    spawning=r"\b(?:system|popen|execl|execle|execlp|execv|execve|execvp|execvpe|execveat|fork|vfork"
    r"|posix_spawn|posix_spawnp|clone|clone3|syscall|wordexp)\b \(",
    made=("build", "obj"),
)
_CPP = replace(_C, sources=(".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".h", ".c"))
_GO = TargetLanguage(
    sources=(".go",),
    build=rf"go\.mod|go\.sum|{_MAKE}",
    foreign={},
    # Names of errors are what honest programs have of it.
    # Whatever name the code gives to a module.
    spawning=r"\bStartProcess\b|\bsyscall \. (?:ForkExec|Exec|StartProcess|Mmap|Mprotect"
    r"|(?:Raw|AllThreads)?Syscall\w*|Ptrace\w*|Kill)\b",
    modules=r'\bimport ((?:[\w.]+ )?"[^"]*")|\bimport \( ((?:[\w.]+ |; |"[^"]*" )*)\)',
    foreign_modules={
        "calls C": r"(?:\S+ )?(?:C|runtime/cgo)",
        "loads code": r"(?:\S+ )?plugin",
        "goes round the language": r"(?:\S+ )?unsafe",
    },
    # Under another name, its members could not be told.
    spawning_modules=r"(?:\S+ )?(?:os/exec|golang\.org/x/sys(?:/.*)?|internal/.*)|\S+ syscall",
    directives={
        "goes round the language": r"//go:(?:linkname|cgo_\w+)",
        "embeds a file": r"//go:embed",
    },
    made=("bin",),
)
_JAVA = TargetLanguage(
    sources=(".java",),
    build=rf"pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|[^/]*\.properties"
    rf"|MANIFEST\.MF|{_MAKE}",
    foreign={
        "calls native code": r"\bnative [A-Za-z_<]|\bSystem \. load(?:Library)?\b"
        r"|\bjava \. lang \. foreign\b|\bjdk \. (?:incubator|internal)\b"
        r"|\bsun \. (?:misc|nio|reflect)\b|\bcom \. sun \. (?!net \. httpserver\b)",
        "makes code": r"\bjavax \. (?:script|tools)\b|\bdefine(?:Class|HiddenClass)\b"
        r"|\bURLClassLoader\b|\bextends ClassLoader\b|\bClass \. forName\b|\. loadClass \("
        r"|\bjava \. lang \. instrument\b|\bjdk \. jshell\b|\bjava \. util \. spi\b"
        r"|\bModuleLayer\b",
        "calls by name": r"\bjava \. lang \. (?:reflect \. (?!Array\b)|invoke\b)|\bjava \. beans\b"
        r"|\. get(?:Declared)?(?:Method|Constructor) \( (?!\))|\. get(?:Declared)?Methods \("
        r"|\. get(?:Declared)?Constructors \(|\bMethodHandles\b|\bsetAccessible\b",
    },
    # Of a runtime, what tells of this process and starts none.
    spawning=r"\bProcessBuilder\b|\bRuntime (?!\. (?:version|Version)\b|\. getRuntime \( \) \. (?:"
    r"availableProcessors|totalMemory|freeMemory|maxMemory|gc|addShutdownHook|halt|exit)\b)",
    made=("target", "build", "out"),
)
_JAVASCRIPT = TargetLanguage(
    sources=(".js", ".mjs", ".cjs"),
    build=r"package\.json|package-lock\.json|\.npmrc|jsconfig\.json",
    foreign={
        "makes code": r"(?<!\. )\beval \(|\bnew Function\b|(?<!\. )\bFunction \(|\bWebAssembly\b"
        r"|\b_compile\b|\. constructor (?:\(|\. constructor\b)",
        "loads code": r"\bprocess \. (?:binding|dlopen|getBuiltinModule|mainModule)\b"
        r"|\bcreateRequire\b|\bregisterHooks\b|\b(?:require|import) \( (?!\"\" [,)])",
        # After a brace a slash divides or begins a pattern; what behind it is code cannot be told.
        "hides code": r"\} / (?![/*])|< ! - -",
    },
    modules=r'\b(?:from|import) "([^"]*)"|\b(?:require|import) \( "([^"]*)"',
    foreign_modules={"makes code": r"(?:node:)?vm", "loads code": r".*\.node|data:.*|file:.*"},
    spawning_modules=r"(?:node:)?(?:child_process|cluster|worker_threads)",
    made=("node_modules", "dist", "build"),
    tools=("node", "npm", "npx", "tsc"),
)
_PYTHON_SPAWNS = r"(?:system|popen|exec\w*|spawn\w*|fork\w*|posix_spawn\w*)\b"
_PYTHON = TargetLanguage(
    sources=(".py", ".pyi"),
    build=r"pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|MANIFEST\.in",
    foreign={
        "makes code": r"(?<!\. )\b(?:eval|exec|compile|__import__) \(|\b(?:marshal|pickle|runpy"
        r"|codeop|importlib|zipimport|CodeType|FunctionType)\b|\bsys \. modules\b",
        "calls native code": r"\b(?:ctypes|cffi|_ctypes)\b",
    },
    spawning=r"\b(?:subprocess|multiprocessing|pty|posix|_posixsubprocess)\b|\bcreate_subprocess\w*"
    rf"|\bos \. {_PYTHON_SPAWNS}|\bos as \w|\bfrom os import (?:\( )?(?:\w+ (?:as \w+ )?, )*"
    rf"(?:{_PYTHON_SPAWNS}|\*)",
    made=("__pycache__", "build", "dist", ".venv"),
    tools=("python", "python3", "pip"),
)
_RUST = TargetLanguage(
    sources=(".rs",),
    build=rf"Cargo\.(?:toml|lock)|rustfmt\.toml|{_MAKE}",
    foreign={
        "calls C": r'\bextern (?:"|\{)|\bextern crate libc\b|\blibc : :|\blibloading\b|\bdlopen\b',
        "embeds a file": r"\binclude_(?:bytes|str) !|\binclude !",
        "assembles": r"\b(?:global_)?asm (?:!|as\b)|\blink_section\b",
    },
    spawning=r"\bprocess : : (?:Command|Child|Stdio)\b|\bprocess : : \*|\bprocess as\b"
    r"|\bCommandExt\b|\bprocess : : \{[^}]*(?:\b(?:Command|Child|Stdio)\b|\*|\bself as\b)",
    made=("target",),
    tools=("cargo", "rustc"),
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    sources=(".ts", ".mts", ".cts", *_JAVASCRIPT.sources),
    build=r"package\.json|package-lock\.json|\.npmrc|tsconfig[^/]*\.json",
)
TARGETS: Mapping[Language, TargetLanguage] = {
    "c": _C,
    "c++": _CPP,
    "go": _GO,
    "java": _JAVA,
    "javascript": _JAVASCRIPT,
    "python": _PYTHON,
    "rust": _RUST,
    "typescript": _TYPESCRIPT,
}
