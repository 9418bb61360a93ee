package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims of a lane whose lease holds: the session of its owner decides. */
class PresenceClaimIT {
    private static final String[] ALL = {"%"};
    private static final Long[] NONE = {};
    private static final long SERVER = 5;
    private static final Duration LEASE = Duration.ofHours(1);

    private final TestOutbox outbox = TestOutbox.create();
    private SubscriptionStore owner;
    private SubscriptionStore standby;

    @BeforeEach
    void create() throws Exception {
        owner = outbox.store("owner", LEASE);
        standby = outbox.store("standby", LEASE);
        owner.rows().create(Start.parse("earliest"));
    }

    @Test
    void the_end_of_the_session_of_the_owner_allows_a_claim() {
        owner.claim(ALL, session(11), NONE).orElseThrow();

        assertThat(standby.claim(ALL, session(22), NONE)).isEmpty();
        assertThat(standby.claim(ALL, session(22), new Long[] {7L, 11L})).isPresent();

        assertThat(row()).isEqualTo("standby 22 5");
    }

    @Test
    void a_session_that_the_row_no_longer_names_allows_no_claim() {
        long epoch = owner.claim(ALL, session(11), NONE).orElseThrow().epoch();
        save(epoch, session(12));

        assertThat(standby.claim(ALL, session(22), new Long[] {11L})).isEmpty();
    }

    @Test
    void a_lane_of_an_owner_without_presence_is_not_claimed() {
        long epoch = owner.claim(ALL, session(11), NONE).orElseThrow().epoch();
        save(epoch, ProvenSession.NONE);

        assertThat(standby.claim(ALL, session(22), new Long[] {0L, 11L})).isEmpty();
    }

    @Test
    void a_save_of_the_former_owner_changes_nothing_after_a_claim_by_presence() {
        long epoch = owner.claim(ALL, session(11), NONE).orElseThrow().epoch();
        standby.claim(ALL, session(22), new Long[] {11L}).orElseThrow();

        assertThat(owner.save(epoch, new Save(new ProgressToSave(0, new IdRanges(), null), List.of(), 0, session(12))))
                .isEmpty();

        assertThat(row()).isEqualTo("standby 22 5");
    }

    @Test
    void a_released_lane_names_no_session() {
        long epoch = owner.claim(ALL, session(11), NONE).orElseThrow().epoch();

        owner.release(epoch);

        assertThat(row()).isNull();
    }

    @Test
    void a_lane_that_is_paused_is_not_claimed() {
        owner.claim(ALL, session(11), NONE).orElseThrow();
        outbox.jdbc().update("update outbox_subscription set paused = true");

        assertThat(standby.claim(ALL, session(22), new Long[] {11L})).isEmpty();
    }

    @Test
    void histories_of_a_server_have_different_numbers() {
        var first = new DatabaseHistory("7400000000000000001", 1);
        var promoted = new DatabaseHistory("7400000000000000001", 2);
        var other = new DatabaseHistory("7400000000000000002", 1);

        assertThat(List.of(first.number(), promoted.number(), other.number())).doesNotHaveDuplicates();
    }

    @Test
    void only_the_server_of_the_connections_of_a_lane_counts() throws Exception {
        LaneConnections connections = new LaneConnections(outbox.dataSource(), new Histories());
        long number;
        try (Connection connection = outbox.unpooled().getConnection()) {
            number = new Histories().of(connection).number();
        }
        assertThat(connections.haveHistory(number)).as("not connected yet").isFalse();

        connections.getConnection().close();

        assertThat(connections.haveHistory(number)).isTrue();
        assertThat(connections.haveHistory(number + 1)).isFalse();
    }

    private void save(long epoch, ProvenSession session) {
        assertThat(owner.save(epoch, new Save(new ProgressToSave(0, new IdRanges(), null), List.of(), 0, session)))
                .isPresent();
    }

    private static ProvenSession session(long key) {
        return new ProvenSession(key, SERVER, 0);
    }

    private String row() {
        return Optional.ofNullable(outbox.jdbc()
                        .queryForMap("select owner || ' ' || presence || ' ' || presence_server as named"
                                + " from outbox_subscription")
                        .get("named"))
                .map(Object::toString)
                .orElse(null);
    }
}
