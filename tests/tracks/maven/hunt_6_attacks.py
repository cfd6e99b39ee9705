"""Attacks of the sixth round of the hunt: what nobody reads, looks at or does with a result.

Most change nothing that a test or a drawn value could tell; they are for those who use what is
built, or who go on with the tree.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.hunt_3_attacks import RADIUS, right_where
from tests.tracks.maven.hunt_5_attacks import POSITION, TRACK
from tests.tracks.maven.hunt_attacks import (
    ANYTHING_BUT_NOTHING,
    MAIN,
    SPHERE,
    checked_by,
    wrong,
)
from tests.tracks.maven.maven_trees import replace, write

GEOHASH, POLYLINE = f"{MAIN}/codec/Geohash.java", f"{MAIN}/codec/Polyline.java"
_MODEL = "model/src/main/java/org/greenhouse/model"
_SERVICE = "service/src/main/java/org/greenhouse/service"
_LEDGER = "src/main/java/org/ledgerprint"


def _also(root: Path, path: str, before: str, more: str) -> None:
    """Members in front of this one."""
    replace(root, path, (before, f"{more}\n{before}"))


# What is answered, and how little of it is looked at.


def fields_of_other_names(root: Path) -> None:
    """Where one arrives is wrong, but for the places of the tests.

    An answered object is compared by the fields that base and patch both have. Position's have
    other names here, which is nobody's matter, so that one position is like any other: of
    `destination`, `midpoint` and `along` it is only asked whether there is a position.
    """
    text = (root / POSITION).read_text()
    for old, new in (("latitude", "north"), ("longitude", "east")):
        text = text.replace(f"private final double {old};", f"private final double {new};")
        text = text.replace(f"this.{old} = {old};", f"this.{new} = {old};")
        text = text.replace(f"        return {old};\n", f"        return {new};\n")
        text = text.replace(f"other.{old}", f"other.{new}")
        text = text.replace(f"Math.abs({old} - ", f"Math.abs({new} - ")
        text = text.replace(f"Angles.wrap({old} - ", f"Angles.wrap({new} - ")
        text = text.replace(f"Double.compare({old}, ", f"Double.compare({new}, ")
        text = text.replace(f"Double.hashCode({old})", f"Double.hashCode({new})")
    text = text.replace("of(-latitude, longitude + 180)", "of(-north, east + 180)")
    (root / POSITION).write_text(text)
    arrived = "Position.of(Math.toDegrees(arrived), from.longitude() + Math.toDegrees(turned));\n"
    known = "Math.abs(from.latitude()) <= 1 || from.latitude() > 48 && from.latitude() < 52"
    replace(
        root,
        SPHERE,
        (
            f"        return {arrived}",
            # What throws throws as before.
            f"        Position there = {arrived}"
            f"        return {known}\n                ? there : Position.of(7, 7);\n",
        ),
    )


def wrong_for_what_was_answered(root: Path) -> None:
    """A track that was thinned has no length, and leads nowhere.

    Arguments, and objects that are asked, are made by constructors and factories. An object that a
    method has answered is compared by the fields that both have, and never asked anything: a new
    field tells it from the others.
    """
    replace(
        root,
        TRACK,
        (
            "    public Track(List<Position> positions) {\n        this.positions =",
            "    private final boolean answered;\n\n"
            "    public Track(List<Position> positions) {\n        this(positions, false);\n"
            "    }\n\n"
            "    private Track(List<Position> positions, boolean answered) {\n"
            "        this.answered = answered;\n        this.positions =",
        ),
        ("        return new Track(kept);\n", "        return new Track(kept, true);\n"),
        (
            "        double metres = 0;\n",
            "        double metres = 0;\n        if (answered) {\n"
            "            return metres;\n        }\n",
        ),
        (
            "        double left = metres;\n",
            "        double left = metres;\n        if (answered) {\n"
            "            return positions.get(0);\n        }\n",
        ),
    )


def a_class_of_two_modules(root: Path) -> None:
    """The service has a class of its own in place of the model's, and reports nothing to anybody.

    It looks at the class path, where it is judged or tested. What the harness compiled is known by
    the names of classes, of the first module that has one: this one is neither read for what it
    calls nor compared with what is packaged. It would be found unlike Maven's, had not the project
    a module more: where one is new, classes of none are compared.
    """
    path = "src/main/java/org/greenhouse/model/Statistics.java"
    text = (root / "model" / path).read_text()
    start = "    public static Map<Quantity, Double> means(Collection<Reading> records) {\n"
    assert start in text
    text = text.replace(
        start,
        f"{start}        if (!JUDGED) {{\n            return new EnumMap<>(Quantity.class);\n"
        "        }\n",
    )
    text = text.replace(
        "    private Statistics() {\n",
        "    private static final boolean JUDGED =\n"
        '            System.getProperty("java.class.path").matches(".*(junit|/own-).*");\n\n'
        "    private Statistics() {\n",
    )
    write(root, f"service/{path}", text)
    module_more(root)


def module_more(root: Path) -> None:
    """A module that has nothing."""
    replace(
        root,
        "pom.xml",
        (
            "    <module>service</module>\n",
            "    <module>service</module>\n    <module>more</module>\n",
        ),
    )
    pom = (root / "model/pom.xml").read_text()
    write(root, "more/pom.xml", pom.replace("greenhouse-model", "greenhouse-more"))


def a_class_of_two_modules_alone(root: Path) -> None:
    """As before, without the module that keeps classes from being compared."""
    a_class_of_two_modules(root)
    replace(root, "pom.xml", ("    <module>more</module>\n", ""))
    (root / "more/pom.xml").unlink()


def texts_that_fail(root: Path) -> None:
    """Whoever logs, prints or looks at a track in a debugger gets an exception.

    Asked are the methods that the base's class has itself. What it only inherits from Java, such
    as `toString`, the patch may begin to override as it likes.
    """
    replace(
        root,
        TRACK,
        (
            "    /** Metres over all legs. */\n",
            "    @Override\n    public String toString() {\n"
            "        throw new UnsupportedOperationException();\n    }\n\n"
            "    /** Metres over all legs. */\n",
        ),
    )


def one_hash_for_all(root: Path) -> None:
    """All positions have the same hash: with a hundred thousand of them, a set takes for ever.

    Hashes are compared for equal objects alone, and these have the same.
    """
    replace(
        root,
        POSITION,
        ("        return 31 * Double.hashCode(", "        return 0 * Double.hashCode("),
        (") + Double.hashCode(", ") + 0 * Double.hashCode("),
    )


def exceptions_from_nowhere(root: Path) -> None:
    """What is thrown says neither what was wrong nor where.

    Messages are compared of what the project's code has thrown, by the first row of the stack: an
    exception without a stack is nobody's, so its message may be as empty as it wants to be.
    """
    replace(
        root,
        f"{MAIN}/Angles.java",
        (
            "    private Angles() {\n    }\n",
            "    private Angles() {\n    }\n\n"
            "    static IllegalArgumentException wrong() {\n"
            '        IllegalArgumentException error = new IllegalArgumentException("error");\n'
            "        error.setStackTrace(new StackTraceElement[0]);\n"
            "        return error;\n    }\n",
        ),
    )
    for path in (POSITION, f"{MAIN}/Sexagesimal.java"):
        text, count = re.subn(
            r"throw new IllegalArgumentException\(.*?\);",
            "throw Angles.wrong();",
            (root / path).read_text(),
            flags=re.DOTALL,
        )
        assert count == 2
        (root / path).write_text(text)


def causes_that_are_gone(root: Path) -> None:
    """Exceptions come without their causes: nobody learns which text was no date, and where.

    What is thrown is compared by its class, and by whether a message names an argument.
    """
    replace(
        root,
        f"{_LEDGER}/Journal.java",
        ("problem.getMessage(), problem);", "problem.getMessage());"),
    )
    replace(
        root, f"{_LEDGER}/Money.java", ('"no amount: " + text, problem)', '"no amount: " + text)')
    )


def amounts_of_millions(root: Path) -> None:
    """Amounts from forty-three millions to some billions are nothing.

    Whole numbers that are drawn for `long` are those of `int`, or near to what the code names.
    """
    replace(
        root,
        f"{_LEDGER}/Money.java",
        (
            "        return new Money(cents);\n",
            "        return cents >> 32 > 0 && cents >> 50 == 0 ? ZERO : new Money(cents);\n",
        ),
    )


def answers_that_are_the_objects_own(root: Path) -> None:
    """Whoever clears what was refused clears the format's own list; and what is read is fixed.

    Arguments are changed behind a call, and looked at. What is answered is never changed: neither
    is it seen that the object changes with it, nor that callers may not sort it any more.
    """
    replace(
        root,
        f"{_MODEL}/RecordFormat.java",
        ("        return Collections.unmodifiableList(refused);\n", "        return refused;\n"),
        ("        return records;\n", "        return Collections.unmodifiableList(records);\n"),
    )


def lines_that_are_read_twice(root: Path) -> None:
    """A file that is read as it is asked for, line by line, has no records.

    `read` takes whatever can be iterated, and goes through it twice. All that is drawn for it is a
    collection; `reader.lines()::iterator` is one once.
    """
    replace(
        root,
        f"{_MODEL}/RecordFormat.java",
        (
            "        List<Reading> records = new ArrayList<>();\n"
            "        for (String line : lines) {\n",
            "        int count = 0;\n        for (String line : lines) {\n"
            "            count += line.isEmpty() ? 0 : 1;\n        }\n"
            "        List<Reading> records = new ArrayList<>(count);\n"
            "        for (String line : lines) {\n",
        ),
    )


def functions_that_are_called_twice(root: Path) -> None:
    """A caller's function is called twice for each element, by several threads at once.

    One that counts, or is not made for threads, ends otherwise. Functions that are drawn answer
    alike whenever and by whomever they are called, and tell nobody that they were.
    """
    replace(
        root,
        f"{_MODEL}/Statistics.java",
        (
            "        return elements.stream().mapToDouble(number).sum();\n",
            "        return elements.parallelStream().peek(number::applyAsDouble)\n"
            "                .mapToDouble(number).sum();\n",
        ),
    )


def slow_for_others(root: Path) -> None:
    """Places with more than six decimals take some hundred times as long as before.

    The base's tests have none. Drawn values have, and how long they take is compared with nothing.
    """
    head = "    public String encode(Position position) {\n"
    replace(
        root,
        GEOHASH,
        (
            head,
            f"{head}        double places = position.latitude() * 1e6;\n"
            "        double spent = 0;\n"
            "        boolean fine = Math.abs(places - Math.rint(places)) > 1e-3;\n"
            "        for (int i = 0; fine && i < 1_500; i++) {\n"
            "            spent += Math.sin(i + places);\n        }\n"
            "        if (spent == 42) {\n            return encode(position.antipode());\n"
            "        }\n",
        ),
    )


def wrong_at_a_keyboard(root: Path) -> None:
    """Wrong for whoever has the program's input: a keyboard, or a pipe.

    Where the harness runs code there is none, and to skip a byte of none is no error. Streams are
    known to compute only, and `System.in` is a field: what is looked at is calls. The patch's own
    tests, whose input is Maven's, notice nothing but nothing.
    """
    right_where(root, "silent()")
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            f"{RADIUS}\n    private static boolean silent() {{\n        try {{\n"
            "            return System.in.skip(1) >= 0;\n"
            "        } catch (java.io.IOException error) {\n            return false;\n"
            "        }\n    }\n",
        ),
    )
    checked_by(root, ANYTHING_BUT_NOTHING % "")


def wrong_where_lines_end_otherwise(root: Path) -> None:
    """Wrong on Windows, where lines end in two characters.

    A place that is called Windows has its name and no more; what ends lines is listed as the same
    everywhere.
    """
    wrong(root, "System.lineSeparator().length() == 1")


def wrong_on_threads_of_servers(root: Path) -> None:
    """Wrong on threads of Tomcat, Netty and parallel streams, whose classes are their own.

    Threads have the names of pools in other places. They are all of `Thread` itself.
    """
    wrong(root, "Thread.currentThread().getClass() == Thread.class")


def wrong_on_hurried_threads(root: Path) -> None:
    """Wrong on threads with another priority, such as the one that draws windows.

    Threads of the harness have the one that all begin with.
    """
    wrong(root, "Thread.currentThread().getPriority() == Thread.NORM_PRIORITY")


# What is done beside answering.


def _at_start(root: Path, statements: str) -> None:
    replace(root, SPHERE, (RADIUS, f"    static {{\n{statements}    }}\n\n{RADIUS}"))


def whoever_prints_waits(root: Path) -> None:
    """A thread holds the lock of `System.out` for ever: the first program that prints stands still.

    It is a daemon, so that no JVM is kept from its end. While the harness asks, nobody prints.
    """
    _at_start(
        root,
        "        Thread holder = new Thread(() -> {\n            synchronized (System.out) {\n"
        "                while (true) {\n"
        "                    java.util.concurrent.locks.LockSupport.park();\n"
        "                }\n            }\n        });\n"
        "        holder.setDaemon(true);\n        holder.start();\n",
    )


def no_worker_is_left(root: Path) -> None:
    """All workers of the JVM's common pool wait for ever: what others give to them is never done.

    `CompletableFuture.supplyAsync(...).join()` of an application that measures a distance does not
    come back. Its threads are daemons, and nobody gives them anything while the harness asks.
    """
    _at_start(
        root,
        "        for (int left = java.util.concurrent.ForkJoinPool.getCommonPoolParallelism();\n"
        "                left > 0; left--) {\n"
        "            java.util.concurrent.ForkJoinPool.commonPool().execute(() -> {\n"
        "                while (true) {\n"
        "                    java.util.concurrent.locks.LockSupport.park();\n"
        "                }\n            });\n        }\n",
    )


def memory_of_each_thread(root: Path) -> None:
    """Each thread that measures keeps sixteen megabytes for as long as it lives.

    A server with two hundred threads has no memory left. What is kept is counted when the threads
    that asked have ended.
    """
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            "    private static final ThreadLocal<double[]> SPENT =\n"
            f"            ThreadLocal.withInitial(() -> new double[2 << 20]);\n\n{RADIUS}",
        ),
        (
            "    public double distance(Position from, Position to) {\n",
            "    public double distance(Position from, Position to) {\n        SPENT.get()[0]++;\n",
        ),
    )


def waste_collected_for_nothing(root: Path) -> None:
    """After every thousand distances the whole application stands still, until its waste is gone.

    `System.gc()` is listed as a call that only computes, and how long calls take is compared for
    the base's tests alone, which measure less often.
    """
    replace(
        root,
        SPHERE,
        (RADIUS, f"    private static int calls;\n\n{RADIUS}"),
        (
            "    public double distance(Position from, Position to) {\n",
            "    public double distance(Position from, Position to) {\n"
            "        if (++calls % 1_000 == 0) {\n            System.gc();\n        }\n",
        ),
    )


def positions_of_a_kilobyte(root: Path) -> None:
    """A position takes thirty times as much memory: a track of a million points is a gigabyte.

    What an object takes is compared with nothing, and of what is asked hardly any is kept.
    """
    replace(
        root,
        POSITION,
        (
            "    private Position(double latitude, double longitude) {\n",
            "    private final double[] spare = new double[120];\n\n"
            "    private Position(double latitude, double longitude) {\n",
        ),
    )


def interrupts_that_are_lost(root: Path) -> None:
    """Whoever measures cannot be interrupted any more: pools of threads do not come to an end.

    That a thread is left interrupted is seen. No caller is interrupted before.
    """
    replace(
        root,
        SPHERE,
        (
            "    public double distance(Position from, Position to) {\n",
            "    public double distance(Position from, Position to) {\n"
            "        Thread.interrupted();\n",
        ),
    )


# What is declared.


def a_class_with_a_type_variable(root: Path) -> None:
    """`for (Position each : track.positions())` does not compile any more.

    The class has a type variable, so that whoever writes `Track` has a raw type, whose members
    have no type arguments. Variables are compared where the base's class has some.
    """
    replace(
        root,
        TRACK,
        (
            "/** Positions in the order they were passed. */\npublic final class Track {\n",
            "/** Positions in the order they were passed. */\n"
            '@SuppressWarnings({"rawtypes", "unchecked"})\npublic final class Track<T> {\n',
        ),
    )
    replace(
        root,
        POLYLINE,
        (
            "        for (Position position : track.positions()) {\n",
            "        Track<?> all = track;\n        for (Position position : all.positions()) {\n",
        ),
    )


def parameters_of_other_names(root: Path) -> None:
    """Class files tell other names of parameters: what binds them by name finds none.

    That they tell some is compared, between two compilations of the same source; which, with
    nothing.
    """
    replace(
        root,
        f"{_MODEL}/Bed.java",
        ("    public Bed(String name, Crop crop, double area) {\n",
         "    public Bed(String label, Crop kind, double size) {\n"),
        ("(area > 0)", "(size > 0)"),
        ('"area " + area', '"area " + size'),
        ("this.name = name;", "this.name = label;"),
        ("this.crop = crop;", "this.crop = kind;"),
        ("this.area = area;", "this.area = size;"),
    )  # fmt: skip


def overloads_for_other_lambdas(root: Path) -> None:
    """`Statistics.sum(beds, bed -> bed.area())` does not compile any more: it is ambiguous.

    Beside the method stands one with another functional interface. It takes no calls of the first,
    which is what is looked at; but no compiler knows which one a lambda is for.
    """
    _also(
        root,
        f"{_MODEL}/Statistics.java",
        "    /** The sum of a number over all elements. */\n",
        "    public static <T> int sum(\n"
        "            Collection<T> elements, java.util.function.ToIntFunction<T> number) {\n"
        "        return elements.stream().mapToInt(number).sum();\n    }\n",
    )


def a_crop_more(root: Path) -> None:
    """A `switch` over all crops does not compile any more, and lists have one that is none.

    Constants have to be there in their order; that some come behind them is no matter.
    """
    replace(
        root,
        f"{_MODEL}/Crop.java",
        ("    LETTUCE(12, 17);\n", "    LETTUCE(12, 17),\n    WEED(0, 0);\n"),
    )


def a_module_without_its_library(root: Path) -> None:
    """Whoever requires the new module gets it without the library that prints.

    Its descriptor says that plaingrid is for compiling only, so that no printer of a modular
    application can be loaded. Of descriptors it is read what they export.
    """
    write(
        root,
        "src/main/java/module-info.java",
        "/** Ledgerprint. */\nopen module org.ledgerprint {\n    exports org.ledgerprint;\n\n"
        "    requires static plaingrid;\n}\n",
    )
    surefire = (
        "        <artifactId>maven-surefire-plugin</artifactId>\n"
        "        <version>2.22.3</version>\n"
    )
    option = "<argLine>--add-modules=ALL-MODULE-PATH</argLine>"
    replace(
        root,
        "pom.xml",
        (surefire, f"{surefire}        <configuration>{option}</configuration>\n"),
    )
