import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.Parameterizable;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;

/**
 * What the classes of a folder declare, and whatever they inherit from, as the compiler sees it.
 *
 * <p>A row, with tabs between, is `type`, whose (`own`, `above` for what is inherited from, `named`
 * for what signatures name), name, the type that it stands in, kind, flags, direct supertypes,
 * generic types; or `member` (of the type above it), kind, name, descriptor, flags, generic types,
 * what it throws, its constant. Lists have commas between; names are those of class files.
 */
final class Declared extends AbstractProcessor {
    private final List<String> names;
    private final List<String> rows = new ArrayList<>();
    private final Deque<TypeElement> above = new ArrayDeque<>();
    private final Deque<TypeElement> named = new ArrayDeque<>();
    private final Set<String> told = new LinkedHashSet<>();

    private Declared(List<String> names) {
        this.names = names;
    }

    /** Writes the rows of the classes in a folder. Options are those that they were compiled with. */
    static void write(JavaCompiler compiler, Path classes, String path, List<String> options,
            Charset charset, Path result) throws IOException {
        List<String> given = new ArrayList<>(Arrays.asList("-proc:only", "-cp",
                path.isEmpty() ? classes.toString() : classes + java.io.File.pathSeparator + path));
        for (int at = 0; at < options.size(); at++) {
            String each = options.get(at);
            if (Arrays.asList("--release", "-source", "-target").contains(each)
                    || each.matches("--add-\\w+")) {
                given.addAll(Arrays.asList(each, options.get(++at)));
            } else if (each.startsWith("--add-")) {
                given.add(each);
            }
        }
        Declared declared = new Declared(names(classes));
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(each -> { }, null, charset)) {
            JavaCompiler.CompilationTask task = compiler.getTask(null, files, each -> { }, given,
                    Collections.singletonList("java.lang.Object"), null);
            task.setProcessors(Collections.singletonList(declared));
            task.call();
        } catch (RuntimeException | StackOverflowError error) {
            // What it could tell until then counts.
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(
                result, StandardCharsets.UTF_8))) {
            declared.rows.forEach(out::println);
        }
    }

    /** Of the outermost classes; they tell those within. */
    private static List<String> names(Path classes) throws IOException {
        try (Stream<Path> found = Files.walk(classes)) {
            Set<String> all = found.map(each -> classes.relativize(each).toString())
                    .filter(each -> each.endsWith(".class") && !each.endsWith("-info.class"))
                    .map(each -> each.substring(0, each.length() - 6).replace('/', '.'))
                    .collect(Collectors.toCollection(java.util.TreeSet::new));
            return all.stream().filter(each -> {
                int dollar = each.indexOf('$', each.lastIndexOf('.') + 2);
                return dollar < 0 || !all.contains(each.substring(0, dollar));
            }).collect(Collectors.toList());
        }
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Collections.singleton("*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latest();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        if (!told.isEmpty() || round.processingOver()) {
            return false;
        }
        for (String name : names) {
            TypeElement type = processingEnv.getElementUtils().getTypeElement(name);
            if (type != null) {
                tell(type, "own");
            }
        }
        while (!above.isEmpty()) {
            tell(above.remove(), "above");
        }
        while (!named.isEmpty()) {
            tell(named.remove(), "named");
        }
        return false;
    }

    private void tell(TypeElement type, String whose) {
        String name = binary(type);
        if (!told.add(name)) {
            return;
        }
        int start = rows.size();
        try {
            List<TypeMirror> supers = new ArrayList<>(type.getInterfaces());
            if (type.getSuperclass().getKind() != TypeKind.NONE) {
                supers.add(0, type.getSuperclass());
            }
            Set<String> flags = flags(type);
            retention(type, flags);
            Element outer = type.getEnclosingElement();
            rows.add(row("type", whose, name, outer instanceof TypeElement
                    ? binary((TypeElement) outer) : "", type.getKind().name(),
                    String.join(",", flags),
                    supers.stream().map(this::erased).collect(Collectors.joining(",")),
                    bounds(type) + supers.stream().map(this::generic)
                            .collect(Collectors.joining(";"))));
            supers.forEach(each -> queue(each, whose.equals("named") ? named : above));
            if (!whose.equals("named")) {
                for (Element each : type.getEnclosedElements()) {
                    member(each, whose.equals("own"));
                }
            }
        } catch (RuntimeException error) {
            // It inherits from, or names, what no library has.
            rows.subList(start, rows.size()).clear();
            return;
        }
        if (whose.equals("own")) {
            for (Element each : type.getEnclosedElements()) {
                if (each instanceof TypeElement) {
                    tell((TypeElement) each, whose);
                }
            }
        }
    }

    private void member(Element each, boolean own) {
        Set<Modifier> modifiers = each.getModifiers();
        boolean open = modifiers.contains(Modifier.PUBLIC) || modifiers.contains(Modifier.PROTECTED);
        if (!open) {
            return;
        }
        Set<String> flags = flags(each);
        String descriptor;
        String generic;
        String thrown = "";
        String constant = "";
        if (each instanceof ExecutableElement) {
            ExecutableElement method = (ExecutableElement) each;
            descriptor = "(" + method.getParameters().stream().map(one -> erased(one.asType()))
                    .map(Declared::descriptor).collect(Collectors.joining())
                    + ")" + descriptor(erased(method.getReturnType()));
            generic = bounds(method) + "(" + method.getParameters().stream()
                    .map(one -> generic(one.asType())).collect(Collectors.joining(";"))
                    + ")" + generic(method.getReturnType());
            thrown = method.getThrownTypes().stream().map(this::erased).sorted()
                    .collect(Collectors.joining(","));
            if (method.isVarArgs()) {
                flags.add("varargs");
            }
            if (method.getDefaultValue() != null) {
                flags.add("defaulted");
            }
            if (own) {
                method.getThrownTypes().forEach(one -> queue(one, named));
                method.getParameters().forEach(one -> queue(one.asType(), named));
                queue(method.getReturnType(), named);
            }
        } else if (each instanceof VariableElement) {
            VariableElement field = (VariableElement) each;
            descriptor = descriptor(erased(field.asType()));
            generic = generic(field.asType());
            Object value = field.getConstantValue();
            constant = value == null ? "" : value.getClass().getSimpleName() + " " + value;
            if (own) {
                queue(field.asType(), named);
            }
        } else {
            return;
        }
        rows.add(row("member", each.getKind().name(), each.getSimpleName().toString(), descriptor,
                String.join(",", flags), own ? generic : "", thrown, constant));
    }

    private void queue(TypeMirror type, Deque<TypeElement> where) {
        TypeMirror each = processingEnv.getTypeUtils().erasure(type);
        while (each.getKind() == TypeKind.ARRAY) {
            each = ((ArrayType) each).getComponentType();
        }
        if (each.getKind() == TypeKind.DECLARED) {
            where.add((TypeElement) ((DeclaredType) each).asElement());
        }
    }

    private static Set<String> flags(Element each) {
        return each.getModifiers().stream().map(Modifier::toString)
                .collect(Collectors.toCollection(java.util.TreeSet::new));
    }

    /** How long an annotation is there. */
    private static void retention(TypeElement type, Set<String> flags) {
        for (AnnotationMirror each : type.getAnnotationMirrors()) {
            if (each.getAnnotationType().toString().equals("java.lang.annotation.Retention")) {
                each.getElementValues().values()
                        .forEach(one -> flags.add("retention " + one.getValue()));
            }
        }
    }

    private String binary(TypeElement type) {
        return processingEnv.getElementUtils().getBinaryName(type).toString();
    }

    /** Name of a class or primitive, with `[]` behind it for each dimension. */
    private String erased(TypeMirror type) {
        TypeMirror each = processingEnv.getTypeUtils().erasure(type);
        if (each.getKind() == TypeKind.ARRAY) {
            return erased(((ArrayType) each).getComponentType()) + "[]";
        }
        if (each.getKind() == TypeKind.DECLARED || each.getKind() == TypeKind.ERROR) {
            return binary((TypeElement) ((DeclaredType) each).asElement());
        }
        return each.getKind().name().toLowerCase(java.util.Locale.ROOT);
    }

    private static String descriptor(String erased) {
        if (erased.endsWith("[]")) {
            return "[" + descriptor(erased.substring(0, erased.length() - 2));
        }
        List<String> primitives = Arrays.asList(
                "boolean", "byte", "char", "short", "int", "long", "float", "double", "void");
        int at = primitives.indexOf(erased);
        return at < 0 ? "L" + erased.replace('.', '/') + ";" : "ZBCSIJFDV".substring(at, at + 1);
    }

    /** Type variables and what each extends. */
    private String bounds(Parameterizable of) {
        List<? extends TypeParameterElement> parameters = of.getTypeParameters();
        return parameters.isEmpty() ? "" : parameters.stream()
                .map(each -> each.getBounds().stream().map(this::generic)
                        .collect(Collectors.joining("&")))
                .collect(Collectors.joining(",", "<", ">"));
    }

    /** A type with its arguments; type variables by their number. */
    private String generic(TypeMirror type) {
        switch (type.getKind()) {
            case ARRAY:
                return generic(((ArrayType) type).getComponentType()) + "[]";
            case TYPEVAR:
                TypeParameterElement variable =
                        (TypeParameterElement) ((TypeVariable) type).asElement();
                Element of = variable.getGenericElement();
                String letter = of.getKind().isClass() || of.getKind().isInterface() ? "%" : "#";
                return letter + ((Parameterizable) of).getTypeParameters().indexOf(variable);
            case WILDCARD:
                TypeMirror upper = ((WildcardType) type).getExtendsBound();
                TypeMirror lower = ((WildcardType) type).getSuperBound();
                return upper != null ? "? extends " + generic(upper)
                        : lower != null ? "? super " + generic(lower) : "?";
            case DECLARED:
                List<? extends TypeMirror> arguments = ((DeclaredType) type).getTypeArguments();
                String name = erased(type);
                return arguments.isEmpty() ? name : arguments.stream().map(this::generic)
                        .collect(Collectors.joining(",", name + "<", ">"));
            default:
                return erased(type);
        }
    }

    private static String row(String... cells) {
        return Arrays.stream(cells).map(cell -> cell.replaceAll("\\p{Cntrl}", " "))
                .map(cell -> cell.length() > 2_000 ? cell.substring(0, 2_000) : cell)
                .collect(Collectors.joining("\t"));
    }
}
