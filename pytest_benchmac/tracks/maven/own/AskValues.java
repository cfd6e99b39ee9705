import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/**
 * Draws numbers, texts, times and functions: values of the platform that hold no others.
 *
 * <p>Half of them are near to constants of the code and its tests, and texts are often such
 * constants, or what was answered before, with some changes.
 */
final class AskValues {
    private static final int ANSWERS = 64;
    private static final int LONGEST = 300;
    /** Characters of a text of many lines. */
    private static final int MOST = 6_000;

    /** Of Europe, of elsewhere, and halves of what takes two characters. */
    private static final String OTHERS =
            "\u00e4\u00df\u00e9\u00d8\u0131\u0130\u0141\u03a3\u0436\u05d0\u0639\u0e01\u3042\u4e2d\ud55c";
    private static final String[] PAIRS = {"\ud83d\ude00", "\ud842\udfb7", "e\u0301"};

    private final AskSpec spec;
    private final List<String> answers = new ArrayList<>();
    private int answered;
    /** Are texts that are known changed? */
    boolean changing = true;
    SplittableRandom random = new SplittableRandom();

    AskValues(AskSpec spec) {
        this.spec = spec;
    }

    /** Texts that were answered are asked with, such as what a parser reads. */
    void heard(Object answer) {
        if (!spec.trying && answer instanceof String && ((String) answer).length() <= LONGEST) {
            if (answers.size() < ANSWERS) {
                answers.add((String) answer);
            } else {
                answers.set(answered++ % ANSWERS, (String) answer);
            }
        }
    }

    /** A value of a type by this name; null where it is none of these. */
    Object plain(String name) {
        switch (name) {
            case "Z": case "java.lang.Boolean": return random.nextInt(2) == 0;
            case "B": case "java.lang.Byte": return (byte) random.nextInt(256);
            case "S": case "java.lang.Short": return (short) whole();
            case "C": case "java.lang.Character": return character();
            case "I": case "java.lang.Integer": return (int) whole();
            case "J": case "java.lang.Long": return large();
            case "F": case "java.lang.Float": return (float) number();
            case "D": case "java.lang.Double": return number();
            case "java.lang.Number": return random.nextInt(2) == 0 ? (Object) whole() : number();
            case "java.lang.Object": case "java.io.Serializable":
                return random.nextInt(3) == 0 ? (Object) (int) whole() : text();
            case "java.lang.String": case "java.lang.CharSequence": case "java.lang.Comparable":
                return text();
            case "java.lang.StringBuilder": case "java.lang.Appendable":
                return new StringBuilder(text());
            case "java.lang.StringBuffer": return new StringBuffer(text());
            case "java.math.BigInteger": return BigInteger.valueOf(large());
            case "java.math.BigDecimal": return BigDecimal.valueOf(large(), random.nextInt(4));
            case "java.io.Reader": case "java.io.StringReader": case "java.lang.Readable":
                return new StringReader(text());
            case "java.io.InputStream": case "java.io.ByteArrayInputStream":
                return new ByteArrayInputStream(text().getBytes(StandardCharsets.UTF_8));
            case "java.io.OutputStream": case "java.io.ByteArrayOutputStream":
                return new ByteArrayOutputStream();
            case "java.io.Writer": case "java.io.StringWriter": return new StringWriter();
            case "java.util.Locale":
                return Locale.forLanguageTag(word("en-US", "de-DE", "fr-FR", "tr-TR", "ja-JP"));
            case "java.util.UUID": return new UUID(random.nextLong(), random.nextLong());
            case "java.net.URI":
                return java.net.URI.create("x:/" + Math.abs(whole()) + "/" + random.nextInt(9));
            case "java.nio.charset.Charset": return StandardCharsets.UTF_8;
            case "java.util.Date": return Date.from(moment());
            default: return name.startsWith("java.time.") ? time(name) : function(name);
        }
    }

    private Instant moment() {
        long seconds = random.nextLong(-2_000_000_000L, 5_000_000_000L);
        int unit = new int[] {1, 60, 3_600, 86_400}[random.nextInt(4)];
        Instant moment = Instant.ofEpochSecond(seconds - Math.floorMod(seconds, unit));
        int part = random.nextInt(9);
        // Of clocks that count thousandths, millionths or less.
        return part > 2 ? moment : moment.plusNanos(
                random.nextInt(1, 1_000) * new long[] {1_000_000, 1_001, 999_983}[part]);
    }

    private Object time(String name) {
        LocalDateTime at = LocalDateTime.ofInstant(moment(), ZoneOffset.UTC);
        switch (name) {
            case "java.time.Instant": return at.toInstant(ZoneOffset.UTC);
            case "java.time.LocalDate": return at.toLocalDate();
            case "java.time.LocalTime": return LocalTime.from(at);
            case "java.time.LocalDateTime": return at;
            case "java.time.ZonedDateTime": return ZonedDateTime.of(at, zone());
            case "java.time.OffsetDateTime": return OffsetDateTime.of(at, ZoneOffset.ofHours(2));
            case "java.time.Year": return Year.from(at);
            case "java.time.YearMonth": return YearMonth.from(at);
            case "java.time.Month": return Month.from(at);
            case "java.time.DayOfWeek": return DayOfWeek.from(at);
            case "java.time.Duration": return Duration.ofSeconds(whole());
            case "java.time.Period":
                return Period.between(LocalDate.ofEpochDay(0), LocalDate.from(at));
            case "java.time.ZoneOffset": return ZoneOffset.ofHours(random.nextInt(-12, 13));
            case "java.time.ZoneId": return zone();
            default: return null;
        }
    }

    private ZoneId zone() {
        return ZoneId.of(word("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"));
    }

    /** A function that is the same for the same arguments. */
    private Object function(String name) {
        double factor = number();
        int modulus = random.nextInt(2, 5);
        if (random.nextInt(16) == 0) {
            Object failing = failing(name);
            if (failing != null) {
                return failing;
            }
        }
        switch (name) {
            case "java.lang.Runnable": return (Runnable) () -> {};
            case "java.util.function.Consumer": return (Consumer<Object>) one -> {};
            case "java.util.function.BiConsumer":
                return (BiConsumer<Object, Object>) (one, two) -> {};
            case "java.util.function.Predicate":
                return (Predicate<Object>) one -> of(one) % modulus == 0;
            case "java.util.function.Function": return (Function<Object, Object>) one -> one;
            case "java.util.function.UnaryOperator": return (UnaryOperator<Object>) one -> one;
            case "java.util.function.BiFunction":
                return (BiFunction<Object, Object, Object>) (one, two) -> one;
            case "java.util.function.BinaryOperator":
                return (BinaryOperator<Object>) (one, two) -> two;
            case "java.util.function.ToDoubleFunction":
                return (ToDoubleFunction<Object>) one -> factor * of(one);
            case "java.util.function.ToIntFunction":
                return (ToIntFunction<Object>) one -> of(one) * modulus;
            case "java.util.function.ToLongFunction":
                return (ToLongFunction<Object>) one -> (long) of(one) * modulus;
            case "java.util.function.DoubleUnaryOperator":
                return (DoubleUnaryOperator) one -> one * factor;
            case "java.util.function.IntUnaryOperator":
                return (IntUnaryOperator) one -> one * modulus;
            case "java.util.Comparator":
                return (Comparator<Object>) (one, two) -> Integer.compare(of(one), of(two));
            case "java.util.function.Supplier":
                String text = text();
                return (Supplier<Object>) () -> text;
            case "java.util.concurrent.Callable":
                String answer = text();
                return (Callable<Object>) () -> answer;
            default: return null;
        }
    }

    /** A function of somebody who has made a mistake. */
    private static Object failing(String name) {
        switch (name) {
            case "java.lang.Runnable": return (Runnable) () -> fail();
            case "java.util.function.Consumer": return (Consumer<Object>) one -> fail();
            case "java.util.function.Predicate": return (Predicate<Object>) one -> fail() > 0;
            case "java.util.function.Function": return (Function<Object, Object>) one -> fail();
            case "java.util.function.UnaryOperator": return (UnaryOperator<Object>) one -> fail();
            case "java.util.function.BiFunction":
                return (BiFunction<Object, Object, Object>) (one, two) -> fail();
            case "java.util.function.BinaryOperator":
                return (BinaryOperator<Object>) (one, two) -> fail();
            case "java.util.function.ToDoubleFunction":
                return (ToDoubleFunction<Object>) one -> fail();
            case "java.util.function.ToIntFunction": return (ToIntFunction<Object>) one -> fail();
            case "java.util.function.ToLongFunction": return (ToLongFunction<Object>) one -> fail();
            case "java.util.function.DoubleUnaryOperator":
                return (DoubleUnaryOperator) one -> fail();
            case "java.util.function.IntUnaryOperator": return (IntUnaryOperator) one -> fail();
            case "java.util.function.Supplier": return (Supplier<Object>) () -> fail();
            case "java.util.concurrent.Callable": return (Callable<Object>) () -> fail();
            default: return null;
        }
    }

    private static int fail() {
        throw new Failed();
    }

    /** What functions throw that fail. */
    static final class Failed extends IllegalStateException {
        private static final long serialVersionUID = 1;

        /** Did something else fail for that reason? */
        static boolean isCauseOf(Throwable error) {
            Throwable each = error;
            for (int depth = 0; each != null && depth < 10; depth++) {
                if (each instanceof Failed) {
                    return true;
                }
                each = each.getCause();
            }
            return false;
        }
    }

    /** A number that a value is, by what it says of itself and no hash of where it is. */
    private int of(Object value) {
        return value instanceof Number || value instanceof String || value instanceof Boolean
                ? Math.floorMod(value.hashCode(), 1_000) : 7;
    }

    private String word(String... words) {
        return words[random.nextInt(words.length)];
    }

    private double near() {
        return spec.numbers.isEmpty() ? 1 : spec.numbers.get(random.nextInt(spec.numbers.size()));
    }

    private long whole() {
        int kind = random.nextInt(100);
        if (kind < 40) {
            return random.nextInt(17);
        } else if (kind < 65) {
            return (long) near() + random.nextInt(-2, 3);
        } else if (kind < 90) {
            return random.nextInt(-100, 1_001);
        } else if (kind < 97) {
            return random.nextInt(-100_000, 1_000_000);
        }
        return random.nextInt();
    }

    /** Of any length in one of a dozen. */
    private long large() {
        return random.nextInt(12) > 0 ? whole() : random.nextLong() >> random.nextInt(64);
    }

    private double number() {
        int kind = random.nextInt(100);
        if (kind < 30) {
            // As people write them.
            double unit = new double[] {1, 10, 100, 1000}[random.nextInt(4)];
            return random.nextInt(-2_000, 2_001) / unit;
        } else if (kind < 60) {
            double one = near();
            double made = one + random.nextDouble() * (near() - one);
            return random.nextInt(3) == 0 ? Math.round(made * 100) / 100.0 : made;
        } else if (kind < 75) {
            double made = near();
            return random.nextInt(3) == 0 ? -made : made + random.nextInt(-1, 2);
        } else if (kind < 96) {
            double made = random.nextDouble(-100, 100);
            // As instruments write them.
            double unit = Math.pow(10, random.nextInt(4, 8));
            return random.nextInt(2) == 0 ? Math.rint(made * unit) / unit : made;
        } else if (kind < 98) {
            return random.nextDouble(-1e7, 1e7);
        }
        return new double[] {0, Double.NaN, Double.POSITIVE_INFINITY, 1e-7}[random.nextInt(4)];
    }

    private char character() {
        String from = "abcxyzABCNSEW0123456789 .,;:-+/_#|'\"";
        if (!spec.ascii && random.nextInt(10) == 0) {
            from = OTHERS;
        }
        return from.charAt(random.nextInt(from.length()));
    }

    String text() {
        int kind = random.nextInt(100);
        String made;
        if (kind < 55 && !spec.texts.isEmpty()) {
            made = spec.texts.get(random.nextInt(spec.texts.size()));
        } else if (kind < 85 && !answers.isEmpty()) {
            made = answers.get(random.nextInt(answers.size()));
        } else if (kind < 90) {
            made = Long.toString(whole());
        } else {
            StringBuilder text = new StringBuilder();
            for (int left = random.nextInt(12); left > 0; left--) {
                text.append(character());
            }
            made = text.toString();
        }
        int changes = changing ? random.nextInt(4) : 0;
        for (int left = changes; left > 0 && made.length() <= LONGEST; left--) {
            made = changed(made);
        }
        if (!spec.ascii && random.nextInt(60) == 0) {
            made += word(PAIRS);
        }
        return made.isEmpty() || random.nextInt(60) > 0 ? made : many(made);
    }

    /** A file of such lines, or a list of such words. */
    private String many(String line) {
        String between = word("\n", "\n", "\n", ";", ",", " ");
        boolean changed = random.nextInt(3) == 0;
        StringBuilder text = new StringBuilder(line);
        for (int left = random.nextInt(30, 200); left > 0 && text.length() < MOST; left--) {
            text.append(between).append(changed ? digit(line, random.nextInt(line.length())) : line);
        }
        return text.toString();
    }

    private String changed(String text) {
        if (text.isEmpty()) {
            return String.valueOf(character());
        }
        int at = random.nextInt(text.length());
        String before = text.substring(0, at);
        String behind = text.substring(at + 1);
        char there = text.charAt(at);
        switch (random.nextInt(10)) {
            case 0: return before + behind;
            case 1: return before + character() + there + behind;
            case 2: return before + character() + behind;
            case 3: return before + there + there + behind;
            case 4: return " " + text;
            case 5: return text.toUpperCase(Locale.ROOT);
            case 6: return text + word(" ", "") + text();
            default: return digit(text, at);
        }
    }

    /** With another digit in the place of one, so that it may still be what it was. */
    private String digit(String text, int from) {
        for (int step = 0; step < text.length(); step++) {
            int at = (from + step) % text.length();
            if (Character.isDigit(text.charAt(at))) {
                return text.substring(0, at) + random.nextInt(10) + text.substring(at + 1);
            }
        }
        return text;
    }
}
