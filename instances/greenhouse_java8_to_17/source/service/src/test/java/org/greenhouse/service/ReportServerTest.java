package org.greenhouse.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Scanner;
import org.greenhouse.model.Bed;
import org.greenhouse.model.Crop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportServerTest {
    private ReportServer server;

    @BeforeEach
    void start() throws IOException {
        Report report =
                new Report(Crop.TOMATO, Collections.singleton(new Bed("a", Crop.TOMATO, 10)));
        server = new ReportServer(report, 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpURLConnection post(String body) throws IOException {
        URL url = new URL("http", "127.0.0.1", server.port(), "/report");
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        try (OutputStream stream = connection.getOutputStream()) {
            stream.write(body.getBytes(StandardCharsets.UTF_8));
        }
        return connection;
    }

    private static String text(InputStream stream) {
        try (Scanner scanner = new Scanner(stream, "UTF-8").useDelimiter("\\A")) {
            return scanner.hasNext() ? scanner.next() : "";
        }
    }

    @Test
    void aReportIsAnswered() throws IOException {
        HttpURLConnection connection = post("2024-05-01T12:00:00Z;T;17\n");
        assertEquals(200, connection.getResponseCode());
        assertEquals(
                "temperature: 17.0\nbed a: 330.0\ntotal: 330.0\nactions: [HEAT]\n",
                text(connection.getInputStream()));
    }

    @Test
    void badLinesAreNamed() throws IOException {
        HttpURLConnection connection = post("noon;T;17\n");
        assertEquals(400, connection.getResponseCode());
        assertTrue(text(connection.getErrorStream()).contains("noon;T;17"));
    }

    @Test
    void onlyPostIsAnswered() throws IOException {
        URL url = new URL("http", "127.0.0.1", server.port(), "/report");
        assertEquals(405, ((HttpURLConnection) url.openConnection()).getResponseCode());
    }
}
