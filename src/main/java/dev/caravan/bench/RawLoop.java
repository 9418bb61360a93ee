package dev.caravan.bench;

import dev.caravan.lane.IdRanges;
import dev.caravan.lane.Progress;
import dev.caravan.lane.SavedProgress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The limit: JDBC, a KafkaProducer and nothing else, doing what Caravan promises on the drain. It reads batches with position
 * and gaps in one statement, sends while the batch before is acknowledged by the broker, and saves progress once per batch.
 */
final class RawLoop implements Contender {
    private static final String READ = """
            select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at
            from (
                select found.*
                from unnest(?::int8multirange) as gap (ids)
                cross join lateral (
                    select * from outbox where id >= lower(gap.ids) and id < upper(gap.ids) order by id limit ?
                ) as found
                union all
                (select * from outbox where id > ? order by id limit ?)
            ) as visible
            order by id
            limit ?
            """;
    private static final String SAVE =
            "update outbox_subscription set position = ?, gaps = ?::int8multirange where name = 'raw' and lane = 0";

    private final int batchSize;

    RawLoop(int batchSize) {
        this.batchSize = batchSize;
    }

    @Override
    public String name() {
        return "limit";
    }

    @Override
    public void drain(Outbox outbox, String brokers, String topic, int messages) throws Exception {
        try (var connection = outbox.dataSource().getConnection();
                var producer = producer(brokers)) {
            prepare(connection);
            try (var read = connection.prepareStatement(READ);
                    var save = connection.prepareStatement(SAVE)) {
                loop(read, save, producer, topic, messages);
            }
        }
    }

    private static void prepare(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = force_custom_plan");
            statement.execute("set enable_seqscan = off");
            statement.execute("set enable_bitmapscan = off");
            statement.execute("insert into outbox_subscription (name, position) values ('raw', 0)");
        }
    }

    private void loop(
            PreparedStatement read,
            PreparedStatement save,
            KafkaProducer<byte[], byte[]> producer,
            String topic,
            int messages)
            throws Exception {
        Progress progress = new Progress(new SavedProgress(0, new IdRanges()));
        List<Sent> before = List.of();
        for (int delivered = 0; delivered < messages; delivered += before.size()) {
            List<Sent> batch = send(read, progress, producer, topic);
            acknowledge(before, progress, save);
            before = batch;
        }
        acknowledge(before, progress, save);
    }

    private record Sent(long id, Future<RecordMetadata> result) {}

    private List<Sent> send(
            PreparedStatement read, Progress progress, KafkaProducer<byte[], byte[]> producer, String topic)
            throws SQLException {
        read.setString(1, progress.missing().toMultirange());
        read.setInt(2, batchSize);
        read.setLong(3, progress.position());
        read.setInt(4, batchSize);
        read.setInt(5, batchSize);
        List<Sent> batch = new ArrayList<>(batchSize);
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
                batch.add(new Sent(id, producer.send(record)));
            }
        }
        return batch;
    }

    private static void acknowledge(List<Sent> batch, Progress progress, PreparedStatement save)
            throws SQLException, ExecutionException, InterruptedException {
        if (batch.isEmpty()) {
            return;
        }
        for (Sent sent : batch) {
            sent.result.get();
            progress.delivered(sent.id);
        }
        SavedProgress saved = progress.toSave();
        save.setLong(1, saved.position());
        save.setString(2, saved.gaps().toMultirange());
        save.executeUpdate();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static KafkaProducer<byte[], byte[]> producer(String brokers) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ProducerConfig.ACKS_CONFIG, "all",
                        ProducerConfig.LINGER_MS_CONFIG, "2",
                        ProducerConfig.BATCH_SIZE_CONFIG, "131072"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }
}
