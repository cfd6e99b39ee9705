package org.gearloft.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.gearloft.LoftException;

/** Amounts of money, which are whole cents. */
public final class Money {

    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,6})(?:\\.(\\d{2}))?");

    private Money() {
    }

    /** Reads an amount such as 12 or 12.50. */
    public static int parse(String text) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            throw new LoftException("not an amount of money: " + text);
        }
        int cents = amount.group(2) == null ? 0 : Integer.parseInt(amount.group(2));
        return 100 * Integer.parseInt(amount.group(1)) + cents;
    }

    /** As in 12.50. */
    public static String format(int cents) {
        String sign = cents < 0 ? "-" : "";
        return String.format("%s%d.%02d", sign, Math.abs(cents) / 100, Math.abs(cents) % 100);
    }
}
