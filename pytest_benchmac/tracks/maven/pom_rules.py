"""What a migration has no reason to write into project files.

Rules look at what is new: an entry (path and value) that no project file of the base has. So what
the base does already, a patch may keep, move between modules and upgrade.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.build_rules import check_places
from pytest_benchmac.tracks.maven.plugin_rules import check_plugins
from pytest_benchmac.tracks.maven.pom import MavenProject, Pom
from pytest_benchmac.tracks.maven.pom_entries import OWN_GROUP, PomEntry, entries
from pytest_benchmac.tracks.maven.shipping_rules import check_shipping
from pytest_benchmac.tracks.maven.versions import paper_versions
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver, interpolate

_COMPILER = "maven-compiler-plugin"
_RUNNERS = ("maven-surefire-plugin", "maven-failsafe-plugin")
#: Plugins without which sources would be neither compiled, nor tested, nor packaged.
_ESSENTIAL = (_COMPILER, *_RUNNERS, "maven-resources-plugin", "maven-jar-plugin")

#: Plugins of Maven itself that run nothing but their own code.
_HARMLESS = frozenset(
    {
        *_ESSENTIAL,
        "maven-clean-plugin",
        "maven-deploy-plugin",
        "maven-ear-plugin",
        "maven-ejb-plugin",
        "maven-enforcer-plugin",
        "maven-install-plugin",
        "maven-javadoc-plugin",
        "maven-jxr-plugin",
        "maven-release-plugin",
        "maven-site-plugin",
        "maven-source-plugin",
        "maven-surefire-report-plugin",
        "maven-war-plugin",
    }
)
#: Plugins that run what their configuration says: scripts, programs, downloads, other files.
_RUNS_ANYTHING = re.compile(
    r"antrun|ant-run|exec|groovy|gmaven|beanshell|script|jruby|jython|invoker|download|wagon"
    r"|frontend|copy-rename|truezip|replacer|resources-plugin-ext|build-helper|native|shell|docker"
    r"|aspectj|retrotransl|retrolambda|animal|toolchains|dependency-plugin|shade|instrument"
    r"|byte-?buddy|jacoco"
)
#: Keys of the test runners' configuration that choose neither tests nor reports.
_RUNNER_KEYS = frozenset(
    {
        "argLine",
        "encoding",
        "environmentVariables",
        "forkCount",
        "forkedProcessTimeoutInSeconds",
        "parallel",
        "perCoreThreadCount",
        "printSummary",
        "redirectTestOutputToFile",
        "reuseForks",
        "runOrder",
        "systemProperties",
        "systemPropertyVariables",
        "tempDir",
        "threadCount",
        "trimStackTrace",
        "useFile",
        "useManifestOnlyJar",
        "useModulePath",
        "useSystemClassLoader",
    }
)
_LEVELS = ("source", "release", "testSource", "testRelease")
_COMPILER_KEYS = frozenset(
    {
        "annotationProcessorPaths",
        "compilerArgs",
        "compilerArgument",
        "compilerArguments",
        "createMissingPackageInfoClass",
        "debug",
        "debuglevel",
        "encoding",
        "failOnWarning",
        "forceJavacCompilerUse",
        "forceLegacyJavacApi",
        "fork",
        "maxmem",
        "meminitial",
        "optimize",
        "parameters",
        "release",
        "showDeprecation",
        "showWarnings",
        "source",
        "target",
        "testRelease",
        "testSource",
        "testTarget",
        "useIncrementalCompilation",
        "verbose",
    }
)
_SKIPS = re.compile(
    r"(^|\.)(skip(Tests|ITs|Main|Exec)?|maven\.test\.skip(\.exec)?|(maven\.)?test\.skip"
    r"|testFailureIgnore|(maven\.)?test\.failure\.ignore|maven\.main\.skip|skipAfterFailureCount"
    r"|(un)?it\.skip|surefire\.skip\w*|failsafe\.skip\w*|rerunFailingTestsCount"
    r"|surefire\.rerunFailingTestsCount)$"
)
#: Properties that Maven's plugins read by themselves, beside those that skip.
_STEERING = re.compile(
    r"^((surefire|failsafe|maven\.surefire|maven\.failsafe)\.(?!version$)|test$|it\.test$|groups$"
    r"|excludedGroups$|fork(Count|Mode)$|jvm$|basedir$|maven\.test\.\w+$|maven\.compiler\.(executable|compilerId|fork|outputDirectory|failOnError)"
    r"|maven\.repo\.local$|maven\.ext\.|argLine$|project\.build\.(directory|outputDirectory"
    r"|testOutputDirectory|sourceDirectory|testSourceDirectory)$)"
)
#: What a test runner hands to the tests, and thereby to itself, to JUnit or to the JVM.
_STEERING_VARIABLE = re.compile(
    r"^(_?JAVA_\w+|JDK_\w+|CLASSPATH|LD_\w+|PATH|junit\..*|.*(surefire|testng).*"
    r"|java\.(system\.class\.loader|class\.path|home))$"
)
_FOLDERS = frozenset(
    {
        "directory",
        "outputDirectory",
        "scriptSourceDirectory",
        "sourceDirectory",
        "targetPath",
        "testOutputDirectory",
        "testSourceDirectory",
    }
)
#: JVM options that let a test read what modules hide, or size it: what migrations need. None has
#: the name of a file or a program.
JVM_OPTION = re.compile(
    r"--(add-opens|add-exports|add-modules|add-reads|illegal-access)\b.*|-Xm[sx]\w+|-Xss\w+"
    r"|-D(file|sun\.jnu|stdout|stderr)\.encoding=\S+|-D(user\.(timezone|language|country))=\S+"
    r"|-Djava\.(awt\.headless|locale\.providers|net\.preferIPv4Stack)=\S+|-XX:[+-]\w+|-XX:\w+=\d+[kKmMgG]?|-ea"
    r"|-Djdk\.\w+(\.\w+)*=\w+|[@$]\{argLine\}|\$\{surefire\.?argLine\}|[\w.]+/[\w.]+=[\w.,-]+"
)
_COMPILER_OPTION = re.compile(
    r"-X(lint|doclint|diags|maxerrs|maxwarns|pkginfo).*|-parameters|-Werror|-nowarn|-g.*"
    r"|-deprecation|-verbose|--(add-exports|add-opens|add-modules|add-reads)\b.*|-encoding|UTF-8"
    r"|[\w.]+/[\w.]+=[\w.,-]+|--enable-preview|-XD\w+(=\w+)?|ALL-UNNAMED|-proc:none|--release|9|[12]\d"
)
#: Plugins' own dependencies that only read newer class files or add JUnit's engines.
_PLUGIN_DEPENDENCY = re.compile(
    r"^(org\.junit\.|org\.junit:|org\.ow2\.asm:|org\.apache\.maven\.surefire:|org\.testng:|junit:)"
)


def check_poms(findings: Findings, base: MavenProject, patched: MavenProject, target: str) -> None:
    """Report what in the patched project files is no part of a migration to `target`."""
    known = {(e.path, e.value) for pom in base.poms.values() for e in entries(pom)}
    new = [
        e
        for pom in patched.poms.values()
        for e in entries(pom)
        if (e.path, e.value) not in known
    ]  # fmt: skip
    known_plugins = {e.plugin for pom in base.poms.values() for e in entries(pom)}
    plugins: dict[str, list[PomEntry]] = {}
    for entry in new:
        plugins.setdefault(entry.plugin, []).append(entry)
    modules = {pom.key for pom in patched.poms.values()}
    for entry in new:
        _check_entry(findings, entry)
    for plugin in sorted(plugins.keys() - {""}):
        _check_plugin(findings, plugin, plugin in known_plugins, modules, plugins[plugin])
    check_places(findings, patched, new, int(target))
    check_plugins(findings, base, patched)
    _check_modules(findings, base, patched)
    check_shipping(findings, base, patched)
    _check_levels(findings, patched, new, int(target))


def _check_entry(findings: Findings, entry: PomEntry) -> None:
    artifact = entry.plugin.rpartition(":")[2]
    value, leaf = entry.value, entry.leaf

    def fatal(code: str, message: str) -> None:
        findings.fatal(code, message, file=entry.file, seen=f"{entry}={value}")

    property_ = "properties" in entry.path[:-1] and not entry.plugin
    if _SKIPS.search(leaf) and value not in ("false", "0"):
        if artifact in ("", _COMPILER, *_RUNNERS, "maven-resources-plugin"):
            fatal("tests-skipped", "Compiling or testing is skipped, or failing is no failure.")
        else:
            findings.warning(
                "plugin-skipped",
                "A plugin is skipped.",
                file=entry.file,
                seen=f"{entry}={value}",
            )
    elif property_ and leaf == "argLine":
        _check_options(findings, entry, JVM_OPTION, "jvm-options")
    elif property_ and _STEERING.match(leaf):
        fatal("steering-property", "A property changes what Maven's plugins do.")
    elif leaf == "phase" and value == "none" and artifact in _ESSENTIAL:
        fatal("execution-disabled", "A part of the build is switched off: it is bound to no phase.")
    elif artifact in _RUNNERS and entry.configured:
        if entry.configured not in _RUNNER_KEYS:
            fatal("tests-selected", "The test runner is told what to run, or where to report.")
        elif entry.configured == "argLine":
            _check_options(findings, entry, JVM_OPTION, "jvm-options")
        elif entry.configured == "forkCount" and value in ("0", "0.0", "0C"):
            fatal("jvm-options", "Tests run in Maven's own process, and can end it.")
        elif _STEERING_VARIABLE.match(leaf) or (
            leaf == "value" and _STEERING_VARIABLE.match(value)
        ):
            fatal("jvm-options", "A variable changes how the JVM or the test runner runs.")
    elif artifact == _COMPILER and entry.configured:
        if entry.configured not in _COMPILER_KEYS:
            fatal(
                "compiler-configured",
                "The build is told to use another compiler, or to leave sources out.",
            )
        elif entry.configured.startswith("compilerArg"):
            _check_options(findings, entry, _COMPILER_OPTION, "compiler-options")
        elif entry.configured == "annotationProcessorPaths" and leaf == "version":
            findings.warning(
                "annotation-processor",
                "An annotation processor is added or upgraded.",
                file=entry.file,
                seen=f"{entry}={value}",
            )
    elif entry.plugin and any(name.startswith("dependency[") for name in entry.path):
        key = next(name for name in entry.path if name.startswith("dependency["))[11:-1]
        if not _PLUGIN_DEPENDENCY.match(key) and leaf == "artifactId":
            fatal("plugin-dependency", "A plugin is given classes that are not its own.")
    elif artifact == "maven-javadoc-plugin" and re.search(r"(doc|tag)let", str(entry)):
        fatal("plugin-runs-anything", "A doclet is a program of any kind.")
    elif leaf == "extensions" and value.lower() not in ("", "false"):
        # Also what a property says.
        fatal("build-extension", "A plugin extends Maven itself.")
    elif "extensions" in entry.path[:-1] and leaf == "artifactId":
        fatal("build-extension", "The build extends Maven itself.")
    elif artifact in ("", *_ESSENTIAL) and "build" in entry.path[:-1] and leaf in _FOLDERS:
        fatal("build-layout", "Sources are taken, or classes put, elsewhere.")
    elif leaf == "url" and any("epository[" in name for name in entry.path):
        fatal("repository-added", "Artifacts are taken from another repository.")
    elif leaf == "systemPath" or (leaf == "scope" and value == "system"):
        fatal("system-dependency", "A dependency is a file of unknown origin.")
    elif "relocation" in entry.path:
        fatal("relocation", "An artifact is replaced by another.")


def _check_options(
    findings: Findings, entry: PomEntry, allowed: re.Pattern[str], code: str
) -> None:
    for option in entry.value.split():
        if not allowed.fullmatch(option):
            findings.fatal(
                code,
                "An option is set that no migration needs.",
                file=entry.file,
                seen=f"{entry}: {option}",
            )


def _check_plugin(
    findings: Findings, plugin: str, known: bool, modules: set[str], own: Sequence[PomEntry]
) -> None:
    group, _, artifact = plugin.rpartition(":")
    file = own[0].file
    if plugin in modules:
        findings.fatal(
            "own-plugin", "The build runs a plugin that it makes itself.", file=file, seen=plugin
        )
    elif _RUNS_ANYTHING.search(artifact):
        # A new version of a plugin that the base has is an upgrade.
        changed = [e for e in own if e.leaf != "version"]
        if not known or changed:
            findings.fatal(
                "plugin-runs-anything",
                "A plugin that can change what was compiled or tested is added or told to.",
                file=file,
                seen=plugin if not known else f"{changed[0]}={changed[0].value}",
            )
    elif not known and (group != OWN_GROUP or artifact not in _HARMLESS):
        if artifact.removeprefix("maven-") in {each.removeprefix("maven-") for each in _ESSENTIAL}:
            findings.fatal(
                "plugin-replaced", "A plugin takes the name of Maven's own.", file=file, seen=plugin
            )
        else:
            findings.warning("plugin-added", "A plugin is added.", file=file, seen=plugin)


def _check_modules(findings: Findings, base: MavenProject, patched: MavenProject) -> None:
    for path in base.reactor:
        if path not in patched.reactor:
            findings.fatal(
                "module-dropped",
                "A module is no part of the ordinary build any more.",
                file=path,
            )
    parents = {f"{p.parent.group}:{p.parent.artifact}" for p in base.poms.values() if p.parent}
    own = {pom.key for pom in patched.poms.values()}
    for path, pom in patched.poms.items():
        before = base.poms.get(path)
        key = f"{pom.parent.group}:{pom.parent.artifact}" if pom.parent else ""
        if key and key not in parents | own | paper_versions().keys():
            message = "Another parent decides how the build goes."
            findings.fatal("parent-changed", message, file=path, seen=key)
        if before is not None and before.packaging != pom.packaging:
            findings.fatal(
                "packaging-changed",
                "A module's packaging decides what is compiled and tested.",
                file=path,
                expected=before.packaging,
                seen=pom.packaging,
            )
        elif before is None and pom.packaging not in ("jar", "pom", "war", "ear"):
            message = "A module of an unusual kind is added."
            findings.fatal("module-added", message, file=path, seen=pom.packaging)
        elif before is None:
            findings.warning("module-added", "A module is added.", file=path)
        old_profiles = _profiles(before) if before else set()
        for profile in sorted(_profiles(pom) - old_profiles):
            findings.warning("profile-added", "A profile is added.", file=path, seen=profile)
    for path, why in patched.unread.items():
        if path not in base.unread:
            findings.fatal("unreadable", f"A project file cannot be read: {why}", file=path)


def _profiles(pom: Pom) -> set[str]:
    return {
        name
        for entry in entries(pom)
        for name in entry.path[:2]
        if name.startswith("profile[")
    }  # fmt: skip


def _check_levels(
    findings: Findings, patched: MavenProject, new: Sequence[PomEntry], target: int
) -> None:
    """Report new levels of sources below the target's, in whatever execution or profile.

    For the report alone: whether sources are of the target's level, the harness's compiler says.
    """
    resolver = VersionResolver(patched, lambda *_: None)
    for entry in new:
        of_compiler = entry.plugin.endswith(f":{_COMPILER}") and entry.configured
        name = entry.leaf if of_compiler else entry.leaf.removeprefix("maven.compiler.")
        if name not in _LEVELS or not (of_compiler or entry.leaf != name):
            continue
        level = interpolate(entry.value, resolver.properties(entry.file)) or ""
        number = level.removeprefix("1.")
        if number.isdecimal() and len(number) < 4 and int(number) < target:
            findings.warning(
                "source-level",
                "The compiler is told that sources are of an older Java release than the target.",
                file=entry.file,
                expected=str(target),
                seen=f"{entry}={entry.value}",
            )
