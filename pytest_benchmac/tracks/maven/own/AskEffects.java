import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Logger;

/**
 * What asked code does beside answering, as rows `effect`, who, number of the block, what.
 *
 * <p>Who is a method, or nobody for what is of the whole JVM; without a number it is of all blocks.
 * What the base does as well, in the same block, is nothing new: see asking.py.
 */
final class AskEffects {
    /** Rows of single blocks at most: code that does everything need not fill a disk. */
    private static final int MOST = 15_000;
    /** Milliseconds in which whatever all code shares is free again, on a busy machine as well. */
    private static final long HELD_MS = 5_000;
    /** Looks, in one block, at who prints. */
    private static final int LOOKS = 5;
    private static final List<String> MACHINE = Arrays.asList(
            "another locale", "another time zone", "other streams", "another handler of exceptions",
            "another root logger", "other properties");

    private final PrintWriter results;
    private final ClassLoader project;
    private final Set<String> told = new HashSet<>();
    private final Set<Thread> known = new HashSet<>();
    private volatile AskSpec.Member member;
    private volatile int block;
    private volatile int looks;
    private ClassLoader loader;
    private String name;
    private int priority;
    private Thread.UncaughtExceptionHandler handler;
    private List<Object> machine = Collections.emptyList();
    private boolean isHeld;

    AskEffects(PrintWriter results, ClassLoader project) {
        this.results = results;
        this.project = project;
        known.addAll(Thread.getAllStackTraces().keySet());
    }

    /** This is asked from now on. */
    void asked(AskSpec.Member asked, int inBlock) {
        member = asked;
        block = inBlock;
        looks = 0;
    }

    /** A thread of the harness's own. */
    void own(Thread thread) {
        known.add(thread);
    }

    void saw(String what) {
        AskSpec.Member asked = member;
        tell(asked, Integer.toString(block), what);
    }

    /** Of all blocks. */
    void always(AskSpec.Member of, String what) {
        tell(of, "", what);
    }

    /** Of the JVM. */
    private void everywhere(String what) {
        tell(null, "", what);
    }

    private void tell(AskSpec.Member of, String inBlock, String what) {
        String who = of == null ? "" : of.owner + "." + of.name + of.parameters;
        String row = "effect\t" + who + "\t" + inBlock + "\t" + what;
        synchronized (results) {
            // What is said of all blocks has room whatever single ones have said.
            if (told.size() < (inBlock.isEmpty() ? 2 * MOST : MOST) && told.add(row)) {
                results.println(row);
            }
        }
    }

    /** What is printed goes nowhere; that the project's code prints is told. */
    PrintStream printing(String what) {
        return new PrintStream(new OutputStream() {
            @Override
            public void write(int b) {
                printed(what);
            }

            @Override
            public void write(byte[] b, int from, int count) {
                printed(what);
            }
        });
    }

    private void printed(String what) {
        if (member != null && looks < LOOKS) {
            looks++;
            if (isPrintedByProject()) {
                saw(what);
            }
        }
    }

    /** Loggers print as they are told to, and libraries what they like. */
    private boolean isPrintedByProject() {
        for (StackTraceElement each : Thread.currentThread().getStackTrace()) {
            String by = each.getClassName();
            boolean platform = by.startsWith("java.") || by.startsWith("jdk.")
                    || by.startsWith("sun.");
            if (platform && by.contains("logg")) {
                return false;
            }
            if (!platform && !by.startsWith("Ask")) {
                try {
                    return Class.forName(by, false, project).getClassLoader() == project;
                } catch (ClassNotFoundException | LinkageError error) {
                    return false;
                }
            }
        }
        return false;
    }

    /** How the caller's thread is before a call. */
    void before(Thread self) {
        loader = self.getContextClassLoader();
        name = self.getName();
        priority = self.getPriority();
        handler = self.getUncaughtExceptionHandler();
    }

    /** It is as before: what was changed is told, and taken back. */
    void after(Thread self) {
        boolean interrupted = Thread.interrupted();
        if (interrupted || self.getContextClassLoader() != loader || self.getPriority() != priority
                || !self.getName().equals(name)
                || self.getUncaughtExceptionHandler() != handler) {
            saw("the caller's thread is left otherwise");
            self.setContextClassLoader(loader);
            self.setPriority(priority);
            self.setName(name);
            self.setUncaughtExceptionHandler(handler);
        }
    }

    /** How the JVM is before a block of all methods. */
    void beforeAll() {
        machine = machine();
    }

    void afterAll() throws InterruptedException {
        if (!isHeld) {
            isHeld = isHeld();
        }
        List<Object> now = machine();
        for (int at = 0; at < now.size(); at++) {
            if (!isSame(now.get(at), machine.get(at))) {
                everywhere("the JVM is left with " + MACHINE.get(at));
            }
        }
    }

    /** Does something that all code of a JVM shares stay with somebody? */
    private boolean isHeld() throws InterruptedException {
        CountDownLatch free = new CountDownLatch(2);
        Thread printing = new Thread(() -> {
            synchronized (System.out) {
                synchronized (System.err) {
                    free.countDown();
                }
            }
        });
        printing.setDaemon(true);
        own(printing);
        printing.start();
        if (ForkJoinPool.getCommonPoolParallelism() > 0) {
            ForkJoinPool.commonPool().execute(free::countDown);
        } else {
            free.countDown();
        }
        if (free.await(HELD_MS, TimeUnit.MILLISECONDS)) {
            return false;
        }
        everywhere("the JVM is left with its output, or its common pool, taken for ever");
        return true;
    }

    /** Objects of the project's classes may call themselves equal to anything. */
    private static boolean isSame(Object one, Object other) {
        if (one instanceof List && other instanceof List) {
            List<?> each = (List<?>) one;
            List<?> others = (List<?>) other;
            boolean same = each.size() == others.size();
            for (int at = 0; same && at < each.size(); at++) {
                same = isSame(each.get(at), others.get(at));
            }
            return same;
        }
        if (one instanceof Map && other instanceof Map) {
            // Libraries note down how they are set up: what was there before is still so.
            return ((Map<?, ?>) one).entrySet().containsAll(((Map<?, ?>) other).entrySet());
        }
        return one == other || (one instanceof String || one instanceof Locale)
                && one.equals(other);
    }

    private static List<Object> machine() {
        Logger root = Logger.getLogger("");
        Map<Object, Object> properties = new TreeMap<>();
        System.getProperties().forEach((key, value) -> {
            String of = String.valueOf(key);
            // What Java itself keeps there, as soon as somebody asks for it.
            if (!of.startsWith("sun.") && !of.startsWith("jdk.") && !of.equals("user.timezone")) {
                properties.put(of, String.valueOf(value));
            }
        });
        Handler[] handlers = root.getHandlers();
        Object[] logging = new Object[handlers.length * 2 + 2];
        logging[0] = root.getLevel();
        logging[1] = root.getFilter();
        for (int at = 0; at < handlers.length; at++) {
            logging[2 + 2 * at] = handlers[at];
            logging[3 + 2 * at] = handlers[at].getLevel();
        }
        return Arrays.asList(
                Arrays.asList(Locale.getDefault(), Locale.getDefault(Locale.Category.DISPLAY),
                        Locale.getDefault(Locale.Category.FORMAT)),
                TimeZone.getDefault().getID(),
                Arrays.asList(System.out, System.err, System.in),
                Arrays.asList(Thread.getDefaultUncaughtExceptionHandler()),
                Arrays.asList(logging),
                properties);
    }

    /** Threads for which the JVM would wait. */
    void end() {
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.isAlive() && !each.isDaemon() && !known.contains(each)) {
                everywhere("a thread keeps the JVM from its end");
            }
        }
    }
}
