package dev.caravan.lab.bench.figure;

import java.awt.image.BufferedImage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The measurements of a scenario: samples by row (a contender, or a variant of the run) and figure, in the order of addition. */
public final class Figures {
    private final Map<String, Map<Figure, RoundValues>> rows = new LinkedHashMap<>();
    private final Map<String, BufferedImage> pictures = new LinkedHashMap<>();
    private final Consumer<String> progress;

    /** @param progress receives one line for each value */
    public Figures(Consumer<String> progress) {
        this.progress = progress;
    }

    public void add(String row, Figure figure, double value) {
        rows.computeIfAbsent(row, name -> new LinkedHashMap<>())
                .computeIfAbsent(figure, name -> new RoundValues())
                .add(value);
        progress.accept("  %-16s %-28s %s %s".formatted(row, figure.name(), Numbers.text(value), figure.unit()));
    }

    /** Adds a picture to the report. It replaces an earlier one of the same name. */
    public void addPicture(String name, BufferedImage picture) {
        pictures.put(name, picture);
    }

    /** Pictures by name. */
    public Map<String, BufferedImage> pictures() {
        return pictures;
    }

    public Map<String, Map<Figure, RoundValues>> rows() {
        return rows;
    }

    /** @throws IllegalStateException if it was not measured */
    public RoundValues of(String row, Figure figure) {
        return find(row, figure)
                .orElseThrow(() -> new IllegalStateException(figure.name() + " of " + row + " was not measured"));
    }

    /** @throws IllegalStateException if it was not measured */
    public double median(String row, Figure figure) {
        return of(row, figure).median();
    }

    /** @throws IllegalStateException if it was not measured */
    public double max(String row, Figure figure) {
        return of(row, figure).max();
    }

    /** The median of a figure of a row relative to that of another row, round by round. */
    public double ratio(String row, String base, Figure figure) {
        return of(row, figure).dividedBy(of(base, figure)).median();
    }

    /** Makes a line of each figure of each row: row, figure, median, least, most, unit, and the rate relative to the limit. */
    public void lines(Consumer<Object[]> line) {
        rows.forEach((row, figures) -> figures.forEach((figure, values) -> line.accept(new Object[] {
            row,
            figure.name(),
            Numbers.text(values.median()),
            Numbers.text(values.min()),
            Numbers.text(values.max()),
            figure.unit(),
            figure == Figure.RATE
                    ? ratioToLimit(row)
                            .map(ratio -> Numbers.text(ratio.median()))
                            .orElse("")
                    : ""
        })));
    }

    Optional<RoundValues> find(String row, Figure figure) {
        return Optional.ofNullable(rows.get(row)).map(figures -> figures.get(figure));
    }

    /** The rate of a row relative to the raw loop; empty for the raw loop itself and without a raw loop. */
    public Optional<RoundValues> ratioToLimit(String row) {
        return row.equals("limit")
                ? Optional.empty()
                : find("limit", Figure.RATE)
                        .flatMap(limit -> find(row, Figure.RATE).map(rate -> rate.dividedBy(limit)));
    }
}
