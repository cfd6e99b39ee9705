package org.gearloft.store;

import org.gearloft.LoftException;

/** A file that cannot be read or written, or does not hold what it should. */
public class StoreException extends LoftException {

    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
