import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.BaseStream;

/**
 * What whoever calls relies on, beside the answer: that it is the same however it is read, and
 * stays so when arguments change, that equal objects are equal, and that messages name what is wrong.
 *
 * <p>What is not so is an effect (see {@link AskEffects}).
 */
final class AskContracts {
    private static final int MOST = 300;
    private static final int TRIED = 20;
    /** Of one kind of exception, as few as these say nothing. */
    private static final int FEW = 3;

    private final AskInputs inputs;
    private final AskEffects effects;
    private final AskDigest reader;
    /** Method -> class of an exception -> how many the project threw, and named an argument. */
    private final Map<AskSpec.Member, Map<String, int[]>> messages = new HashMap<>();
    /** The same -> how many the project threw, and with a cause. */
    private final Map<AskSpec.Member, Map<String, int[]>> causes = new HashMap<>();
    /** Class, as its twins -> how many pairs of it are not equal, and of these have one hash. */
    private final Map<AskSpec.Member, int[]> spread = new HashMap<>();

    AskContracts(AskSpec spec, AskInputs inputs, AskEffects effects, ClassLoader project) {
        this.inputs = inputs;
        this.effects = effects;
        reader = new AskDigest(spec, project, null);
    }

    private long of(Object... values) {
        reader.restart();
        for (Object each : values) {
            reader.add(each);
        }
        return reader.first * 31 + reader.second;
    }

    private static boolean isOnce(Object value) {
        return value instanceof Iterator || value instanceof BaseStream;
    }

    /** Looks at a call that was answered. */
    void check(Object receiver, Object[] arguments, Object answer) {
        Object kept = isOnce(answer) ? null : answer;
        written(receiver);
        written(kept);
        Runnable back = receiver == null || kept == receiver ? null : changed(kept);
        if (back != null) {
            long own = of(receiver);
            back.run();
            if (of(receiver) != own) {
                effects.saw("it changes with an answer that is changed later");
            }
        }
        if (kept != null) {
            if (of(kept) != of(kept)) {
                effects.saw("it is another when it is read again");
            }
            try {
                if (kept instanceof Map ? !isAlike((Map<?, ?>) kept)
                        : kept instanceof Collection && !isAlike((Collection<?>) kept)) {
                    effects.saw("it is another when it is read in another way");
                }
            } catch (RuntimeException error) {
                effects.saw("it cannot be read in another way");
            }
        }
        for (Object each : arguments) {
            long before = of(kept, receiver);
            Runnable undo = changed(each);
            if (undo != null) {
                if (of(kept, receiver) != before) {
                    effects.saw("it changes with an argument that is changed later");
                }
                undo.run();
            }
        }
    }

    /** Whoever logs an object, or puts it into a set, gets no exception. */
    private void written(Object value) {
        if (value != null && reader.isProjects(value.getClass().getName())) {
            try {
                String.valueOf(value.toString()).isEmpty();
                value.hashCode();
            } catch (RuntimeException | StackOverflowError error) {
                effects.saw("it cannot be written as a text, or has no hash");
            }
        }
    }

    private boolean isAlike(Collection<?> values) {
        List<Object> all = new ArrayList<>();
        for (Iterator<?> each = values.iterator(); each.hasNext() && all.size() <= MOST;) {
            all.add(each.next());
        }
        if (all.size() > MOST) {
            return true;
        }
        long seen = of(all);
        List<Object> each = new ArrayList<>();
        values.forEach(each::add);
        boolean alike = values.size() == all.size() && values.isEmpty() == all.isEmpty()
                && of(each) == seen && of(Arrays.asList(values.toArray())) == seen
                && of(Arrays.asList(values.stream().toArray())) == seen;
        // Of the project's objects, which may be made anew each time, nobody has to be equal.
        boolean plain = all.stream()
                .allMatch(one -> one == null || one.getClass().getClassLoader() == null);
        for (Object one : all.subList(0, plain ? Math.min(TRIED, all.size()) : 0)) {
            alike &= values.contains(one);
        }
        if (values instanceof List) {
            List<?> list = (List<?>) values;
            List<Object> read = new ArrayList<>();
            for (int at = 0; at < all.size(); at++) {
                read.add(list.get(at));
                alike &= at >= TRIED || !plain
                        || list.indexOf(read.get(at)) == all.indexOf(read.get(at));
            }
            List<Object> back = new ArrayList<>();
            for (java.util.ListIterator<?> at = list.listIterator(all.size()); at.hasPrevious();) {
                back.add(at.previous());
            }
            Collections.reverse(back);
            alike &= of(read) == seen && of(back) == seen
                    && of(list.subList(0, all.size())) == seen
                    && (!plain || list.equals(all) && list.hashCode() == all.hashCode());
        }
        return alike;
    }

    private boolean isAlike(Map<?, ?> values) {
        List<Object> all = new ArrayList<>();
        List<Object> keys = new ArrayList<>();
        List<Object> own = new ArrayList<>();
        boolean alike = true;
        for (Map.Entry<?, ?> each : values.entrySet()) {
            if (all.size() == MOST) {
                return true;
            }
            keys.add(each.getKey());
            own.add(each.getValue());
            all.add(new Object[] {each.getKey(), each.getValue()});
            alike &= all.size() > TRIED || values.containsKey(each.getKey())
                    && of(values.get(each.getKey())) == of(each.getValue());
        }
        List<Object> each = new ArrayList<>();
        values.forEach((key, value) -> each.add(new Object[] {key, value}));
        return alike && values.size() == all.size() && values.isEmpty() == all.isEmpty()
                && of(each) == of(all) && of(new ArrayList<>(values.keySet())) == of(keys)
                && of(new ArrayList<>(values.values())) == of(own);
    }

    /** Changes what a caller may change, in its place; how to take it back, or null. */
    private Runnable changed(Object argument) {
        try {
            if (argument instanceof List) {
                List<?> list = (List<?>) argument;
                int last = list.size() - 1;
                Runnable swap = () -> Collections.swap(list, 0, last);
                return last > 0 && of(list.get(0)) != of(list.get(last)) ? run(swap, swap) : null;
            } else if (argument != null && argument.getClass().isArray()) {
                int last = Array.getLength(argument) - 1;
                if (last > 0) {
                    Object first = Array.get(argument, 0);
                    Object other = Array.get(argument, last);
                    return run(() -> Array.set(argument, 0, other),
                            () -> Array.set(argument, 0, first));
                }
            } else if (argument instanceof LinkedHashMap && ((Map<?, ?>) argument).size() > 1) {
                return changed((Map<?, ?>) argument);
            } else if (argument instanceof StringBuilder
                    && ((StringBuilder) argument).length() > 0) {
                StringBuilder text = (StringBuilder) argument;
                char there = text.charAt(0);
                return run(() -> text.setCharAt(0, '~'), () -> text.setCharAt(0, there));
            } else if (argument instanceof Date) {
                Date date = (Date) argument;
                long time = date.getTime();
                return run(() -> date.setTime(time + 86_400_000), () -> date.setTime(time));
            }
            return null;
        } catch (RuntimeException error) {
            // It cannot be changed.
            return null;
        }
    }

    private static <K, V> Runnable changed(Map<K, V> map) {
        Iterator<Map.Entry<K, V>> entries = map.entrySet().iterator();
        Map.Entry<K, V> first = entries.next();
        V there = first.getValue();
        V other = entries.next().getValue();
        return run(() -> map.put(first.getKey(), other), () -> map.put(first.getKey(), there));
    }

    private static Runnable run(Runnable now, Runnable later) {
        now.run();
        return later;
    }

    /** Two objects that were made alike, and another. */
    void twins(AskSpec.Member of) throws AskInputs.Unmade {
        Object[] made = inputs.twins(of.owner + "/0");
        Object other = inputs.one(of.owner + "/0", 0);
        long own = of(made[0]);
        if (own != of(made[1])) {
            return;
        }
        if (!isCompared(made[0])) {
            effects.always(of, "one of the same values is not equal");
        } else if (!equal(made[0], made[1])) {
            effects.saw("one of the same values is not equal");
        }
        boolean same = equal(made[0], other);
        int[] hashes = spread.computeIfAbsent(of, key -> new int[2]);
        hashes[0] += same ? 0 : 1;
        hashes[1] += same || hash(made[0]) != hash(other) ? 0 : 1;
        if (same && own != of(other)) {
            effects.saw("one of other values is equal");
        }
        if (same != equal(other, made[0]) || !equal(made[0], made[0]) || equal(made[0], null)
                || equal(made[0], "")) {
            effects.saw("it is equal one way only");
        }
        for (Object each : new Object[] {made[0], made[1], other}) {
            if (equal(made[0], each) && hash(made[0]) != hash(each)) {
                effects.saw("one that is equal has another hash");
            }
        }
    }

    private static boolean isCompared(Object value) {
        try {
            return value.getClass().getMethod("equals", Object.class).getDeclaringClass()
                    != Object.class;
        } catch (NoSuchMethodException error) {
            throw new IllegalStateException(error);
        }
    }

    private boolean equal(Object one, Object other) {
        try {
            return one.equals(other);
        } catch (RuntimeException error) {
            effects.saw("it cannot be compared");
            return false;
        }
    }

    private int hash(Object value) {
        try {
            return value.hashCode();
        } catch (RuntimeException error) {
            effects.saw("it has no hash");
            return 0;
        }
    }

    /** Does what the project's code has thrown name an argument? */
    void threw(AskSpec.Member method, Throwable error, Object[] arguments) {
        boolean named = false;
        boolean names = false;
        for (Object each : arguments) {
            boolean told = each instanceof CharSequence || each instanceof Number;
            String text = told ? each.toString() : "";
            if (text.length() > 2) {
                names = true;
                Throwable cause = error;
                for (int depth = 0; cause != null && depth < TRIED; depth++) {
                    named |= cause.getMessage() != null && cause.getMessage().contains(text);
                    cause = cause.getCause();
                }
            }
        }
        StackTraceElement[] from = error.getStackTrace();
        // Java itself leaves it out of what it throws often.
        boolean own = from.length > 0 ? reader.isProjects(from[0].getClassName())
                : error.getMessage() != null;
        if (own) {
            int[] counts = causes.computeIfAbsent(method, key -> new TreeMap<>())
                    .computeIfAbsent(reader.named(error.getClass()), key -> new int[2]);
            counts[0]++;
            counts[1] += error.getCause() == null ? 0 : 1;
        }
        if (names && own) {
            int[] counts = messages.computeIfAbsent(method, key -> new TreeMap<>())
                    .computeIfAbsent(reader.named(error.getClass()), key -> new int[2]);
            counts[0]++;
            counts[1] += named ? 1 : 0;
        }
    }

    /** By then enough has been thrown, and compared. */
    void end() {
        spread.forEach((of, counts) -> {
            if (counts[0] >= TRIED && counts[1] * 10 >= counts[0] * 9) {
                effects.always(of, "others have the same hash");
            }
        });
        // Less says nothing but where the base's say more.
        tell(messages, "messages of ", " name no argument", " name an argument");
        tell(causes, "", " has no cause", " has a cause");
    }

    private void tell(Map<AskSpec.Member, Map<String, int[]>> counted, String of, String less,
            String more) {
        counted.forEach((method, own) -> own.forEach((name, counts) -> {
            if (counts[0] >= FEW) {
                effects.always(method, of + name + (counts[1] * 2 < counts[0] ? less : more));
            }
        }));
    }
}
