package org.greenhouse.climate;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.greenhouse.model.Bed;
import org.greenhouse.model.Quantity;
import org.greenhouse.model.Statistics;
import org.greenhouse.model.record;

/** What beds will yield, by the warmth they had. */
public final class Forecast {
    private static final double LOSS_PER_DEGREE = 0.08;

    private final Map<Quantity, Double> means;

    public Forecast(Collection<record> records) {
        means = Statistics.means(records);
    }

    /** Kilogrammes by bed, in the order given. */
    public Map<String, Double> yields(Collection<Bed> beds) {
        Map<String, Double> yields = new LinkedHashMap<>();
        for (Bed bed : beds) {
            yields.put(bed.name(), yield(bed));
        }
        return yields;
    }

    /** Kilogrammes of one bed: the best there is, less what every degree amiss takes. */
    public double yield(Bed bed) {
        Double warmth = means.get(Quantity.TEMPERATURE);
        if (warmth == null) {
            return 0;
        }
        double amiss = Math.abs(warmth - bed.crop().warmth());
        return Math.max(0, 1 - LOSS_PER_DEGREE * amiss) * bed.crop().best() * bed.area();
    }

    /** Kilogrammes of all beds. */
    public double total(Collection<Bed> beds) {
        return Statistics.sum(beds, bed -> yield(bed));
    }
}
