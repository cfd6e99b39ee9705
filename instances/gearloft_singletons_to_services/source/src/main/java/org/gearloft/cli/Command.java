package org.gearloft.cli;

import java.util.List;

/** What the first word of a command line names. */
public interface Command {

    /** How it is called, one line for each form. */
    List<String> usage();

    void run(List<String> words, Console console);
}
