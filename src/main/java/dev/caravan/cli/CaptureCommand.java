package dev.caravan.cli;

import dev.caravan.adopt.capture.Backfill;
import dev.caravan.adopt.capture.Captures;
import dev.caravan.adopt.capture.InstalledCapture;
import dev.caravan.base.text.Formatted;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
    /** A row of the list, and its JSON. */
    private record Listed(
            String capture,
            String table,
            int triggers,
            boolean enabled,
            List<String> faults,
            String backfill,
            long backfilled) {}

    private static final Table<Listed> TABLE = new Table<Listed>("There are no captures.")
            .column("CAPTURE", Listed::capture)
            .column("TABLE", Listed::table)
            .column("TRIGGERS>", Listed::triggers)
            .column("STATE", each -> each.enabled() ? "enabled" : "incomplete")
            .column("BACKFILL", Listed::backfill);

    CaptureCommand() {
        super("backfill", "take-over", "apply", "check", "list", "print", "remove");
    }

    @Command(
            name = "print",
            description = "Print the SQL of captures, for your own migration tool. Nothing is changed.")
    void print(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        options.out().print(captures(options).print(files.files()));
        options.out().flush();
    }

    @Command(
            name = "apply",
            description = {
                "Create or replace the function and the triggers of captures. Safe to repeat.",
                "Each table is locked for a moment. If the lock is not granted within 3 s, nothing is changed."
            })
    void apply(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        captures(options)
                .apply(files.files())
                .forEach(applied -> options.print(
                        applied.changed()
                                ? "Installed capture " + applied.name() + " of " + applied.table() + "."
                                        + (applied.byOwner()
                                                ? ""
                                                : " It runs with the rights of the role that writes, which needs: grant insert on outbox.")
                                : "Capture " + applied.name() + " is up to date."));
    }

    @Command(
            name = "check",
            description = {
                "Compare the files with the tables and with what is installed. Nothing is changed.",
                "Exit code 1: something differs."
            })
    int check(@Mixin CaptureFiles files, @Mixin SettingsOptions options) throws SQLException, IOException {
        List<String> problems = captures(options).check(files.files(), files.isAll());
        problems.forEach(options::print);
        Backfill.last(options.database()).values().stream()
                .filter(each -> !each.finished())
                .forEach(each -> options.print("The backfill of " + each.capture() + " is unfinished, after "
                        + Formatted.counted(each.messages(), "message")
                        + ". To continue it, run: ./caravan capture backfill"));
        options.print(
                problems.isEmpty() ? "No problems found." : Formatted.counted(problems.size(), "problem") + " found.");
        return problems.isEmpty() ? 0 : 1;
    }

    @Command(name = "list", description = "List the captures in the database.")
    void list(@Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        Map<String, Backfill.Last> backfills = Backfill.last(options.database());
        List<Listed> all = captures(options).list().stream()
                .map(each -> listed(each, backfills.get(each.name())))
                .toList();
        String faults = all.stream()
                .flatMap(each -> each.faults().stream()
                        .map(fault -> "\nCapture " + each.capture() + ": " + fault + ". Run: ./caravan capture check"))
                .collect(Collectors.joining());
        output.print(TABLE.text(all) + faults, all);
    }

    @Command(
            name = "remove",
            description =
                    "Remove the triggers and the function of a capture. Messages that it has written stay in the outbox.")
    void remove(
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
        if (options.confirmed(yes, "Remove capture " + name)) {
            Optional<InstalledCapture> removed = captures.remove(name);
            options.print("Removed capture " + name
                    + removed.map(each -> " of " + each.tables()).orElse("") + ". Its changes are no longer captured.");
        }
    }

    private static Listed listed(InstalledCapture installed, Backfill.Last backfill) {
        return new Listed(
                installed.name(),
                installed.tables(),
                installed.triggers().size(),
                installed.enabled(),
                installed.faults(),
                backfill == null ? "-" : backfill.finished() ? "complete" : "unfinished",
                backfill == null ? 0 : backfill.messages());
    }

    private static Captures captures(SettingsOptions options) {
        return new Captures(options.database());
    }
}
