package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Search;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.Versioned;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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

    @Spec
    private CommandSpec spec;

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

    abstract MessageFilter filter();

    abstract Search<?> search(DataSource database);

    /** The action and the messages, as a job names them. */
    abstract String action();

    /** {@code dead letters}, as a job names them. */
    abstract String messages();

    /** Reports what was selected. Default: nothing. */
    void describe(DataSource database, MessageFilter selected) throws SQLException {}

    /** Id of the discard that the command makes, if it can be undone. */
    Optional<UUID> discard() {
        return Optional.empty();
    }

    abstract Named named(DataSource database) throws SQLException;

    /** Changes messages of one subscription. Returns the number of those changed; the others no longer have the selected version. */
    abstract int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException;

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
        bulk.rate();
        DataSource database = database();
        try (Interruption interruption = new Interruption()) {
            return names.isEmpty() ? changeAll(database, by, interruption) : changeNamed(database, by, interruption);
        }
    }

    private void requireNamesOrAll() {
        if (names.isEmpty() && !all) {
            throw usageError("Name " + text().noun() + "s (SUBSCRIPTION ID), or use --all with or without filters.");
        }
        if (!names.isEmpty() && (all || isFiltered())) {
            throw usageError("Name " + text().noun() + "s or use --all and filters, not both.");
        }
    }

    private int changeAll(DataSource database, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine counting = progress();
        MessageFilter selected = new Jobs(database).untilNow(filter());
        Selection set = search(database).select(selected, found -> {
            counting.at(found);
            return interruption.mayContinue();
        });
        counting.end();
        if (!interruption.mayContinue()) {
            report("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (set.size() == 0) {
            String nothing = nothingFound(database) + " Nothing was changed.";
            output.print(() -> nothing, () -> text().counted(set, List.of(), bulk.dryRun()));
            return 0;
        }
        describe(database, selected);
        if (!bulk.dryRun() && !interruption.ask(() -> bulk.confirmed(text().question(set)))) {
            report("Nothing was changed.");
            return 0;
        }
        return bulk.dryRun() ? wouldChange(set, List.of()) : changeAllOf(database, selected, set, by, interruption);
    }

    /** Changes all messages that were counted and confirmed, with a job for each subscription. */
    int changeAllOf(DataSource database, MessageFilter selected, Selection set, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        Jobs jobs = new Jobs(database);
        long done = 0;
        boolean finished = true;
        ProgressLine progress = progress();
        for (var counted : set.counts().entrySet()) {
            if (finished) {
                long before = done;
                FollowedJob job = new FollowedJob(
                        jobs,
                        jobs.start(
                                task(selected, counted.getKey()),
                                bulk.rate(),
                                discard(),
                                OptionalLong.of(counted.getValue()),
                                by),
                        by);
                try {
                    finished = job.follow(interruption, changed -> progress.at(before + changed));
                } catch (SQLException e) {
                    report(text().failed(before + job.job().done()) + "." + job.continuation() + next(set));
                    throw e;
                } finally {
                    progress.end();
                }
                done += job.job().done();
            }
        }
        return changed(
                set, List.of(), new ChangeText.Outcome(done, finished ? Math.max(0, set.size() - done) : 0), finished);
    }

    private Jobs.Task task(MessageFilter selected, String subscription) {
        Map<String, Object> filter = selected.fields();
        filter.put("subscription", subscription);
        return new Jobs.Task(action(), Optional.of(subscription), Map.of("of", messages(), "filter", filter));
    }

    /** Changes messages at once, without a job. */
    private int changeNamed(DataSource database, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        Named named = named(database);
        Selection set = Selection.of(named.found());
        if (bulk.dryRun()) {
            return wouldChange(set, named.missing());
        }
        long done = 0;
        long skipped = 0;
        boolean finished = true;
        ChangePace pace = new ChangePace(bulk.rate().orElse(0), ChangePace.Time.REAL);
        for (Selection.Chunk chunk : set.chunks(pace.chunk())) {
            finished = finished && pace.await(interruption::mayContinue);
            if (finished) {
                int changed = changeOrReport(database, chunk, by, done, set);
                done += changed;
                skipped += chunk.size() - changed;
                pace.record(changed);
            }
        }
        return changed(set, named.missing(), new ChangeText.Outcome(done, skipped), finished);
    }

    /** A failure is reported with the number of messages changed before it, then thrown. */
    private int changeOrReport(DataSource database, Selection.Chunk chunk, Actor by, long done, Selection set)
            throws SQLException {
        try {
            return change(database, chunk, by);
        } catch (SQLException e) {
            report(text().failed(done) + next(set));
            throw e;
        }
    }

    private int wouldChange(Selection set, List<String> missing) {
        missing.forEach(this::report);
        output.print(() -> text().wouldChange(set), () -> text().counted(set, missing, true));
        return missing.isEmpty() ? 0 : 1;
    }

    private int changed(Selection set, List<String> missing, ChangeText.Outcome outcome, boolean finished) {
        missing.forEach(this::report);
        String next = outcome.done() == 0 ? "" : next(set);
        print(text().changed(set, outcome, finished) + next, fields(set, outcome, missing));
        if (!finished) {
            return Interruption.EXIT;
        }
        return missing.isEmpty() && (all || outcome.changedMeanwhile() == 0) ? 0 : 1;
    }

    /**
     * Looks up the messages named on the command line.
     *
     * @throws ParameterException when the arguments are malformed
     */
    final <N extends NamedMessages> N lookUp(N named, Optional<String> subscription) throws SQLException {
        try {
            named.find(subscription, names);
            return named;
        } catch (IllegalArgumentException e) {
            throw usageError(e.getMessage());
        }
    }

    /** Prints the result of a change. */
    void print(String text, Map<String, Object> fields) {
        output.print(() -> text, () -> fields);
    }

    private Map<String, Object> fields(Selection set, ChangeText.Outcome outcome, List<String> missing) {
        Map<String, Object> fields = text().fields(set, outcome, missing);
        fields.putAll(moreFields());
        return fields;
    }

    final ProgressLine progress() {
        return new ProgressLine(spec.commandLine().getErr(), Boolean.getBoolean("caravan.terminal"));
    }

    final void report(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    final ParameterException usageError(String text) {
        return new ParameterException(spec.commandLine(), text);
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
