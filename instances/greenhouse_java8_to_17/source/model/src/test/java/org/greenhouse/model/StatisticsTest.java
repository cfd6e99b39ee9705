package org.greenhouse.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class StatisticsTest {
    private final Collection<record> records = Arrays.asList(
            new record(Instant.ofEpochSecond(1), Quantity.TEMPERATURE, 10),
            new record(Instant.ofEpochSecond(2), Quantity.HUMIDITY, 60),
            new record(Instant.ofEpochSecond(3), Quantity.TEMPERATURE, 20));

    @Test
    void meansAreByQuantity() {
        assertEquals(
                15.0, Statistics.means(records).get(Quantity.TEMPERATURE), 1e-9);
        assertEquals(2, Statistics.means(records).size());
    }

    @Test
    void groupsKeepTheOrder() {
        assertEquals(
                20, Statistics.byQuantity(records).get(Quantity.TEMPERATURE).get(1).value(), 1e-9);
    }

    @Test
    void nothingSumsToNothing() {
        assertEquals(0, Statistics.sum(Collections.<record>emptyList(), record::value), 0);
        assertEquals(90, Statistics.sum(records, record::value), 1e-9);
    }
}
