package dev.caravan.lab.bench.figure;

import java.util.ArrayList;
import java.util.List;

/** The values of one figure, one per round, at least one. */
public final class RoundValues {
    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    /** The median; the mean of the two middle values for an even number of rounds. */
    public double median() {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public double min() {
        return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    }

    public double max() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** These values divided by others of the same rounds, so that effects on both values of a round cancel out. */
    RoundValues dividedBy(RoundValues others) {
        RoundValues ratios = new RoundValues();
        for (int i = 0; i < Math.min(values.size(), others.values.size()); i++) {
            ratios.add(values.get(i) / others.values.get(i));
        }
        return ratios;
    }
}
