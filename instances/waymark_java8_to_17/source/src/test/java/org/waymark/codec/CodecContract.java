package org.waymark.codec;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

/** What every codec promises; the classes that test one inherit it. */
public abstract class CodecContract<T> {
    protected abstract Codec<T> codec();

    protected abstract T sample();

    protected abstract String garbage();

    @Test
    public void encodingIsStable() {
        String text = codec().encode(sample());
        assertEquals(text, codec().encode(codec().decode(text)));
    }

    @Test
    public void garbageIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> codec().decode(garbage()));
    }
}
