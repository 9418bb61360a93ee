package dev.caravan.cli;

import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.MessageLine;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HiddenCharacters;
import dev.caravan.database.Database;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan publish}: inserts messages from a file into the outbox. */
@Command(
        name = "publish",
        sortOptions = false,
        description = {
            "Insert messages from a file or standard input.",
            "Each line is a JSON object:",
            "  {\"aggregateType\":\"order\",\"aggregateId\":\"42\",\"type\":\"order.created\",\"payload\":{\"total\":7}}",
            "Optional: \"headers\" (an object of strings, numbers, booleans) and \"messageId\" (a UUID)."
                    + " The payload is stored byte for byte as written; null is an empty body.",
            "A binary payload is Base64 in \"payloadBase64\" instead of \"payload\". The JSON value null is"
                    + " \"payloadText\":\"null\".",
            "An export of dead letters can be read too: its \"deadLetter\" fields are ignored."
                    + " Its messages are then new messages for all subscriptions.",
            "A line that repeats an earlier messageId is bad; the first million message ids are compared.",
            "All lines are inserted in one transaction, or none. With --skip-bad, all good lines are inserted."
        })
final class PublishCommand implements Callable<Integer> {
    private static final int LONGEST_WAIT_AFTER_CTRL_C_SECONDS = 2;

    @Mixin
    private SettingsOptions options;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            defaultValue = "-",
            description = "Read messages from this file. Default, or with -: standard input.")
    private Path file;

    @Option(names = "--skip-bad", description = "Insert the good lines and list the bad ones.")
    private boolean skipBad;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "With --skip-bad: messages per transaction. Default: 10000")
    private Integer batch;

    private final GivenIds givenIds = new GivenIds();
    private final BadLines badLines = new BadLines();
    private Interruption interruption;
    private volatile long inserted;
    private boolean inserting = true;

    @Override
    public Integer call() throws Exception {
        requireValidBatch();
        var database = Database.forCommand(options.settings());
        try (InputStream in = options.open(file, " Nothing was inserted.");
                Publication publication = new Publication(database.getConnection());
                Interruption ctrlC = new Interruption(LONGEST_WAIT_AFTER_CTRL_C_SECONDS, this::reportInterruption)) {
            interruption = ctrlC;
            return publishOrReport(new MessageLines(in), publication);
        }
    }

    private void requireValidBatch() {
        if (batch != null && !skipBad) {
            throw options.wrong("--batch needs --skip-bad: without it all lines are inserted in one transaction.");
        }
        options.requireUpTo(1_000_000, "--batch", batch == null ? 1 : batch, "");
    }

    private int publishOrReport(MessageLines lines, Publication publication) throws SQLException, IOException {
        try {
            return publish(lines, publication);
        } catch (SQLException | IOException e) {
            report(1, failure(publication));
            throw e;
        }
    }

    private static String failure(Publication publication) {
        String before = publication.committed() == 0
                ? "Failed: nothing was inserted"
                : "Failed: the first " + Formatted.were(publication.committed(), "good message") + " inserted";
        return before
                + (publication.isCommitting()
                        ? ". It is unknown whether the last " + Formatted.were(publication.pending(), "message")
                                + " inserted too, because the commit was not answered."
                        : ".");
    }

    private int publish(MessageLines lines, Publication publication) throws SQLException, IOException {
        int perTransaction = batch == null ? 10_000 : batch;
        ProgressLine progress = options.progress();
        while (interruption.mayContinue() && lines.advance()) {
            if (!lines.isBlank()) {
                add(lines, publication);
            }
            if (skipBad && publication.pending() >= perTransaction) {
                commit(publication);
            }
            progress.at(publication.committed() + publication.pending());
        }
        progress.end();
        return interruption.mayContinue() ? finish(publication, progress) : abort(publication);
    }

    private int abort(Publication publication) throws SQLException {
        publication.rollback();
        return reportInterruption();
    }

    /** Does not start a commit after Ctrl-C, so that the reported number of messages is correct. */
    private void commit(Publication publication) throws SQLException {
        interruption.unlessInterrupted(() -> {
            publication.commit();
            inserted = publication.committed();
        });
    }

    private void add(MessageLines lines, Publication publication) throws SQLException {
        try {
            if (lines.isTooLong()) {
                throw new BadLine("is longer than " + MessageLines.MAX_BYTES / 1024 / 1024 + " MiB");
            }
            MessageLine.Row row = MessageLine.row(lines.bytes());
            requireNewId(row, lines.number());
            if (inserting) {
                publication.add(row.copyRow());
            }
        } catch (BadLine bad) {
            badLines.add(lines.number(), bad.getMessage());
            if (inserting && !skipBad) {
                inserting = false; // the remaining lines are only read, to report all bad lines at once
                publication.rollback();
            }
        }
    }

    private void requireNewId(MessageLine.Row row, long line) throws BadLine {
        if (row.givenId().isPresent()) {
            long before = givenIds.lineBefore(row.givenId().get(), line);
            if (before > 0) {
                throw new BadLine("messageId " + row.givenId().get() + " is already used on line " + before);
            }
        }
    }

    private int finish(Publication publication, ProgressLine progress) throws SQLException {
        badLines.printTo(options.err());
        if (!inserting) {
            return report(
                    1,
                    "Nothing was inserted because of " + Formatted.counted(badLines.count(), "bad line")
                            + ". Correct them, or insert the good lines with --skip-bad.");
        }
        commit(publication);
        if (!interruption.mayContinue()) {
            return abort(publication);
        }
        long messages = publication.committed();
        String skipped = badLines.count() == 0 ? "" : ", skipped " + Formatted.counted(badLines.count(), "bad line");
        options.out()
                .printf(
                        Locale.ROOT,
                        "Inserted %s%s in %.1f s (%,d a second).%n",
                        Formatted.counted(messages, "message"),
                        skipped,
                        progress.seconds(),
                        progress.rate(messages));
        options.out().flush();
        return 0;
    }

    private int reportInterruption() {
        return report(
                Interruption.EXIT,
                inserted == 0
                        ? "Interrupted: nothing was inserted."
                        : "Interrupted: the first " + Formatted.were(inserted, "good message") + " inserted.");
    }

    private int report(int code, String text) {
        options.report(text);
        return code;
    }

    /** Counts the bad lines of an input and stores the first 20 of them. */
    private static final class BadLines {
        private static final int SHOWN = 20;

        private final List<String> first = new ArrayList<>();
        private long count;

        void add(long number, String reason) {
            count++;
            if (first.size() < SHOWN) {
                first.add("line " + number + ": " + reason);
            }
        }

        long count() {
            return count;
        }

        void printTo(PrintWriter out) {
            first.forEach(line -> out.println(HiddenCharacters.shown(line)));
            if (count > SHOWN) {
                out.println("… and " + Formatted.counted(count - SHOWN, "more bad line"));
            }
        }
    }
}
