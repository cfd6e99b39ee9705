package org.gearloft.cli;

import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.gearloft.time.Dates;

/** The arguments of one command: positions, options with a value, and flags. */
public final class Arguments {

    private final List<String> positions = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();

    /** Parses what follows a command's name. Options take a value, flags none. */
    public Arguments(List<String> words, Set<String> known, Set<String> flags) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("--")) {
                positions.add(word);
            } else if (flags.contains(word)) {
                options.put(word, "");
            } else if (!known.contains(word)) {
                throw new UsageException("unknown option " + word);
            } else if (i + 1 == words.size()) {
                throw new UsageException(word + " needs a value");
            } else {
                i++;
                options.put(word, words.get(i));
            }
        }
    }

    public Arguments expect(int least, int most) {
        if (positions.size() < least) {
            throw new UsageException("too few arguments");
        }
        if (positions.size() > most) {
            throw new UsageException("too many arguments");
        }
        return this;
    }

    public int size() {
        return positions.size();
    }

    public String text(int position) {
        return positions.get(position);
    }

    public int number(int position) {
        return number(positions.get(position));
    }

    public Date date(int position) {
        return Dates.parse(positions.get(position));
    }

    public boolean has(String option) {
        return options.containsKey(option);
    }

    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    public int number(String option, int otherwise) {
        return has(option) ? number(options.get(option)) : otherwise;
    }

    public Date date(String option, Date otherwise) {
        return has(option) ? Dates.parse(options.get(option)) : otherwise;
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException("not a number: " + text);
        }
    }
}
