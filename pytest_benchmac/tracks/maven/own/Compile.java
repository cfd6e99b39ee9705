import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles modules one after the other: {@code java Compile UNITS RESULTS
 * REPOSITORY}.
 *
 * <p>A line of UNITS is: name, folder of the sources, folder for the classes, `lenient` or
 * `strict`, class path, options, renamed classes ({@code old=new}, with commas between); with tabs
 * between, and {@code @repository@} for REPOSITORY. A lenient unit leaves out the files that do not
 * compile.
 * Option `--level=N` is
 * `--release N` as far as the JDK has it, `--open-level=N` the same with all of the JDK visible.
 * What main code declares is written beside its classes: see {@link Declared}, {@link Uses}.
 * A line of RESULTS is `unit`, name, `passed` or `failed`, number of sources; or
 * `error` or `dropped`, name of the unit, file, line, message.
 */
public final class Compile {
    private static final int ROUNDS = 12;
    private static final Pattern WORD = Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*+\"|\\b\\w++");

    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (PrintWriter results = new PrintWriter(args[1], "UTF-8")) {
            for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
                String[] unit = line.replace("@repository@", args[2]).split("\t", -1);
                compile(compiler, unit, results);
            }
        }
    }

    private static void compile(JavaCompiler compiler, String[] unit, PrintWriter results)
            throws IOException {
        String name = unit[0];
        boolean lenient = !unit[3].equals("strict");
        Files.createDirectories(Paths.get(unit[2]));
        List<File> sources = sources(Paths.get(unit[1]));
        int count = sources.size();
        List<String> options = options(unit[5]);
        List<String> given = new ArrayList<>(options);
        Charset charset = charset(options);
        rename(sources, unit[6], charset);
        // Nothing is compiled that is not asked for.
        options.addAll(Arrays.asList("-implicit:none", "-sourcepath", unit[2], "-nowarn"));
        options.addAll(Arrays.asList("-d", unit[2], "-cp", unit[4].isEmpty() ? unit[2] : unit[4]));
        boolean passed = sources.isEmpty();
        for (int round = 0; round < ROUNDS && !passed && !sources.isEmpty(); round++) {
            DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
            try (StandardJavaFileManager files =
                    compiler.getStandardFileManager(told, null, charset)) {
                passed = compiler.getTask(null, files, told, options, null,
                        files.getJavaFileObjectsFromFiles(sources)).call();
            } catch (RuntimeException | StackOverflowError error) {
                results.println(row("error", name, "", "0", "javac: " + error));
                break;
            }
            Set<String> wrong = new HashSet<>();
            for (Diagnostic<? extends JavaFileObject> each : told.getDiagnostics()) {
                if (each.getKind() == Diagnostic.Kind.ERROR) {
                    String file = each.getSource() == null ? "" : each.getSource().getName();
                    if (!file.isEmpty() && !wrong.add(file)) {
                        continue;
                    }
                    results.println(row(lenient ? "dropped" : "error", name, file,
                            Long.toString(each.getLineNumber()), each.getMessage(null)));
                }
            }
            if (!lenient || wrong.isEmpty()) {
                break;
            }
            sources.removeIf(each -> wrong.contains(each.getPath()));
            if (sources.isEmpty()) {
                passed = true;
            }
        }
        if (passed && name.endsWith(":classes")) {
            Path classes = Paths.get(unit[2]);
            Declared.write(compiler, classes, unit[4], given, charset,
                    classes.resolveSibling("declared.txt"));
            try (StandardJavaFileManager files =
                    compiler.getStandardFileManager(null, null, charset)) {
                files.setLocation(StandardLocation.CLASS_PATH, Arrays.stream(unit[4].split(":"))
                        .filter(each -> !each.isEmpty()).map(File::new)
                        .collect(Collectors.toList()));
                Uses.write(files, classes, classes.resolveSibling("used.txt"));
            }
        }
        results.println(row("unit", name, passed ? "passed" : "failed", Integer.toString(count)));
        results.flush();
    }

    private static List<String> options(String text) {
        List<String> options = new ArrayList<>();
        boolean old = System.getProperty("java.specification.version").startsWith("1.");
        for (String each : text.split(" ")) {
            String level = each.substring(each.indexOf('=') + 1);
            if (each.startsWith("--level=") && !old) {
                options.addAll(Arrays.asList("--release", level));
            } else if (each.startsWith("--level=") || each.startsWith("--open-level=")) {
                options.addAll(Arrays.asList("-source", level, "-target", level));
            } else {
                options.add(each);
            }
        }
        return options;
    }

    /** The file manager's word counts, and not the option's. */
    private static Charset charset(List<String> options) {
        int at = options.indexOf("-encoding");
        try {
            return at < 0 ? StandardCharsets.UTF_8 : Charset.forName(options.get(at + 1));
        } catch (IllegalArgumentException error) {
            return StandardCharsets.UTF_8;
        }
    }

    /** Writes new names of classes into the sources, but not into texts. */
    private static void rename(List<File> sources, String pairs, Charset charset)
            throws IOException {
        if (pairs.isEmpty()) {
            return;
        }
        Map<String, String> names = new HashMap<>();
        for (String pair : pairs.split(",")) {
            names.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        for (File source : sources) {
            String text = new String(Files.readAllBytes(source.toPath()), charset);
            Matcher words = WORD.matcher(text);
            StringBuffer changed = new StringBuffer();
            while (words.find()) {
                String word = names.getOrDefault(words.group(), words.group());
                words.appendReplacement(changed, Matcher.quoteReplacement(word));
            }
            words.appendTail(changed);
            Files.write(source.toPath(), changed.toString().getBytes(charset));
        }
    }

    private static List<File> sources(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return new ArrayList<>();
        }
        try (Stream<Path> found = Files.walk(folder)) {
            return found.filter(Files::isRegularFile)
                    .filter(each -> each.toString().endsWith(".java"))
                    // All is compiled on the class path.
                    .filter(each -> !each.endsWith("module-info.java"))
                    .map(Path::toFile)
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }

    private static String row(String... cells) {
        return Arrays.stream(cells)
                .map(cell -> cell.replaceAll("\\p{Cntrl}", " "))
                .map(cell -> cell.length() > 500 ? cell.substring(0, 500) : cell)
                .collect(Collectors.joining("\t"));
    }
}
