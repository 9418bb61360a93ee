package dev.caravan.cli;

import dev.caravan.schema.Database;
import dev.caravan.schema.DatabaseFailure;
import dev.caravan.schema.Problem;
import dev.caravan.schema.SchemaCheck;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan check}: everything that would keep a relay from working, without starting one. */
@Command(
        name = "check",
        description = {
            "Check settings, route files, database and destinations; start nothing, change nothing.",
            "Route files are parsed and their endpoints and expressions made; what a step does with a message is not tried.",
            "Ends with 1 when there is a problem."
        })
final class CheckCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions options;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws Exception {
        List<Finding> findings = findings(options.settings());
        output.print(() -> text(findings), () -> fields(findings));
        return isOk(findings) ? 0 : 1;
    }

    private static List<Finding> findings(Settings settings) throws Exception {
        List<Finding> findings = new ArrayList<>(CheckedSettings.findings(settings));
        findings.addAll(camel(settings));
        findings.addAll(database(settings));
        return findings;
    }

    private static List<Finding> camel(Settings settings) throws Exception {
        List<Finding> findings = new ArrayList<>();
        try (IdleCamel camel = new IdleCamel(settings)) {
            findings.addAll(camel.findings());
            CheckedRoutes routes =
                    new CheckedRoutes(camel.context(), Path.of(settings.text("caravan.routes", "routes")));
            findings.addAll(routes.findings());
            findings.addAll(new CheckedDestinations(settings, camel.context(), routes).findings());
        }
        return findings;
    }

    private static List<Finding> database(Settings settings) {
        try {
            List<Problem> problems = new SchemaCheck(Database.forCommand(settings)).problems();
            return problems.isEmpty()
                    ? List.of(
                            Finding.ok("database", "outbox", "version, tables, sequence and privileges are as needed"))
                    : problems.stream()
                            .map(problem -> Finding.problem("database", problem.about(), problem.text()))
                            .toList();
        } catch (SettingsException e) {
            return List.of(); // told among the settings
        } catch (SQLException e) {
            String text = DatabaseFailure.in(e).map(DatabaseFailure::text).orElse(e.getMessage());
            return List.of(Finding.problem("database", "connection", text));
        }
    }

    private static boolean isOk(List<Finding> findings) {
        return findings.stream().allMatch(Finding::ok);
    }

    private static String text(List<Finding> findings) {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append(String.format(
                    "%-7s  %-12s  %s: %s%n",
                    finding.ok() ? "ok" : "PROBLEM", finding.area(), finding.name(), finding.text()));
        }
        long problems = findings.stream().filter(finding -> !finding.ok()).count();
        return text.append(problems == 0 ? "No problems found." : Humane.counted(problems, "problem") + " found.")
                .toString();
    }

    private static Map<String, Object> fields(List<Finding> findings) {
        return Map.of(
                "ok",
                isOk(findings),
                "findings",
                findings.stream().map(CheckCommand::fields).toList());
    }

    private static Map<String, Object> fields(Finding finding) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("area", finding.area());
        fields.put("name", finding.name());
        fields.put("ok", finding.ok());
        fields.put("text", finding.text());
        return fields;
    }
}
