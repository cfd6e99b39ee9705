import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
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

    private final AskSpec spec;
    private final ClassLoader project;
    private final Map<AskSpec.Member, Executable> found = new HashMap<>();
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

    Object[] all(List<String> types, int depth) throws Unmade {
        Object[] made = new Object[types.size()];
        for (int at = 0; at < made.length; at++) {
            made[at] = one(types.get(at), depth);
        }
        return made;
    }

    Object one(String type, int depth) throws Unmade {
        return make(Arrays.asList(type.split(" ")).iterator(), depth);
    }

    /** The constructor or method of this class loader. */
    Executable executable(AskSpec.Member member) throws Unmade {
        Executable known = found.get(member);
        if (known != null) {
            return known;
        }
        try {
            Class<?> owner = Class.forName(spec.here(member.owner), true, project);
            String of = member.owner + "." + member.name + member.parameters;
            Class<?>[] parameters =
                    parameters(spec.wider.getOrDefault(of, member.parameters));
            known = member.kind.equals("new")
                    ? owner.getDeclaredConstructor(parameters)
                    : method(owner, member.name, parameters);
            known.setAccessible(true);
        } catch (ReflectiveOperationException error) {
            throw new Unmade();
        }
        found.put(member, known);
        return known;
    }

    /** Where a class has two of that name, the one that the compiler did not make. */
    private static Method method(Class<?> owner, String name, Class<?>[] parameters)
            throws NoSuchMethodException {
        for (Class<?> each = owner; each != null; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getName().equals(name) && !method.isBridge()
                        && Arrays.equals(method.getParameterTypes(), parameters)) {
                    return method;
                }
            }
        }
        return owner.getMethod(name, parameters);
    }

    private Class<?>[] parameters(String descriptor) throws ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (int at = 1; descriptor.charAt(at) != ')'; at++) {
            int start = at;
            while (descriptor.charAt(at) == '[') {
                at++;
            }
            int depth = at - start;
            Class<?> type;
            if (descriptor.charAt(at) == 'L') {
                int end = descriptor.indexOf(';', at);
                String name = descriptor.substring(at + 1, end).replace('/', '.');
                type = Class.forName(spec.here(name), false, project);
                at = end;
            } else {
                type = primitive(descriptor.charAt(at));
            }
            for (; depth > 0; depth--) {
                type = Array.newInstance(type, 0).getClass();
            }
            types.add(type);
        }
        return types.toArray(new Class<?>[0]);
    }

    private static Class<?> primitive(char letter) {
        switch (letter) {
            case 'Z': return boolean.class;
            case 'B': return byte.class;
            case 'C': return char.class;
            case 'S': return short.class;
            case 'I': return int.class;
            case 'J': return long.class;
            case 'F': return float.class;
            default: return double.class;
        }
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
                    ? primitive(name.charAt(0)) : Class.forName(spec.here(name), false, project);
            for (; level > 0; level--) {
                of = Array.newInstance(of, 0).getClass();
            }
        } catch (ClassNotFoundException error) {
            throw new Unmade();
        }
        Object made = Array.newInstance(of, length());
        for (int at = 0; at < Array.getLength(made); at++) {
            Array.set(made, at, make(type.iterator(), depth + 1));
        }
        return made;
    }

    private int length() {
        return random.nextInt(12) == 0 ? random.nextInt(30) : random.nextInt(5);
    }

    /** An object of the project. */
    private Object projects(String name, int depth) throws Unmade {
        String[] constants = spec.enums.get(name);
        if (constants != null) {
            return constant(name, constants[random.nextInt(constants.length)]);
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

    /** What a member answers, with drawn arguments. */
    Object ask(AskSpec.Member member, Object receiver, int depth)
            throws Unmade, InvocationTargetException {
        if (member.kind.equals("field")) {
            return constant(member.owner, member.name);
        }
        return call(member, receiver, all(member.types, depth));
    }

    Object call(AskSpec.Member member, Object receiver, Object[] arguments)
            throws Unmade, InvocationTargetException {
        Executable executable = executable(member);
        try {
            return executable instanceof Constructor
                    ? ((Constructor<?>) executable).newInstance(arguments)
                    : ((Method) executable).invoke(receiver, arguments);
        } catch (IllegalArgumentException | IllegalAccessException | InstantiationException error) {
            throw new Unmade();
        }
    }

    private Object constant(String owner, String name) throws Unmade {
        try {
            Field field = Class.forName(spec.here(owner), true, project).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new Unmade();
        }
    }

    private Object container(String name, List<List<String>> given, int depth) throws Unmade {
        switch (name) {
            case "java.util.Optional":
                return random.nextInt(4) == 0 ? Optional.empty()
                        : Optional.of(given(given, 0, depth));
            case "java.util.Iterator": return list(given, depth).iterator();
            case "java.util.stream.Stream": return list(given, depth).stream();
            case "java.util.List": case "java.util.Collection": case "java.lang.Iterable":
            case "java.util.ArrayList": case "java.util.AbstractList":
                return list(given, depth);
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
        List<Object> made = new ArrayList<>();
        for (int left = length(); left > 0; left--) {
            made.add(given(given, 0, depth));
        }
        return made;
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
