"""What compiled code calls to find out where it runs, or to reach what runs it.

Code that looks can do its work where it is judged, and nowhere else: no test tells it from code
that always does. A migration has no reason to begin with it. What is known to compute only, and to
ask nobody, is listed; all else of the JDK is a kind that the base has to have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.constants import UNREADABLE, Constants
from pytest_benchmac.tracks.maven.own.samecode import (
    JDK,
    Inherited,
    called,
    inherited,
)
from pytest_benchmac.tracks.maven.own.units import MAIN, TEST

_NOW = r"java/time/(?:\w+/)?\w+\.(?:now|dateNow)\(.*"
#: Kind -> calls, as `owner.name(parameters)result`: the first that fits is a call's.
_KINDS = {
    "callers": re.compile(
        r"java/lang/(StackWalker|SecurityManager)\b.*|java/lang/Thread\.(getStackTrace|dumpStack"
        r"|getAllStackTraces|enumerate|activeCount)\(.*"
        # Without a place to print to it goes where nobody reads.
        r"|.*[.](getStackTrace\w*\(|printStackTrace\(L|fillInStackTrace\().*"
        r"|java/util/logging/(LogRecord|Handler|\w+Handler|\w*Formatter|LogManager)\..*"
    ),
    "processes": re.compile(
        r"java/lang/(Runtime\.(exec|exit|halt|addShutdownHook)|System\.exit|Process(Builder|Handle)"
        r"?\b).*|java/lang/management/.*|com/sun/(tools|management)/.*|javax/management/.*"
    ),
    "compilers": re.compile(r"javax/tools/.*|java/lang/instrument/.*|sun/misc/Unsafe\..*"),
    # What can send something to others, by itself.
    "connections": re.compile(
        r"javax?/net/(ssl/)?((SSL|Datagram|Multicast)?Socket(Factory|Impl)?|http/(HttpClient|WebSocket)"
        r"(\$\w+)?)\..*|java/net/(URL\.(open\w+|getContent)|\w*URLConnection\.(?!guess)\w+|InetAddress\."
        r"(getByName|getAllByName|isReachable))\(.*|java/nio/channels/(Asynchronous)?"
        r"(Datagram|Socket)Channel\..*|java/rmi/(Naming|registry/\w+)\..*"
        r"|javax/naming/(\w+/)*\w*Context\w*\..*"
    ),
    "classes": re.compile(
        r"java/lang/Class\.(forName|getClassLoader|getProtectionDomain|getModule|getNestHost"
        r"|getResource\w*)\(.*|java/lang/(ClassLoader|Module\w*)\..*|java/net/URLClassLoader\..*"
        r"|java/util/(ServiceLoader|ResourceBundle)\b.*|java/lang/Thread\.(getContextClassLoader"
        r"|getThreadGroup|getName|toString|isDaemon|getId|threadId|getDefaultUncaught\w*"
        r"|getUncaught\w*)\(.*|java/lang/ThreadGroup\..*"
        r"|java/lang/invoke/MethodHandles\$Lookup\.(findClass|defineClass|accessClass)\(.*"
        # Of whatever library.
        r"|.*[.](getResource\w*|forName|loadClass|getClassLoader\w*|getSystemProperty)\("
        r"(Ljava/lang/(String|Class|ClassLoader|Object);.*|\).*)"
    ),
    "reflection": re.compile(
        r"java/lang/Class\.(get(Declared)?(Method|Field|Constructor|Classe)s?|newInstance"
        r"|getRecordComponents|getEnclosing\w+)\(.*|java/lang/reflect/(?!Array\.).*"
        r"|java/lang/invoke/MethodHandles(\$Lookup)?\.(?!lookup\(|find\w*VarHandle\().*"
        r"|java/lang/invoke/MethodType\..*|java/beans/.*|java/io/Object(In|Out)put\w*\..*"
    ),
    "properties": re.compile(
        r"java/lang/(System\.(get|set|clear)(Propert(y|ies)|env)|Boolean\.getBoolean"
        r"|(Integer\.getInteger|Long\.getLong))\(.*"
    ),
    "files": re.compile(
        r"java/io/(File|RandomAccess)\w*\..*|java/nio/file/(Files|FileS\w+|Watch\w+)\..*"
        r"|java/nio/file/Path\.(to(RealPath|File|AbsolutePath|Uri)|register)\(.*|java/nio/channels/.*"
        r"|java/util/(jar|zip)/(Jar|Zip)File\..*|java/util/prefs/.*"
        r"|(java/util/(Scanner|Formatter)|java/io/Print(Writer|Stream))\.<init>\("
        r"Ljava/(io/File|nio/file/Path|lang/String);.*|javax/imageio/.*"
    ),
    "clocks": re.compile(
        rf"java/lang/System\.(currentTimeMillis|nanoTime)\(.*|java/util/Date\.<init>\(\)V|{_NOW}"
        r"|java/util/(Gregorian)?Calendar\.(getInstance|<init>)\(.*|java/util/Timer\w*\..*"
        r"|java/time/(Clock|InstantSource)\..*"
        # What knows or writes down the day: two figures mean a year by it.
        r"|java/text/(Simple)?DateFormat\..*|java/util/Properties\.(store\w*|save)\(.*"
        r"|java/util/(jar|zip)/\w+OutputStream\.putNextEntry\(.*|java/security/KeyStore\..*"
        # What waits can tell how long.
        r"|java/(lang|util/concurrent)/.*\(.*Ljava/(util/concurrent/TimeUnit|time/Duration);.*\).*"
        r"|java/lang/(Thread\.(sleep|join)|Object\.wait)\(J.*"
        r"|java/util/concurrent/(TimeUnit\.(sleep|timed\w+)|locks/\w+\.(park|await)(Nanos|Until))"
        r"\(.*"
    ),
    "chance": re.compile(
        r"java/(util/(Random|SplittableRandom)|security/SecureRandom)\..*|java/lang/Math\.random\(.*"
        r"|java/util/(UUID\.randomUUID|concurrent/ThreadLocalRandom\.|random/|Collections\.shuffle"
        r"\(Ljava/util/List;\)).*|java/lang/System\.identityHashCode\(.*"
        r"|java/security/KeyPairGenerator\..*|javax/crypto/KeyGenerator\..*"
    ),
    "the machine": re.compile(
        r"java/lang/Runtime\.(?!version\().*|java/util/(Locale|TimeZone)\.([gs]etDefault|getISO\w+)\(.*"
        r"|java/time/ZoneId\.systemDefault\(.*|java/lang/System\.(set\w+|console|inheritedChannel)\(.*"
        r"|java/lang/System\.getSecurityManager\(.*|java/security/(Provider|Security)\..*"
        # Does anybody else know that text?
        r"|java/lang/String\.intern\(.*"
        # Tables that come with a release of Java: zones, letters, countries, and what there is.
        r"|java/time/zone/ZoneRulesProvider\..*|java/lang/Character\.(isDefined|getType|getName"
        r"|codePointOf)\(.*|java/lang/Character\$Unicode(Block|Script)\..*"
        r"|java/[\w/]+\.(getAvailable\w+|availableCharsets)\(.*"
    ),
    "the network": re.compile(
        r"javax?/(net|rmi|naming)/(?!(URI|URL(En|De)coder|\w+Exception)\.).*|com/sun/net/.*"
    ),
    "xml": re.compile(r"javax/xml/.*|org/(w3c|xml)/.*"),
}
#: Of the JDK, what only computes: owners, up to the dot before the name.
_COMPUTES = re.compile(
    r"java/lang/(Object|String\w*|AbstractStringBuilder|CharSequence|Appendable|Char\w*(\$\w+)?"
    r"|Boolean|Byte|Short|Integer|Long|Float|Double|Number|(Strict)?Math|Enum(\$\w+)?|Record"
    r"|Iterable|Comparable|Runnable|AutoCloseable|Cloneable|Void|\w*Exception|\w*Error|Throwable"
    r"|(Inheritable)?ThreadLocal|Readable|Runtime(\$Version)?"
    r"|System\$Logger(\$\w+)?|ref/\w+|annotation/\w+|runtime/\w+|reflect/Array"
    r"|invoke/(LambdaMetafactory|StringConcatFactory|VarHandle|MethodHandles|MethodHandles\$Lookup"
    r"|ConstantBootstraps|MethodHandle|CallSite|SerializedLambda))\."
    r"|java/util/(?!logging/|jar/|prefs/|spi/|zip/)[\w/$]+\.|java/util/zip/(?!\w*File\b)\w+\."
    # Which loggers there are, and what they read, is the machine's.
    r"|java/util/logging/Logger\.(getLogger\(Ljava/lang/String;\)|(getName|isLoggable|logp?"
    r"|severe|warning|info|config|fine\w*|entering|exiting|throwing|setLevel)\()"
    r"|java/util/logging/Level\.(?!getLocalizedName\(|<init>\(Ljava/lang/String;IL)|java/(math|text|time)/(?!spi/)[\w/$]+\."
    r"|java/nio/(\w*Buffer|ByteOrder|\w+Exception)\.|java/nio/charset/(?!spi/)\w+\."
    r"|java/nio/file/(Paths?|Standard\w+|\w+Exception)\."
    r"|java/io/((ByteArray|CharArray|String|Buffered|Filter|Data|Sequence|LineNumber|Pushback)\w+"
    r"|(In|Out)put(Stream\w*)?|Reader|Writer|Print(Stream|Writer)|Closeable|Flushable"
    r"|Serializable|StreamTokenizer|\w+Exception|\w+Error|Console)\."
    r"|java/security/(MessageDigest|Key\w*|Signature|spec/\w+|interfaces/\w+|\w+Exception)\."
    r"|javax/crypto/|java/sql/(Date|Time|Timestamp|\w+Exception)\.|java/net/(URI|URL(En|De)coder"
    r"|\w+Exception)\.|javax/annotation/"
    # Of what also tells, or does, other things.
    r"|java/lang/Class\.(asSubclass|cast|componentType|desc\w+|desiredAssertionStatus|equals"
    r"|get(\w*Annotation\w*|CanonicalName|ComponentType|DeclaringClass|EnumConstants|Generic\w+"
    r"|Interfaces|Modifiers|Name|PackageName|SimpleName|Superclass|Type\w+)|hashCode|is\w+"
    r"|to(Generic)?String)\("
    r"|java/lang/Thread\.(<init>|currentThread|getPriority|getState|holdsLock|interrupt(ed)?"
    r"|is(Alive|Interrupted)|join|onSpinWait|run|set\w+|start|yield)\("
    r"|java/lang/System\.(arraycopy|getLogger|lineSeparator)\("
)
#: Libraries of tests: main code that names them can miss them.
_OF_TESTS_ONLY = re.compile(
    r"(junit|org/(junit|opentest4j|hamcrest|testng|mockito|assertj|apache/maven))/.*"
)
#: What is thrown where memory or stack end: whoever catches it learns how much there is.
_LIMITS = re.compile(r"java/lang/(OutOfMemory|StackOverflow|VirtualMachine)Error")
#: Properties that are the same wherever the code runs, or others elsewhere: see `elsewhere`.
_EVERYWHERE = re.compile(
    r"java/lang/System\.getProperty ((line|file|path)\.separator|os\.name|file\.encoding"
    r"|java\.(version|specification\.version|io\.tmpdir))"
)
#: Calls that take the charset of the machine.
_CHARSET_OF_MACHINE = re.compile(
    r"java/lang/String\.(getBytes\(\)|<init>\(\[B(II)?\)).*"
    r"|java/io/(InputStreamReader|OutputStreamWriter|PrintStream|PrintWriter)\.<init>\("
    r"Ljava/io/(In|Out)putStream;Z?\).*|java/util/(Scanner|Formatter)\.<init>\("
    r"Ljava/io/(In|Out)putStream;\).*|java/io/ByteArrayOutputStream\.toString\(\).*"
    r"|java/nio/charset/Charset\.defaultCharset\(.*|java/io/File(Reader|Writer)\.<init>\(.*"
)
#: What tests must not begin with either, and what is shown of them.
_NEVER = frozenset({"callers", "compilers", "connections", "processes", "unreadable"})
_SHOWN = frozenset({"classes", "files", "properties", "the network"})


def kind_of(call: str) -> str:
    """What kind of looking the call is; empty for one that only computes.

    Args:
        call: as `samecode.called` tells it.
    """
    call = call.lstrip("[")
    if " " in call:
        return "" if _EVERYWHERE.fullmatch(call) else "properties"
    for kind, pattern in _KINDS.items():
        if pattern.fullmatch(call):
            return kind
    if not JDK.match(call) or _COMPUTES.match(call):
        return ""
    return call.partition(".")[0].rpartition("/")[0].replace("/", ".")


def _outside(call: str, own: Mapping[str, Inherited]) -> Iterator[str]:
    """The call, told of those who may answer it and are none of the project's classes."""
    owner, _, member = call.partition(".")
    pending, seen = [owner], set[str]()
    while pending:
        each = pending.pop()
        if each not in own:
            yield f"{each}.{member}"
        elif each not in seen and member not in own[each].members:
            pending += own[each].above
        seen.add(each)


def _kinds(content: bytes, own: Mapping[str, Inherited]) -> Iterator[str]:
    for call in called(content):
        yield from map(kind_of, _outside(call, own))
    classes = Constants(content).classes()
    if any(map(_OF_TESTS_ONLY.fullmatch, classes)):
        yield "libraries of tests"
    if any(map(_LIMITS.fullmatch, classes)):
        yield "the machine's limits"


def reach_of(compiled: OwnCompile, kind: str) -> dict[str, str]:
    """Kind of call -> a class with one, of the main or the test classes."""
    found: dict[str, str] = {}
    own = inherited_of(compiled, {MAIN, kind})
    for name, (_, path) in sorted(compiled.classes(kind).items()):
        try:
            kinds = set(_kinds(compiled.content(path), own))
        except UNREADABLE:
            kinds = {"unreadable"}
        for of in kinds - {""}:
            found.setdefault(of, name)
    return found


def names_no_charset(compiled: OwnCompile, kind: str) -> bool:
    """Does a class of a kind take the machine's charset, which a migration may begin to name?"""
    for _, path in compiled.classes(kind).values():
        try:
            if any(map(_CHARSET_OF_MACHINE.fullmatch, called(compiled.content(path)))):
                return True
        except UNREADABLE:
            continue
    return False


def inherited_of(compiled: OwnCompile, kinds: Iterable[str]) -> dict[str, Inherited]:
    """Internal name -> what the class inherits, of all that can be read."""
    found: dict[str, Inherited] = {}
    for kind in kinds:
        for _, path in compiled.classes(kind).values():
            try:
                each = inherited(compiled.content(path))
            except UNREADABLE:
                continue
            found.setdefault(each.name, each)
    return found


def base_reach(compiled: OwnCompile) -> dict[str, list[str]]:
    """The kinds of calls of main and test classes, as facts of the base."""
    return {kind: sorted(reach_of(compiled, kind)) for kind in (MAIN, TEST)}


def new_reach(compiled: OwnCompile, known: dict[str, list[str]]) -> list[tuple[str, str, bool]]:
    """Kind of call that the base has not, a class with it, and whether no test needs it."""
    found = [(of, name, True) for of, name in reach_of(compiled, MAIN).items()]
    found = [each for each in found if each[0] not in known[MAIN]]
    old = {*known[MAIN], *known[TEST]}
    for of, name in reach_of(compiled, TEST).items():
        if of not in old and of in _NEVER | _SHOWN:
            found.append((of, name, of in _NEVER))
    return found
