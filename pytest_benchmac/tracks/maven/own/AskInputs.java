import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Draws values of types: the same from the same draws, whatever the code is that they are for.
 *
 * <p>A type is written as its name, `/`, how many types it is given, and these, with blanks
 * between; an array as `[` and its elements' type. Objects of the project are made by constructors
 * and factories that base and patch both have, and nothing is null.
 */
final class AskInputs {
    private static final int DEPTH = 6;
    private static final int TRIES = 8;
    /** One collection in so many is long. */
    private static final int MANY = 20;
    private static final List<String> TEXT = Collections.singletonList("java.lang.String/0");

    private final AskSpec spec;
    private final ClassLoader project;
    private final AskMembers members;
    private final AskValues values;
    private SplittableRandom random = new SplittableRandom();
    /** What constructors threw while a value was made. */
    final List<Throwable> thrown = new ArrayList<>();

    /** A value that nobody knows how to make. */
    static final class Unmade extends Exception {
        private static final long serialVersionUID = 1;
    }

    AskInputs(AskSpec spec, ClassLoader project) {
        this.spec = spec;
        this.project = project;
        values = new AskValues(spec);
        members = new AskMembers(spec, project);
    }

    /** What follows is drawn from this. */
    void from(SplittableRandom other) {
        random = other;
        values.random = other;
    }

    int draw(int bound) {
        return random.nextInt(bound);
    }

    void heard(Object answer) {
        values.heard(answer);
    }

    /** Arguments: one in six is like another before it of the same type, or is that one. */
    Object[] all(List<String> types, int depth) throws Unmade {
        Object[] made = new Object[types.size()];
        long[] seeds = new long[made.length];
        for (int at = 0; at < made.length; at++) {
            String type = types.get(at);
            int like = at == 0 || random.nextInt(6) > 0
                    ? -1 : types.subList(0, at).lastIndexOf(type);
            seeds[at] = like < 0 ? random.nextLong() : seeds[like];
            boolean same = like >= 0 && isOfProject(type) && random.nextInt(2) == 0;
            made[at] = same ? made[like] : seeded(seeds[at], type, depth);
        }
        return made;
    }

    /** Is it a class of the project, and no collection of them? */
    boolean isOfProject(String type) {
        return spec.classes.contains(type.substring(0, Math.max(0, type.indexOf('/'))));
    }

    /** Two that are made alike. */
    Object[] twins(String type) throws Unmade {
        long seed = random.nextLong();
        return new Object[] {seeded(seed, type, 0), seeded(seed, type, 0)};
    }

    private Object seeded(long seed, String type, int depth) throws Unmade {
        SplittableRandom outer = random;
        from(new SplittableRandom(seed));
        try {
            return one(type, depth);
        } finally {
            from(outer);
        }
    }

    Object one(String type, int depth) throws Unmade {
        return make(Arrays.asList(type.split(" ")).iterator(), depth);
    }

    private Object make(java.util.Iterator<String> words, int depth) throws Unmade {
        String word = words.next();
        if (word.equals("[")) {
            return array(words, depth);
        }
        int slash = word.indexOf('/');
        String name = word.substring(0, slash);
        List<List<String>> given = new ArrayList<>();
        for (int left = Integer.parseInt(word.substring(slash + 1)); left > 0; left--) {
            given.add(type(words));
        }
        if (spec.classes.contains(name)) {
            return projects(name, depth);
        }
        Object made = values.plain(name);
        return made != null ? made : container(name, given, depth);
    }

    /** The words of one type. */
    private static List<String> type(java.util.Iterator<String> words) {
        List<String> type = new ArrayList<>();
        for (int left = 1; left > 0; left--) {
            String word = words.next();
            type.add(word);
            left += word.equals("[") ? 1 : Integer.parseInt(word.substring(word.indexOf('/') + 1));
        }
        return type;
    }

    private Object given(List<List<String>> given, int number, int depth) throws Unmade {
        return number < given.size()
                ? make(given.get(number).iterator(), depth + 1) : values.text();
    }

    private Object array(java.util.Iterator<String> words, int depth) throws Unmade {
        List<String> type = type(words);
        Class<?> of;
        try {
            String name = type.get(0);
            int level = type.lastIndexOf("[") + 1;
            if (level > 0) {
                name = type.get(level);
            }
            name = name.substring(0, name.indexOf('/'));
            of = name.length() == 1 && !spec.classes.contains(name)
                    ? AskMembers.primitive(name.charAt(0)) : Class.forName(spec.here(name), false, project);
            for (; level > 0; level--) {
                of = Array.newInstance(of, 0).getClass();
            }
        } catch (ClassNotFoundException error) {
            throw new Unmade();
        }
        List<Object> all = several(type, depth);
        Object made = Array.newInstance(of, all.size());
        for (int at = 0; at < all.size(); at++) {
            Array.set(made, at, all.get(at));
        }
        return made;
    }

    /** Few values of a type, or some; or many, which may be few again and again, texts as they are known. */
    private List<Object> several(List<String> type, int depth) throws Unmade {
        boolean many = depth <= 1 && random.nextInt(MANY) == 0;
        int length = many ? random.nextInt(30, 200) : length();
        int kinds = many && random.nextInt(3) > 0 ? random.nextInt(1, 3) : 0;
        long seed = kinds > 0 ? random.nextLong() : 0;
        String words = String.join(" ", type);
        boolean changing = values.changing;
        values.changing = changing && kinds == 0;
        try {
            List<Object> made = new ArrayList<>();
            for (int at = 0; at < length; at++) {
                made.add(kinds > 0 ? seeded(seed + random.nextInt(kinds), words, depth + 1)
                        : one(words, depth + 1));
            }
            return made;
        } finally {
            values.changing = changing;
        }
    }

    private int length() {
        return random.nextInt(12) == 0 ? random.nextInt(30) : random.nextInt(5);
    }

    /** An object of the project. */
    private Object projects(String name, int depth) throws Unmade {
        String[] constants = spec.enums.get(name);
        if (constants != null) {
            return members.constant(name, constants[random.nextInt(constants.length)]);
        }
        List<AskSpec.Member> makers = spec.makers.getOrDefault(name, Collections.emptyList());
        List<String> below = spec.below.getOrDefault(name, Collections.emptyList());
        int count = makers.size() + below.size();
        for (int turn = 0; turn < TRIES && count > 0 && depth < DEPTH; turn++) {
            int number = random.nextInt(count);
            try {
                Object made = number < makers.size()
                        ? ask(makers.get(number), null, depth + 1)
                        : projects(below.get(number - makers.size()), depth + 1);
                if (made != null) {
                    return made;
                }
            } catch (InvocationTargetException error) {
                thrown.add(error.getCause());
            }
        }
        throw new Unmade();
    }

    Object call(AskSpec.Member member, Object receiver, Object[] arguments)
            throws Unmade, InvocationTargetException {
        return members.call(member, receiver, arguments);
    }

    /** What a member answers, with drawn arguments. */
    Object ask(AskSpec.Member member, Object receiver, int depth)
            throws Unmade, InvocationTargetException {
        if (member.kind.equals("field")) {
            return members.constant(member.owner, member.name);
        }
        return members.call(member, receiver, all(member.types, depth));
    }

    private Object container(String name, List<List<String>> given, int depth) throws Unmade {
        switch (name) {
            case "java.util.Optional":
                return random.nextInt(4) == 0 ? Optional.empty()
                        : Optional.of(given(given, 0, depth));
            case "java.util.Iterator": return list(given, depth).iterator();
            case "java.util.stream.Stream": return list(given, depth).stream();
            case "java.lang.Iterable":
                return random.nextInt(6) == 0 ? once(list(given, depth)) : collection(given, depth);
            case "java.util.Collection": return collection(given, depth);
            case "java.util.List":
                List<Object> made = list(given, depth);
                return random.nextInt(8) == 0 ? new java.util.LinkedList<>(made) : made;
            case "java.util.ArrayList": case "java.util.AbstractList": return list(given, depth);
            case "java.util.LinkedList": return new java.util.LinkedList<>(list(given, depth));
            case "java.util.Queue": case "java.util.Deque": case "java.util.ArrayDeque":
                return new ArrayDeque<>(list(given, depth));
            case "java.util.Set": case "java.util.LinkedHashSet": case "java.util.HashSet":
                return new LinkedHashSet<>(list(given, depth));
            case "java.util.SortedSet": case "java.util.NavigableSet": case "java.util.TreeSet":
                return sorted(new TreeSet<>(), list(given, depth));
            case "java.util.Map": case "java.util.LinkedHashMap": case "java.util.HashMap":
                return map(new LinkedHashMap<>(), given, depth);
            case "java.util.SortedMap": case "java.util.NavigableMap": case "java.util.TreeMap":
                return map(new TreeMap<>(), given, depth);
            default: throw new Unmade();
        }
    }

    private List<Object> list(List<List<String>> given, int depth) throws Unmade {
        return several(given.isEmpty() ? TEXT : given.get(0), depth);
    }

    /** Whatever a collection may be; a set only of what cannot become equal. */
    private Object collection(List<List<String>> given, int depth) throws Unmade {
        List<Object> made = list(given, depth);
        switch (random.nextInt(8)) {
            case 0: return new java.util.LinkedList<>(made);
            case 1: return new ArrayDeque<>(made);
            case 2: return Collections.unmodifiableList(made);
            case 3:
                return given.isEmpty() || spec.classes.contains(given.get(0).get(0).split("/")[0])
                        ? made : new LinkedHashSet<>(made);
            case 4:
                Map<Integer, Object> numbered = new LinkedHashMap<>();
                made.forEach(each -> numbered.put(numbered.size(), each));
                return numbered.values();
            default: return made;
        }
    }

    /** What can be gone through one time only, as the lines of a reader. */
    private static Iterable<Object> once(List<Object> values) {
        Iterator<Object> all = values.iterator();
        boolean[] begun = new boolean[1];
        return () -> {
            if (begun[0]) {
                throw new IllegalStateException("it was gone through");
            }
            begun[0] = true;
            return all;
        };
    }

    private static Object sorted(Collection<Object> empty, List<Object> values) throws Unmade {
        try {
            empty.addAll(values);
            return empty;
        } catch (RuntimeException error) {
            throw new Unmade();
        }
    }

    private Object map(Map<Object, Object> made, List<List<String>> given, int depth)
            throws Unmade {
        for (int left = length(); left > 0; left--) {
            try {
                made.put(given(given, 0, depth), given(given, 1, depth));
            } catch (RuntimeException error) {
                throw new Unmade();
            }
        }
        return made;
    }
}
