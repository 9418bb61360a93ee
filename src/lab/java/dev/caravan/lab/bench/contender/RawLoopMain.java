package dev.caravan.lab.bench.contender;

import dev.caravan.database.Database;
import dev.caravan.database.ReadPlans;
import dev.caravan.database.Sql;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Progress;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.lab.bench.run.BenchSql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The main class of the {@link RawLoop}. Reads a batch by position and gaps in one statement, sends it while the broker
 * acknowledges the previous batch, settles missing ids by the lock table, and saves progress once per batch. Arguments: JDBC URL,
 * user, brokers, topic, messages per read.
 */
final class RawLoopMain {
    /** The environment variable with the password of the database. */
    static final String PASSWORD = "RAW_LOOP_PASSWORD";

    /** The pause of Caravan after a read without messages. */
    private static final long PAUSE_NANOS = 5_000_000;

    private final Progress progress = new Progress(new SavedProgress(0, new IdRanges()));
    private final RawSettling settling;
    private final PreparedStatement read;
    private final PreparedStatement save;
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final int batch;

    private record Sent(long id, Future<RecordMetadata> result) {}

    private RawLoopMain(Connection connection, KafkaProducer<byte[], byte[]> producer, String topic, int batch)
            throws SQLException {
        settling = new RawSettling(connection);
        read = connection.prepareStatement(BenchSql.read("raw_read"));
        save = connection.prepareStatement(BenchSql.read("raw_save"));
        this.producer = producer;
        this.topic = topic;
        this.batch = batch;
    }

    public static void main(String[] args) throws Exception {
        try (var connection = Database.unpooled(args[0], args[1], System.getenv(PASSWORD))
                        .getConnection();
                var producer = producer(args[2])) {
            Sql.execute(connection, ReadPlans.SETTINGS); // as Caravan does
            new RawLoopMain(connection, producer, args[3], Integer.parseInt(args[4])).loop();
        }
    }

    /** The defaults of the Kafka client, as in camel-kafka; acks=all is one of them. */
    private static KafkaProducer<byte[], byte[]> producer(String brokers) {
        return new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers, ProducerConfig.ACKS_CONFIG, "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Runs until the process is ended. */
    private void loop() throws SQLException, ExecutionException, InterruptedException {
        List<Sent> before = List.of();
        while (true) {
            settling.readStarts(progress);
            List<Sent> sent = send();
            boolean settled = settling.readEnded(progress, sent.size() < batch);
            if (!before.isEmpty() || settled) {
                acknowledge(before);
            }
            if (sent.isEmpty()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            before = sent;
        }
    }

    private List<Sent> send() throws SQLException {
        read.setString(1, progress.missing().toMultirange());
        read.setInt(2, batch);
        read.setLong(3, progress.position());
        read.setInt(4, batch);
        read.setInt(5, batch);
        List<Sent> sent = new ArrayList<>(batch);
        try (var rows = read.executeQuery()) {
            while (rows.next()) {
                long id = rows.getLong(1);
                progress.take(id);
                var record = new ProducerRecord<>(topic, bytes(rows.getString(4)), bytes(rows.getString(7)));
                record.headers().add("id", bytes(rows.getString(2)));
                record.headers().add("type", bytes(rows.getString(5)));
                record.headers().add("aggregate-type", bytes(rows.getString(3)));
                record.headers().add("aggregate-id", bytes(rows.getString(4)));
                record.headers().add("created-at", bytes(rows.getString(8)));
                sent.add(new Sent(id, producer.send(record)));
            }
        }
        return sent;
    }

    private void acknowledge(List<Sent> sent) throws SQLException, ExecutionException, InterruptedException {
        for (Sent one : sent) {
            one.result.get();
            progress.delivered(one.id);
        }
        ProgressToSave saved = progress.toSave();
        save.setLong(1, saved.position());
        save.setString(2, saved.gaps().toMultirange());
        save.executeUpdate();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
