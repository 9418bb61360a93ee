package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.ReadStatement;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.engine.store.WriterStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The loop of a relay on the real statements, one step at a time and on a clock that the test sets. Every message is delivered at once. */
final class SteppedLane {
    private static final String[] ALL_TYPES = {"%"};
    private static final Duration LEASE = Duration.ofHours(1);
    private static final LaneId ID = LaneId.only("orders");

    private final DataSource database;
    private final LaneSettings options;
    private final WriterStore writers;
    private SubscriptionStore store;
    private SubscriptionStore.Claim claim;
    private Lane lane;
    private long now;

    /** Creates the subscription and takes the lane. */
    SteppedLane(DataSource database) {
        this(database, 500, 50_000);
    }

    SteppedLane(DataSource database, int batch, int window) {
        this.database = database;
        options = TestLaneSettings.of(settings -> {
            settings.concurrency = 1;
            settings.batchSize = batch;
            settings.window = window;
            settings.maxAttempts = 1;
        });
        writers = new WriterStore(new JdbcTemplate(database), () -> now);
        store = newStore();
        store.rows().create(Start.parse("earliest"));
        take();
    }

    private SubscriptionStore newStore() {
        return new SubscriptionStore(
                new JdbcTemplate(new LaneConnections(database, new Histories())), ID, "relay", LEASE, false, () -> now);
    }

    private void take() {
        claim = store.claim(ALL_TYPES).orElseThrow();
        LaneStart start = new LaneStart(claim.epoch(), now + LEASE.toNanos(), claim.progress(), 0, ProvenSession.NONE);
        lane = new Lane(
                start, options, new LaneCounters(() -> 0), () -> now, () -> ProvenSession.NONE, RateShare.UNLIMITED);
    }

    /** Releases the lease and claims it again, with the saved progress. */
    void takeAgain() {
        store.release(claim.epoch());
        store = newStore();
        take();
    }

    Lane lane() {
        return lane;
    }

    SubscriptionStore.Claim claim() {
        return claim;
    }

    SubscriptionStore store() {
        return store;
    }

    WriterStore writers() {
        return writers;
    }

    /** One turn: a read, the deliveries, and an observation of the writers. */
    Batch turn() throws SQLException {
        Batch batch = read(lane.nextRead());
        receive(batch);
        look();
        return batch;
    }

    /** This many turns, one per second. */
    void turnForSeconds(int seconds) throws SQLException {
        for (int n = 0; n < seconds; n++) {
            passSeconds(1);
            turn();
        }
    }

    void passSeconds(int seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    Batch read(Read read) throws SQLException {
        try (var session = database.getConnection();
                var query = new ReadStatement(ID, ALL_TYPES, 1 << 24).of(read).prepared(session);
                var rows = query.executeQuery()) {
            return BatchRows.of(rows).answering(read);
        }
    }

    void receive(Batch batch) {
        lane.received(batch, Set.of());
        for (Delivery delivery = lane.nextNow(); delivery != null; delivery = lane.nextNow()) {
            lane.finished(delivery, Result.DELIVERED);
        }
    }

    /** Observes the writers if that is requested. */
    void look() {
        if (lane.needsWriters()) {
            lane.observed(writers.lookUp(lane.waitsForWriters()));
        }
    }

    void save() {
        var save = lane.toSave();
        assertThat(store.save(claim.epoch(), save)).isPresent();
        lane.saved(save, List.of());
    }

    static List<Long> ids(Batch batch) {
        return batch.messages().stream().map(Message::id).toList();
    }
}
