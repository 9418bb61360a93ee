package dev.caravan.cli;

import dev.caravan.adopt.capture.Backfill;
import dev.caravan.adopt.capture.Captures;
import dev.caravan.adopt.capture.InstalledCapture;
import dev.caravan.base.text.Formatted;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan capture}: triggers that write the changes of existing tables into the outbox. */
@Command(
        name = "capture",
        subcommands = {CaptureBackfillCommand.class, CaptureTakeOverCommand.class},
        description =
                "Write the changes of existing tables into the outbox, by triggers that are generated from files.")
final class CaptureCommand extends CommandGroup {
    CaptureCommand() {
        super("Missing subcommand: print, apply, check, list, remove, backfill or take-over.");
    }

    @Command(
            name = "print",
            description = "Print the SQL of captures, for your own migration tool. Nothing is changed.")
    int print(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        out().print(captures(options).print(files.files()));
        out().flush();
        return 0;
    }

    @Command(
            name = "apply",
            description = {
                "Create or replace the function and the triggers of captures. Safe to repeat.",
                "Each table is locked for a moment. If the lock is not granted within 3 s, nothing is changed."
            })
    int apply(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        captures(options).apply(files.files()).forEach(applied -> out().println(
                        applied.changed()
                                ? "Installed capture " + applied.name() + " of " + applied.table() + "."
                                        + (applied.byOwner()
                                                ? ""
                                                : " It runs with the rights of the role that writes, which needs: grant insert on outbox.")
                                : "Capture " + applied.name() + " is up to date."));
        out().flush();
        return 0;
    }

    @Command(
            name = "check",
            description = {
                "Compare the files with the tables and with what is installed. Nothing is changed.",
                "Exit code 1: something differs."
            })
    int check(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        List<String> problems = captures(options).check(files.files(), files.isAll());
        problems.forEach(out()::println);
        Backfill.last(database(options)).values().stream()
                .filter(each -> !each.finished())
                .forEach(each -> out().println("The backfill of " + each.capture() + " is unfinished, after "
                        + Formatted.counted(each.messages(), "message")
                        + ". To continue it, run: ./caravan capture backfill"));
        out().println(
                        problems.isEmpty()
                                ? "No problems found."
                                : Formatted.counted(problems.size(), "problem") + " found.");
        out().flush();
        return problems.isEmpty() ? 0 : 1;
    }

    @Command(name = "list", description = "List the captures in the database.")
    int list(@Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        List<InstalledCapture> installed = captures(options).list();
        Map<String, Backfill.Last> backfills = Backfill.last(database(options));
        output.print(() -> table(installed, backfills), () -> installed.stream()
                .map(each -> Listed.of(each, backfills.get(each.name())))
                .toList());
        return 0;
    }

    @Command(
            name = "remove",
            description =
                    "Remove the triggers and the function of a capture. Messages that it has written stay in the outbox.")
    int remove(
            @Parameters(paramLabel = "NAME", description = "Name of the capture, or of its file without the ending.")
                    String given,
            @Option(
                            names = "--after-take-over",
                            description = "Also remove a capture that has taken its table over from a poller.")
                    boolean afterTakeOver,
            @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes,
            @Mixin SettingsOptions options)
            throws SQLException {
        String name = given.replace('-', '_');
        Captures captures = captures(options);
        InstalledCapture installed = captures.list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandFailure("There is no capture " + Formatted.line(given, 100)
                        + ". Nothing was changed. See: ./caravan capture list"));
        if (installed.marks() && !afterTakeOver) {
            throw new CommandFailure("Capture " + name + " has hidden rows of " + installed.tables()
                    + " from its poller; their messages may not be delivered yet. Nothing was changed. To return the rows to the"
                    + " poller, run: ./caravan capture take-over FILE --undo. If the take-over is complete and new rows need not"
                    + " be captured any more, add --after-take-over");
        }
        if (!yes && !Confirmation.onConsole(spec().commandLine()).confirmed("Remove capture " + name)) {
            spec().commandLine().getErr().println("Nothing was changed.");
            return 0;
        }
        Optional<InstalledCapture> removed = captures.remove(name);
        out().println("Removed capture " + name
                + removed.map(each -> " of " + each.tables()).orElse("") + ". Its changes are no longer captured.");
        out().flush();
        return 0;
    }

    private static String table(List<InstalledCapture> installed, Map<String, Backfill.Last> backfills) {
        if (installed.isEmpty()) {
            return "There are no captures.";
        }
        Table table = new Table("CAPTURE", "TABLE", "TRIGGERS>", "STATE", "BACKFILL");
        installed.forEach(each -> table.row(
                each.name(),
                each.tables(),
                each.triggers().size(),
                each.enabled() ? "enabled" : "incomplete",
                backfill(backfills.get(each.name()))));
        return installed.stream()
                .flatMap(each -> each.faults().stream()
                        .map(fault -> "Capture " + each.name() + ": " + fault + ". Run: ./caravan capture check"))
                .collect(Collectors.joining("\n", table + "\n", ""))
                .stripTrailing();
    }

    private static String backfill(Backfill.Last backfill) {
        return backfill == null ? "-" : backfill.finished() ? "complete" : "unfinished";
    }

    private record Listed(
            String capture,
            String table,
            int triggers,
            boolean enabled,
            List<String> faults,
            String backfill,
            long backfilled) {
        static Listed of(InstalledCapture installed, Backfill.Last last) {
            return new Listed(
                    installed.name(),
                    installed.tables(),
                    installed.triggers().size(),
                    installed.enabled(),
                    installed.faults(),
                    CaptureCommand.backfill(last),
                    last == null ? 0 : last.messages());
        }
    }

    private static Captures captures(SettingsOptions options) {
        return new Captures(database(options));
    }

    private static DataSource database(SettingsOptions options) {
        return options.database();
    }

    private PrintWriter out() {
        return spec().commandLine().getOut();
    }
}
