import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calls one static method of the class Answer: a line of JSON in, the array of arguments; a line of
 * JSON out, what came back. Arguments become what the method's parameters are declared as.
 */
public final class Main {
    private Main() {}

    public static void main(String[] words) throws Exception {
        PrintStream told = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err);
        Class<?> answer = Class.forName("Answer");
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<?> arguments = (List<?>) parse(line);
            told.println(format(call(answer, words[0], arguments)));
        }
        told.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Object call(Class<?> answer, String name, List<?> arguments) throws Exception {
        IllegalArgumentException refused =
                new IllegalArgumentException("no static method " + name + " takes " + arguments.size() + " arguments");
        for (Method method : answer.getDeclaredMethods()) {
            if (!method.getName().equals(name) || !Modifier.isStatic(method.getModifiers())) continue;
            Type[] types = method.getGenericParameterTypes();
            Object[] given = new Object[types.length];
            try {
                if (types.length == 1 && method.isVarArgs()) {
                    given[0] = convert(arguments, types[0]);
                } else if (types.length == arguments.size()) {
                    for (int i = 0; i < given.length; i++) given[i] = convert(arguments.get(i), types[i]);
                } else {
                    continue;
                }
            } catch (IllegalArgumentException | ArithmeticException error) {
                refused = new IllegalArgumentException(method + ": " + error.getMessage());
                continue;
            }
            method.setAccessible(true);
            try {
                return method.invoke(null, given);
            } catch (InvocationTargetException error) {
                if (error.getCause() instanceof Exception cause) throw cause;
                throw error;
            }
        }
        throw refused;
    }

    private static Class<?> raw(Type type) {
        if (type instanceof Class<?> known) return known;
        if (type instanceof ParameterizedType of) return raw(of.getRawType());
        if (type instanceof WildcardType any) return raw(any.getUpperBounds()[0]);
        return Object.class;
    }

    private static Type inside(Type type, int place) {
        return type instanceof ParameterizedType of ? of.getActualTypeArguments()[place] : Object.class;
    }

    private static Object convert(Object value, Type type) {
        if (type instanceof GenericArrayType array) return array(value, array.getGenericComponentType());
        Class<?> wanted = raw(type);
        if (wanted.isArray()) return array(value, wanted.getComponentType());
        if (wanted == Optional.class) return Optional.ofNullable(value).map(each -> convert(each, inside(type, 0)));
        if (value == null) {
            if (wanted.isPrimitive()) throw new IllegalArgumentException("null for " + wanted);
            return null;
        }
        if (value instanceof List<?> list && wanted != Object.class) {
            Collection<Object> made;
            if (wanted.isAssignableFrom(ArrayList.class)) made = new ArrayList<>();
            else if (wanted.isAssignableFrom(LinkedHashSet.class)) made = new LinkedHashSet<>();
            else throw new IllegalArgumentException("a list for " + wanted);
            for (Object each : list) made.add(convert(each, inside(type, 0)));
            return made;
        }
        if (value instanceof Map<?, ?> map && wanted != Object.class) {
            if (!wanted.isAssignableFrom(LinkedHashMap.class)) throw new IllegalArgumentException("a map for " + wanted);
            Map<Object, Object> made = new LinkedHashMap<>();
            map.forEach((key, each) -> made.put(convert(key, inside(type, 0)), convert(each, inside(type, 1))));
            return made;
        }
        if (value instanceof String text && (wanted == char.class || wanted == Character.class) && text.length() == 1) {
            return text.charAt(0);
        }
        if (value instanceof Number number) {
            boolean whole = !(value instanceof Double);
            if (wanted == double.class || wanted == Double.class) return number.doubleValue();
            if (wanted == float.class || wanted == Float.class) return number.floatValue();
            if (whole && (wanted == long.class || wanted == Long.class)) return big(number).longValueExact();
            if (whole && (wanted == int.class || wanted == Integer.class)) return big(number).intValueExact();
            if (whole && (wanted == short.class || wanted == Short.class)) return big(number).shortValueExact();
            if (whole && (wanted == byte.class || wanted == Byte.class)) return big(number).byteValueExact();
            if (whole && wanted == BigInteger.class) return big(number);
            if (wanted == BigDecimal.class) return new BigDecimal(number.toString());
        }
        if (value instanceof Boolean && wanted == boolean.class) return value;
        if (wanted.isInstance(value)) return value;
        throw new IllegalArgumentException(value.getClass().getSimpleName() + " for " + wanted);
    }

    private static BigInteger big(Number number) {
        return number instanceof BigInteger known ? known : BigInteger.valueOf(number.longValue());
    }

    private static Object array(Object value, Type inside) {
        if (value == null) return null;
        if (!(value instanceof List<?> list)) throw new IllegalArgumentException("no list for an array");
        Object made = Array.newInstance(raw(inside), list.size());
        for (int i = 0; i < list.size(); i++) Array.set(made, i, convert(list.get(i), inside));
        return made;
    }

    /** The JSON of a value; whatever is no JSON is an error. */
    public static String format(Object value) {
        if (value == null) return "null";
        if (value instanceof Optional<?> some) return format(some.orElse(null));
        if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) throw new IllegalArgumentException("no JSON: " + value);
            return value.toString();
        }
        if (value instanceof Boolean || value instanceof Number) return value.toString();
        if (value instanceof CharSequence || value instanceof Character) return quoted(value.toString());
        if (value.getClass().isArray()) {
            List<String> inside = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) inside.add(format(Array.get(value, i)));
            return "[" + String.join(",", inside) + "]";
        }
        if (value instanceof Collection<?> many) return "[" + String.join(",", many.stream().map(Main::format).toList()) + "]";
        if (value instanceof Map<?, ?> map) {
            List<String> pairs = new ArrayList<>();
            for (Map.Entry<?, ?> each : map.entrySet()) pairs.add(quoted(String.valueOf(each.getKey())) + ":" + format(each.getValue()));
            return "{" + String.join(",", pairs) + "}";
        }
        throw new IllegalArgumentException("no JSON: " + value.getClass().getName());
    }

    private static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') made.append('\\').append(each);
            else if (each < ' ' || each > '~') made.append(String.format("\\u%04x", (int) each));
            else made.append(each);
        }
        return made.append('"').toString();
    }

    /** The value of a JSON text: Long or BigInteger, Double, Boolean, String, List, Map or null. */
    public static Object parse(String text) {
        return new Reader(text).value();
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        Object value() {
            switch (next()) {
                case '[': {
                    List<Object> made = new ArrayList<>();
                    at++;
                    while (next() != ']') {
                        made.add(value());
                        if (next() == ',') at++;
                    }
                    at++;
                    return made;
                }
                case '{': {
                    Map<String, Object> made = new LinkedHashMap<>();
                    at++;
                    while (next() != '}') {
                        String key = string();
                        next();
                        at++;
                        made.put(key, value());
                        if (next() == ',') at++;
                    }
                    at++;
                    return made;
                }
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        private Object word() {
            int start = at;
            while (at < text.length() && ",]}: \t".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            switch (word) {
                case "null": return null;
                case "true": return Boolean.TRUE;
                case "false": return Boolean.FALSE;
                default:
            }
            if (word.matches("-?[0-9]+")) {
                BigInteger number = new BigInteger(word);
                return number.bitLength() < 64 ? (Object) number.longValue() : number;
            }
            return Double.valueOf(word);
        }

        private String string() {
            next();
            at++;
            StringBuilder made = new StringBuilder();
            for (; text.charAt(at) != '"'; at++) {
                char each = text.charAt(at);
                if (each != '\\') {
                    made.append(each);
                    continue;
                }
                each = text.charAt(++at);
                if (each == 'u') {
                    made.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int place = "nrtbf".indexOf(each);
                    made.append(place < 0 ? each : "\n\r\t\b\f".charAt(place));
                }
            }
            at++;
            return made.toString();
        }
    }
}
