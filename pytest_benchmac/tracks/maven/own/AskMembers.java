import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the members that the base's names stand for, and calls them. */
final class AskMembers {
    private final AskSpec spec;
    private final ClassLoader project;
    private final Map<AskSpec.Member, Executable> found = new HashMap<>();

    AskMembers(AskSpec spec, ClassLoader project) {
        this.spec = spec;
        this.project = project;
    }

    /** The constructor or method of this class loader. */
    private Executable executable(AskSpec.Member member) throws AskInputs.Unmade {
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
            throw new AskInputs.Unmade();
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

    static Class<?> primitive(char letter) {
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

    Object call(AskSpec.Member member, Object receiver, Object[] arguments)
            throws AskInputs.Unmade, InvocationTargetException {
        Executable executable = executable(member);
        try {
            if (executable.isVarArgs()) {
                arguments = packed(executable.getParameterTypes(), arguments);
            }
            return executable instanceof Constructor
                    ? ((Constructor<?>) executable).newInstance(arguments)
                    : ((Method) executable).invoke(receiver, arguments);
        } catch (IllegalArgumentException | IllegalAccessException | InstantiationException error) {
            throw new AskInputs.Unmade();
        }
    }

    /** Where the base's method has single ones, as a compiler would give them. */
    private static Object[] packed(Class<?>[] types, Object[] arguments) {
        int last = types.length - 1;
        if (arguments.length == types.length && types[last].isInstance(arguments[last])) {
            return arguments;
        }
        Object[] packed = Arrays.copyOf(arguments, types.length);
        packed[last] = Array.newInstance(types[last].getComponentType(), arguments.length - last);
        for (int at = last; at < arguments.length; at++) {
            Array.set(packed[last], at - last, arguments[at]);
        }
        return packed;
    }

    Object constant(String owner, String name) throws AskInputs.Unmade {
        try {
            Field field = Class.forName(spec.here(owner), true, project).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new AskInputs.Unmade();
        }
    }
}
