package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class MemoryIT {
    private static final long MIB = 1 << 20;
    private static final int MESSAGES = 200;

    private final TestOutbox outbox = TestOutbox.create();

    /** The bytes and rows that one read brought into memory. */
    record Fetched(int rows, long bytes) {}

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = "compressible | repeat('a', 1000000)")
    void no_read_brings_more_than_batch_bytes_into_memory_and_all_are_delivered(String kind, String text)
            throws Exception {
        AtomicInteger delivered = new AtomicInteger();
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'file', n::text, 'file.added', file.text from generate_series(1, "
                + MESSAGES + ") n, (select to_json(" + text + ") as text offset 0) as file");
        RecordingDataSource source = new RecordingDataSource(outbox.pool());

        try (var relay = TestRelay.start(
                source,
                "orders?batchBytes=" + 4 * MIB,
                exchange -> {
                    if (exchange.getMessage().getBody(String.class).length() == 1_000_002) {
                        delivered.incrementAndGet();
                    }
                },
                component -> {})) {
            eventually(Duration.ofSeconds(40), () -> {
                assertThat(outbox.saved("orders").position()).isEqualTo(MESSAGES);
                assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
            });
        }

        assertThat(delivered).hasValue(MESSAGES);
        assertThat(source.reads).allSatisfy(read -> assertThat(read.bytes).isLessThanOrEqualTo(4 * MIB));
        assertThat(source.reads.stream().mapToInt(Fetched::rows).sum()).isEqualTo(MESSAGES);
        assertThat(source.reads.stream().mapToInt(Fetched::rows).max().orElse(0))
                .isGreaterThan(1);
    }

    @Tag("long")
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = "incompressible | (select string_agg(md5(i::text), '') from generate_series(1, 31250) i)")
    void nor_if_the_messages_cannot_be_compressed(String kind, String text) throws Exception {
        no_read_brings_more_than_batch_bytes_into_memory_and_all_are_delivered(kind, text);
    }

    /** Counts what each read fetches. The driver holds all rows of a result at once, so their sum is what is in memory. */
    private static final class RecordingDataSource extends DelegatingDataSource {
        private final List<Fetched> reads = new CopyOnWriteArrayList<>();

        RecordingDataSource(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return wrap(
                    Connection.class,
                    real,
                    (name, args, result) -> result instanceof PreparedStatement statement
                                    && args[0].toString().contains("as measured")
                            ? recordingStatement(statement)
                            : result);
        }

        private PreparedStatement recordingStatement(PreparedStatement real) {
            return wrap(
                    PreparedStatement.class,
                    real,
                    (name, args, result) -> name.equals("executeQuery") ? recordingRows((ResultSet) result) : result);
        }

        private ResultSet recordingRows(ResultSet real) {
            long[] sum = new long[2];
            return wrap(ResultSet.class, real, (name, args, result) -> {
                if (name.equals("next") && result.equals(true)) {
                    sum[0]++;
                    sum[1] += real.getBytes(9) == null ? 0 : real.getBytes(9).length;
                } else if (name.equals("next")) {
                    reads.add(new Fetched((int) sum[0] - 1, sum[1])); // the last row is that of the sequence
                }
                return result;
            });
        }

        private interface Answer {
            Object to(String name, Object[] args, Object result) throws SQLException;
        }

        private static <T> T wrap(Class<T> type, T real, Answer answer) {
            return type.cast(Proxy.newProxyInstance(
                    MemoryIT.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        try {
                            return answer.to(method.getName(), args, method.invoke(real, args));
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }
}
