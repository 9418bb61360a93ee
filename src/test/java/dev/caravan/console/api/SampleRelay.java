package dev.caravan.console.api;

import dev.caravan.camel.outbox.TestOutbox;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** One relay for all classes of tests that extend this, with the same content of its tables before each test. */
abstract class SampleRelay {
    static final HttpRelay relay = start();

    private static HttpRelay start() {
        try {
            HttpRelay started = HttpRelay.start(TestOutbox.create().sharedByClasses(), Map.of());
            Runtime.getRuntime().addShutdownHook(new Thread(started::close, "stop-sample-relay"));
            return started;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void fill() throws Exception {
        Samples.fill(relay.database);
    }

    @AfterEach
    void empty() throws Exception {
        relay.database.execute("delete from outbox_subscription where name <> 'orders'; delete from outbox_dead_letter;"
                + " delete from outbox_retry; delete from outbox_audit;"
                + " delete from outbox_job; delete from outbox_discarded");
    }

    static long count(String table, String where) throws Exception {
        return relay.database.number("select count(*) from " + table + " where " + where);
    }
}
