package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The definition of a capture: the content of one file.
 *
 * @param name name of the file without its ending; part of the names of the function and the triggers
 * @param table as SQL writes it, with its schema
 * @param key columns of the aggregate id; empty for the primary key
 * @param messageId the column of the message id, if it is not generated
 * @param perStatement whether one trigger call handles all rows of a statement
 * @param always whether the triggers also fire for changes that replication applies
 * @param truncateIgnored whether a TRUNCATE is allowed and not captured
 * @param snapshot the message of a row that a backfill finds
 * @param takeOver how the table is handed over from a poller, if it has one
 */
record Capture(
        String name,
        Path file,
        Located table,
        String aggregateType,
        List<Located> key,
        Optional<Located> messageId,
        boolean perStatement,
        boolean always,
        boolean truncateIgnored,
        List<CapturedEvent> events,
        CapturedEvent snapshot,
        Optional<TakeOver> takeOver) {

    /** The name of the function; names of triggers begin with it. */
    String function() {
        return functionOf(name);
    }

    static String functionOf(String name) {
        return "outbox_capture_" + name;
    }

    boolean has(CapturedEvent.Operation operation) {
        return events.stream().anyMatch(event -> event.on() == operation);
    }

    /** The privilege with which its function marks rows of the table; null if it marks none. */
    String mark() {
        return takeOver.map(section -> section.deletes() ? "DELETE" : "UPDATE").orElse(null);
    }

    /** Each column that the file names. */
    Stream<Located> columns() {
        return Stream.concat(
                Stream.concat(key.stream(), messageId.stream()),
                Stream.concat(events.stream(), Stream.of(snapshot)).flatMap(CapturedEvent::columns));
    }

    FileProblem problem(int line, String text) {
        return new FileProblem(file, line, text);
    }
}
