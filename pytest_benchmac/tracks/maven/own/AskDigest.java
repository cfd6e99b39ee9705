import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;

/**
 * What a value holds, as two numbers: values that say the same have one of them in common, however
 * their last digits were rounded.
 *
 * <p>Collections are what they contain, sets and maps in no order. Objects of the project are the
 * fields that base and patch both have, and where the patch has others than the base, the numbers
 * and texts that their methods answer; what a library made is not looked at.
 */
final class AskDigest {
    private static final int DEPTH = 7;
    private static final int NODES = 1_500;
    private static final int CHARACTERS = 20_000;
    private static final int SHOWN = 160;
    private static final Pattern LONG_NUMBER = Pattern.compile("\\d+\\.\\d{6,}(E-?\\d+)?");

    private final AskSpec spec;
    private final ClassLoader project;
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final Map<Class<?>, List<Method>> said = new HashMap<>();
    private final Deque<Object> under = new ArrayDeque<>();
    private final StringBuilder shown;
    private int nodes;
    long first;
    long second;

    /** Where `shown` is not null, what was seen is written there. */
    AskDigest(AskSpec spec, ClassLoader project, StringBuilder shown) {
        this.spec = spec;
        this.project = project;
        this.shown = shown;
    }

    void restart() {
        first = 0;
        second = 0;
    }

    boolean isShown() {
        return shown != null;
    }

    void say(String word) {
        text(word);
    }

    void add(Object value) {
        nodes = 0;
        under.clear();
        add(value, 0);
        show(" ");
    }

    private void mix(long one, long other) {
        first = (first ^ one) * 0x9E3779B97F4A7C15L + (first >>> 29);
        second = (second ^ other) * 0xC2B2AE3D27D4EB4FL + (second >>> 31);
    }

    private void show(String text) {
        if (shown != null && shown.length() < SHOWN) {
            shown.append(text.length() > SHOWN ? text.substring(0, SHOWN) : text);
        }
    }

    private void text(String text) {
        show(text);
        long hash = text.length();
        int most = Math.min(CHARACTERS, text.length());
        for (int at = 0; at < most; at++) {
            hash = hash * 1_000_003 + text.charAt(at);
        }
        mix(hash, hash);
    }

    private void add(Object value, int depth) {
        if (value == null) {
            text("null");
        } else if (depth > DEPTH || ++nodes > NODES) {
            mix(1, 1);
        } else if (value instanceof CharSequence || value instanceof StringWriter) {
            texts(value.toString());
        } else if (value instanceof Double) {
            number((Double) value, 20);
        } else if (value instanceof Float) {
            number((Float) value, 12);
        } else if (value instanceof Enum) {
            text(((Enum<?>) value).name());
        } else if (value instanceof Throwable) {
            text(named(value.getClass()));
        } else if (value.getClass().isArray()) {
            int length = Array.getLength(value);
            mix(length, length);
            show("[");
            for (int at = 0; at < Math.min(length, NODES); at++) {
                add(Array.get(value, at), depth + 1);
                show(", ");
            }
            show("]");
        } else if (isProjects(value.getClass()) && !holds(value)) {
            object(value, depth);
        } else {
            platform(value, depth);
        }
    }

    /** What is known by its contents, whoever made its class. */
    private static boolean holds(Object value) {
        return value instanceof Map || value instanceof Map.Entry || value instanceof Collection
                || value instanceof Iterator || value instanceof BaseStream;
    }

    private boolean isProjects(Class<?> type) {
        return type.getClassLoader() == project;
    }

    /** Is there a class of the project by this name? */
    boolean isProjects(String name) {
        try {
            return isProjects(Class.forName(name, false, project));
        } catch (ClassNotFoundException | LinkageError error) {
            return false;
        }
    }

    private void platform(Object value, int depth) {
        if (value instanceof Map) {
            show("{");
            List<Object> all = new ArrayList<>();
            ((Map<?, ?>) value).forEach((key, own) -> all.add(new Object[] {key, own}));
            unordered(all, depth);
            show("}");
        } else if (value instanceof Map.Entry) {
            add(((Map.Entry<?, ?>) value).getKey(), depth + 1);
            add(((Map.Entry<?, ?>) value).getValue(), depth + 1);
        } else if (value instanceof List || value instanceof Queue) {
            each(((Collection<?>) value).iterator(), depth);
        } else if (value instanceof Collection) {
            show("{");
            unordered((Collection<?>) value, depth);
            show("}");
        } else if (value instanceof Iterator) {
            each((Iterator<?>) value, depth);
        } else if (value instanceof BaseStream) {
            each(((BaseStream<?, ?>) value).iterator(), depth);
        } else if (value instanceof Optional) {
            add(((Optional<?>) value).orElse(null), depth + 1);
        } else if (value instanceof ByteArrayOutputStream) {
            add(((ByteArrayOutputStream) value).toByteArray(), depth + 1);
        } else if (value instanceof BigDecimal) {
            text(value.toString());
        } else if (value instanceof Number || isPlain(value)) {
            text(value.toString());
        } else {
            // What it is made of is the library's.
            text("object");
        }
    }

    private static boolean isPlain(Object value) {
        String name = value.getClass().getName();
        return value instanceof Boolean || value instanceof Character || value instanceof Date
                || name.startsWith("java.time.") || name.startsWith("java.util.Optional")
                || Arrays.asList("java.util.UUID", "java.util.Locale", "java.net.URI",
                        "java.util.regex.Pattern", "java.util.BitSet", "java.util.StringJoiner")
                .contains(name);
    }

    private void each(Iterator<?> values, int depth) {
        show("[");
        int count = 0;
        while (count < NODES && values.hasNext()) {
            add(values.next(), depth + 1);
            show(", ");
            count++;
        }
        mix(count, count);
        show("]");
    }

    private void unordered(Collection<?> values, int depth) {
        long one = first;
        long other = second;
        long ones = 0;
        long others = 0;
        int count = 0;
        for (Object each : values) {
            if (++count > NODES) {
                break;
            }
            restart();
            add(each, depth + 1);
            show(", ");
            ones += first * first + first;
            others += second * second + second;
        }
        first = one;
        second = other;
        mix(ones, others);
        mix(values.size(), values.size());
    }

    private void object(Object value, int depth) {
        text(named(value.getClass()));
        for (Object each : under) {
            if (each == value) {
                return;
            }
        }
        under.push(value);
        show("(");
        for (Field each : fields.computeIfAbsent(value.getClass(), this::fieldsOf)) {
            try {
                Object held = each.get(value);
                text(each.getName());
                show("=");
                add(held, depth + 1);
                show(", ");
            } catch (IllegalAccessException error) {
                throw new IllegalStateException(error);
            }
        }
        for (Method each : said.computeIfAbsent(value.getClass(), this::saidBy)) {
            text(each.getName());
            try {
                show("=");
                add(each.invoke(value), depth + 1);
                show(", ");
            } catch (InvocationTargetException error) {
                text("throws");
            } catch (IllegalAccessException error) {
                throw new IllegalStateException(error);
            }
        }
        show(")");
        under.pop();
    }

    /** Names of classes that base and patch both have; all others are one. */
    String named(Class<?> type) {
        String name = type.getName();
        if (IndexOutOfBoundsException.class.isAssignableFrom(type)) {
            // Which of them it is differs between lists.
            return "java.lang.IndexOutOfBoundsException";
        }
        if (!isProjects(type)) {
            return type.getClassLoader() == null || !Throwable.class.isAssignableFrom(type)
                    ? name : "object";
        }
        String own = spec.known.getOrDefault(name, name);
        return spec.classes.contains(own) ? own : "object";
    }

    private List<Field> fieldsOf(Class<?> type) {
        List<Field> found = new ArrayList<>();
        for (Class<?> each = type; each != null && isProjects(each); each = each.getSuperclass()) {
            String name = spec.known.getOrDefault(each.getName(), each.getName());
            Set<String> kept = spec.fields.getOrDefault(name, Collections.emptySet());
            for (Field field : each.getDeclaredFields()) {
                if (kept.contains(field.getName()) && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    found.add(field);
                }
            }
        }
        found.sort(Comparator.comparing(Field::getName));
        return found;
    }

    /** Methods that answer numbers and texts, of those that are told. */
    private List<Method> saidBy(Class<?> type) {
        List<Method> found = new ArrayList<>();
        for (Class<?> each = type; each != null && isProjects(each); each = each.getSuperclass()) {
            String name = spec.known.getOrDefault(each.getName(), each.getName());
            Set<String> own = spec.said.getOrDefault(name, Collections.emptySet());
            for (Method method : each.getDeclaredMethods()) {
                Class<?> answer = method.getReturnType();
                boolean plain = answer.isPrimitive() && answer != void.class
                        || answer == String.class || Number.class.isAssignableFrom(answer);
                if (own.contains(method.getName()) && method.getParameterCount() == 0 && plain
                        && !method.getName().equals("hashCode")
                        && !method.isBridge() && !Modifier.isStatic(method.getModifiers())) {
                    method.setAccessible(true);
                    found.add(method);
                }
            }
        }
        found.sort(Comparator.comparing(Method::getName));
        return found;
    }

    /** A text, but for the last digits of long numbers in it. */
    private void texts(String value) {
        if (value.indexOf('.') < 0) {
            text(value);
            return;
        }
        Matcher numbers = LONG_NUMBER.matcher(value);
        int at = 0;
        while (numbers.find()) {
            text(value.substring(at, numbers.start()));
            number(Double.parseDouble(numbers.group()), 20);
            at = numbers.end();
        }
        text(value.substring(at));
    }

    /** Two grids: few numbers are at the border of one, and next to none at that of both. */
    private void number(double value, int bits) {
        show(Double.toString(value));
        if (Math.abs(value) < 1e-9) {
            mix(2, 2);
        } else if (Double.isNaN(value) || Double.isInfinite(value)) {
            mix(Double.doubleToLongBits(value), Double.doubleToLongBits(value));
        } else {
            int one = Math.getExponent(value);
            int other = Math.getExponent(value * 1.37);
            mix(Math.round(Math.scalb(value, bits - one)) * 4_099 + one,
                    (long) Math.floor(Math.scalb(value, bits - other) + 0.3) * 4_099 + other);
        }
    }
}
