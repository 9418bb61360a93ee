package dev.caravan.lab.bench.report;

import java.io.PrintWriter;

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
            result.figures().lines(cells -> out.printf(LINE, cells));
            result.goals().forEach(goal -> out.println("goal: " + goal));
            if (result.failed()) {
                out.println("FAILED: " + result.failure());
            }
        }
        out.flush();
    }
}
