package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.TcpProxy;
import dev.caravan.loop.WakeUp;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Relays that sleep, and whose connection for notifications is lost. */
class LostNotificationsIT extends NotificationsFixture {
    @Test
    void a_lost_connection_is_replaced_by_polling_until_it_is_back() throws Exception {
        TestRelay relay = start("orders", destination);
        long sleepNumber = asleep(relay);

        assertThat(jdbc.queryForList(
                        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wake-up'"))
                .hasSize(1);

        eventually(() ->
                assertThat(sleepNumber(relay)).as("awake, or asleep again").isNotEqualTo(sleepNumber));
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        assertThat(asleep(relay)).isGreaterThan(sleepNumber);
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
    }

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
