package org.gearloft.cli;

import org.gearloft.LoftException;

/** A command line that cannot be understood. */
public class UsageException extends LoftException {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
