package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.loop.WakeUp;
import dev.caravan.lab.servers.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Relays that sleep, and whose connection for notifications is lost. */
@Tag("long")
class LostNotificationsIT extends NotificationsFixture {
    @Test
    void a_connection_that_is_half_open_is_noticed() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(postgres.port())) {
            var notifications = (PGSimpleDataSource) notifications(proxy.port(), "postgres");
            assertThat(notifications.getSocketTimeout()).isBetween(1, 10);
            notifications.setSocketTimeout(1);
            TestRelay relay = start("orders", destination, notifications);
            asleep(relay);

            proxy.dropData();

            eventually(LONG, () -> assertThat(sleepNumber(relay)).isEqualTo(WakeUp.AWAKE));
            jdbc.execute(INSERT);
            eventually(() -> assertThat(destination.ids()).containsExactly(1L));
            proxy.pass();
            asleep(relay);
        }
    }

    @Test
    void a_relay_sleeps_and_wakes_again_after_a_crash_of_postgres() throws Exception {
        TestRelay relay = start("orders", destination);
        long sleepNumber = asleep(relay);

        postgres.crash();
        postgres.start();

        eventually(LONG, () -> assertThat(sleepNumber(relay))
                .as("awake, or asleep again")
                .isNotEqualTo(sleepNumber));
        jdbc.execute(INSERT);
        eventually(LONG, () -> assertThat(destination.ids()).containsExactly(1L));
        asleep(relay);
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
    }
}
