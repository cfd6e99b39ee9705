package org.waymark;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Degrees, minutes and seconds: {@code 48°51'29.6"N 2°17'40.2"E}. */
public final class Sexagesimal {
    private static final String ANGLE =
            "(\\d{1,3})°(?:(\\d{1,2})'(?:(\\d{1,2}(?:\\.\\d+)?)\")?)?";
    private static final Pattern PAIR =
            Pattern.compile(ANGLE + "([NS])[ ,]+" + ANGLE + "([EW])");

    private Sexagesimal() {
    }

    public static String format(Position position) {
        return format(position.latitude(), 'N', 'S') + " " + format(position.longitude(), 'E', 'W');
    }

    private static String format(double degrees, char positive, char negative) {
        long tenths = Math.round(Math.abs(degrees) * 36_000);
        return String.format(
                Locale.ROOT,
                "%d°%02d'%04.1f\"%c",
                tenths / 36_000,
                tenths / 600 % 60,
                tenths % 600 / 10.0,
                degrees < 0 ? negative : positive);
    }

    /** The position that the text names. */
    public static Position parse(String text) {
        Matcher matcher = PAIR.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a position: " + text);
        }
        return Position.of(angle(matcher, 1, "S"), angle(matcher, 5, "W"));
    }

    private static double angle(Matcher matcher, int first, String negative) {
        double minutes = number(matcher.group(first + 1));
        double seconds = number(matcher.group(first + 2));
        if (minutes >= 60 || seconds >= 60) {
            throw new IllegalArgumentException("minutes and seconds end at 59: " + matcher.group());
        }
        double degrees = number(matcher.group(first)) + minutes / 60 + seconds / 3600;
        return negative.equals(matcher.group(first + 3)) ? -degrees : degrees;
    }

    private static double number(String text) {
        return text == null ? 0 : Double.parseDouble(text);
    }
}
