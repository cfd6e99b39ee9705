package org.greenhouse.climate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.greenhouse.model.Crop;
import org.greenhouse.model.Quantity;
import org.greenhouse.model.Statistics;
import org.greenhouse.model.record;

/** Decides what a house with one crop should do. */
public final class Controller {
    private static final double TOLERANCE = 3;

    private final List<Rule> rules = new ArrayList<>();

    public Controller(Crop crop) {
        rules.add(new Rule(
                Action.HEAT, Rule.below(Quantity.TEMPERATURE, crop.warmth() - TOLERANCE)));
        rules.add(new Rule(
                Action.VENTILATE,
                Rule.above(Quantity.TEMPERATURE, crop.warmth() + TOLERANCE)
                        .or(Rule.above(Quantity.HUMIDITY, 90))));
        rules.add(new Rule(
                Action.SHADE,
                Rule.above(Quantity.LIGHT, 80_000)
                        .and(Rule.above(Quantity.TEMPERATURE, crop.warmth()))));
        rules.add(new Rule(Action.MIST, Rule.below(Quantity.HUMIDITY, 50)));
        rules.add(new Rule(
                Action.FEED_CARBON_DIOXIDE,
                Rule.below(Quantity.CARBON_DIOXIDE, 400).and(Rule.above(Quantity.LIGHT, 5_000))));
    }

    /** The actions that are due; an open vent and a heater do not go together. */
    public Set<Action> actions(Collection<record> records) {
        Map<Quantity, Double> means = Statistics.means(records);
        Set<Action> actions = EnumSet.noneOf(Action.class);
        for (Rule _ : rules) {
            if (_.isDue(means)) {
                actions.add(_.action());
            }
        }
        if (actions.contains(Action.HEAT)) {
            actions.remove(Action.VENTILATE);
        }
        return actions;
    }
}
