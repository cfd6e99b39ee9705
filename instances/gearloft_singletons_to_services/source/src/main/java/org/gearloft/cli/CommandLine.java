package org.gearloft.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.gearloft.LoftException;
import org.gearloft.Settings;
import org.gearloft.store.DataStore;
import org.gearloft.time.Today;

/** Finds the command that a command line names, and runs it. */
public final class CommandLine {

    public static final int DONE = 0;
    public static final int REFUSED = 1;
    public static final int MISUSED = 2;

    private static final String VERSION = "gearloft 2.4";

    private static CommandLine instance;

    private final Map<String, Command> commands = new LinkedHashMap<>();

    private CommandLine() {
        commands.put("member", new MemberCommand());
        commands.put("item", new ItemCommand());
        commands.put("loan", new LoanCommand());
        commands.put("hold", new HoldCommand());
        commands.put("calendar", new CalendarCommand());
        commands.put("report", new ReportCommand());
    }

    public static synchronized CommandLine getInstance() {
        if (instance == null) {
            instance = new CommandLine();
        }
        return instance;
    }

    /** Runs one command with the variables of an environment; the answer is its exit status. */
    public int run(String[] words, Map<String, String> environment, Console console) {
        try {
            Settings.getInstance().configure(environment);
            DataStore.getInstance().reset();
            Today.getInstance().fix(Settings.getInstance().fixedNow());
            return run(Arrays.asList(words), console);
        } catch (UsageException e) {
            console.complain(e.getMessage());
            console.complain("see gearloft help");
            return MISUSED;
        } catch (LoftException e) {
            console.complain(e.getMessage());
            return REFUSED;
        }
    }

    private int run(List<String> words, Console console) {
        String name = words.isEmpty() ? "help" : words.get(0);
        switch (name) {
            case "help" -> {
                console.print("usage:");
                for (Command command : commands.values()) {
                    for (String usage : command.usage()) {
                        console.print("  gearloft " + usage);
                    }
                }
            }
            case "version" -> console.print(VERSION);
            default -> {
                Command command = commands.get(name);
                if (command == null) {
                    throw new UsageException("unknown command " + name);
                }
                command.run(words.subList(1, words.size()), console);
            }
        }
        return DONE;
    }
}
