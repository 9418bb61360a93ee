package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.SimulatedOutbox;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Read;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulated outbox of the property tests and {@code read.sql} return the same for the same messages and the same read. */
class ReadContractIT {
    private static final String[] TYPES = {"order.%"};
    private static final int IDS = 60;
    private static final int NO_BOUND = 1 << 20;

    private final SimulatedOutbox simulated = new SimulatedOutbox();
    private final Random random = new Random(7);
    private final TestOutbox outbox = TestOutbox.create();
    private Connection session;

    @BeforeEach
    void fill() throws Exception {
        session = outbox.pool().getConnection();
        for (int id = 1; id <= IDS; id++) {
            String type = random.nextInt(4) == 0 ? SimulatedOutbox.OTHER_TYPE : "order.created";
            boolean commits = random.nextInt(4) > 0;
            SimulatedOutbox.Transaction twin = simulated.begin();
            twin.write(new Key("order", "" + id), type, "{}");
            if (commits) {
                twin.commit();
                outbox.insert("" + id, type, "{}");
            } else {
                twin.rollBack();
                outbox.jdbc().queryForObject("select nextval('outbox_id_seq')", Long.class);
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        session.close();
    }

    @Test
    void both_return_the_same_rows_and_examine_as_many() throws Exception {
        for (int i = 0; i < 300; i++) {
            Read read = anyRead();

            Batch expected = simulated.read(read);
            Batch found = read(read);

            assertThat(ids(found)).as("%s", read).isEqualTo(ids(expected));
            assertThat(found.candidates()).as("%s", read).isEqualTo(expected.candidates());
        }
    }

    /** 100,000 bytes of noise each, which Postgres cannot compress. */
    @Test
    void bytes_count_for_the_bound_as_json_does() throws Exception {
        outbox.execute("truncate outbox");
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        for (int i = 0; i < 6; i++) {
            outbox.jdbc()
                    .update(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values ('order', '1', 'order.x', ?)",
                            noise);
        }

        Batch found = read(new Read(0, "{}", Set.of(), Long.MAX_VALUE, 100, 350_000));

        assertThat(found.candidates()).isEqualTo(6);
        assertThat(found.messages()).hasSize(3).allSatisfy(message -> {
            assertThat(message.body()).isEqualTo(noise);
            assertThat(message.bytes()).isBetween(100_000L, 101_000L);
        });
        assertThat(read(new Read(0, "{}", Set.of(), Long.MAX_VALUE, 100, 1_024)).messages())
                .as("a larger message is read alone")
                .hasSize(1);
    }

    /** The first text is stored compressed: in 1.1 % of its size. */
    @Test
    void the_content_of_a_message_that_is_larger_than_the_limit_is_not_read() throws Exception {
        outbox.execute("truncate outbox");
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        outbox.insert("1", "order.x", "{\"text\": \"" + "x".repeat(100_000) + "\"}");
        outbox.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values ('order', '1', 'order.x', ?)",
                        noise);
        outbox.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers) values ('order', '1', 'order.x', ?::jsonb)",
                        "{\"a\": \"" + "y".repeat(100_000) + "\"}");
        outbox.insert("1", "order.x", "{}");
        outbox.insert("1", SimulatedOutbox.OTHER_TYPE, "{\"text\": \"" + "x".repeat(100_000) + "\"}");

        Batch cut = read(new Read(0, "{}", Set.of(), Long.MAX_VALUE, 100, 1L << 30), 99_999);

        assertThat(cut.messages().subList(0, 3)).allSatisfy(message -> {
            assertThat(message.leftOut()).isBetween(100_000L, 100_020L);
            assertThat(message.body()).isNull();
            assertThat(message.headers()).isNull();
        });
        assertThat(cut.messages().get(3).payload()).isEqualTo("{}");
        assertThat(cut.messages().get(4).isSelected()).isFalse();
        assertThat(read(new Read(0, "{}", Set.of(), Long.MAX_VALUE, 100, 1L << 30), 100_020)
                        .messages()
                        .subList(0, 3))
                .noneMatch(Message::isTooLarge);
    }

    /** Reads of many and few messages, with gaps of any size, and sometimes only of the gaps. */
    private Read anyRead() {
        long position = random.nextInt(IDS);
        IdRanges missing = new IdRanges();
        for (int gap = random.nextInt(5); gap > 0 && position > 0; gap--) {
            long first = 1 + random.nextInt((int) position);
            missing.add(first, Math.min(position, first + random.nextInt(8)));
        }
        boolean gapsAlone = random.nextInt(4) == 0;
        int limit = 1 + random.nextInt(random.nextBoolean() ? 3 : 40);
        return new Read(
                gapsAlone ? Long.MAX_VALUE : position,
                missing.toMultirange(),
                Set.of(),
                Long.MAX_VALUE,
                limit,
                NO_BOUND);
    }

    private Batch read(Read read) throws SQLException {
        return read(read, 1 << 24);
    }

    private Batch read(Read read, long maxMessageBytes) throws SQLException {
        try (var query = new ReadStatement(LaneId.only("orders"), TYPES, maxMessageBytes)
                        .of(read)
                        .prepared(session);
                var rows = query.executeQuery()) {
            return BatchRows.of(rows).answering(read);
        }
    }

    private static List<String> ids(Batch batch) {
        return batch.messages().stream()
                .map(message -> message.id() + (message.isSelected() ? "" : " not selected"))
                .toList();
    }
}
