package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.routes.check.CheckResult;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ExitCode;

/** The results of a check of the database, and of any check as text; what they mean for the exit code. */
final class CheckText {
    /** The JSON of all findings. */
    record Checked(boolean ok, List<CheckResult> findings) {}

    private CheckText() {}

    /** What is wrong with the database of the outbox. */
    static List<CheckResult> findings(List<DatabaseProblem> problems) {
        return problems.stream()
                .map(problem -> CheckResult.problem("database", problem.about(), problem.text()))
                .toList();
    }

    /** The database of the outbox cannot be asked. */
    static CheckResult unavailable(SQLException failure) {
        return CheckResult.problem(
                "database",
                "connection",
                DatabaseFailure.in(failure).map(DatabaseFailure::text).orElse(failure.getMessage()));
    }

    static boolean isOk(List<CheckResult> findings) {
        return findings.stream().allMatch(CheckResult::ok);
    }

    /** @param findings with a problem */
    static int exitCode(List<CheckResult> findings) {
        return findings.stream().anyMatch(finding -> !finding.ok() && finding.isConfiguration())
                ? ExitCode.USAGE
                : ExitCode.SOFTWARE;
    }

    static String of(List<CheckResult> findings) {
        StringBuilder text = new StringBuilder();
        for (CheckResult finding : findings) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-7s  %-12s  %s: %s%n",
                    label(finding.level()),
                    finding.area(),
                    finding.name(),
                    finding.text()));
        }
        long problems = findings.stream().filter(finding -> !finding.ok()).count();
        long hints = findings.stream()
                .filter(finding -> finding.level() == CheckResult.Level.HINT)
                .count();
        return text.append(problems == 0 ? "No problems found." : Formatted.counted(problems, "problem") + " found.")
                .append(hints == 0 ? "" : " " + Formatted.counted(hints, "hint") + ".")
                .toString();
    }

    private static String label(CheckResult.Level level) {
        return level == CheckResult.Level.PROBLEM ? level.name() : level.toString();
    }
}
