import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks one object from several threads at the same time, where one thread gets the same answers
 * whenever it asks.
 *
 * <p>What changes with its calls is nobody's to be asked from two threads, and is left out.
 */
final class AskAtOnce {
    private static final int THREADS = 3;
    private static final int SETS = 8;

    private final AskSpec spec;
    private final AskInputs inputs;
    private final AskEffects effects;
    private final ClassLoader project;
    /** Method -> rounds in which another was answered. */
    private final Map<AskSpec.Member, Integer> wrong = new HashMap<>();

    AskAtOnce(AskSpec spec, AskInputs inputs, AskEffects effects, ClassLoader project) {
        this.spec = spec;
        this.inputs = inputs;
        this.effects = effects;
        this.project = project;
    }

    /** One round; to be called where the draws of the block begin. */
    void round(AskSpec.Member method, long seed, long nanos)
            throws AskInputs.Unmade, InterruptedException {
        if (method.kind.equals("twins") || method.kind.equals("new")) {
            return;
        }
        AskDigest digest = new AskDigest(spec, project, null);
        Object own = receiver(method, seed);
        List<Object[]> given = given(method, seed);
        long before = of(digest, own, given);
        long[] wanted = answers(method, own, given, digest);
        long[] again = answers(method, own, given, digest);
        if (!java.util.Arrays.equals(wanted, again) || of(digest, own, given) != before) {
            return;
        }
        Object shared = receiver(method, seed);
        AtomicBoolean other = new AtomicBoolean();
        CyclicBarrier ready = new CyclicBarrier(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            List<Object[]> mine = given(method, seed);
            Thread thread = new Thread(() -> ask(method, shared, mine, wanted, nanos, ready, other));
            thread.setDaemon(true);
            effects.own(thread);
            thread.start();
            threads.add(thread);
        }
        for (Thread each : threads) {
            each.join(spec.limit);
            if (each.isAlive()) {
                other.set(true);
            }
        }
        if (other.get() && wrong.merge(method, 1, Integer::sum) == spec.rounds) {
            effects.always(method, "it answers otherwise when two threads ask at once");
        }
    }

    private Object receiver(AskSpec.Member method, long seed) throws AskInputs.Unmade {
        inputs.from(new SplittableRandom(seed));
        return method.kind.equals("instance") ? inputs.one(method.owner + "/0", 0) : null;
    }

    private List<Object[]> given(AskSpec.Member method, long seed) throws AskInputs.Unmade {
        inputs.from(new SplittableRandom(~seed));
        List<Object[]> made = new ArrayList<>();
        for (int number = 0; number < SETS; number++) {
            made.add(inputs.all(method.types, 0));
        }
        return made;
    }

    private static long of(AskDigest digest, Object own, List<Object[]> given) {
        digest.restart();
        digest.add(own);
        given.forEach(digest::add);
        return digest.first;
    }

    private void ask(AskSpec.Member method, Object shared, List<Object[]> given, long[] wanted,
            long nanos, CyclicBarrier ready, AtomicBoolean other) {
        AskDigest digest = new AskDigest(spec, project, null);
        try {
            ready.await();
            long end = System.nanoTime() + nanos;
            while (!other.get() && System.nanoTime() < end) {
                if (!java.util.Arrays.equals(answers(method, shared, given, digest), wanted)) {
                    other.set(true);
                }
            }
        } catch (Exception error) {
            other.set(true);
        }
    }

    private long[] answers(AskSpec.Member method, Object own, List<Object[]> given,
            AskDigest digest) throws AskInputs.Unmade {
        long[] found = new long[given.size()];
        for (int at = 0; at < found.length; at++) {
            digest.restart();
            try {
                digest.add(inputs.call(method, own, given.get(at)));
            } catch (InvocationTargetException error) {
                digest.add(error.getCause());
            } catch (RuntimeException error) {
                // Of code that is looked at.
                digest.add(error);
            }
            found[at] = digest.first;
        }
        return found;
    }
}
