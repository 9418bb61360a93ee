package dev.caravan.cli;

import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.MessageEdit;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Sentence;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterGroups;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.DeliveredSince;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.job.Jobs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code caravan dead-letters retry}: delivers dead letters again, or one of them with an edit. */
@Command(
        name = "retry",
        sortOptions = false,
        description = {
            "Deliver dead letters again, with attempts counted from zero. The dead letters of a key are delivered in"
                    + " order.",
            "With --all, five of each running subscription are retried first. The others follow, at the rate, when"
                    + " these are delivered. The retry stops when one of the five fails again, and later when 20 of 100"
                    + " do. Relays continue it when this command is killed; Ctrl-C pauses it. caravan bulk-retries shows"
                    + " it.",
            "With --edit, one dead letter is retried with another payload or other headers:"
                    + " {\"payload\":…, \"headers\":{…}}; for a binary payload {\"payloadBase64\":\"…\"}."
                    + " The payload and the headers are each replaced as a whole; the one that is left out is not changed."
                    + " A value left at •••, as the console shows it, is not changed. With --payload-file, the file is the"
                    + " new payload."
                    + " The audit stores the original."
        })
final class DeadLettersRetryCommand extends RetryingCommand {
    private static final int SHOWN_GROUPS = 5;

    /** Whether bulk retries are followed. */
    private boolean isFollowed;

    /** The fields of the dead letters that were retried at once, while bulk retries are followed. */
    private Map<String, Object> changed = Map.of();

    @Option(
            names = "--edit",
            paramLabel = "FILE",
            description = "Retry one dead letter with this payload or these headers; - for standard input.")
    private Path edit;

    @Option(
            names = "--payload-file",
            paramLabel = "FILE",
            description =
                    "Retry one dead letter with the content of this file as payload: JSON, or any bytes if the payload"
                            + " is binary; - for standard input.")
    private Path payload;

    DeadLettersRetryCommand() {
        super(new MessageFilterOptions.OfDeadLetters());
    }

    @Override
    public Integer call() throws Exception {
        if (edit == null && payload == null) {
            return super.call();
        }
        wait.require(names);
        try (Interruption interruption = new Interruption()) {
            return retryEdited(interruption);
        }
    }

    private int retryEdited(Interruption interruption) throws SQLException, IOException, InterruptedException {
        if (edit != null && payload != null) {
            throw options.wrong("Use --edit or --payload-file, not both.");
        }
        if (names.isEmpty()) {
            throw options.wrong(option() + " needs exactly one dead letter: SUBSCRIPTION ID, or a message id.");
        }
        Actor by = actor.actor();
        byte[] given = readFile();
        DataSource database = options.database();
        DeadLetter letter = single(NamedMessages.dead(database).find(filter.subscription(), names, options));
        StoredContent changed = changed(given, letter);
        List<String> differences = EditText.lines(MessageEdit.differences(letter.content(), changed));
        if (differences.isEmpty()) {
            throw new CommandFailure("The edit does not change " + letter
                    + ". Nothing was changed. To retry it unchanged, leave out " + option() + ".");
        }
        differences.forEach(options::report);
        boolean done = !bulk.dryRun() && new DeadLetters(database).retryEdited(letter, changed, by);
        if (!done && !bulk.dryRun()) {
            throw new CommandFailure("Could not retry " + letter
                    + ": it changed meanwhile (retried, discarded, or dead again). Nothing was changed.");
        }
        Selection set = Selection.of(List.of(letter.summary()));
        List<Outcome> outcomes = done ? outcomes(database, set, interruption) : List.of();
        output.print(
                done
                        ? "Retried " + letter + " with the edit. The audit stores the original."
                                + (outcomes.isEmpty() ? next(set) : WaitOption.text(outcomes))
                        : "Would retry " + letter + " with the edit. Nothing was changed.",
                new Edited(
                        letter.summary().subscription(),
                        letter.summary().id(),
                        done ? 1 : 0,
                        differences,
                        !done,
                        outcomes));
        return isMissed(outcomes) ? 1 : 0;
    }

    /** The result of a retry with an edit, as JSON. */
    private record Edited(
            String subscription,
            long id,
            int retried,
            List<String> differences,
            boolean dryRun,
            List<Outcome> outcomes) {}

    private String option() {
        return edit == null ? "--payload-file" : "--edit";
    }

    private byte[] readFile() throws IOException {
        try (InputStream file = options.open(edit == null ? payload : edit, " Nothing was changed.")) {
            return file.readAllBytes();
        }
    }

    private StoredContent changed(byte[] given, DeadLetter letter) {
        try {
            MessageEdit read = edit == null ? MessageEdit.payload(given, letter.content()) : MessageEdit.read(given);
            // the file may be a copy of what the console shows
            return letter.edited(read.revealed(ManagementSettings.mask(options.settings()), letter.content()));
        } catch (BadLine bad) {
            throw new CommandFailure(
                    "Could not use the edit: " + Sentence.of(bad.getMessage()) + " Nothing was changed.");
        }
    }

    private DeadLetter single(NamedMessages<DeadLetter> named) {
        if (!named.missing().isEmpty()) {
            throw new CommandFailure(String.join("\n", named.missing()) + "\nNothing was changed.");
        }
        if (named.found().size() != 1) {
            throw options.wrong(option() + " takes exactly one dead letter, got "
                    + named.found().stream()
                            .map(letter -> letter.summary().subscription() + " "
                                    + letter.summary().id())
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        return named.found().get(0);
    }

    @Override
    int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
        return new DeadLetters(database).retry(chunk, by);
    }

    @Override
    String next(Selection set) {
        String subscription = set.counts().keySet().iterator().next();
        return set.size() == 1
                ? "\nTo see whether it is delivered: ./caravan why " + set.ids(subscription)[0] + " --subscription "
                        + subscription
                : "\nTo see which are not delivered yet: ./caravan retries list";
    }

    /** Reports which errors are retried, when they occurred last, and what was delivered since. */
    @Override
    void describe(DataSource database, MessageFilter selected) throws SQLException {
        DeadLetterGroups groups = DeadLetterGroups.of(database, selected);
        groups.largest().stream()
                .limit(SHOWN_GROUPS)
                .forEach(group ->
                        options.report("  " + group.subscription() + ": " + Formatted.counted(group.count(), "message")
                                + ", last failed " + Formatted.ago(group.lastSeen()) + ", "
                                + MessageText.error(group.errorClass(), group.pattern())));
        Instant now = DatabaseClock.now(database);
        try {
            DeliveredSince.of(database, groups).stream()
                    .limit(SHOWN_GROUPS)
                    .forEach(since -> options.report("  " + since.text(now)));
        } catch (SQLException e) {
            if (!DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
            options.report("  What was delivered since is not shown, because this role may not read outbox_history.");
        }
    }

    /** With bulk retries, their JSON contains these fields, so that the command prints one document. */
    @Override
    void print(String text, Map<String, Object> fields) {
        if (isFollowed && output.isJson()) {
            changed = fields;
        } else {
            super.print(text, fields);
        }
    }

    /** Dead letters of subscriptions without a running relay are retried at once: there is no outcome to wait for. */
    @Override
    int changeAllOf(DataSource database, MessageFilter selected, Selection set, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        Jobs jobs = new Jobs(database);
        FollowedBulkRetries followed = new FollowedBulkRetries(jobs, by, options::report);
        try {
            for (var counted : set.counts().entrySet()) {
                if (jobs.isObserved(counted.getKey())) {
                    followed.add(jobs.startBulkRetry(selected, counted.getKey(), counted.getValue(), bulk.rate(), by));
                }
            }
            Selection rest = set.without(followed.subscriptions());
            isFollowed = !followed.subscriptions().isEmpty();
            int code = rest.size() == 0 ? 0 : super.changeAllOf(database, selected, rest, by, interruption);
            return isFollowed ? Math.max(code, followed.follow(interruption, output, changed)) : code;
        } catch (SQLException e) {
            followed.reportContinuing();
            throw e;
        }
    }
}
