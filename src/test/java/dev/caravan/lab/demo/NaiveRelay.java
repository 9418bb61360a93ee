package dev.caravan.lab.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.apache.camel.CamelContext;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.component.kafka.KafkaConstants;

/** A relay that reads the whole outbox again and again: slow and correct, or wrong on purpose. Shows that the demo detects which. */
final class NaiveRelay implements AutoCloseable {
    private static final Map<String, List<String>> TYPES = Map.of(
            "booking-sms", List.of("booking.confirmed", "booking.cancelled"),
            "customer-email", List.of("order.placed", "booking.confirmed"));

    private final HikariDataSource database;
    private final CamelContext camel;
    private final LongPredicate loses;
    private final Thread thread = new Thread(this::deliver, "naive-relay");
    private final Set<Long> done = new HashSet<>();
    private volatile boolean stopping;

    private NaiveRelay(Settings settings, LongPredicate loses) throws Exception {
        this.database = Database.routesPool(settings);
        this.camel = ShippedRoutes.start(settings, database);
        this.loses = loses;
        thread.start();
    }

    /** @param loses outbox ids that it pretends to have delivered */
    static DemoRelayStart losing(LongPredicate loses) {
        return settings -> new NaiveRelay(settings, loses);
    }

    @Override
    public void close() throws Exception {
        stopping = true;
        thread.join();
        camel.stop();
        database.close();
    }

    private void deliver() {
        try (var template = camel.createProducerTemplate()) {
            while (!stopping) {
                deliverNew(template);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void deliverNew(ProducerTemplate template) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select * from outbox order by id")) {
            while (rows.next()) {
                long id = rows.getLong("id");
                if (done.add(id) && !loses.test(id)) {
                    send(
                            template,
                            rows.getString("message_id"),
                            rows.getString("type"),
                            rows.getString("aggregate_id"),
                            rows.getString("payload"));
                }
            }
        }
    }

    private static void send(ProducerTemplate template, String id, String type, String key, String payload) {
        Map<String, Object> headers = Map.of("id", id, "type", type, "aggregate-id", key, KafkaConstants.KEY, key);
        template.sendBodyAndHeaders("outbox:orders-to-kafka", payload, new HashMap<>(headers));
        TYPES.forEach((subscription, types) -> {
            if (types.contains(type)) {
                template.sendBodyAndHeaders("outbox:" + subscription, payload, new HashMap<>(headers));
            }
        });
    }
}
