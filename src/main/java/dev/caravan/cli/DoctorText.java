package dev.caravan.cli;

import dev.caravan.adopt.doctor.Finding;
import dev.caravan.adopt.doctor.Report;
import dev.caravan.adopt.doctor.Report.NotExamined;
import dev.caravan.adopt.doctor.Severity;
import dev.caravan.base.text.Formatted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The report of the doctor as text: what was examined, a summary, and each finding with its remedy. */
final class DoctorText {
    private static final int WIDTH = 100;
    private static final int NAME_WIDTH = 10;

    private static final Table<Finding> FINDINGS = new Table<Finding>()
            .column("SEVERITY", Finding::severity)
            .column("FINDING", Finding::id)
            .column("FIGURE", 60, Finding::figure);

    private DoctorText() {}

    static String of(Report report) {
        List<String> parts = new ArrayList<>();
        parts.add(facts(report));
        parts.add(counts(report));
        if (!report.findings().isEmpty()) {
            parts.add(FINDINGS.text(report.findings()));
        }
        report.findings().forEach(finding -> parts.add(details(finding)));
        if (!report.notExamined().isEmpty()) {
            parts.add("NOT EXAMINED\n"
                    + report.notExamined().stream().map(DoctorText::notExamined).collect(Collectors.joining("\n")));
        }
        return String.join("\n\n", parts);
    }

    private static String facts(Report report) {
        List<String> lines = new ArrayList<>();
        lines.add(named("Database", report.server()));
        report.facts().forEach((name, value) -> lines.add(named(name, value)));
        return String.join("\n", lines);
    }

    private static String counts(Report report) {
        if (report.findings().isEmpty()) {
            return "No findings.";
        }
        return Arrays.stream(Severity.values())
                .filter(severity -> report.count(severity) > 0)
                .map(severity -> severity == Severity.CRITICAL
                        ? report.count(severity) + " critical"
                        : Formatted.counted(report.count(severity), severity.toString()))
                .collect(Collectors.joining(", "));
    }

    private static String details(Finding finding) {
        String title = finding.severity().toString().toUpperCase(Locale.ROOT) + "  " + finding.id();
        String text = title + "\n" + named("  About", finding.about()) + "\n" + named("  Figure", finding.figure())
                + "\n" + named("  Why", finding.why()) + "\n" + named("  Fix", finding.fix());
        return finding.sql().isEmpty()
                ? text
                : text + "\n\n" + finding.sql().indent(4).stripTrailing();
    }

    private static String notExamined(NotExamined part) {
        return wrapped(
                "  ",
                part.subject() + ": " + part.why() + (part.fix().isEmpty() ? "" : ". To do so: " + part.fix()),
                "    ");
    }

    private static String named(String name, String value) {
        return wrapped(String.format(Locale.ROOT, "%-" + NAME_WIDTH + "s  ", name), value, " ".repeat(NAME_WIDTH + 2));
    }

    /** Breaks lines between words. A longer word is not broken, so that it can be copied. */
    private static String wrapped(String first, String text, String indent) {
        StringBuilder all = new StringBuilder();
        StringBuilder line = new StringBuilder(first);
        boolean empty = true;
        for (String word : Formatted.line(text, Integer.MAX_VALUE).split(" ")) {
            if (!empty && line.length() + 1 + word.length() > WIDTH) {
                all.append(line).append('\n');
                line = new StringBuilder(indent);
                empty = true;
            }
            line.append(empty ? "" : " ").append(word);
            empty = false;
        }
        return all.append(line).toString();
    }
}
