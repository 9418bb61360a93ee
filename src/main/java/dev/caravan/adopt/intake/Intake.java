package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The definition of an intake: the content of one file. Texts of SQL are used as they are.
 *
 * @param name name of the file without its ending
 * @param dataSource name of the bean
 * @param table as SQL of the source writes it
 * @param key columns that identify a row; empty for the primary key
 * @param pending condition of a row that is not copied yet
 * @param order in which the rows are copied; empty for the key
 * @param mark what follows {@code set} in the update that ends {@code pending}; empty: the row is deleted
 * @param batch the most rows of one read
 * @param delay pause after a read that was not full
 * @param maxPayload the most bytes of the payload of a row; a larger one is rejected
 * @param timeZone of columns with a time and without a zone; empty: their values are written without a zone
 * @param lines the line of each field in the file, for problems: {@code table}, {@code message.id}, {@code message.headers.topic}
 */
public record Intake(
        String name,
        Path file,
        String dataSource,
        String table,
        List<String> key,
        String pending,
        List<String> order,
        Optional<String> mark,
        MessageFields message,
        int batch,
        Duration delay,
        long maxPayload,
        Optional<ZoneId> timeZone,
        Optional<Outcome> outcome,
        Map<String, Integer> lines) {
    /** A problem with a field of the file. */
    FileProblem problem(String field, String text) {
        return new FileProblem(file, lines.getOrDefault(field, 1), text);
    }

    /** The statement that ends {@code pending} for the rows that meet a condition. */
    String marking(String condition) {
        return mark.map(assignments -> setting(assignments, condition))
                .orElse("delete from " + table + " where " + condition);
    }

    /** The statement that changes the rows that meet a condition. @param assignments what follows {@code set} */
    String setting(String assignments, String condition) {
        return "update " + table + " set " + assignments + " where " + condition;
    }

    /**
     * SQL expressions of the source for the parts of a message.
     *
     * @param id empty: the id is derived from the key
     * @param payload what the payload consists of
     */
    public record MessageFields(
            Optional<String> id,
            String aggregateType,
            String aggregateId,
            String type,
            Payload payload,
            Map<String, String> headers) {}

    /** The payload: the whole row or some columns as a JSON object, a value that is JSON, a value as bytes, or none. */
    public record Payload(Kind kind, List<String> expressions) {
        public enum Kind {
            ROW,
            COLUMNS,
            JSON,
            BYTES,
            NONE
        }
    }

    /**
     * What is written back into the row when the subscription has delivered the message, or has given it up.
     *
     * @param delivered what follows {@code set}
     * @param dead what follows {@code set}, with {@code :error} and {@code :attempts}; empty: nothing
     */
    public record Outcome(String subscription, String delivered, Optional<String> dead) {}
}
