package org.greenhouse.climate;

import java.util.Map;
import java.util.function.Predicate;
import org.greenhouse.model.Quantity;

/** An action and when it is due, by the means of the last records. */
final class Rule {
    private final Action action;
    private final Predicate<Map<Quantity, Double>> due;

    Rule(Action action, Predicate<Map<Quantity, Double>> due) {
        this.action = action;
        this.due = due;
    }

    Action action() {
        return action;
    }

    boolean isDue(Map<Quantity, Double> means) {
        return due.test(means);
    }

    static Predicate<Map<Quantity, Double>> above(Quantity quantity, double limit) {
        return means -> means.containsKey(quantity) && means.get(quantity) > limit;
    }

    static Predicate<Map<Quantity, Double>> below(Quantity quantity, double limit) {
        return means -> means.containsKey(quantity) && means.get(quantity) < limit;
    }
}
