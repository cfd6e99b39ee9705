package org.gearloft;

/** Something that was asked for and cannot be done; the message is for the person who asked. */
public class LoftException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LoftException(String message) {
        super(message);
    }

    public LoftException(String message, Throwable cause) {
        super(message, cause);
    }
}
