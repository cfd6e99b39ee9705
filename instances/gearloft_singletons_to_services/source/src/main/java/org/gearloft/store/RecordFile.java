package org.gearloft.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** A file of lines whose fields are parted by bars; a bar within a field has a backslash. */
public final class RecordFile {

    private final Path path;

    public RecordFile(Path path) {
        this.path = path;
    }

    /** The records, none where there is no file; lines that begin with # are comments. */
    public List<List<String>> read(int fields) {
        List<List<String>> records = new ArrayList<>();
        if (!Files.exists(path)) {
            return records;
        }
        int number = 0;
        for (String line : readLines()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> record = split(line);
            if (record.size() != fields) {
                throw new StoreException(String.format("%s:%d: %d fields instead of %d",
                        path.getFileName(), number, record.size(), fields));
            }
            records.add(record);
        }
        return records;
    }

    public void write(List<List<String>> records) {
        StringBuilder text = new StringBuilder();
        for (List<String> record : records) {
            text.append(join(record)).append('\n');
        }
        try {
            Files.createDirectories(path.getParent());
            Path partial = path.resolveSibling(path.getFileName() + ".partial");
            Files.writeString(partial, text, StandardCharsets.UTF_8);
            Files.move(partial, path, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new StoreException("cannot write " + path, e);
        }
    }

    private List<String> readLines() {
        try {
            return Files.readAllLines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreException("cannot read " + path, e);
        }
    }

    static String join(List<String> fields) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < fields.size(); i++) {
            line.append(i > 0 ? "|" : "");
            line.append(fields.get(i).replace("\\", "\\\\").replace("|", "\\|"));
        }
        return line.toString();
    }

    static List<String> split(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\' && i + 1 < line.length()) {
                i++;
                field.append(line.charAt(i));
            } else if (c == '|') {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
