import java.io.BufferedWriter;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.BaseStream;

/**
 * Asks the methods of classes with drawn values, and writes down what they answer: {@code java
 * AskMethods SPEC RESULTS}. The same rows of SPEC ask the same of whatever classes.
 *
 * <p>First come calls one by one, then blocks of calls. A row of RESULTS is `answer`, number of the
 * method, number of the block, two digests of which one is enough (see {@link AskDigest}), and for
 * a call of its own what was seen; `late` or `broken`, number of the method; at the end, where it
 * is tried what can be asked, `tried`, number, how many calls were answered, nanoseconds; and
 * `done`.
 *
 * <p>An object is asked several times, and kept for later calls.
 */
public final class AskMethods {
    private static final int KEPT = 4;
    private static final int CAUSES = 10;
    private static final String INACCESSIBLE = "java.lang.reflect.InaccessibleObjectException";
    /** One call in so many is by a thread that is interrupted. */
    private static final int URGED = 40;
    /** After so many blocks waste is collected. */
    private static final int COLLECTED = 20;
    /** Blocks in which several threads ask, and nanoseconds for them in each, of all methods. */
    private static final int ROUNDS = 4;
    private static final long AT_ONCE = 160_000_000;
    /** Nanoseconds of a call that may be asked by several. */
    private static final long QUICK = 10_000_000;

    private final AskSpec spec;
    private final AskInputs inputs;
    private final AskEffects effects;
    private final AskContracts contracts;
    private final AskAtOnce atOnce;
    private final ClassLoader project;
    private final PrintWriter results;
    private final Map<String, List<Object>> kept = new HashMap<>();
    private final Set<Integer> gone = new HashSet<>();
    private final Set<Integer> broken = new HashSet<>();
    private final Map<Integer, long[]> tried = new HashMap<>();
    /** When the call that is under way began, and its method; of one thread, read by another. */
    private volatile long began;
    private volatile int asked = -1;
    private volatile int turn;
    /** Of the last call: what was asked with what, and the answer. */
    private Object receiver;
    private Object[] arguments;
    private Object answer;

    private AskMethods(
            AskSpec spec, ClassLoader project, PrintWriter results, AskEffects effects) {
        this.spec = spec;
        this.project = project;
        this.results = results;
        this.effects = effects;
        inputs = new AskInputs(spec, project);
        contracts = new AskContracts(spec, inputs, effects, project);
        atOnce = new AskAtOnce(spec, inputs, effects, project);
    }

    public static void main(String[] args) throws Exception {
        AskSpec spec = AskSpec.read(args[0]);
        ClassLoader system = ClassLoader.getSystemClassLoader().getParent();
        ClassLoader libraries = new URLClassLoader(RunTests.urls(spec.libraries), system);
        ClassLoader project = new ProjectLoader(RunTests.urls(spec.folders), libraries);
        // A writer of Files would end at a half of a letter.
        PrintWriter results = new PrintWriter(new BufferedWriter(new OutputStreamWriter(
                Files.newOutputStream(Paths.get(args[1])), StandardCharsets.UTF_8)));
        AskEffects effects = new AskEffects(results, project);
        System.setOut(effects.printing("it prints"));
        System.setErr(effects.printing("it prints errors"));
        if (spec.methods.isEmpty()) {
            AskPlan.print(spec.classes, project, results);
        } else {
            new AskMethods(spec, project, results, effects).ask();
        }
        results.println("done");
        results.flush();
        // Threads that are late may still run.
        Runtime.getRuntime().halt(0);
    }

    private void ask() throws InterruptedException {
        long start = System.nanoTime();
        long before = Long.MAX_VALUE;
        for (int block = 0; block < spec.early + spec.blocks; block++) {
            long spent = (System.nanoTime() - start) / 1_000_000;
            if (spec.until > 0 && block > spec.early && spent > spec.until) {
                break;
            }
            String name = spec.places.isEmpty()
                    ? "main" : RunTests.go(spec.places.get(block % spec.places.size()).split(";"));
            turn = 0;
            int number = block;
            effects.beforeAll();
            while (turn < spec.methods.size()) {
                // Servers and pools have threads of their own, some of them less hurried.
                Thread thread = number % 2 == 0 ? new Thread(() -> ask(number), name)
                        : new Worker(() -> ask(number), name);
                thread.setPriority(Thread.NORM_PRIORITY - (number % 3 == 2 ? 1 : 0));
                // Threads that it starts are what they would be elsewhere.
                thread.setDaemon(false);
                effects.own(thread);
                thread.setContextClassLoader(project);
                asked = -1;
                int waiting = turn;
                thread.start();
                watch(thread);
                turn += turn == waiting ? 1 : 0;
            }
            effects.afterAll();
            if (block % COLLECTED == 0) {
                System.gc();
            }
            if (block == spec.early) {
                before = used();
            }
        }
        contracts.end();
        effects.end();
        results.println("memory\t" + Math.max(0, used() - before));
        for (Map.Entry<Integer, long[]> each : tried.entrySet()) {
            results.println("tried\t" + each.getKey() + "\t" + each.getValue()[0] + "\t"
                    + each.getValue()[1]);
        }
    }

    private static final class Worker extends Thread {
        Worker(Runnable work, String name) {
            super(work, name);
        }
    }

    /** Bytes that something refers to. */
    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Waits for its end, or gives up a method that is late. */
    private void watch(Thread thread) throws InterruptedException {
        while (true) {
            thread.join(20);
            if (!thread.isAlive()) {
                return;
            }
            int method = asked;
            if (method >= 0 && System.nanoTime() - began > spec.limit * 1_000_000) {
                synchronized (results) {
                    if (asked == method && System.nanoTime() - began > spec.limit * 1_000_000) {
                        results.println("late\t" + method);
                        results.flush();
                        gone.add(method);
                        asked = -2;
                        turn++;
                        return;
                    }
                }
            }
        }
    }

    /** All methods from the one whose turn it is. */
    private void ask(int block) {
        for (int used = spec.used; used > 0; used--) {
            System.identityHashCode(new Object());
        }
        Thread self = Thread.currentThread();
        int size = spec.methods.size();
        while (turn < size) {
            AskSpec.Member method = spec.methods.get(turn);
            if (!gone.contains(method.number) && !block(method, block, self)) {
                return;
            }
            turn++;
        }
    }

    /** Was the block asked in time? */
    private boolean block(AskSpec.Member method, int block, Thread self) {
        boolean single = block < spec.early;
        StringBuilder shown = single ? new StringBuilder() : null;
        AskDigest digest = new AskDigest(spec, project, shown);
        long mixed = spec.seed ^ (method.number * 0x9E3779B97F4A7C15L) ^ ((long) block << 40);
        inputs.from(new SplittableRandom(mixed));
        effects.asked(method, block);
        long[] own = tried.computeIfAbsent(method.number, key -> new long[2]);
        for (int call = single ? 1 : method.size; call > 0; call--) {
            boolean[] answered = new boolean[1];
            long start = System.nanoTime();
            if (!inTime(method, () -> {
                effects.before(self);
                answered[0] = call(method, digest);
                effects.after(self);
            })) {
                return false;
            }
            own[0] += answered[0] ? 1 : 0;
            own[1] += System.nanoTime() - start;
        }
        if (!inTime(method, () -> behind(method, block, mixed))) {
            return false;
        }
        if (spec.trying && own[1] > spec.limit * 1_000_000) {
            // All calls together take as long as one may.
            gone.add(method.number);
            results.println("late\t" + method.number);
        }
        String seen = shown == null ? "" : shown.toString().replaceAll("\\p{Cntrl}", " ");
        results.println("answer\t" + method.number + "\t" + block + "\t"
                + Long.toHexString(digest.first) + "\t" + Long.toHexString(digest.second) + "\t"
                + seen.substring(0, Math.min(240, seen.length())));
        return true;
    }

    /** Has it not been given up meanwhile? */
    private boolean inTime(AskSpec.Member method, Runnable step) {
        long start = System.nanoTime();
        began = start;
        asked = method.number;
        step.run();
        synchronized (results) {
            if (asked != method.number || began != start) {
                return false;
            }
            asked = -1;
        }
        return true;
    }

    /** Behind the last call of a block: what it left, and what it does for several threads. */
    private void behind(AskSpec.Member method, int block, long seed) {
        try {
            if (arguments != null) {
                contracts.check(receiver, arguments, answer);
            }
            long[] own = tried.get(method.number);
            boolean quick = own[1] < QUICK * own[0];
            if (quick && block >= spec.early && block < spec.early + ROUNDS) {
                atOnce.round(method, seed, AT_ONCE / Math.max(25, spec.methods.size()));
            }
        } catch (AskInputs.Unmade error) {
            // It is not asked either.
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        } catch (Throwable error) {
            // Whatever code of the project throws where it is looked at.
            effects.saw("it cannot be looked at");
        }
    }

    /** One call, and all that is seen of it. Was anything answered, and nothing thrown? */
    private boolean call(AskSpec.Member method, AskDigest digest) {
        inputs.thrown.clear();
        boolean answered = false;
        arguments = null;
        try {
            if (method.kind.equals("twins")) {
                contracts.twins(method);
                digest.say("compared");
                return true;
            }
            receiver = method.kind.equals("instance") ? receiver(method.owner) : null;
            Object[] given = inputs.all(method.types, 0);
            if (method.name.equals("equals") && inputs.draw(4) > 0) {
                given[0] = receiver(method.owner);
            } else if (receiver != null && inputs.draw(8) == 0) {
                // An object may be its own argument.
                int own = method.types.indexOf(method.owner + "/0");
                if (own >= 0) {
                    given[own] = receiver;
                }
            }
            for (Object each : digest.isShown() ? given : new Object[0]) {
                if (!(each instanceof Iterator || each instanceof BaseStream)) {
                    digest.add(each);
                }
            }
            digest.say("-> ");
            boolean urged = inputs.draw(URGED) == 0;
            try {
                answer = urged ? urged(method, given) : inputs.call(method, receiver, given);
                answered = true;
                arguments = given;
                inputs.heard(answer);
                keep(answer);
                // By how much one is more than another is nobody's matter.
                boolean compares = method.name.startsWith("compare") && answer instanceof Integer;
                digest.add(compares ? Integer.signum((Integer) answer) : answer);
            } catch (InvocationTargetException error) {
                digest.say("throws ");
                thrown(method, error.getCause(), digest);
                if (digest.isShown()) {
                    contracts.threw(method, error.getCause(), given);
                }
                if (AskValues.Failed.isCauseOf(error)) {
                    // How far it came before is no matter, and nobody goes on with it.
                    kept.values().forEach(each -> each.removeIf(one -> one == receiver));
                    return false;
                }
            }
            digest.say("; ");
            if (receiver != null) {
                digest.add(receiver);
            }
            for (Object each : given) {
                if (each != null && !isConstant(each)) {
                    digest.add(each);
                }
            }
        } catch (AskInputs.Unmade error) {
            digest.say("not made");
        } catch (Throwable error) {
            // Whatever code of the project throws where it is looked at.
            digest.say("fails");
            digest.add(error);
        }
        for (Throwable each : inputs.thrown) {
            thrown(method, each, digest);
        }
        return answered;
    }

    /** A call by a thread that was interrupted: it stays so, unless the call says so. */
    private Object urged(AskSpec.Member method, Object[] given)
            throws AskInputs.Unmade, InvocationTargetException {
        Thread.currentThread().interrupt();
        try {
            return inputs.call(method, receiver, given);
        } finally {
            if (!Thread.interrupted()) {
                effects.saw("it takes away that its caller is interrupted");
            }
        }
    }

    /** What the machine has thrown, or a library or a part of Java that is not there any more. */
    private void thrown(AskSpec.Member method, Throwable error, AskDigest digest) {
        digest.add(error);
        Throwable each = error;
        for (int depth = 0; each != null && depth < CAUSES; depth++) {
            if ((each instanceof LinkageError || each instanceof VirtualMachineError
                    || each.getClass().getName().equals(INACCESSIBLE))
                    && broken.add(method.number)) {
                results.println("broken\t" + method.number);
            }
            each = each.getCause();
        }
    }

    private static boolean isConstant(Object value) {
        return value instanceof String || value instanceof Number || value instanceof Boolean
                || value instanceof Character || value instanceof Enum;
    }

    /** Objects that were answered are asked later, like others. */
    private void keep(Object made) {
        if (made == null) {
            return;
        }
        String name = made.getClass().getName();
        List<Object> own = kept.get(spec.known.getOrDefault(name, name));
        if (own != null && !own.isEmpty() && inputs.draw(3) == 0) {
            own.set(inputs.draw(own.size()), made);
        }
    }

    /** A new object, or one that was asked before. */
    private Object receiver(String owner) throws AskInputs.Unmade {
        List<Object> own = kept.computeIfAbsent(owner, key -> new ArrayList<>());
        if (own.size() == KEPT && inputs.draw(3) > 0) {
            return own.get(inputs.draw(KEPT));
        }
        Object made = inputs.one(owner + "/0", 0);
        if (own.size() < KEPT) {
            own.add(made);
        } else if (inputs.draw(20) == 0) {
            own.set(inputs.draw(KEPT), made);
        }
        return made;
    }
}
