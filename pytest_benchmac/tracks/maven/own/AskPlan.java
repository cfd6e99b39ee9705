import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Lists what there is to be asked of classes, as AskSpec reads it. Nothing of them runs. */
final class AskPlan {
    private final ClassLoader project;
    private final PrintWriter results;

    private AskPlan(ClassLoader project, PrintWriter results) {
        this.project = project;
        this.results = results;
    }

    static void print(Collection<String> names, ClassLoader project, PrintWriter results) {
        AskPlan plan = new AskPlan(project, results);
        for (String name : new TreeSet<>(names)) {
            try {
                plan.print(Class.forName(name, false, project));
            } catch (ReflectiveOperationException | LinkageError error) {
                results.println("unread\t" + name);
            }
        }
    }

    private void print(Class<?> type) {
        String name = type.getName();
        if (type.isSynthetic() || type.isAnonymousClass() || type.isLocalClass()) {
            return;
        }
        // What cannot be linked is found before anything of it is told.
        Method[] methods = type.getDeclaredMethods();
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        results.println("class\t" + name);
        for (Field each : type.getDeclaredFields()) {
            field(type, each);
        }
        if (type.isEnum()) {
            results.println("enum\t" + name + "\t" + Arrays.stream(type.getDeclaredFields())
                    .filter(Field::isEnumConstant).map(Field::getName)
                    .collect(Collectors.joining(",")));
        }
        if (!isPublic(type)) {
            return;
        }
        boolean made = !type.isInterface() && !Modifier.isAbstract(type.getModifiers());
        for (Class<?> above : made ? above(type) : new LinkedHashSet<Class<?>>()) {
            results.println("below\t" + above.getName() + "\t" + name);
        }
        Arrays.sort(constructors, Comparator.comparing(AskPlan::descriptor));
        for (Constructor<?> each : constructors) {
            if (made && !type.isEnum() && Modifier.isPublic(each.getModifiers())) {
                String row = row("new", type, "<init>", each);
                results.println("maker\t" + name + "\t" + row);
                results.println("method\t" + row);
            }
        }
        Arrays.sort(methods,
                Comparator.comparing((Method each) -> each.getName() + descriptor(each)));
        for (Method each : methods) {
            if (Modifier.isPublic(each.getModifiers()) && !each.isSynthetic() && !isLeft(each)) {
                boolean fixed = Modifier.isStatic(each.getModifiers());
                String row = row(fixed ? "static" : "instance", type, each.getName(), each);
                results.println("method\t" + row);
                if (fixed && isProjects(each.getReturnType())) {
                    results.println("maker\t" + each.getReturnType().getName() + "\t" + row);
                }
            }
        }
    }

    private void field(Class<?> type, Field field) {
        int modifiers = field.getModifiers();
        if (field.isSynthetic() || field.isEnumConstant()) {
            return;
        }
        String row = type.getName() + "\t" + field.getName() + "\t";
        if (!Modifier.isStatic(modifiers)) {
            results.println("field\t" + row + descriptor(field.getType()));
        } else if (Modifier.isPublic(modifiers) && Modifier.isFinal(modifiers) && isPublic(type)
                && isProjects(field.getType())) {
            results.println("maker\t" + field.getType().getName() + "\tfield\t" + row
                    + descriptor(field.getType()) + "\t");
        }
    }

    /** Programs, which end the JVM, and hashes, which are whatever they are. */
    private static boolean isLeft(Method method) {
        String of = method.getName() + descriptor(method);
        return of.equals("main([Ljava/lang/String;)") || of.equals("hashCode()")
                || of.equals("finalize()")
                || method.getDeclaringClass().isEnum()
                        && (of.equals("values()") || of.equals("valueOf(Ljava/lang/String;)"));
    }

    private boolean isProjects(Class<?> type) {
        return type.getClassLoader() == project;
    }

    private static boolean isPublic(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getDeclaringClass()) {
            if (!Modifier.isPublic(each.getModifiers())) {
                return false;
            }
        }
        return true;
    }

    private Set<Class<?>> above(Class<?> type) {
        Set<Class<?>> found = new LinkedHashSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each != type && isProjects(each)) {
                found.add(each);
            }
            for (Class<?> one : each.getInterfaces()) {
                if (isProjects(one)) {
                    found.add(one);
                    found.addAll(above(one));
                }
            }
        }
        return found;
    }

    private String row(String kind, Class<?> owner, String name, Executable of) {
        Type[] types = of.getGenericParameterTypes();
        if (types.length != of.getParameterCount()) {
            types = of.getParameterTypes();
        }
        return kind + "\t" + owner.getName() + "\t" + name + "\t" + descriptor(of) + "\t"
                + Arrays.stream(types).map(each -> words(each, 0)).collect(Collectors.joining(","));
    }

    private static String descriptor(Executable of) {
        return Arrays.stream(of.getParameterTypes()).map(AskPlan::descriptor)
                .collect(Collectors.joining("", "(", ")"));
    }

    private static String descriptor(Class<?> type) {
        String array = java.lang.reflect.Array.newInstance(type, 0).getClass().getName();
        return array.substring(1).replace('.', '/');
    }

    /** See {@link AskInputs}. */
    private static String words(Type type, int depth) {
        if (type instanceof WildcardType) {
            WildcardType any = (WildcardType) type;
            return words(any.getLowerBounds().length > 0
                    ? any.getLowerBounds()[0] : any.getUpperBounds()[0], depth);
        }
        if (type instanceof TypeVariable) {
            Type bound = ((TypeVariable<?>) type).getBounds()[0];
            return depth > 3 || bound == Object.class
                    ? "java.lang.String/0" : words(bound, depth + 1);
        }
        if (type instanceof GenericArrayType) {
            return "[ " + words(((GenericArrayType) type).getGenericComponentType(), depth);
        }
        if (type instanceof ParameterizedType) {
            Type[] given = ((ParameterizedType) type).getActualTypeArguments();
            String name = ((Class<?>) ((ParameterizedType) type).getRawType()).getName();
            return depth > 3 ? name + "/0" : name + "/" + given.length + " "
                    + Arrays.stream(given).map(each -> words(each, depth + 1))
                            .collect(Collectors.joining(" "));
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isArray()) {
            return "[ " + words(plain.getComponentType(), depth);
        }
        return (plain.isPrimitive() ? descriptor(plain) : plain.getName()) + "/0";
    }
}
