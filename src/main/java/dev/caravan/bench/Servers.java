package dev.caravan.bench;

import dev.caravan.demo.KafkaBroker;
import dev.caravan.demo.PostgresServer;
import dev.caravan.schema.Schema;
import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The Postgres and the Kafka broker that all contenders of a run share. */
final class Servers implements AutoCloseable {
    private final PostgresServer postgres;
    private final KafkaBroker kafka;
    private int topics;

    Servers() throws IOException {
        postgres = PostgresServer.start();
        kafka = KafkaBroker.start();
    }

    /** Creates an empty database with the tables of the outbox. */
    Outbox newOutbox() throws SQLException {
        String database = postgres.createDatabase();
        DataSource dataSource = postgres.dataSource(database);
        new Schema(dataSource).apply();
        return new Outbox(dataSource, postgres.url(database), postgres.user(), postgres.password());
    }

    /** Creates a topic that nothing was written to. */
    String newTopic() {
        String topic = "bench-" + ++topics;
        kafka.createTopic(topic, 6);
        return topic;
    }

    String brokers() {
        return kafka.bootstrapServers();
    }

    @Override
    public void close() throws IOException {
        kafka.close();
        postgres.close();
    }
}
