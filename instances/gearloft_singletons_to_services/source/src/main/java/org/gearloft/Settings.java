package org.gearloft;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;

import org.gearloft.store.StoreException;

/** What the environment and the file loft.properties say about this loft. */
public final class Settings {

    public static final String FILE = "loft.properties";

    /** Where the loft stands. */
    private static final TimeZone ZONE = TimeZone.getTimeZone("Europe/London");

    private static Settings instance;

    private final Map<String, String> environment = new HashMap<>();
    private Properties properties;

    private Settings() {
    }

    public static synchronized Settings getInstance() {
        if (instance == null) {
            instance = new Settings();
        }
        return instance;
    }

    /** Takes the variables of an environment and forgets what was read before. */
    public void configure(Map<String, String> variables) {
        environment.clear();
        environment.putAll(variables);
        properties = null;
    }

    /** The folder of the data files. */
    public Path dataFolder() {
        return Path.of(environment.getOrDefault("GEARLOFT_DATA", "loft-data"));
    }

    /** The moment that the environment says it is, as text; null where it says nothing. */
    public String fixedNow() {
        String text = environment.get("GEARLOFT_NOW");
        return text == null || text.isBlank() ? null : text.strip();
    }

    public String loftName() {
        return text("name", "The Gearloft");
    }

    public TimeZone timeZone() {
        return ZONE;
    }

    /** Open days that a tool may be late before it costs anything. */
    public int graceDays() {
        return number("grace-days", 1);
    }

    public int maximumLoans() {
        return number("maximum-loans", 3);
    }

    public int maximumRenewals() {
        return number("maximum-renewals", 2);
    }

    /** Days that a tool waits for the member whose turn it is. */
    public int holdDays() {
        return number("hold-days", 5);
    }

    /** What a member may owe, in cents, and still borrow. */
    public int debtLimit() {
        return number("debt-limit", 1000);
    }

    /** Days before a tool is due on which a reminder is written. */
    public int reminderDays() {
        return number("reminder-days", 2);
    }

    /** Days of the week on which the loft is closed, as in "sunday,monday". */
    public String closedDays() {
        return text("closed", "sunday,monday");
    }

    private String text(String key, String otherwise) {
        return properties().getProperty(key, otherwise).strip();
    }

    private int number(String key, int otherwise) {
        String text = properties().getProperty(key);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new StoreException(FILE + ": " + key + " is no number: " + text.strip());
    }

    private Properties properties() {
        if (properties == null) {
            Properties read = new Properties();
            Path file = dataFolder().resolve(FILE);
            if (Files.exists(file)) {
                try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                    read.load(reader);
                } catch (IOException e) {
                    throw new StoreException("cannot read " + file, e);
                }
            }
            properties = read;
        }
        return properties;
    }
}
