package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that changes messages. It changes named messages at once, and all messages that match filters only after it has
 * counted them and the person has confirmed.
 */
abstract class ChangeCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "SUBSCRIPTION ID… (for dead letters also message ids), or --all with filters.")
    List<String> names = List.of();

    @Option(
            names = "--all",
            description = "All messages that match the filters at this moment; later ones are not included.")
    private boolean all;

    @Mixin
    BulkOptions bulk;

    @Mixin
    ActorOptions actor;

    @Mixin
    OutputOption output;

    @Mixin
    SettingsOptions options;

    @Mixin
    final MessageFilterOptions filter;

    private final ChangeText text;

    /**
     * @param action the action as its job names it: {@code give-up}
     * @param verb {@code give up}
     * @param past {@code gave up}
     * @param participle {@code given up}
     * @param reasonFor {@code Giving up}, if it needs a reason; otherwise empty
     */
    ChangeCommand(
            String action, String verb, String past, String participle, String reasonFor, MessageFilterOptions filter) {
        this.text = new ChangeText(action, verb, past, participle, reasonFor, filter.messages());
        this.filter = filter;
    }

    /** Changes messages of one subscription. Returns the number of those changed; the others no longer have the selected version. */
    abstract int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException;

    /** Reports what was selected. Default: nothing. */
    void describe(DataSource database, MessageFilter selected) throws SQLException {}

    /** Id of the discard that the command makes, if it can be undone. */
    Optional<UUID> discard() {
        return Optional.empty();
    }

    /**
     * Text that follows the result, even of an incomplete change: what a person can do next. Begins with a line break. Default: empty.
     *
     * @param set the messages that were to be changed
     */
    String next(Selection set) {
        return "";
    }

    /** @throws picocli.CommandLine.ParameterException if these named messages are not to be changed. Default: never. */
    void require(Selection set) {}

    /** What became of named messages that were changed. Default: unknown. */
    List<Outcome> outcomes(DataSource database, Selection set, Interruption interruption)
            throws SQLException, InterruptedException {
        return List.of();
    }

    /** Whether these outcomes are a failure of the command. Default: no. */
    boolean isMissed(List<Outcome> outcomes) {
        return false;
    }

    /** Further fields of the output. Default: none. */
    Map<String, Object> moreFields() {
        return Map.of();
    }

    @Override
    public Integer call() throws Exception {
        Actor by = actor.actor();
        if (!text.reasonFor().isEmpty() && by.reason().isEmpty()) {
            throw options.wrong(text.reasonFor() + " needs a reason: --reason TEXT. Nothing was changed.");
        }
        requireNamesOrAll();
        bulk.rate();
        DataSource database = options.database();
        try (Interruption interruption = new Interruption()) {
            return names.isEmpty() ? changeAll(database, by, interruption) : changeNamed(database, by, interruption);
        }
    }

    private void requireNamesOrAll() {
        if (names.isEmpty() && !all) {
            throw options.wrong(
                    "Name " + text.messages().noun() + "s (SUBSCRIPTION ID), or use --all with or without filters.");
        }
        if (!names.isEmpty() && (all || filter.restricts())) {
            throw options.wrong("Name " + text.messages().noun() + "s or use --all and filters, not both.");
        }
    }

    private int changeAll(DataSource database, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine counting = options.progress();
        filter.check(database, " Nothing was changed.");
        MessageFilter selected = new Jobs(database).untilNow(filter.filter());
        Selection set = filter.search(database).select(selected, found -> {
            counting.at(found);
            return interruption.mayContinue();
        });
        counting.end();
        if (!interruption.mayContinue()) {
            options.report("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (set.size() == 0) {
            String nothing = filter.nothingFound() + " Nothing was changed.";
            output.print(nothing, text.fields(set, ChangeText.Outcome.NOTHING, List.of(), bulk.dryRun()));
            return 0;
        }
        describe(database, selected);
        if (!bulk.dryRun() && !interruption.ask(() -> bulk.confirmed(text.question(set)))) {
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
        ProgressLine progress = options.progress();
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
                    options.report(text.failed(before + job.job().done()) + "." + job.continuation() + next(set));
                    throw e;
                } finally {
                    progress.end();
                }
                done += job.job().done();
            }
        }
        return changed(
                set,
                List.of(),
                new ChangeText.Outcome(done, finished ? Math.max(0, set.size() - done) : 0),
                finished,
                List.of());
    }

    private Jobs.Task task(MessageFilter selected, String subscription) {
        Map<String, Object> fields = selected.fields();
        fields.put("subscription", subscription);
        return new Jobs.Task(
                text.action(),
                Optional.of(subscription),
                Map.of("of", text.messages().name(), "filter", fields));
    }

    /** Changes messages at once, without a job. */
    private int changeNamed(DataSource database, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        NamedMessages.Changeable named = filter.named(names, database, options);
        Selection set = Selection.of(named.found());
        require(set);
        if (bulk.dryRun()) {
            return wouldChange(set, named.missing());
        }
        long done = 0;
        long skipped = 0;
        boolean finished = true;
        ChangePace pace = new ChangePace(bulk.rate().orElse(0), Clock.SYSTEM, TimeUnit.NANOSECONDS::sleep);
        for (Selection.Chunk chunk : set.chunks(pace.chunk(1_000))) {
            finished = finished && pace.await(interruption::mayContinue);
            if (finished) {
                int changed = changeOrReport(database, chunk, by, done, set);
                done += changed;
                skipped += chunk.size() - changed;
                pace.record(changed);
            }
        }
        List<Outcome> outcomes = done > 0 && finished ? outcomes(database, set, interruption) : List.of();
        return changed(set, named.missing(), new ChangeText.Outcome(done, skipped), finished, outcomes);
    }

    /** A failure is reported with the number of messages changed before it, then thrown. */
    private int changeOrReport(DataSource database, Selection.Chunk chunk, Actor by, long done, Selection set)
            throws SQLException {
        try {
            return change(database, chunk, by);
        } catch (SQLException e) {
            options.report(text.failed(done) + next(set));
            throw e;
        }
    }

    private int wouldChange(Selection set, List<String> missing) {
        missing.forEach(options::report);
        output.print(text.wouldChange(set), text.fields(set, ChangeText.Outcome.NOTHING, missing, true));
        return missing.isEmpty() ? 0 : 1;
    }

    private int changed(
            Selection set, List<String> missing, ChangeText.Outcome outcome, boolean finished, List<Outcome> outcomes) {
        missing.forEach(options::report);
        boolean isKnown = !outcomes.isEmpty() && outcomes.stream().allMatch(Outcome::settled);
        String next = outcome.done() == 0 || isKnown ? "" : next(set);
        Map<String, Object> fields = fields(set, outcome, missing);
        if (!outcomes.isEmpty()) {
            fields.put("outcomes", outcomes);
        }
        print(text.changed(set, outcome, finished) + WaitOption.text(outcomes) + next, fields);
        if (!finished) {
            return Interruption.EXIT;
        }
        boolean done = missing.isEmpty() && (all || outcome.changedMeanwhile() == 0);
        return done && !isMissed(outcomes) ? 0 : 1;
    }

    /** Prints the result of a change. */
    void print(String text, Map<String, Object> fields) {
        output.print(text, fields);
    }

    private Map<String, Object> fields(Selection set, ChangeText.Outcome outcome, List<String> missing) {
        Map<String, Object> fields = text.fields(set, outcome, missing, false);
        fields.putAll(moreFields());
        return fields;
    }
}
