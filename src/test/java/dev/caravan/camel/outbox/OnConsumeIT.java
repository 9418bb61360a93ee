package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is configured as {@code onConsume} of camel-sql is what saves progress. */
class OnConsumeIT {
    private final List<List<String>> connections = new CopyOnWriteArrayList<>();
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private DataSource recording;

    @BeforeEach
    void create() throws Exception {
        recording = recording(outbox.pool());
    }

    @Test
    void the_configured_statement_saves_progress_alone_if_all_messages_are_delivered() throws Exception {
        try (var relay = TestRelay.start(recording, "orders", destination)) {
            long id = outbox.insert("a");

            eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(id));

            eventually(() -> assertThat(connections)
                    .anySatisfy(run ->
                            assertThat(run).endsWith(tail(relay).getOnConsume()).doesNotContain("begin")));
        }
    }

    @Test
    void failures_are_stored_and_progress_is_saved_in_one_transaction() throws Exception {
        destination.failIf(arrival -> true);
        try (var relay = TestRelay.start(recording, "orders", destination)) {
            outbox.insert("a");

            eventually(() -> assertThat(outbox.waiting("orders")).isNotEmpty());

            eventually(() -> assertThat(connections).anySatisfy(run -> assertThat(run)
                    .containsSubsequence(
                            "begin",
                            consumer(relay).getOnConsume(),
                            Sql.file("engine/retry_store").text(),
                            "commit")));
        }
    }

    @Test
    void a_statement_that_replaces_it_is_refused_and_no_progress_is_lost() throws Exception {
        long id;
        try (var relay = TestRelay.start(recording, "orders", destination)) {
            eventually(() -> assertThat(outbox.saved("orders").epoch()).isEqualTo(1));
            consumer(relay).setOnConsume("select 1");
            tail(relay).setOnConsume("select 1");
            id = outbox.insert("a");
            eventually(() -> assertThat(destination.ids()).containsExactly(id));
        }
        assertThat(connections).noneSatisfy(run -> assertThat(run).contains("select 1"));
        assertThat(outbox.saved("orders").position()).isEqualTo(id); // by the stop of the route
    }

    private static TailConsumer tail(TestRelay relay) {
        return consumer(relay).getEndpoint().getComponent().startTail();
    }

    private static OutboxConsumer consumer(TestRelay relay) {
        return (OutboxConsumer) relay.context().getRoute("tested").getConsumer();
    }

    /** Records what runs on each connection between its opening and its return to the pool. */
    private DataSource recording(DataSource pool) {
        Map<Connection, List<String>> running = new ConcurrentHashMap<>();
        return new ProxiedConnections(pool) {
            @Override
            protected Object on(Call call) throws Exception {
                List<String> run = running.computeIfAbsent(call.connection(), opened -> new ArrayList<>());
                switch (call.method()) {
                    case "setAutoCommit" -> run.add(call.arguments()[0].equals(true) ? "end" : "begin");
                    case "prepareStatement" -> run.add(call.text());
                    case "commit" -> run.add("commit");
                    case "close" -> connections.add(List.copyOf(run));
                    default -> {}
                }
                return call.proceed();
            }
        };
    }
}
