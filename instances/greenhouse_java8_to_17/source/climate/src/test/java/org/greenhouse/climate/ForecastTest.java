package org.greenhouse.climate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.greenhouse.model.Bed;
import org.greenhouse.model.Crop;
import org.greenhouse.model.Quantity;
import org.greenhouse.model.record;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private final List<Bed> beds =
            Arrays.asList(new Bed("a", Crop.TOMATO, 10), new Bed("b", Crop.LETTUCE, 10));

    private static Forecast at(double temperature) {
        return new Forecast(Collections.singleton(
                new record(Instant.EPOCH, Quantity.TEMPERATURE, temperature)));
    }

    @Test
    void bestAtTheCropsWarmth() {
        assertEquals(550, at(22).yield(beds.get(0)), 1e-9);
        assertEquals(120, at(17).yield(beds.get(1)), 1e-9);
    }

    @Test
    void degreesAmissTakeTheirShare() {
        assertEquals(550 * 0.6, at(27).yield(beds.get(0)), 1e-9);
        assertEquals(0, at(60).yield(beds.get(0)), 0);
    }

    @Test
    void nothingIsKnownWithoutRecords() {
        assertEquals(0, new Forecast(Collections.<record>emptySet()).total(beds), 0);
    }

    @RepeatedTest(2)
    void theTotalIsTheSum() {
        Forecast forecast = at(20);
        double sum = forecast.yields(beds).values().stream().mapToDouble(x -> x).sum();
        assertEquals(sum, forecast.total(beds), 1e-9);
    }
}
