package org.gearloft;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.gearloft.cli.CommandLine;
import org.gearloft.cli.Console;

/** Where the program starts. */
public final class Main {

    private Main() {
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, false, StandardCharsets.UTF_8);
        Console console = new Console(System.in, out, err);
        int status = CommandLine.getInstance().run(arguments, System.getenv(), console);
        out.flush();
        err.flush();
        System.exit(status);
    }
}
