package dev.caravan.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.database.EmbeddedFolder;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.context.SettingsBeans;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan intake check}: checks the files of intakes against their sources. */
@Command(
        name = "check",
        description = {
            "Check the files of intakes, their sources, and the rights on the tables of the outbox. Nothing is changed.",
            "Each statement is executed in the source with a condition that no row meets, and some pending rows are read, to see"
                    + " whether they would become messages. Hints name missing indexes, with the statement that creates them, tables"
                    + " without transactions, and databases that read without a snapshot.",
            "Exit code 1: there is a problem. Hints alone: 0."
        })
final class IntakeCheckCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description =
                    "Files or names of intakes. Default: all *.yaml files in the folder of the intakes (caravan.intakes).")
    private List<Path> files = List.of();

    @Option(
            names = "--try-mark",
            description =
                    "Also mark one pending row of each table in a transaction that is rolled back. It proves that the mark ends"
                            + " pending. The row is locked for that moment.")
    private boolean tryMark;

    @Option(
            names = "--statements",
            description = "Show the statements, and how the database reads the rows if it tells.")
    private boolean statements;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** The statements of an intake as JSON. */
    private record Statements(String intake, Map<String, String> statements, List<String> plan) {}

    /** The JSON of the check. */
    private record Checked(
            boolean ok,
            List<CheckResult> findings,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Statements> statements) {}

    @Override
    public Integer call() throws IOException {
        Settings settings = options.ofRelay();
        Path folder = IntakeFile.folder(settings);
        CheckedIntakes intakes = files.isEmpty()
                ? CheckedIntakes.in(folder)
                : CheckedIntakes.of(files.stream()
                        .map(file -> IntakeFile.named(folder, file))
                        .toList());
        if (intakes.isEmpty()) {
            throw new CommandFailure("There is no file *.yaml in " + folder
                    + ". Name the files: ./caravan intake check FILE. Draft one: ./caravan intake init --help");
        }
        try (SettingsBeans beans = new SettingsBeans(settings)) {
            intakes.sources(beans, tryMark);
        }
        List<CheckResult> findings = new ArrayList<>(outbox(settings, intakes));
        findings.addAll(0, intakes.findings());
        List<Statements> shown = statements
                ? intakes.reports().entrySet().stream()
                        .map(each -> new Statements(
                                each.getKey(),
                                each.getValue().statements(),
                                each.getValue().plan()))
                        .toList()
                : List.of();
        boolean ok = CheckText.isOk(findings);
        output.print(text(shown) + CheckText.of(findings), new Checked(ok, findings, shown));
        return ok ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** What is wrong with the database of the outbox itself; the intakes have the rest. */
    private List<CheckResult> outbox(Settings settings, CheckedIntakes intakes) throws IOException {
        Optional<EmbeddedFolder> ofRelay = EmbeddedFolder.of(settings);
        if (ofRelay.isPresent()
                && ofRelay.get().running().isEmpty()) { // a person checks the file before the first start
            return List.of(CheckResult.hint(
                    "database",
                    "connection",
                    "the Postgres in " + ofRelay.get().folder()
                            + " does not run, so its tables were not checked: a relay starts it and creates them"));
        }
        try {
            DataSource database = options.reused(Database.forCommand(settings));
            List<CheckResult> problems = CheckText.findings(new SchemaCheck(database).problems());
            if (problems.isEmpty()) {
                intakes.outbox(database);
            }
            return problems;
        } catch (SQLException e) {
            return List.of(CheckText.unavailable(e));
        }
    }

    private static String text(List<Statements> shown) {
        StringBuilder text = new StringBuilder();
        for (Statements each : shown) {
            each.statements().forEach((purpose, sql) -> text.append(each.intake())
                    .append(", ")
                    .append(purpose)
                    .append(":\n  ")
                    .append(sql)
                    .append('\n'));
            if (!each.plan().isEmpty()) {
                text.append(each.intake()).append(", plan of read:\n");
                each.plan().forEach(line -> text.append("  ").append(line).append('\n'));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
