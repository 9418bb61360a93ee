package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.deadletter.DeadLetter;
import dev.caravan.deadletter.DeadLetters;
import dev.caravan.deadletter.FirstRetries;
import dev.caravan.json.BadLine;
import dev.caravan.json.MessageEdit;
import dev.caravan.selection.BulkChange;
import dev.caravan.selection.ChangePace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code caravan dead-letters retry}: deliver again. */
@Command(
        name = "retry",
        sortOptions = false,
        description = {
            "Let dead letters be delivered again, with attempts counted anew. Those of one key follow each other in order.",
            "With --all, five of each subscription go first while a relay works it: the others follow when these are delivered.",
            "With --edit, one dead letter goes with another payload or other headers:"
                    + " {\"payload\":…, \"headers\":{…}}; what is left out stays as it is. The audit keeps the original."
        })
final class DeadLettersRetryCommand extends DeadLettersChangeCommand {
    @Option(
            names = "--edit",
            paramLabel = "FILE",
            description = "Retry one dead letter with this payload or these headers; - for standard input.")
    private Path edit;

    @Override
    public Integer call() throws Exception {
        return edit == null ? super.call() : retryEdited();
    }

    private int retryEdited() throws SQLException, IOException {
        if (names().isEmpty()) {
            throw wrongUse("--edit needs exactly one dead letter: SUBSCRIPTION ID, or a message id.");
        }
        Actor by = by();
        MessageEdit changed = read();
        DataSource database = database();
        DeadLetter letter = one(lookUp(database));
        List<String> differences = EditText.lines(changed.differences(letter));
        if (differences.isEmpty()) {
            throw new CommandFailure("The edit changes nothing of " + letter
                    + ". Nothing was done; without --edit it is" + " retried as it is.");
        }
        differences.forEach(this::tell);
        boolean done = !isDryRun()
                && new DeadLetters(database).retryEdited(letter, changed.headers(letter), changed.payload(letter), by);
        if (!done && !isDryRun()) {
            throw new CommandFailure("Could not retry " + letter
                    + ": it changed meanwhile (retried, discarded, or dead again). Nothing was done.");
        }
        output().print(
                        () -> done
                                ? "Retried " + letter + " edited; the audit keeps the original."
                                : "Would retry " + letter + " edited. Nothing was changed.",
                        () -> fields(letter, done, differences));
        return 0;
    }

    private static Map<String, Object> fields(DeadLetter letter, boolean done, List<String> differences) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", letter.summary().subscription());
        fields.put("id", letter.summary().id());
        fields.put("retried", done ? 1 : 0);
        fields.put("differences", differences);
        fields.put("dryRun", !done);
        return fields;
    }

    private MessageEdit read() throws IOException {
        boolean fromInput = edit.toString().equals("-");
        if (!fromInput && !Files.isReadable(edit)) {
            throw wrongUse("Could not read the file " + edit + ". Nothing was changed.");
        }
        try {
            return MessageEdit.read(fromInput ? System.in.readAllBytes() : Files.readAllBytes(edit));
        } catch (BadLine bad) {
            throw new CommandFailure("Could not use the edit: " + bad.getMessage() + ". Nothing was changed.");
        }
    }

    private DeadLetter one(NamedDeadLetters named) throws SQLException {
        if (!named.missing().isEmpty()) {
            throw new CommandFailure(String.join("\n", named.missing()) + "\nNothing was changed.");
        }
        if (named.found().size() != 1) {
            throw wrongUse("--edit takes exactly one dead letter, got "
                    + named.found().stream()
                            .map(place -> place.subscription() + " " + place.id())
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        return named.load(named.found().get(0))
                .orElseThrow(() -> new CommandFailure("The dead letter is gone meanwhile. Nothing was changed."));
    }

    @Override
    ChangeText text() {
        return text("retry", "retried");
    }

    @Override
    BulkChange.Change change(DataSource database, Actor by) {
        DeadLetters deadLetters = new DeadLetters(database);
        return chunk -> deadLetters.retry(chunk, by);
    }

    @Override
    BulkChange.Trial trial(DataSource database) {
        return new FirstRetries(database, ChangePace.Time.REAL);
    }
}
