package dev.caravan.lab.bench.report;

import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Numbers;
import dev.caravan.lab.bench.figure.RoundValues;
import java.io.PrintWriter;
import java.util.Map;

/** The report as a table for a terminal. */
public final class TextReport {
    private static final String LINE = "%-14s %-24s %12s %12s %12s  %-12s %s%n";

    private TextReport() {}

    public static void print(BenchReport report, PrintWriter out) {
        for (ScenarioResult result : report.results()) {
            out.printf(
                    "%n%s (%d rounds)%n",
                    result.scenario().name(), report.size().rounds());
            out.printf(LINE, "", "", "median", "min", "max", "", "of the limit");
            result.figures().rows().forEach((row, figures) -> print(result.figures(), row, figures, out));
            result.goals().forEach(goal -> out.println("goal: " + goal));
            if (result.failed()) {
                out.println("FAILED: " + result.failure());
            }
        }
        out.flush();
    }

    private static void print(Figures all, String row, Map<Figure, RoundValues> figures, PrintWriter out) {
        figures.forEach((figure, samples) -> out.printf(
                LINE,
                row,
                figure.name(),
                Numbers.text(samples.median()),
                Numbers.text(samples.min()),
                Numbers.text(samples.max()),
                figure.unit(),
                figure == Figure.RATE
                        ? all.ratioToLimit(row)
                                .map(ratio -> Numbers.text(ratio.median()))
                                .orElse("")
                        : ""));
    }
}
