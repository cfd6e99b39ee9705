import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** Which files of the class path the code of some classes needs; annotations need none. */
final class Uses {
    private Uses() {
    }

    /** Writes a line for each: its address. */
    static void write(StandardJavaFileManager files, Path classes, Path result) throws IOException {
        Set<String> named = new TreeSet<>();
        try (Stream<Path> found = Files.walk(classes)) {
            for (Path each : found.filter(one -> one.toString().endsWith(".class"))
                    .collect(Collectors.toList())) {
                try (DataInputStream in = new DataInputStream(Files.newInputStream(each))) {
                    named(in, named);
                }
            }
        }
        Set<String> packages = named.stream()
                .map(each -> each.substring(0, Math.max(0, each.lastIndexOf('.'))))
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> addresses = new TreeSet<>();
        for (String each : packages) {
            List<JavaFileObject> there = new java.util.ArrayList<>();
            files.list(StandardLocation.CLASS_PATH, each,
                    EnumSet.of(JavaFileObject.Kind.CLASS), false).forEach(there::add);
            for (JavaFileObject one : there) {
                String address = one.toUri().toString();
                int inner = address.indexOf("!/");
                String name = files.inferBinaryName(StandardLocation.CLASS_PATH, one);
                if (inner >= 0 && named.contains(name)) {
                    addresses.add(address.substring(0, inner));
                }
            }
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(
                result, StandardCharsets.UTF_8))) {
            addresses.forEach(out::println);
        }
    }

    /** The classes that a class file names as such: see the Java Virtual Machine Specification. */
    private static void named(DataInputStream in, Set<String> found) throws IOException {
        in.readLong();
        int count = in.readUnsignedShort();
        String[] texts = new String[count];
        int[] classes = new int[count];
        for (int at = 1; at < count; at++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1: texts[at] = in.readUTF(); break;
                case 7: classes[at] = in.readUnsignedShort(); break;
                case 8: case 16: case 19: case 20: in.readUnsignedShort(); break;
                case 15: in.readUnsignedByte(); in.readUnsignedShort(); break;
                case 5: case 6: in.readLong(); at++; break;
                default: in.readInt();
            }
        }
        for (int each : classes) {
            String name = each == 0 ? null : texts[each];
            if (name != null) {
                name = name.startsWith("[") ? name.replaceAll("^\\[+L|;$", "") : name;
                found.add(name.replace('/', '.'));
            }
        }
    }
}
