package org.greenhouse.service;

import java.io.IOException;
import java.util.Arrays;
import org.greenhouse.model.Bed;
import org.greenhouse.model.Crop;

/** Serves the reports of one house on the port given. */
public final class Main {
    private Main() {
    }

    public static void main(String[] arguments) throws IOException {
        int port = arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0]);
        Report report = new Report(
                Crop.TOMATO,
                Arrays.asList(new Bed("north", Crop.TOMATO, 40), new Bed("south", Crop.TOMATO, 60)));
        ReportServer server = new ReportServer(report, port);
        System.out.println("listening on port " + server.port());
    }
}
