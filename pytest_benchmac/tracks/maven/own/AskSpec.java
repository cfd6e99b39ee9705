import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What {@link AskMethods} is told: a row for each thing, with tabs between its cells. */
final class AskSpec {
    long seed;
    /** Milliseconds for one call; calls of their own, and blocks of calls behind them. */
    long limit = 1_000;
    int early;
    int blocks;
    /** Milliseconds after which no other block begins; 0 for none. */
    long until;
    /** No texts that were answered are asked with, and what calls take is told. */
    boolean trying;
    /** Hash codes of objects that are used up first, so that those of two runs differ. */
    int used;
    /** Rounds in which several threads have to be answered otherwise before it is told. */
    int rounds = 1;
    /** No letters but those of ASCII, where it depends on the machine what others are. */
    boolean ascii;
    String libraries = "";
    String folders = "";
    final List<String> places = new ArrayList<>();
    /** Class of the base -> of the patch, and the other way round. */
    final Map<String, String> renamed = new HashMap<>();
    final Map<String, String> known = new HashMap<>();
    /** Member of the base, with its parameters -> parameters that take more, of the patch's. */
    final Map<String, String> wider = new HashMap<>();
    final List<Double> numbers = new ArrayList<>();
    final List<String> texts = new ArrayList<>();
    /** By the base's names, in all that follows. */
    final Set<String> classes = new HashSet<>();
    final Map<String, Set<String>> fields = new HashMap<>();
    /** Class -> methods without parameters that say what its objects are. */
    final Map<String, Set<String>> said = new HashMap<>();
    final Map<String, String[]> enums = new HashMap<>();
    final Map<String, List<String>> below = new HashMap<>();
    final Map<String, List<Member>> makers = new HashMap<>();
    final List<Member> methods = new ArrayList<>();

    /** A constructor, method or field. */
    static final class Member {
        int number;
        /** `new`, `static`, `instance`, `field`, or `twins` of a class. */
        final String kind;
        final String owner;
        final String name;
        /** Descriptor of the parameters. */
        final String parameters;
        /** See {@link AskInputs}. */
        final List<String> types;
        int size;

        Member(String[] row, int at) {
            kind = row[at];
            owner = row[at + 1];
            name = row[at + 2];
            parameters = row[at + 3];
            types = row[at + 4].isEmpty()
                    ? Collections.emptyList() : Arrays.asList(row[at + 4].split(","));
        }
    }

    static AskSpec read(String path) throws java.io.IOException {
        AskSpec spec = new AskSpec();
        for (String line : Files.readAllLines(Paths.get(path), StandardCharsets.UTF_8)) {
            spec.add(line.split("\t", -1));
        }
        return spec;
    }

    private void add(String[] row) {
        switch (row[0]) {
            case "seed": seed = Long.parseLong(row[1]); break;
            case "limit": limit = Long.parseLong(row[1]); break;
            case "calls": early = number(row[1]); blocks = number(row[2]); break;
            case "until": until = Long.parseLong(row[1]); break;
            case "trying": trying = true; break;
            case "rounds": rounds = number(row[1]); break;
            case "ascii": ascii = true; break;
            case "used": used = number(row[1]); break;
            case "libraries": libraries = row[1]; break;
            case "folders": folders = row[1]; break;
            case "place": places.add(row[1]); break;
            case "renamed": renamed.put(row[1], row[2]); known.put(row[2], row[1]); break;
            case "wider": wider.put(row[1], row[2]); break;
            case "number": numbers.add(Double.valueOf(row[1])); break;
            case "text": texts.add(text(row[1])); break;
            case "class": classes.add(row[1]); break;
            case "field": fields.computeIfAbsent(row[1], key -> new HashSet<>()).add(row[2]); break;
            case "said": said.computeIfAbsent(row[1], key -> new HashSet<>()).add(row[2]); break;
            case "enum": enums.put(row[1], row[2].split(",")); break;
            case "below":
                below.computeIfAbsent(row[1], key -> new ArrayList<>()).add(row[2]);
                break;
            case "maker":
                makers.computeIfAbsent(row[1], key -> new ArrayList<>()).add(new Member(row, 2));
                break;
            case "method":
                Member method = new Member(row, 3);
                method.number = number(row[1]);
                method.size = number(row[2]);
                methods.add(method);
                break;
            default: throw new IllegalArgumentException(row[0]);
        }
    }

    /** The name that a class of the base has here. */
    String here(String name) {
        return renamed.getOrDefault(name, name);
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private static String text(String encoded) {
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }
}
