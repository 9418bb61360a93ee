package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkChange;
import dev.caravan.operate.failed.ChangePace;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.Versioned;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.LongPredicate;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * A command that changes messages. It changes named messages at once, and all messages that match filters only after it has
 * counted them and the person has confirmed.
 */
abstract class ChangeCommand implements Callable<Integer> {
    /**
     * The messages named on the command line.
     *
     * @param found messages that can be changed
     * @param missing one sentence for each message that does not exist or cannot be changed
     */
    record Named(List<? extends Versioned> found, List<String> missing) {}

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "SUBSCRIPTION ID… (for dead letters also message ids), or --all with filters.")
    private List<String> names = List.of();

    @Option(
            names = "--all",
            description = "All messages that match the filters at this moment; later ones are not included.")
    private boolean all;

    @Mixin
    private BulkOptions bulk;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** The wording of this command's output. */
    abstract ChangeText text();

    /** Whether a filter other than {@code --subscription} is given. */
    abstract boolean isFiltered();

    /** A sentence that says that nothing matches, and why if known. */
    abstract String nothingFound(DataSource database) throws SQLException;

    /**
     * Reads the ids of all messages that match the filters now.
     *
     * @param progress receives the number of messages found so far; returning false ends the search
     */
    abstract Selection select(DataSource database, LongPredicate progress) throws SQLException;

    abstract Named named(DataSource database) throws SQLException;

    abstract BulkChange.Change change(DataSource database, Actor by);

    /**
     * Text that follows the result, even of an incomplete change: what a person can do next. Begins with a line break. Default: empty.
     *
     * @param set the messages that were to be changed
     */
    String next(Selection set) {
        return "";
    }

    /** Further fields of the output. Default: none. */
    Map<String, Object> moreFields() {
        return Map.of();
    }

    @Override
    public Integer call() throws Exception {
        requireNamesOrAll();
        Actor by = actor.actor();
        ChangePace pace = bulk.pace();
        DataSource database = database();
        try (Interruption interruption = new Interruption()) {
            return names.isEmpty()
                    ? changeAll(database, by, interruption)
                    : changeNamed(database, by, pace, interruption);
        }
    }

    private void requireNamesOrAll() {
        if (names.isEmpty() && !all) {
            throw options.wrong("Name " + text().noun() + "s (SUBSCRIPTION ID), or use --all with or without filters.");
        }
        if (!names.isEmpty() && (all || isFiltered())) {
            throw options.wrong("Name " + text().noun() + "s or use --all and filters, not both.");
        }
    }

    private int changeAll(DataSource database, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine counting = options.progress();
        Selection set = select(database, found -> {
            counting.at(found);
            return interruption.mayContinue();
        });
        counting.end();
        if (!interruption.mayContinue()) {
            options.report("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (set.size() == 0) {
            String nothing = nothingFound(database) + " Nothing was changed.";
            output.print(nothing, text().counted(set, List.of(), bulk.dryRun()));
            return 0;
        }
        if (!bulk.dryRun() && !interruption.ask(() -> bulk.confirmed(text().question(set)))) {
            return 0;
        }
        return changeAllOf(database, set, by, interruption);
    }

    /** Changes all messages that were counted and confirmed. */
    int changeAllOf(DataSource database, Selection set, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        return sweep(database, set, List.of(), by, bulk.pace(), interruption);
    }

    private int changeNamed(DataSource database, Actor by, ChangePace pace, Interruption interruption)
            throws SQLException, InterruptedException {
        Named named = named(database);
        return sweep(database, Selection.of(named.found()), named.missing(), by, pace, interruption);
    }

    /**
     * Looks up the messages named on the command line.
     *
     * @throws ParameterException when the arguments are malformed
     */
    final <T> NamedMessages<T> lookUp(NamedMessages<T> named, Optional<String> subscription) throws SQLException {
        try {
            return named.find(subscription, names);
        } catch (IllegalArgumentException e) {
            throw options.wrong(e.getMessage());
        }
    }

    private int sweep(
            DataSource database,
            Selection set,
            List<String> missing,
            Actor by,
            ChangePace pace,
            Interruption interruption)
            throws SQLException, InterruptedException {
        if (bulk.dryRun()) {
            missing.forEach(options::report);
            output.print(text().wouldChange(set), text().counted(set, missing, true));
            return missing.isEmpty() ? 0 : 1;
        }
        BulkChange sweep = new BulkChange(change(database, by), pace);
        boolean finished = run(sweep, set, interruption);
        missing.forEach(options::report);
        String next = sweep.done() == 0 ? "" : next(set);
        print(text().changed(set, sweep, finished) + next, fields(set, sweep, missing));
        if (!finished) {
            return Interruption.EXIT;
        }
        return missing.isEmpty() && (all || sweep.changedMeanwhile() == 0) ? 0 : 1;
    }

    /** Prints the result of a change. */
    void print(String text, Map<String, Object> fields) {
        output.print(text, fields);
    }

    private Map<String, Object> fields(Selection set, BulkChange sweep, List<String> missing) {
        Map<String, Object> fields = text().fields(set, sweep, missing);
        fields.putAll(moreFields());
        return fields;
    }

    /** Returns false when interrupted. A failure is reported with the number of messages changed before it, then thrown. */
    private boolean run(BulkChange sweep, Selection set, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine progress = options.progress();
        try {
            return sweep.run(set, interruption::mayContinue, progress::at);
        } catch (SQLException e) {
            options.report(text().failed(sweep) + next(set));
            throw e;
        } finally {
            progress.end();
        }
    }

    final List<String> names() {
        return names;
    }

    final OptionalInt rate() {
        return bulk.rate();
    }

    final boolean isDryRun() {
        return bulk.dryRun();
    }

    final SettingsOptions options() {
        return options;
    }

    final OutputOption output() {
        return output;
    }

    final Actor by() {
        return actor.actor();
    }

    final DataSource database() {
        return options.database();
    }

    final Settings settings() {
        return options.settings();
    }
}
