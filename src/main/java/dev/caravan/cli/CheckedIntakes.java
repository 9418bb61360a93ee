package dev.caravan.cli;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.YamlFields;
import dev.caravan.adopt.intake.Intake;
import dev.caravan.adopt.intake.IntakeCheck;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.adopt.intake.IntakeRefusal;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Sentence;
import dev.caravan.database.Sql;
import dev.caravan.operate.subscription.Subscriptions;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.context.SettingsBeans;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Checks intakes: their files, their sources, and what a relay needs for them in the database of the outbox. */
final class CheckedIntakes {
    private static final String AREA = "intakes";

    private final List<CheckResult> findings = new ArrayList<>();
    private final List<Intake> intakes;
    private final Map<String, IntakeCheck.Report> reports = new LinkedHashMap<>();

    private CheckedIntakes(List<Intake> intakes, List<FileProblem> problems) {
        this.intakes = intakes;
        problems.forEach(this::problem);
    }

    /** The intakes of a folder, which may be missing. */
    static CheckedIntakes in(Path folder) throws IOException {
        List<FileProblem> problems = new ArrayList<>();
        return new CheckedIntakes(IntakeFile.readAll(folder, problems), problems);
    }

    /** The intakes of some files. */
    static CheckedIntakes of(List<Path> files) {
        List<FileProblem> problems = new ArrayList<>();
        return new CheckedIntakes(
                files.stream()
                        .flatMap(file -> IntakeFile.read(file, problems).stream())
                        .toList(),
                problems);
    }

    private void problem(FileProblem problem) {
        findings.add(CheckResult.problem(AREA, YamlFields.name(problem.file()), problem.toString()));
    }

    /** Whether there is no file. */
    boolean isEmpty() {
        return intakes.isEmpty() && findings.isEmpty();
    }

    /** What was found until now. */
    List<CheckResult> findings() {
        return List.copyOf(findings);
    }

    /** What was found in each source, by the name of the intake. */
    Map<String, IntakeCheck.Report> reports() {
        return reports;
    }

    /**
     * Connects to each source and checks the statements there.
     *
     * @param tryMark also marks a pending row of each and rolls back
     */
    CheckedIntakes sources(SettingsBeans beans, boolean tryMark) {
        Map<String, String> tables = new HashMap<>();
        for (Intake intake : intakes) {
            source(intake, beans, tryMark);
            String before = tables.put(intake.dataSource() + " " + intake.table(), intake.name());
            if (before != null) {
                findings.add(CheckResult.hint(
                        AREA,
                        intake.name(),
                        "reads the same table as " + before
                                + ". A row that is pending for both is copied by one or by both: their conditions must exclude each"
                                + " other."));
            }
        }
        return this;
    }

    private void source(Intake intake, SettingsBeans beans, boolean tryMark) {
        try (Connection connection = beans.connect(intake.dataSource())) {
            IntakeCheck.Report report = IntakeCheck.of(intake, connection, tryMark);
            reports.put(intake.name(), report);
            report.problems().forEach(this::problem);
            report.hints().forEach(hint -> findings.add(CheckResult.hint(AREA, intake.name(), hint.toString())));
            if (report.problems().isEmpty()) {
                findings.add(CheckResult.ok(
                        AREA,
                        intake.name(),
                        Stream.concat(
                                        Stream.of("table " + Formatted.line(intake.table(), 100) + " of "
                                                + intake.dataSource()),
                                        report.facts().stream())
                                .collect(Collectors.joining("; "))));
            }
        } catch (IntakeRefusal e) {
            findings.add(CheckResult.problem(AREA, intake.name(), e.getMessage()));
        } catch (SettingsException e) {
            problem(new FileProblem(intake.file(), line(intake), e.getMessage()));
        } catch (SQLException e) {
            problem(new FileProblem(
                    intake.file(),
                    line(intake),
                    Sentence.of(ErrorText.withoutSecrets(String.valueOf(e.getMessage())))));
        }
    }

    private static int line(Intake intake) {
        return intake.lines().getOrDefault("dataSource", 1);
    }

    /**
     * Checks the rights of the role of the relay, and the subscriptions whose outcome is written back.
     *
     * @param database with the tables of the outbox
     */
    CheckedIntakes outbox(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            Sql.file("adopt/intake_privileges")
                    .query(connection, row -> row.getString("text"))
                    .forEach(text -> findings.add(CheckResult.problem("database", AREA, text)));
        }
        List<String> subscriptions = new Subscriptions(database).names();
        for (Intake intake : intakes) {
            intake.outcome()
                    .map(Intake.Outcome::subscription)
                    .filter(name -> !subscriptions.contains(name))
                    .ifPresent(name -> findings.add(CheckResult.hint(
                            AREA,
                            intake.name(),
                            "the subscription " + name
                                    + " of its outcome does not exist yet: a relay creates it with its route."
                                    + " Until then no outcome is written back.")));
        }
        return this;
    }
}
