package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.Horizon;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ReadStatement;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rows that the database refuses are examined in parts, and each part is followed by a save that renews the lease. The clock moves
 * only where a test says so, so a slow machine makes no part smaller.
 */
class LaneSavesIT {
    private static final LaneId ID = LaneId.only("orders");
    private static final String[] ALL_TYPES = {"%"};
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration REFUSED_INTERVAL = Duration.ofSeconds(30);
    private static final int REFUSED = 500;
    private static final int PART = 100;
    private static final Result FAILED = Result.retry(new Failure("java.io.IOException", "refused", "", "", "refused"));

    private long now;
    private long ticks;
    private final TestOutbox outbox = TestOutbox.create();
    private Lane lane;
    private LaneSaves saves;

    @BeforeEach
    void takeTheLane() throws Exception {
        LaneSettings settings = TestLaneSettings.of(changed -> {
            changed.lease = LEASE;
            changed.order = Order.none;
            changed.concurrency = 1;
            changed.batchSize = 2 * REFUSED;
            changed.window = 10 * REFUSED;
            changed.maxAttempts = 9;
            changed.backoff = new Backoff(Duration.ofHours(1), Duration.ofHours(1), new Random(1));
        });
        Clock clock = () -> now;
        SubscriptionStore store = new SubscriptionStore(outbox.jdbc(), ID, "relay", LEASE, false, () -> now += ticks);
        LaneCounters counters = new LaneCounters(clock);
        Histories histories = new Histories();
        RelayParts relay = RelayParts.of(
                outbox.dataSource(),
                histories,
                "relay",
                LEASE,
                Presence.off(clock),
                new Horizon(Horizon.INTERVAL, clock),
                new WakeUp(null, clock),
                clock);
        LaneLease lease = new LaneLease(
                settings,
                new LaneConnections(outbox.dataSource(), histories),
                store,
                relay,
                Optional.empty(),
                counters);
        assertThat(lease.claim()).isTrue();
        lane = lease.lane();
        saves = new LaneSaves(settings, store, lease, counters, relay, dead -> {});
    }

    @Tag("long")
    @Test
    void a_part_is_smaller_when_examining_it_takes_a_large_part_of_the_lease() throws Exception {
        refuseAll();
        failEverySecondOf(2 * PART);
        ticks = LEASE.toNanos() / 20; // for each reading of the clock

        saveUntilAllAreRefused();

        assertThat(renewals()).isGreaterThanOrEqualTo(PART / 10);
    }

    @Test
    void refused_rows_are_examined_in_parts_that_renew_the_lease_and_stored_in_parts_once_the_cause_is_gone()
            throws Exception {
        refuseAll();
        failEverySecondOf(2 * REFUSED);
        saveUntilAllAreRefused();
        assertThat(renewals()).isGreaterThanOrEqualTo(REFUSED / PART);
        assertThat(outbox.saved("orders").gaps().count()).isEqualTo(REFUSED);
        outbox.jdbc().execute("drop trigger refuse on outbox_retry");

        for (int stored = PART; stored <= REFUSED; stored += PART) {
            now += REFUSED_INTERVAL.toNanos();
            saves.save();
            assertThat(outbox.waiting("orders")).hasSize(stored);
        }
        saves.save();
        assertThat(outbox.passed("orders", 2 * REFUSED)).isTrue();
    }

    private void refuseAll() {
        outbox.jdbc().execute("""
                create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
                create trigger refuse before insert on outbox_retry for each row execute function refuse();
                """);
    }

    /** Every second one arrives, so that the destination counts as available. */
    private void failEverySecondOf(int messages) throws SQLException {
        outbox.insertMany(messages, messages);
        Read read = lane.nextRead();
        try (var session = outbox.unpooled().getConnection();
                var query = new ReadStatement(ID, ALL_TYPES, 1 << 24).of(read).prepared(session);
                var rows = query.executeQuery()) {
            lane.received(BatchRows.of(rows).answering(read), Set.of());
        }
        for (Delivery each = lane.nextNow(); each != null; each = lane.nextNow()) {
            lane.finished(each, each.message().id() % 2 == 0 ? Result.DELIVERED : FAILED);
        }
    }

    private void saveUntilAllAreRefused() {
        do {
            saves.save();
        } while (lane.isSavedInParts());
    }

    /** Each save renews the lease. */
    private long renewals() {
        return outbox.jdbc().queryForObject("select saves from outbox_subscription", Long.class);
    }
}
