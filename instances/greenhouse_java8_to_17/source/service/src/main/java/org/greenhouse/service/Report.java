package org.greenhouse.service;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.greenhouse.climate.Action;
import org.greenhouse.climate.Controller;
import org.greenhouse.climate.Forecast;
import org.greenhouse.model.Bed;
import org.greenhouse.model.Crop;
import org.greenhouse.model.Quantity;
import org.greenhouse.model.Statistics;
import org.greenhouse.model.record;

/** The state of a house in plain text. */
public final class Report {
    private final Crop crop;
    private final Collection<Bed> beds;

    public Report(Crop crop, Collection<Bed> beds) {
        this.crop = crop;
        this.beds = beds;
    }

    public String of(Collection<record> records) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Quantity, Double> mean : Statistics.means(records).entrySet()) {
            line(text, mean.getKey().name().toLowerCase(Locale.ROOT), mean.getValue());
        }
        Forecast forecast = new Forecast(records);
        for (Map.Entry<String, Double> bed : forecast.yields(beds).entrySet()) {
            line(text, "bed " + bed.getKey(), bed.getValue());
        }
        line(text, "total", forecast.total(beds));
        Set<Action> actions = new Controller(crop).actions(records);
        return text.append("actions: ").append(actions.isEmpty() ? "none" : actions).append('\n')
                .toString();
    }

    private static void line(StringBuilder text, String name, double value) {
        text.append(name).append(": ").append(String.format(Locale.ROOT, "%.1f", value))
                .append('\n');
    }
}
