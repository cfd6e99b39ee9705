package org.greenhouse.model;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Sums over records. */
public final class Statistics {
    private Statistics() {
    }

    /** The mean of each quantity that was measured. */
    public static Map<Quantity, Double> means(Collection<record> records) {
        return records.stream()
                .collect(
                        Collectors.groupingBy(
                                record::quantity,
                                () -> new EnumMap<>(Quantity.class),
                                Collectors.averagingDouble(record::value)));
    }

    /** The records of each quantity in the order given; quantities in theirs. */
    public static Map<Quantity, List<record>> byQuantity(Collection<record> records) {
        Map<Quantity, List<record>> sorted = new TreeMap<>();
        for (record each : records) {
            sorted.computeIfAbsent(each.quantity(), key -> new java.util.ArrayList<>()).add(each);
        }
        return sorted;
    }

    /** The sum of a number over all elements. */
    public static <T> double sum(Collection<T> elements, ToDoubleFunction<T> number) {
        return elements.stream().mapToDouble(number).sum();
    }
}
