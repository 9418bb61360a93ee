package dev.caravan.adopt.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The meaning of the columns of a table of messages, guessed from their names, types, keys and defaults.
 *
 * @param id identifies a message
 * @param order the order in which messages are published
 * @param orderReason how the order was recognized
 * @param createdAt when the message was written
 * @param published shows whether the message is published
 * @param messageId the identity that receivers see
 * @param payloads columns of type jsonb with the content
 * @param all all columns
 */
public record MessageColumns(
        Optional<Column> id,
        Optional<Column> order,
        String orderReason,
        Optional<Column> createdAt,
        Optional<Column> published,
        Optional<Column> messageId,
        List<Column> payloads,
        List<Column> all) {
    private static final String DONE =
            "(published|sent|processed|dispatched|delivered|completed|handled|relayed|forwarded|emitted|consumed)";
    private static final Pattern DONE_TIME =
            Pattern.compile(DONE + "(at|on|time|date|datetime|timestamp|ts|utc|atutc|onutc|dateutc|ms)?");
    private static final Pattern DONE_FLAG = Pattern.compile("(is|was|has|hasbeen|been)?(" + DONE + "|done)");
    private static final Pattern STATUS = Pattern.compile("\\w*(status|state)");
    private static final Pattern CREATED = Pattern.compile(
            "(created|inserted|occurred|occured|recorded|enqueued|queued|added|raised|create|insert|creation)(at|on|time|date|datetime|timestamp|ts|utc|atutc|onutc|dateutc)?"
                    + "|timestamp|eventtime|eventtimestamp|ts");
    private static final Pattern NOW = Pattern.compile(
            "now\\(\\)|(clock|statement|transaction)_timestamp|current_timestamp|localtimestamp",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern MESSAGE_ID = Pattern.compile(
            "(message|event|msg|notification|idempotency|dedup|deduplication)(id|key|uuid|guid)|uuid|guid");
    private static final Pattern PAYLOAD = Pattern.compile("\\w*(payload|data|body|content|event|message|json)");

    /** @param chosenOrder the order that the user named, if any */
    public static MessageColumns of(List<Column> all, Optional<Column> chosenOrder) {
        Optional<Column> numbered = first(all, column -> column.isInteger() && column.sequence() != 0);
        Optional<Column> key = first(all, Column::primaryKey);
        Optional<Column> published = first(all, column -> column.isTime() && matches(DONE_TIME, column))
                .or(() -> first(all, column -> column.type().equals("boolean") && matches(DONE_FLAG, column)))
                .or(() -> first(all, MessageColumns::isStatus));
        Optional<Column> created = createdAt(all, published);
        Optional<Column> integerKey = key.filter(Column::isInteger);
        return new MessageColumns(
                numbered.or(() -> key)
                        .or(() -> first(all, column -> column.name().equals("id"))),
                chosenOrder.or(() -> numbered).or(() -> integerKey).or(() -> created),
                reason(chosenOrder, numbered, integerKey),
                created,
                published,
                first(
                        all,
                        column -> matches(MESSAGE_ID, column) && (column.type().equals("uuid") || column.isText())),
                all.stream()
                        .filter(column -> column.type().equals("jsonb") && matches(PAYLOAD, column))
                        .toList(),
                all);
    }

    private static Optional<Column> createdAt(List<Column> all, Optional<Column> published) {
        return all.stream()
                .filter(column -> column.isTime() && matches(CREATED, column) && !column.equals(published.orElse(null)))
                .min(Comparator.comparing(column -> !column.plainName().startsWith("creat")))
                .or(() -> first(
                        all,
                        column -> column.isTime()
                                && column.defaultValue() != null
                                && NOW.matcher(column.defaultValue()).find()
                                && !column.plainName().startsWith("updated")));
    }

    private static String reason(Optional<Column> chosen, Optional<Column> numbered, Optional<Column> integerKey) {
        if (chosen.isPresent()) {
            return "given by --order";
        }
        if (numbered.isPresent()) {
            return "numbered by a sequence";
        }
        return integerKey.isPresent() ? "the primary key" : "the time of creation, because no column is numbered";
    }

    private static boolean matches(Pattern pattern, Column column) {
        return pattern.matcher(column.plainName()).matches();
    }

    private static Optional<Column> first(List<Column> all, Predicate<Column> condition) {
        return all.stream().filter(condition).findFirst();
    }

    /** Whether a column with this name, as {@link Column#plainName} has it, says by true or false that a message is published. */
    public static boolean isFlag(String plainName) {
        return DONE_FLAG.matcher(plainName).matches();
    }

    /** Whether a column says by a text or a number what became of a message. */
    public static boolean isStatus(Column column) {
        return matches(STATUS, column) && (column.isText() || column.isInteger());
    }

    /** The id, if it is a number. */
    Optional<Column> integerId() {
        return id.filter(Column::isInteger);
    }
}
