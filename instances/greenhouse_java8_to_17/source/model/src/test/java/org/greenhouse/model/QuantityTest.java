package org.greenhouse.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class QuantityTest {
    @ParameterizedTest
    @EnumSource(Quantity.class)
    void codesAreUnique(Quantity quantity) {
        assertSame(quantity, Quantity.ofCode(quantity.code()));
    }

    @ParameterizedTest
    @CsvSource({"TEMPERATURE,-41", "HUMIDITY,100.1", "CARBON_DIOXIDE,-1", "LIGHT,NaN"})
    void impossibleValuesAreRefused(Quantity quantity, double value) {
        assertThrows(IllegalArgumentException.class, () -> quantity.checked(value));
    }

    @Test
    void limitsArePossible() {
        assertEquals(100, Quantity.HUMIDITY.checked(100));
        assertEquals(-40, Quantity.TEMPERATURE.checked(-40));
    }
}
