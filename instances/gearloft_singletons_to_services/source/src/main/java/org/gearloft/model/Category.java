package org.gearloft.model;

import java.util.Locale;

import org.gearloft.LoftException;

/** Kinds of tools, which differ in how long they are lent and what a late day costs. */
public enum Category {
    HAND(14, 10),
    POWER(7, 50),
    GARDEN(10, 25),
    LADDER(5, 75);

    private final int loanDays;
    private final int centsPerDay;

    Category(int loanDays, int centsPerDay) {
        this.loanDays = loanDays;
        this.centsPerDay = centsPerDay;
    }

    public int loanDays() {
        return loanDays;
    }

    /** What a tool costs per open day that it is late. */
    public int centsPerDay() {
        return centsPerDay;
    }

    public String label() {
        return name().toLowerCase(Locale.ENGLISH);
    }

    public static Category of(String label) {
        for (Category category : values()) {
            if (category.label().equals(label)) {
                return category;
            }
        }
        throw new LoftException("no such category: " + label);
    }
}
