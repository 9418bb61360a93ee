package dev.caravan.engine.loop;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.ReadyConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A promoted replica has the rows of its primary and none of the locks. */
class ServerOfSessionIT {
    private static final long KEY = 77;

    private final TestOutbox outbox = TestOutbox.create();
    private final List<TestRelay> relays = new ArrayList<>();

    ServerOfSessionIT() throws SQLException {}

    @AfterEach
    void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        outbox.close();
    }

    @Test
    void a_lane_is_claimed_before_its_lease_ends_only_on_the_server_that_its_row_names() throws Exception {
        claimedByDead("before-promotion", server() + 1);
        claimedByDead("here", server());

        standBy("before-promotion");
        standBy("here");

        eventually(() -> assertThat(owner("here")).isNotEqualTo("dead"));
        assertThat(owner("before-promotion")).isEqualTo("dead");
    }

    private void claimedByDead(String subscription, long server) {
        var dead = new SubscriptionStore(
                outbox.jdbc(), LaneId.only(subscription), "dead", Duration.ofHours(1), false, Clock.SYSTEM);
        dead.rows().create(Start.parse("earliest"));
        dead.claim(new String[] {"%"}, new ProvenSession(KEY, server, 0), new Long[0])
                .orElseThrow();
    }

    private void standBy(String subscription) throws Exception {
        relays.add(TestRelay.start(
                outbox.pool(),
                subscription,
                exchange -> {},
                component -> ReadyConnections.presence(component, outbox.dataSource())));
    }

    private String owner(String subscription) throws SQLException {
        return outbox.text("select owner from outbox_subscription where name = '" + subscription + "'");
    }

    private long server() throws SQLException {
        try (var connection = outbox.unpooled().getConnection()) {
            return new Histories().of(connection).number();
        }
    }
}
