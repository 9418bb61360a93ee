package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.Suspension;
import dev.caravan.engine.loop.LaneLoop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.jdbc.PgConnection;

/** The connection ends before the answer to the release of a lane comes, and then the relay is to continue its work. */
class UnansweredReleaseIT {
    private final CamelContext context = new DefaultCamelContext();
    private final TestOutbox outbox = TestOutbox.create();
    private HookedStatement release;
    private LaneLoop loop;
    private Lane lane;

    @BeforeEach
    void take() throws Exception {
        release = new HookedStatement(outbox.pool(), "engine/release");
        OutboxComponent component = new OutboxComponent();
        component.setLaneConnections(release);
        component.setLeaseDuration(10_000);
        context.addComponent("outbox", component);
        context.start();
        OutboxEndpoint endpoint = context.getEndpoint("outbox:orders", OutboxEndpoint.class);
        loop = endpoint.loop(0, endpoint.shared(), new LaneCounters(() -> 0), dead -> {});
        assertThat(loop.claim()).isTrue();
        lane = loop.lane();
        long id = outbox.insert("a");
        Message message =
                new Message(id, new UUID(0, id), new Key("order", "a"), "order.created", null, "{}", Instant.EPOCH);
        lane.received(new Batch(lane.nextRead(), List.of(message), 1, Set.of()), Set.of());
    }

    @AfterEach
    void close() throws Exception {
        context.close();
    }

    @Test
    void nothing_starts_while_another_relay_may_have_the_lane() throws Exception {
        release.after(UnansweredReleaseIT::cut);
        giveBack();
        assertThat(outbox.store("other", Duration.ofMinutes(1)).claim(new String[] {"%"}))
                .isPresent();

        lane.resume(Suspension.HANDOVER);

        assertThat(lane.nextNow()).isNull();
        eventually(() -> {
            loop.settleAndSave();
            assertThat(loop.lane()).isNull();
        });
        assertThat(lane.nextNow()).isNull();
    }

    @Tag("long")
    @Test
    void a_lane_that_was_not_released_continues_after_a_save() throws Exception {
        release.before(UnansweredReleaseIT::cut);
        giveBack();

        lane.resume(Suspension.HANDOVER);

        assertThat(lane.nextNow()).isNull();
        eventually(() -> {
            loop.settleAndSave();
            assertThat(lane.nextNow()).isNotNull();
        });
        assertThat(outbox.saved("orders").epoch()).isEqualTo(1);
    }

    private void giveBack() {
        assertThatThrownBy(() -> loop.release(Suspension.HANDOVER, Duration.ZERO))
                .hasStackTraceContaining("An I/O error occurred");
        assertThat(loop.lane()).isSameAs(lane);
    }

    private static void cut(Connection connection) throws SQLException {
        connection.unwrap(PgConnection.class).abort(Runnable::run);
        throw new SQLException("An I/O error occurred", "08006");
    }
}
