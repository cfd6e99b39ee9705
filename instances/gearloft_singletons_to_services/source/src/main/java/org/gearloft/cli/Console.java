package org.gearloft.cli;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** What a command reads from and prints to. */
public final class Console {

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;

    public Console(InputStream in, PrintStream out, PrintStream err) {
        this.in = in;
        this.out = out;
        this.err = err;
    }

    public void print(String format, Object... values) {
        out.print((values.length == 0 ? format : String.format(format, values)) + "\n");
    }

    public void print(List<String> lines) {
        for (String line : lines) {
            out.print(line + "\n");
        }
    }

    public void complain(String message) {
        err.print("gearloft: " + message + "\n");
    }

    public List<String> readLines() {
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                .lines().collect(Collectors.toList());
    }
}
