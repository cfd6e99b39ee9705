import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs test classes again and again, some of the tested classes replaced: {@code java RunTests
 * JOBS RESULTS [elsewhere]}.
 *
 * <p>The first line of JOBS is the class path of the libraries. Each other line is a job: number,
 * `all`, or milliseconds for which all are run again and again before the run that counts, or `first`
 * (stop behind the first class in which something fails that did not fail in an earlier `all`),
 * milliseconds, class folders, test classes (with commas between), replacements
 * ({@code class=file}, with commas between), `assertions` or `none` ({@code assert} is run in the
 * test classes alone), and, where it is elsewhere, the place: the thread's name, a locale, a time
 * zone and properties ({@code name=value}), with semicolons between; with tabs between. A line of RESULTS is: number,
 * `done` or `timeout`, milliseconds, tests that passed ({@code class=number}, with commas between),
 * then the failed tests; with tabs between. What was skipped has neither passed nor failed.
 * Without a place tests run on a thread `main`. What they print goes nowhere, unless it is
 * elsewhere, where waste is collected all the time, as it is in programs that run for long.
 */
public final class RunTests {
    private static final int CHARACTERS = 300;

    private final ClassLoader libraries;
    private final Set<String> failing = new TreeSet<>();

    private RunTests(ClassLoader libraries) {
        this.libraries = libraries;
    }

    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8);
        ClassLoader system = ClassLoader.getSystemClassLoader().getParent();
        RunTests runner = new RunTests(new URLClassLoader(urls(lines.get(0)), system));
        PrintStream results = new PrintStream(new FileOutputStream(args[1], true), true, "UTF-8");
        PrintStream nowhere = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) {}

            @Override
            public void write(byte[] b, int from, int count) {}
        });
        if (args.length == 2) {
            System.setOut(nowhere);
            System.setErr(nowhere);
        }
        if (args.length > 2) {
            Thread collector = new Thread(RunTests::collect);
            collector.setDaemon(true);
            collector.start();
        }
        for (String line : lines.subList(1, lines.size())) {
            String[] job = line.split("\t", -1);
            long started = System.nanoTime();
            Outcome outcome = new Outcome();
            String name = job[7].isEmpty() ? "main" : go(job[7].split(";"));
            Thread thread = new Thread(() -> runner.run(job, outcome), name);
            thread.setDaemon(true);
            thread.start();
            thread.join(Long.parseLong(job[2]));
            boolean late = thread.isAlive();
            long spent = (System.nanoTime() - started) / 1_000_000;
            // What a thread that is late still writes is not read.
            Outcome told = late ? new Outcome() : outcome;
            String failed = told.failed.stream().limit(200)
                    .map(each -> "\t" + each).collect(Collectors.joining());
            results.println(job[0] + "\t" + (late ? "timeout" : "done") + "\t" + spent + "\t"
                    + told.passed() + failed);
            if (late) {
                break;
            }
        }
        // Threads of the tests may still run.
        Runtime.getRuntime().halt(0);
    }

    private static void collect() {
        try {
            while (true) {
                System.gc();
                System.runFinalization();
                Thread.sleep(30);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Goes to a place: what the thread is called there. */
    static String go(String[] place) {
        Locale locale = Locale.forLanguageTag(place[1]);
        Locale.setDefault(locale);
        System.setProperty("user.language", locale.getLanguage());
        System.setProperty("user.country", locale.getCountry());
        TimeZone.setDefault(TimeZone.getTimeZone(place[2]));
        System.setProperty("user.timezone", place[2]);
        for (String given : Arrays.asList(place).subList(3, place.length)) {
            System.setProperty(
                    given.substring(0, given.indexOf('=')), given.substring(given.indexOf('=') + 1));
        }
        try {
            // Java asks nobody which release it is.
            Object version = Class.forName("java.lang.Runtime$Version")
                    .getMethod("parse", String.class)
                    .invoke(null, System.getProperty("java.version"));
            Field field = Runtime.class.getDeclaredField("version");
            field.setAccessible(true);
            field.set(null, version);
        } catch (ReflectiveOperationException | RuntimeException error) {
            // Java 8 has none, and a later one may keep it elsewhere.
        }
        return place[0];
    }

    private void run(String[] job, Outcome outcome) {
        boolean all = !job[1].equals("first");
        long lasting = job[1].matches("[0-9]+") ? Long.parseLong(job[1]) * 1_000_000 : 0;
        try (Project project = new Project(urls(job[3]), libraries, replacements(job[5]))) {
            Thread.currentThread().setContextClassLoader(project);
            project.setDefaultAssertionStatus(job[6].equals("assertions"));
            for (String name : job[4].split(",")) {
                project.setClassAssertionStatus(name, true);
            }
            long started = System.nanoTime();
            while (System.nanoTime() - started < lasting) {
                test(job[4], true, project, new Outcome());
            }
            test(job[4], all, project, outcome);
        } catch (IOException error) {
            outcome.failed.add("cannot be read");
        }
        if (all) {
            failing.addAll(outcome.failed);
        }
    }

    private void test(String names, boolean all, ClassLoader project, Outcome outcome) {
        for (String name : names.split(",")) {
            try {
                test(Class.forName(name, false, project), outcome);
            } catch (Throwable error) {
                outcome.failed.add(shown(name));
            }
            if (!all && !failing.containsAll(outcome.failed)) {
                break;
            }
        }
    }

    private void test(Class<?> type, Outcome outcome) throws Exception {
        if (!isOfPlatform(type) && has("org.junit.runner.JUnitCore")) {
            old(type, outcome);
        } else if (has("org.junit.platform.launcher.core.LauncherFactory")) {
            platform(type, outcome);
        } else {
            old(type, outcome);
        }
    }

    private boolean has(String name) {
        try {
            return Class.forName(name, false, libraries) != null;
        } catch (ClassNotFoundException error) {
            return false;
        }
    }

    /** Is it a class of Jupiter, or of none that can be told? */
    private static boolean isOfPlatform(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each.getName().equals("junit.framework.TestCase") || isOld(each.getAnnotations())) {
                return false;
            }
            for (Method method : each.getDeclaredMethods()) {
                if (isOld(method.getAnnotations())) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isOld(Annotation[] annotations) {
        return Arrays.stream(annotations).map(each -> each.annotationType().getName()).anyMatch(
                name -> name.equals("org.junit.Test") || name.equals("org.junit.runner.RunWith"));
    }

    /** JUnit 3 and 4. */
    private void old(Class<?> type, Outcome outcome) throws Exception {
        Class<?> core = Class.forName("org.junit.runner.JUnitCore", true, libraries);
        Method run = core.getMethod("run", Class[].class);
        Object result = run.invoke(
                core.getConstructor().newInstance(), new Object[] {new Class<?>[] {type}});
        long passed = (Integer) get(result, "getRunCount")
                - (Integer) get(result, "getFailureCount");
        try {
            passed -= (Integer) get(result, "getAssumptionFailureCount");
        } catch (NoSuchMethodException error) {
            // Before JUnit 4.13 nobody can tell.
        }
        outcome.passed.merge(type.getName(), Math.max(0, passed), Long::sum);
        for (Object failure : (Collection<?>) get(result, "getFailures")) {
            outcome.failed.add(shown(type.getName() + "#" + get(failure, "getTestHeader")));
        }
    }

    /** JUnit 5 and later. */
    private void platform(Class<?> type, Outcome outcome) throws Exception {
        String launching = "org.junit.platform.launcher.";
        Class<?> selectors =
                load("org.junit.platform.engine.discovery.DiscoverySelectors");
        Object selector = selectors.getMethod("selectClass", Class.class).invoke(null, type);
        Object chosen = Array.newInstance(load("org.junit.platform.engine.DiscoverySelector"), 1);
        Array.set(chosen, 0, selector);
        Class<?> builders = load(launching + "core.LauncherDiscoveryRequestBuilder");
        Object builder = builders.getMethod("request").invoke(null);
        builders.getMethod("selectors", chosen.getClass()).invoke(builder, chosen);
        Object request = builders.getMethod("build").invoke(builder);
        Object launcher = load(launching + "core.LauncherFactory").getMethod("create").invoke(null);
        Object listener = load(launching + "listeners.SummaryGeneratingListener")
                .getConstructor().newInstance();
        Object listeners = Array.newInstance(load(launching + "TestExecutionListener"), 1);
        Array.set(listeners, 0, listener);
        load(launching + "Launcher").getMethod("execute",
                load(launching + "LauncherDiscoveryRequest"), listeners.getClass())
                .invoke(launcher, request, listeners);
        Object summary = listener.getClass().getMethod("getSummary").invoke(listener);
        Class<?> summaries = load(launching + "listeners.TestExecutionSummary");
        outcome.passed.merge(type.getName(),
                (Long) summaries.getMethod("getTestsSucceededCount").invoke(summary), Long::sum);
        Class<?> failures = load(launching + "listeners.TestExecutionSummary$Failure");
        for (Object each : (Collection<?>) summaries.getMethod("getFailures").invoke(summary)) {
            Object test = failures.getMethod("getTestIdentifier").invoke(each);
            outcome.failed.add(shown(type.getName() + "#" + get(test, "getUniqueId")));
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, true, libraries);
    }

    private static Object get(Object object, String method) throws Exception {
        return object.getClass().getMethod(method).invoke(object);
    }

    private static String shown(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", " ");
        return plain.length() > CHARACTERS ? plain.substring(0, CHARACTERS) : plain;
    }

    /** Of `folder/*`, the last jar below the folder. */
    static URL[] urls(String path) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String each : path.split(":")) {
            if (each.endsWith("/*")) {
                Path folder = Paths.get(each.substring(0, each.length() - 2));
                if (Files.isDirectory(folder)) {
                    try (Stream<Path> jars = Files.walk(folder)) {
                        jars.filter(jar -> jar.toString().endsWith(".jar")).sorted()
                                .reduce((before, jar) -> jar)
                                .ifPresent(jar -> add(urls, jar.toFile()));
                    }
                }
            } else if (!each.isEmpty()) {
                add(urls, new File(each));
            }
        }
        return urls.toArray(new URL[0]);
    }

    private static void add(List<URL> urls, File file) {
        try {
            urls.add(file.toURI().toURL());
        } catch (MalformedURLException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private static Map<String, byte[]> replacements(String text) throws IOException {
        Map<String, byte[]> found = new HashMap<>();
        for (String each : text.split(",")) {
            int at = each.indexOf('=');
            if (at > 0) {
                found.put(each.substring(0, at), Files.readAllBytes(Paths.get(each.substring(at + 1))));
            }
        }
        return found;
    }

    private static final class Outcome {
        final Map<String, Long> passed = new TreeMap<>();
        final Set<String> failed = new TreeSet<>();

        String passed() {
            return passed.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue())
                    .collect(Collectors.joining(","));
        }
    }

    /** The project's classes for one job. What is replaced is no resource. */
    private static final class Project extends ProjectLoader {
        private final Map<String, byte[]> replaced;

        Project(URL[] urls, ClassLoader parent, Map<String, byte[]> replaced) {
            super(urls, parent);
            this.replaced = replaced;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] content = replaced.get(name);
            if (content == null) {
                return super.findClass(name);
            }
            int dot = name.lastIndexOf('.');
            if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
                definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
            }
            return defineClass(name, content, 0, content.length);
        }
    }
}
