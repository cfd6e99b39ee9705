package org.waymark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

@RunWith(Parameterized.class)
public class SexagesimalTest {
    private final String text;
    private final double latitude;
    private final double longitude;

    public SexagesimalTest(String text, double latitude, double longitude) {
        this.text = text;
        this.latitude = latitude;
        this.longitude = longitude;
    }

    @Parameters(name = "{0}")
    public static Collection<Object[]> texts() {
        return Arrays.asList(new Object[][] {
            {"48°51'24.0\"N 2°21'03.0\"E", 48.85666666666667, 2.350833333333333},
            {"0°00'00.0\"N 0°00'00.0\"E", 0, 0},
            {"33°51'31.5\"S 151°12'51.4\"E", -33.85875, 151.21427777777777},
            {"89°59'59.9\"N 180°00'00.0\"W", 89.99997222222223, -180},
        });
    }

    @Test
    public void isRead() {
        assertTrue(Sexagesimal.parse(text).isNear(Position.of(latitude, longitude), 1e-9));
    }

    @Test
    public void isWritten() {
        assertEquals(text, Sexagesimal.format(Position.of(latitude, longitude)));
    }
}
