package org.waymark.codec;

/** Turns values into text and back. */
public interface Codec<T> {
    String encode(T value);

    /**
     * The value that the text stands for.
     *
     * @throws IllegalArgumentException the text is none of this codec's
     */
    T decode(String text);
}
