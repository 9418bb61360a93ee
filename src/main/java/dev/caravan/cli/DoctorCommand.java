package dev.caravan.cli;

import dev.caravan.adopt.doctor.Doctor;
import dev.caravan.adopt.doctor.Limits;
import dev.caravan.adopt.doctor.Report;
import dev.caravan.adopt.doctor.Request;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan doctor}: examines a table of messages and its database. */
@Command(
        name = "doctor",
        description = {
            "Examine a table of messages and its database. Nothing is changed.",
            "The table can be any outbox: one with a column such as published_at, a flag, a status, or one of Debezium. The"
                    + " tables of Caravan are not needed.",
            "Exit code 1: at least one finding is critical."
        })
final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions options;

    @Option(
            names = "--table",
            paramLabel = "TABLE",
            description =
                    "The table, with its schema if needed. Default: outbox, or only the database if there is none.")
    private String table;

    @Option(
            names = "--pending",
            paramLabel = "CONDITION",
            description =
                    "The SQL condition of a message that is not published yet, for example \"status = 'pending'\"."
                            + " Default: recognized by the columns; the output says how.")
    private String pending;

    @Option(
            names = "--order",
            paramLabel = "COLUMN",
            description = "The column by which messages are published. Default: recognized by the columns.")
    private String order;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws SQLException {
        Report report = report();
        output.print(DoctorText.of(report), report);
        return report.critical() > 0 ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private Report report() throws SQLException {
        try {
            Request request =
                    new Request(Optional.ofNullable(table), Optional.ofNullable(pending), Optional.ofNullable(order));
            Settings settings = options.settings();
            return new Doctor(Database.forAnyTable(settings), Database.forCommand(settings), Limits.DEFAULT)
                    .examine(request);
        } catch (Request.Refused e) {
            throw options.wrong(e.getMessage());
        }
    }
}
