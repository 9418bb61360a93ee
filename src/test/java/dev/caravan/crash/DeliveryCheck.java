package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.crash.ProgressLog.Saved;
import dev.caravan.crash.Received.Arrival;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.RelayProcess;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the received messages with the committed ones. */
final class DeliveryCheck {
    private static final int SHOWN = 10;

    /** A message of the outbox. */
    record Row(long id, String messageId) {}

    private final Map<String, Row> committed;
    private final List<Arrival> arrivals;

    private DeliveryCheck(List<Row> committed, List<Arrival> arrivals) {
        this.committed = committed.stream().collect(Collectors.toMap(Row::messageId, Function.identity()));
        this.arrivals = arrivals;
    }

    /** To be created after everything is delivered. */
    static DeliveryCheck of(TestOutbox outbox, Received received) throws Exception {
        return of(outbox, received.all());
    }

    static DeliveryCheck of(TestOutbox outbox, List<Arrival> arrivals) throws SQLException {
        List<Row> committed = Sql.text("select id, message_id from outbox")
                .query(outbox.unpooled(), row -> new Row(row.getLong(1), row.getString(2)));
        return new DeliveryCheck(committed, arrivals);
    }

    int committed() {
        return committed.size();
    }

    /** Every committed message has arrived, and nothing else. */
    DeliveryCheck nothingIsLostAndNothingRolledBackArrived() {
        Set<String> arrived = arrivals.stream().map(Arrival::messageId).collect(Collectors.toSet());
        assertThat(shorten(difference(committed.keySet(), arrived))).as("lost").isEmpty();
        assertThat(shorten(difference(arrived, committed.keySet())))
                .as("rolled back, and arrived")
                .isEmpty();
        return this;
    }

    /** The first arrivals of the messages of a key have its sequence numbers 1, 2, 3 ... */
    DeliveryCheck firstArrivalsAreInOrder() {
        Set<String> seen = new HashSet<>();
        Map<String, Long> last = new HashMap<>();
        List<Arrival> wrong = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            if (seen.add(arrival.messageId())) {
                long before = last.getOrDefault(arrival.key(), 0L);
                if (arrival.sequence() != before + 1) {
                    wrong.add(arrival);
                }
                last.put(arrival.key(), arrival.sequence());
            }
        }
        assertThat(shorten(wrong)).as("out of order (%d)", wrong.size()).isEmpty();
        return this;
    }

    DeliveryCheck nothingIsRepeated() {
        assertThat(repeats()).as("repeats").isZero();
        return this;
    }

    int repeats() {
        return arrivals.size()
                - (int) arrivals.stream().map(Arrival::messageId).distinct().count();
    }

    /** How many times a message arrived. */
    long arrivalsOf(String messageId) {
        return arrivals.stream().filter(a -> a.messageId().equals(messageId)).count();
    }

    /**
     * Each repeat was in flight or finished since the last acknowledgement of the relay before: it was not acknowledged when
     * the epochs between the two arrivals ended. No relay sends a message twice. Needs one epoch per relay at most.
     *
     * @return the number of repeats that followed the end of each epoch
     */
    Map<Long, Integer> repeatsWereNotAcknowledged(List<Saved> ends) {
        Map<String, Integer> place = new HashMap<>();
        ends.forEach(end -> place.put(end.owner(), place.size()));
        Map<Long, Integer> repeats = new TreeMap<>();
        Map<String, Integer> lastSender = new LinkedHashMap<>();
        List<Arrival> wrong = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            int sender = place.get(arrival.relay());
            Integer before = lastSender.put(arrival.messageId(), sender);
            if (before != null) {
                long id = committed.get(arrival.messageId()).id();
                if (before >= sender || ends.subList(before, sender).stream().anyMatch(end -> end.acknowledged(id))) {
                    wrong.add(arrival);
                }
                repeats.merge(ends.get(before).epoch(), 1, Integer::sum);
            }
        }
        assertThat(shorten(wrong))
                .as("repeated after they were acknowledged (%d)", wrong.size())
                .isEmpty();
        return repeats;
    }

    /** Checks that a relay sent no message that was written after a time, because it had stopped reading. */
    DeliveryCheck nothingWrittenLaterCameFrom(RelayProcess relay, long lastId) {
        List<Arrival> wrong = arrivals.stream()
                .filter(a -> a.relay().equals(relay.name())
                        && committed.get(a.messageId()).id() > lastId)
                .toList();
        assertThat(shorten(wrong))
                .as("sent by %s after it had lost the lane", relay.name())
                .isEmpty();
        return this;
    }

    private static <T> Set<T> difference(Set<T> all, Set<T> without) {
        Set<T> rest = new HashSet<>(all);
        rest.removeAll(without);
        return rest;
    }

    private static <T> List<T> shorten(java.util.Collection<T> many) {
        return many.stream().limit(SHOWN).toList();
    }
}
