package org.greenhouse.service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.greenhouse.model.RecordFormat;
import org.greenhouse.model.record;

/** {@code POST /report} with the logger's lines answers with a report on them. */
public final class ReportServer implements Closeable {
    private final HttpServer server;
    private final Report report;

    public ReportServer(Report report, int port) throws IOException {
        this.report = report;
        server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/report", this::handle);
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        if (!"POST".equals(exchange.getRequestMethod())) {
            answer(exchange, 405, "post the lines of a logger\n");
            return;
        }
        RecordFormat format = new RecordFormat();
        List<record> records;
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(exchange.getRequestBody(), StandardCharsets.UTF_8))) {
            records = format.read(reader.lines().collect(Collectors.toList()));
        }
        if (!format.refused().isEmpty()) {
            answer(exchange, 400, "cannot be read: " + format.refused() + "\n");
            return;
        }
        answer(exchange, 200, report.of(records));
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
