package org.greenhouse.climate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.greenhouse.model.Crop;
import org.greenhouse.model.Quantity;
import org.greenhouse.model.record;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ControllerTest {
    private static Set<Action> actions(double temperature, double humidity, double light) {
        return new Controller(Crop.TOMATO).actions(Arrays.asList(
                new record(Instant.EPOCH, Quantity.TEMPERATURE, temperature),
                new record(Instant.EPOCH, Quantity.HUMIDITY, humidity),
                new record(Instant.EPOCH, Quantity.LIGHT, light),
                new record(Instant.EPOCH, Quantity.CARBON_DIOXIDE, 420)));
    }

    @Test
    @DisplayName("a good climate needs nothing")
    void nothing() {
        assertEquals(EnumSet.noneOf(Action.class), actions(22, 70, 20_000));
    }

    @Test
    void hotAndBright() {
        assertEquals(EnumSet.of(Action.VENTILATE, Action.SHADE), actions(30, 70, 90_000));
    }

    @Test
    void dry() {
        assertEquals(EnumSet.of(Action.MIST), actions(22, 30, 20_000));
    }

    @Test
    void heatStaysIn() {
        assertEquals(EnumSet.of(Action.HEAT), actions(10, 95, 20_000));
    }
}
